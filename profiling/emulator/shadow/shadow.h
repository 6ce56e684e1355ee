// profiling/emulator/shadow/shadow.h: who wrote and read each word of a block's shared memory, and
// when.
#pragma once

#include <cstdint>
#include <vector>

#include "profiling/emulator/shadow/lane_copies.h"
#include "profiling/emulator/shadow/lines.h"
#include "profiling/emulator/shadow/product_reads.h"
#include "profiling/emulator/shadow/record.h"
#include "profiling/emulator/shadow/store_groups.h"
#include "profiling/emulator/shadow/vector_clocks.h"

// Two accesses of different threads to one byte, one of them a write, race unless a barrier lies
// between: the warps' clocks tell (vector_clocks.h); inside a warp, __syncwarp and the other
// warp-level operations count. Words are told apart by byte once an access narrower than a word
// meets them. Words of global memory that the kernel may write have records too, made at their
// first use.

namespace warpscope {

enum class SharedFinding : std::uint8_t {
  none,
  uninitialised,
  race,
  race_in_warp,
  different_values,  // of lanes of one warp that store to one word at once
  not_waited,
  not_fenced,        // wgmma or a copy reads what no fence.proxy.async has shown it
  still_multiplied,  // a write to what a wgmma.mma_async under way may still read
  still_copied       // a write to what a bulk copy may still read
};

// What is known of the last finding beside its kind.
struct FindingStory {
  int warp = 0, lane = 0;  // the other thread of a race; −1: one of another block
  int barrier = -1;  // a bulk copy reports to it, in that phase; −1: it is about no such copy
  std::uint32_t phase = 0;
  std::int64_t copy_offset = 0;      // the first byte at which the last bulk copy found something
  int element = 0;                   // in global memory: of the segment
  std::uint32_t product_source = 0;  // of the product that was part in it

  void name_thread(int other_warp, int other_lane) {
    warp = other_warp;
    lane = other_lane;
    barrier = -1;
  }
};

// Elements of a line of 32 in global memory that lanes of one instruction use: `count` from `first`
// on, the k-th of them by lane `lane` + (k >> shift).
struct LineSegment {
  std::uint64_t line = 0;  // of all buffers
  int first = 0, count = 0, lane = 0, shift = 5;
};

class SharedShadow {
 public:
  // The clocks by which accesses are judged; synchronising instructions update them.
  VectorClocks clocks;
  LaneCopies copies;
  StoreGroups stores;
  ProductReads products;

  void begin_block(std::int64_t bytes, int warps, bool races, bool uninitialised);
  const FindingStory& story() const { return story_; }

  // One lane's access inside the block's memory. `sync` counts the warp's own synchronisations.
  SharedFinding read(int warp, int lane, std::uint32_t sync, std::int64_t offset, int width,
                     AccessStrength strength);
  // `together`: lanes that store the same value there in one instruction, `lane` among them, which
  // do not race with each other; 0: the lane alone. `changed`: a bit for each byte whose value the
  // store changes; threads that store equal values without knowing of each other do not race.
  SharedFinding write(int warp, int lane, std::uint32_t sync, std::int64_t offset, int width,
                      AccessStrength strength, std::uint32_t together = 0,
                      std::uint32_t changed = ~0u);
  // The same of a thread of another block, whose order among this block's threads is not known: it
  // races with nobody.
  SharedFinding visit(std::int64_t offset, int width, bool writes);
  // The same for lanes that read or write `words` whole words each, in their order, for as long as
  // nothing is found and no word was met by copies, strong accesses or narrower ones. Gives the
  // lanes that are left, the first of which has to go to read() or write(). `offsets`: of all 32
  // lanes.
  std::uint32_t read_words(int warp, std::uint32_t lanes, std::uint32_t sync,
                           const std::uint64_t* offsets, int words);
  std::uint32_t write_words(int warp, std::uint32_t lanes, std::uint32_t sync,
                            const std::uint64_t* offsets, int words);
  // The same for global memory. `changed`: a bit for each element of the segment.
  SharedFinding read_line(int warp, std::uint32_t sync, const LineSegment& segment);
  SharedFinding write_line(int warp, std::uint32_t sync, const LineSegment& segment, bool strong,
                           std::uint32_t together, std::uint32_t changed);
  // The same for all 32 elements of a line, as long as nothing is found and whole rows of lanes use
  // the line. False: read_line() or write_line() has to look.
  bool take_line(int warp, std::uint32_t sync, const LineSegment& segment, bool writes,
                 bool strong);

  // The warp that last wrote the word at a byte; −1: none, or a copy did.
  int last_writer(std::int64_t offset) const;

  // A cp.async of a lane, into its group that is open (lane_copies.h).
  void begin_copy(int warp, int lane, std::int64_t offset, int width);
  // A bulk copy asked for by a lane: a write, on its way until this phase is seen to end.
  SharedFinding bulk_copy(int warp, int lane, std::uint32_t sync, std::int64_t offset,
                          std::int64_t bytes, int barrier, std::uint32_t phase);
  // The same of a copy that a thread of another block asked for.
  void copy_from_outside(std::int64_t offset, std::int64_t bytes, int barrier, std::uint32_t phase);
  // A bulk copy out of shared memory reads concurrently with the lanes, until the lane that issued
  // it has waited for its group (`in_group`; others signal an mbarrier). It sees what threads wrote
  // after a fence.proxy.async by a thread that knows of the write. source: PTX ISA, "Async Proxy".
  SharedFinding begin_store(int warp, int lane, std::uint32_t sync, std::int64_t offset,
                            std::int64_t bytes, bool in_group);
  // A wgmma of the warpgroup of this warp, which reads beside its warps until one of them has
  // waited for it, and sees writes as a bulk copy does. `source` comes back with a finding. Gives
  // its number.
  std::uint32_t begin_product(int first_warp, std::uint32_t source);
  // Its reads of a piece, of which the warp must know.
  SharedFinding read_for_product(std::uint32_t product, int warp, std::int64_t offset, int width);

 private:
  SharedFinding read_record(ShadowRecord& r, int warp, int lane, std::uint32_t sync, unsigned bytes,
                            AccessStrength strength);
  SharedFinding write_record(ShadowRecord& r, int warp, int lane, std::uint32_t sync,
                             unsigned bytes, AccessStrength strength, std::uint32_t together,
                             bool changes);
  // What a write finds about the readers since the last write. `lane` −1: any lane is another.
  SharedFinding meet_readers(const ShadowRecord& r, int warp, int lane, std::uint32_t sync,
                             AccessStrength strength);
  SharedFinding race_with(std::uint32_t stamp, bool in_warp);
  // Whether the copy into a record is over for a warp: waited for by the lane that asked, which
  // makes it a write at the time of the wait, or seen to end through an mbarrier.
  bool copy_arrived(ShadowRecord& r, int observer);
  // Whether the warp has seen the phase of a record's bulk copy end; if not, it is noted.
  bool bulk_is_seen(const ShadowRecord& r, int warp);
  SharedFinding read_product_record(ShadowRecord& r, std::uint32_t product, int warp,
                                    unsigned bytes);
  SharedFinding read_for_store(ShadowRecord& r, int warp, int lane, std::uint32_t sync,
                               unsigned bytes, bool in_group);
  template <typename Plain, typename Take>
  std::uint32_t take_words(std::uint32_t lanes, const std::uint64_t* offsets, int words,
                           Plain is_plain, Take take);
  template <typename F>
  SharedFinding for_records(std::int64_t offset, std::int64_t width, F function);
  template <typename F>
  SharedFinding for_elements(const LineSegment& segment, F function);

  std::vector<ShadowRecord> records_, splits_;
  ShadowLines lines_;
  FindingStory story_;
  bool races_ = true, uninitialised_ = true;
};

}  // namespace warpscope
