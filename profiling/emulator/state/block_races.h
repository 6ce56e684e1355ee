// profiling/emulator/state/block_races.h: accesses of different blocks to one word of global
// memory.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "profiling/emulator/state/kernel_code.h"
#include "profiling/emulator/state/memory.h"

// Two blocks race if both use one word, at least one of them writes it, and nothing orders the two
// accesses. They are ordered if the first block makes its access visible to the device
// (__threadfence, or a release) and then stores or updates a word by an atomic, volatile or
// otherwise strong access, and the second block loads or updates that word in such a way. Strong
// accesses do not race with each other.
//
// These rules keep correct programs from being reported. A fence of any warp counts for everything
// that a barrier ordered before it. A strong load orders even without a fence after it, as the last
// block of a reduction is usually written. Whoever reads a released word knows everything that was
// released before, also by unrelated blocks (one time of the whole run stands for a clock of each
// block). A store that does not change the value is not a write (`changed = 1` in many blocks).
// Plain loads of words that others only update strongly are allowed (an early exit before an
// atomicMin). The last block that wrote each word is remembered, and the last two blocks that read
// each line of 32 words. Accesses narrower than a buffer's elements and bulk copies are not
// checked. source: PTX ISA, "Memory Consistency Model".
//
// With several threads of the host, a store is noted before its bytes are in memory. Another block
// that writes one of its words waits until they are there: only then can it see whether its own
// store changes the value.

namespace warpscope {

struct Worker;
struct Warp;
struct RunShared;
struct BlockState;
enum class AccessIntent : std::uint8_t { read, write, update };

// What a block did that others know, and what it knows of others.
struct BlockClock {
  static constexpr int most_warps = 32;
  std::int64_t known = 0;  // it knows what was released up to this time of the run
  bool fenced_any = false;
  // For each warp, the time of its own up to which a fence of the device has published it.
  std::array<std::uint32_t, most_warps> fenced{};
  std::vector<std::uint32_t>* releases = nullptr;
  std::vector<const std::atomic<std::int64_t>*> loaded;  // times of words read by the last access
};

// An access to a word that another block accessed. Whether a write changed anything is known only
// after it.
struct BlockMeeting {
  const Instruction* instruction = nullptr;
  Warp* warp = nullptr;
  int lane = 0;
  const MemoryBuffer* buffer = nullptr;
  std::int64_t offset = 0, other_block = 0;
  std::uint32_t other_source = 0;
  bool other_writes = false;
  AccessIntent intent = {};
  const std::byte* bytes = nullptr;  // of a write: the bytes there before it
  std::uint32_t old = 0;
  int width = 0;
};
void note_block_race(Worker& worker, const BlockMeeting& meeting);
// Notes those of the earlier accesses that changed something.
void settle_block_meetings(Worker& worker);

class BlockRaces {
 public:
  // `wanted`: the buffers that are watched, by their index in the run's memory.
  BlockRaces(const RunShared& run, const std::vector<bool>& wanted);
  bool tracks(const MemoryBuffer& buffer) const {
    return buffer.index < shadows_.size() && shadows_[buffer.index] != nullptr;
  }
  void begin_block(BlockState& block);
  // The last writer of the word at an offset of a watched buffer; no value: nobody wrote it. An
  // atomic counts as a write, whether it changed the word or not.
  struct Writer {
    std::int64_t block = 0;
    int warp = 0;
    std::uint32_t source = 0;
  };
  std::optional<Writer> last_writer(const MemoryBuffer& buffer, std::uint64_t offset) const;
  // A fence of the whole device, before the shadow of shared memory counts it.
  void fence(Warp& warp) const;
  // A warp arrives where blocks of its cluster wait: what it did is released. A block that waited
  // knows of all that was released before.
  void publish(Warp& warp);
  void learn(BlockState& block) const;

  // Before an access, of `lanes` at `addresses` or of all at `bytes` bytes from an offset on.
  void look(Warp& warp, const Instruction& i, const MemoryBuffer& buffer,
            const std::uint64_t* addresses, std::uint32_t lanes, int width, AccessIntent intent);
  void look_row(Warp& warp, const Instruction& i, const MemoryBuffer& buffer, std::uint64_t offset,
                std::uint64_t bytes, int width, AccessIntent intent);

 private:
  struct Stamp {
    std::uint32_t block = 0;  // + 1; 0: none
    std::uint32_t clock = 0;  // of the warp
    std::uint32_t by = 0;     // source << 5 | warp
  };
  // 32 granules in a row.
  struct Line {
    Stamp write;
    std::uint32_t written = 0;  // granules
    std::uint32_t split = 0;    // + 1: of the stamps of each granule, where blocks share the line
  };
  struct Readers {  // of a line
    Stamp last, other;
    std::uint32_t by_last = 0, by_other = 0;  // granules
  };
  struct Granules {
    Stamp write[32];
  };
  struct Sync {  // of a word that was stored to or updated strongly
    std::atomic<std::int64_t> time{0};
    std::uint32_t block = 0, by = 0;
  };
  // Memory of zeros that costs nothing until it is touched.
  template <typename T>
  static T* zeros(std::size_t count) {
    return static_cast<T*>(std::calloc(count, sizeof(T)));
  }
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  struct Shadow {
    int granule = 4;  // bytes
    std::size_t lines = 0, words = 0;
    std::unique_ptr<Line[], Free> line;
    // These two are made when the first reader or strong access comes.
    std::unique_ptr<Readers[], Free> readers;
    std::unique_ptr<Sync[], Free> sync;
    std::atomic<Readers*> readers_at{nullptr};
    std::atomic<Sync*> sync_at{nullptr};
  };
  struct Finding {
    Stamp other;
    bool other_writes = false;
    int granule = 0;
  };
  // What one instruction accesses: granules of lines, and the lanes that do it.
  struct Part {
    std::uint64_t line;
    std::uint32_t granules, lanes;
  };
  struct Parts {
    std::array<Part, 33> part;  // a row of 1024 bytes in lines of 32
    std::size_t count = 0;
    void add(std::uint64_t line, std::uint32_t granules, std::uint32_t lanes);
  };
  struct Lock {
    std::atomic_flag flag;
  };
  using Locks = std::array<Lock, 256>;
  class HeldLines;

  Stamp stamp_of(const Warp& warp, const Instruction& i) const;
  bool is_before(const Stamp& stamp, const BlockState& block);
  void absorb(BlockClock& clock) const;
  void release(const Worker& worker, const Warp& warp, BlockClock& clock);
  // The granules of a line that an access of a block meets others at.
  bool meet(Line& line, Readers* readers, std::uint32_t granules, const Stamp& stamp, bool writes,
            bool strong, BlockState& block, Finding& finding);
  // An access of a whole line that no other block has to do with.
  bool take_line(Shadow& shadow, std::uint64_t line, const Stamp& stamp, bool writes) const;
  Readers* readers_of(Shadow& shadow, bool make);
  Granules* split_of(const Line& line) const;
  static void note_read(Readers& readers, std::uint32_t granules, const Stamp& stamp);
  void note_write(Line& line, Readers* readers, std::uint32_t granules, const Stamp& stamp);
  std::uint32_t new_split(const Line& line);
  void strong_access(Warp& warp, const Instruction& i, Shadow& shadow, const MemoryBuffer& buffer,
                     const std::uint64_t* addresses, std::uint32_t lanes, AccessIntent intent);
  // A word of a line that another block updated strongly, unknown to this one.
  bool meet_sync(const Shadow& shadow, std::uint64_t line, std::uint32_t granules,
                 const BlockState& block, Finding& finding) const;
  // `addresses`: of `lanes`; null: they are a row from `row_offset` on.
  void look_at_parts(Warp& warp, const Instruction& i, Shadow& shadow, const MemoryBuffer& buffer,
                     const Parts& parts, const std::uint64_t* addresses, std::uint32_t lanes,
                     std::uint64_t row_offset, int width, AccessIntent intent);
  void look_at_line(Warp& warp, const Instruction& i, Shadow& shadow, const MemoryBuffer& buffer,
                    const Part& part, const std::uint64_t* addresses, std::uint64_t row_offset,
                    int width, AccessIntent intent);
  // Whether another block's store to one of the granules is noted, but not in memory.
  bool is_being_stored(const Shadow& shadow, const Part& part, const Worker& worker) const;
  bool is_storing(std::uint32_t block, const Worker& worker) const;

  const RunShared& run_;
  int warps_ = 1;
  std::vector<std::unique_ptr<Shadow>> shadows_;  // by index of buffers; null: never written
  std::vector<std::unique_ptr<Granules[]>> split_pages_;
  std::uint32_t splits_ = 0;
  std::atomic<std::int64_t> now_{0};
  std::mutex mutex_;  // of splits_ and releases_
  // By block: time, then the times of its warps, of each release that published more than the one
  // before.
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> releases_;
  Locks locks_{};
};

}  // namespace warpscope
