// profiling/emulator/state/async_barriers.h: mbarriers of a block and the copies that report to
// them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "profiling/emulator/state/kernel_code.h"

// An mbarrier counts arrivals and bytes on their way, phase by phase. Its state lives here, not in
// the 8 bytes of shared memory that hold it on a device: those are opaque to kernels.
// source: PTX ISA, "mbarrier".

namespace warpscope {

struct Warp;
struct Worker;

enum class AsyncBarrierOperation : std::uint8_t {
  initialise,
  invalidate,
  arrive,
  drop,         // arrive_drop: later phases expect one fewer
  expect_copy,  // expect_tx
  end_copy,     // complete_tx
  arrive_expecting,
  drop_expecting,
  arrive_after_copies,  // cp.async.mbarrier.arrive.noinc
  after_copies,         // the same without .noinc: an arrival more is expected and made
  end_after_copies,     // in SASS: the end of one byte that was expected before the copies
  test,                 // test_wait
  wait,                 // try_wait
};

struct AsyncBarrier {
  std::int64_t offset = 0;                 // in the block's shared memory
  bool valid = false;                      // between init and inval
  std::int64_t expected = 0, pending = 0;  // arrivals: of a phase; that this one still waits for
  std::int64_t outstanding_bytes = 0;      // of copies; negative: more came than were expected
  std::uint32_t phase = 0;                 // counted on when a barrier is made anew
  std::uint32_t first_phase = 0;           // the one that init began
  // Sources of its mbarrier.init, of the last instruction that expected bytes, and of all that ever
  // arrived or reported to it.
  std::uint32_t made_by = 0, expected_by = 0;
  std::vector<std::uint32_t> arrived_by;
  // Lanes by warp that arrived in the running phase, and in those before it.
  std::array<std::uint32_t, 32> arrived{}, arrived_before{};
};

// The barriers of the block that runs, by index; an index stays with its place in shared memory.
class AsyncBarriers {
 public:
  void begin_block() {
    list_.clear();
    at_.clear();
  }
  // −1: none has been made there.
  int find(std::int64_t offset) const {
    const auto found = at_.find(offset);
    return found == at_.end() ? -1 : found->second;
  }
  int find_or_add(std::int64_t offset);
  AsyncBarrier& operator[](int index) { return list_[static_cast<std::size_t>(index)]; }
  int count() const { return static_cast<int>(list_.size()); }
  const AsyncBarrier& operator[](int index) const { return list_[static_cast<std::size_t>(index)]; }

 private:
  std::vector<AsyncBarrier> list_;
  std::unordered_map<std::int64_t, int> at_;
};

// mbarrier: a the address, b the count, bytes, state or parity (0: a count of one), d the state
// before it, or the predicate of waits; subop AsyncBarrierOperation; kFlagParity: b is a parity.
inline constexpr std::uint8_t kFlagParity = 1;
inline constexpr std::uint8_t kFlagRelaxed = 8;  // orders nothing
void run_async_barrier(Warp& warp, const Instruction& i);
// mbarrier.pending_count: d of state a.
void run_pending_count(Warp& warp, const Instruction& i);

// The lanes of warp.mask whose phase is over, or who are at fault. From then on the warp sees what
// they waited for.
std::uint32_t lanes_past_barrier(Warp& warp, const Instruction& i);
// Sets the predicate of a wait for `lanes`.
void answer_wait(Warp& warp, const Instruction& i, std::uint32_t lanes, std::uint32_t over);
// "waits for phase 1 of the barrier at shared byte 229504: 3 of 32 arrivals, 4096 bytes
// outstanding", of the first of `lanes`.
std::string waiting_text(Warp& warp, const Instruction& i, std::uint32_t lanes);

// The barrier that a lane's wait names, in AsyncBarriers; −1: none has been made there. Notes
// nothing.
int waited_barrier(const Warp& warp, const Instruction& i, int lane);

// Bytes of a copy arrived at the barrier; a phase that ends releases the warps that wait for it.
void end_copy(Worker& worker, int barrier, std::int64_t bytes);

// The barrier that a lane names, −1 after noting why there is none.
int barrier_of(Warp& warp, const Instruction& i, int lane, std::uint64_t offset);
// The same of a barrier of `home`, the lane's own block or another of its cluster.
int barrier_of(Warp& warp, const Instruction& i, int lane, const Worker& home,
               std::uint64_t offset);

}  // namespace warpscope
