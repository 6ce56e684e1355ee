// profiling/emulator/state/shadow.h: who wrote and read each word of a block's shared memory, and
// when.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <vector>

// Two accesses of different threads to one byte, one of them a write, race unless a barrier lies
// between. Each warp has a clock that its barriers advance, and knows what clock of every other
// warp it has met at a barrier (a vector clock); inside a warp, __syncwarp and the other warp-level
// operations count. Words are told apart by byte once an access narrower than a word meets them.
// An mbarrier carries clocks from those who arrive to those who see the phase end, and each warp
// knows how many phases of each mbarrier it has seen end: that is what makes bulk copies visible.
// Words of global memory that the kernel may write have records too, made at their first use.

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

// Atomics and other strong accesses do not race with each other. Nor do volatile ones, except those
// of two lanes of one warp: lanes run apart since Volta, and volatile does not order them.
enum class AccessStrength : std::uint8_t { weak, by_volatile, strong };

// Elements of a line of 32 in global memory that lanes of one instruction use: `count` from `first`
// on, the k-th of them by lane `lane` + (k >> shift).
struct LineSegment {
  std::uint64_t line = 0;  // of all buffers
  int first = 0, count = 0, lane = 0, shift = 5;
};

class SharedShadow {
 public:
  static constexpr int most_warps = 32;

  void begin_block(std::int64_t bytes, int warps, bool races, bool uninitialised);

  // One lane's access inside the block's memory. `sync` counts the warp's own synchronisations.
  SharedFinding read(int warp, int lane, std::uint32_t sync, std::int64_t offset, int width,
                     AccessStrength strength);
  // `together`: lanes that store the same value there in one instruction, `lane` among them, which
  // is not a race between them; 0: the lane alone. `changed`: a bit for each byte whose value the
  // store changes; threads that store equal values without knowing of each other do not race.
  SharedFinding write(int warp, int lane, std::uint32_t sync, std::int64_t offset, int width,
                      AccessStrength strength, std::uint32_t together = 0,
                      std::uint32_t changed = ~0u);
  // The same of a thread of another block, whose order among this block's threads is not known: it
  // races with nobody.
  SharedFinding visit(std::int64_t offset, int width, bool writes);
  // The same for lanes that read or write a whole word each, in their order, for as long as nothing
  // is found and no word was met by copies, strong accesses or narrower ones. Gives the lanes that
  // are left, the first of which has to go to read() or write(). `offsets`: of all 32 lanes.
  std::uint32_t read_words(int warp, std::uint32_t lanes, std::uint32_t sync,
                           const std::uint64_t* offsets);
  std::uint32_t write_words(int warp, std::uint32_t lanes, std::uint32_t sync,
                            const std::uint64_t* offsets);
  // The same for global memory. `changed`: a bit for each element of the segment.
  SharedFinding read_line(int warp, std::uint32_t sync, const LineSegment& segment);
  SharedFinding write_line(int warp, std::uint32_t sync, const LineSegment& segment, bool strong,
                           std::uint32_t together, std::uint32_t changed);
  // The same for all 32 elements of a line, as long as nothing is found and whole rows of lanes use
  // the line. False: read_line() or write_line() has to look.
  bool take_line(int warp, std::uint32_t sync, const LineSegment& segment, bool writes,
                 bool strong);
  // For the last finding in global memory: the element of the segment.
  int found_element() const { return found_element_; }
  // A strong load of a warp: it comes after what fences have published.
  void learn_from_fences(int warp);
  // The other thread of the last race: its warp and lane.
  int other_warp() const { return other_warp_; }
  int other_lane() const { return other_lane_; }

  // The warp that last wrote the word at a byte; −1: none, or a copy did.
  int last_writer(std::int64_t offset) const;

  // The time of another warp of the block, or its own, that a warp comes after.
  std::uint32_t known(int warp, int other) const {
    return known_[static_cast<std::size_t>(warp)][static_cast<std::size_t>(other)];
  }
  // A barrier completed: `arrived` warps are seen by the `released` ones.
  void barrier(std::uint32_t arrived, std::uint32_t released);
  // A fence of a warp: what it did is seen by whoever fences after it, and the other way round.
  void fence(int warp);

  // cp.async: the bytes are on their way until the lane that asked waits for the group; from then
  // on they are a write of that lane, which other lanes may read after a synchronisation.
  void begin_copy(int warp, int lane, std::int64_t offset, int width);
  void commit(int warp, std::uint32_t lanes);
  void wait(int warp, std::uint32_t lanes, std::uint32_t sync, std::int64_t groups_left);

  // mbarriers, by an index of the caller's. Phases count from 0 and never go back.
  void add_barrier(int barrier);
  void arrive(int warp, int barrier);
  void advance(int warp);  // after the arrivals of an instruction: what follows is not in them
  void end_phase(int barrier, std::uint32_t phases_over);
  void acquire(int warp, int barrier);  // the warp saw the last phase end
  // The cp.async copies of a lane so far are seen by whoever sees this phase end.
  void end_copies(int warp, int lane, int barrier, std::uint32_t phase);
  // A bulk copy asked for by a lane: a write, on its way until this phase is seen to end.
  SharedFinding bulk_copy(int warp, int lane, std::uint32_t sync, std::int64_t offset,
                          std::int64_t bytes, int barrier, std::uint32_t phase);
  // The same of a copy that a thread of another block asked for.
  void copy_from_outside(std::int64_t offset, std::int64_t bytes, int barrier, std::uint32_t phase);
  // An arrival of a thread of another block, which may know of whatever this block did so far.
  void arrive_from_outside(int barrier);

  // Bulk copies out of shared memory (async/shadow_stores.cpp): they read beside the lanes, until
  // the lane that asked has waited for their group (`in_group`; others tell an mbarrier). What
  // threads wrote is seen by them after a fence.proxy.async of someone who knows of the write.
  // source: PTX ISA, "Async Proxy".
  void fence_proxy(int warp);
  SharedFinding begin_store(int warp, int lane, std::uint32_t sync, std::int64_t offset,
                            std::int64_t bytes, bool in_group);
  void commit_stores(int warp, std::uint32_t lanes);
  void wait_for_stores(int warp, std::uint32_t lanes, std::int64_t groups_left);
  // Those of the lanes with copies that nobody has waited for.
  std::uint32_t lanes_with_stores(int warp, std::uint32_t lanes) const;

  // wgmma (warpgroups/shadow_products.cpp): a warpgroup's product reads beside its warps, until one
  // of them has waited for it. What threads wrote is seen by it after a fence.proxy.async of
  // someone who knows of the write. source: PTX ISA, "Async Proxy".
  // A product of the warpgroup of this warp; `source` comes back with a finding. Gives its number.
  std::uint32_t begin_product(int first_warp, std::uint32_t source);
  // Its reads of a piece, of which the warp must know.
  SharedFinding read_for_product(std::uint32_t product, int warp, std::int64_t offset, int width);
  void end_product(std::uint32_t product, int warp);  // the warp has waited for it
  // For the last finding that a product was part in: its source.
  std::uint32_t product_source() const { return product_source_; }

  // For the last finding: the barrier and phase that a bulk copy reports to; −1: it is about none.
  int other_barrier() const { return other_barrier_; }
  std::uint32_t other_phase() const { return other_phase_; }
  // The first byte at which the last bulk copy found something.
  std::int64_t copy_offset() const { return copy_offset_; }

 private:
  // Record::flags.
  static constexpr std::uint8_t kStrongWrite = 1, kStrongRead = 2, kCopy = 4, kBulkCopy = 8,
                                kProductRead = 16, kCopySource = 32, kFromOutside = 64,
                                kVolatileWrite = 128;  // beside kStrongWrite
  static constexpr int kClockShift = 11;
  struct Record {
    // clock << 11 | many lanes << 10 | warp << 5 | lane
    std::uint32_t write = 0, read = 0;
    std::uint32_t write_sync = 0, read_sync = 0;
    std::uint32_t read_warps = 0;
    std::uint8_t initialised = 0;  // bit a byte; of a split record bit 0
    std::uint8_t flags = 0;
    // warp << 5 | lane of a copy under way, or of one out of here (kCopySource); of kProductRead
    // the number of the product.
    std::uint16_t copy_lane = 0;
    // Of cp.async and kCopySource its group. Of a bulk copy the phase it reports to; write_sync is
    // then its barrier. Of a store by many lanes the mask of those lanes.
    std::uint32_t copy_group = 0;
    std::uint32_t split = 0;  // first of four records in splits_, 0: not split
  };
  SharedFinding read_record(Record& r, int warp, int lane, std::uint32_t sync, unsigned bytes,
                            AccessStrength strength);
  SharedFinding write_record(Record& r, int warp, int lane, std::uint32_t sync, unsigned bytes,
                             AccessStrength strength, std::uint32_t together, bool changes);
  // Whether both the last write and an access are such as do not race with each other.
  static bool is_excused(const Record& r, int warp, AccessStrength strength);
  // Of the record after a write, before it is noted.
  std::uint8_t flags_of_write(const Record& r, int warp, int lane, std::uint32_t sync,
                              AccessStrength strength) const;
  // What a write finds of those who read since the last one. `lane`: as above.
  SharedFinding meet_readers(const Record& r, int warp, int lane, std::uint32_t sync,
                             AccessStrength strength);
  // A store of the value that another one left, neither knowing of the other.
  void join_write(Record& r, int warp, int lane, std::uint32_t sync, std::uint32_t together);
  SharedFinding race_with(std::uint32_t stamp, bool in_warp);
  // The rules of plain records: whether a lane that reads or writes knows of the last write; the
  // other warps that read since, unknown to this one; whether another lane of this warp reads at
  // the same time. `lane` −1: any lane is another.
  bool knows_write(const Record& r, int warp, int lane, std::uint32_t sync, bool reads) const;
  std::uint32_t unmet_readers(const Record& r, int warp) const;
  bool is_read_beside(const Record& r, int warp, int lane, std::uint32_t sync) const;
  // Whether the read joins one of its warp at the same time.
  bool note_read(Record& r, int warp, int lane, std::uint32_t sync);
  void note_write(Record& r, int warp, int lane, std::uint32_t sync);
  template <typename Plain, typename Take>
  std::uint32_t take_words(std::uint32_t lanes, const std::uint64_t* offsets, Plain is_plain,
                           Take take);
  // Whether the copy into a record is over for a warp: waited for by the lane that asked, which
  // makes it a write at the time of the wait, or seen to end through an mbarrier.
  bool copy_arrived(Record& r, int observer);
  // For a bulk copy's record: whether the warp has seen its phase end; if not, it is noted.
  bool bulk_is_seen(const Record& r, int warp);
  bool is_seen_through_barrier(const Record& r, int warp) const;
  // Before a write to a record with kProductRead: whether the warp knows someone who has waited for
  // the product, and for those of other warpgroups that read it before.
  bool product_is_over(const Record& r, int warp);
  bool product_is_over(std::uint32_t product, int warp) const;
  SharedFinding read_product_record(Record& r, std::uint32_t product, int warp, unsigned bytes);
  void forget_products();
  SharedFinding read_for_store(Record& r, int warp, int lane, std::uint32_t sync, unsigned bytes,
                               bool in_group);
  // Before a write to a record with kCopySource: whether the warp knows that its copy has read it.
  bool source_is_read(const Record& r, int warp);
  template <typename F>
  SharedFinding for_records(std::int64_t offset, std::int64_t width, F function);

  // Which lane uses which element of a line.
  struct LaneRow {
    std::uint8_t lane = 0, shift = 0;
    bool operator==(const LaneRow&) const = default;
  };
  // Elements of global memory. As long as whole rows of lanes use them, `row` stands for all.
  struct Line {
    std::uint64_t number = 0;
    Record row;
    LaneRow written, read;
    std::uint32_t records = 0;  // 1 + the first of 32 in line_records_; 0: `row`
  };
  // Null: the block has used more of them than are compared.
  Line* line_at(std::uint64_t number);
  void grow_lines();
  // The 32 records of a line; null as above.
  Record* records_of(Line& line);
  template <typename F>
  SharedFinding for_elements(const LineSegment& segment, F function);

  std::vector<Record> records_, splits_;
  std::vector<Line> lines_;                // of the block, by their first use
  std::vector<std::uint32_t> line_table_;  // 1 + index in lines_, by a hash of the number; 0: none
  std::vector<Record> line_records_;
  int found_element_ = 0;
  std::array<std::array<std::uint32_t, most_warps>, most_warps> known_{};
  std::array<std::uint32_t, most_warps> fenced_{};  // clocks published by fences
  std::array<std::array<std::uint32_t, 32>, most_warps> committed_{}, completed_{};
  // When a lane had waited for how many groups, by time.
  struct Wait {
    std::uint32_t groups = 0, clock = 0, sync = 0;
  };
  std::array<std::array<std::vector<Wait>, 32>, most_warps> waits_;
  struct BarrierClock {
    std::array<std::uint32_t, most_warps> arrived{}, ended{};  // of warps
    std::vector<std::uint32_t> arrived_seen, ended_seen;       // phases of barriers
  };
  std::vector<BarrierClock> clocks_;
  std::vector<std::array<std::uint32_t, most_warps>> seen_;  // phases over, by barrier and warp
  std::vector<std::uint32_t> fenced_seen_;
  struct Arrival {
    std::uint32_t group = 0;  // copies of this and earlier groups
    int barrier = 0;
    std::uint32_t phase = 0;
  };
  static std::int64_t before_groups(std::uint32_t committed, std::int64_t groups_left,
                                    const std::vector<Arrival>& arrivals);
  struct Product {
    std::array<std::uint32_t, 4> waited{};  // by warp: its clock when it had waited, 0: it has not
    int first_warp = 0;
    std::uint32_t source = 0;
    std::vector<std::uint16_t> before;  // of other warpgroups, that read some of the same words
  };
  std::vector<Product> products_;
  std::uint32_t product_source_ = 0;
  std::vector<std::vector<Arrival>> arrivals_;       // of cp.async, by warp << 5 | lane
  std::array<std::uint32_t, most_warps> proxied_{};  // clocks of writes that the async proxy sees
  struct Stores {                                    // of a lane
    std::uint32_t committed = 0, waited = 0;         // groups
    bool open = false;                               // some are in no group yet
    std::vector<Wait> waits;
  };
  std::map<int, Stores> stores_;  // by warp << 5 | lane
  int warps_ = 0, other_warp_ = 0, other_lane_ = 0, other_barrier_ = -1;
  std::uint32_t other_phase_ = 0;
  std::int64_t copy_offset_ = 0;
  bool races_ = true, uninitialised_ = true;
};

template <typename F>
SharedFinding SharedShadow::for_records(std::int64_t offset, std::int64_t width, F function) {
  SharedFinding finding = SharedFinding::none;
  const std::int64_t end = offset + width;
  while (offset < end) {
    Record& word = records_[static_cast<std::size_t>(offset >> 2)];
    const int first = static_cast<int>(offset & 3);
    const int count = static_cast<int>(std::min<std::int64_t>(4 - first, end - offset));
    if (count == 4 && word.split == 0) {
      const SharedFinding f = function(word, 15u);
      if (f != SharedFinding::none) finding = f;
    } else {
      if (word.split == 0) {
        const auto at = static_cast<std::uint32_t>(splits_.size());
        for (int k = 0; k < 4; ++k) {
          splits_.push_back(word);
          splits_.back().initialised = word.initialised >> k & 1;
        }
        word.split = at;
      }
      for (int k = first; k < first + count; ++k) {
        const SharedFinding f = function(splits_[word.split + static_cast<std::uint32_t>(k)], 1u);
        if (f != SharedFinding::none) finding = f;
      }
    }
    offset += count;
  }
  return finding;
}

}  // namespace warpscope
