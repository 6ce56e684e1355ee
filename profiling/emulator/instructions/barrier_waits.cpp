// profiling/emulator/instructions/barrier_waits.cpp: mbarriers: arrivals, bytes and waits.
#include <algorithm>
#include <bit>

#include "profiling/emulator/memory/access_path.h"
#include "profiling/emulator/memory/barrier_events.h"
#include "profiling/emulator/state/async_barriers.h"
#include "scenes/base/plural.h"

namespace warpscope {
namespace {

constexpr std::int64_t kBarrierBytes = 8;
constexpr std::int64_t kMostArrivals = (1 << 20) - 1;  // PTX ISA, "Contents of the mbarrier object"

std::string bytes_text(std::int64_t n) { return plural(n, "byte"); }
std::string place_text(std::int64_t offset) {
  return "the barrier at shared byte " + std::to_string(offset);
}

std::uint64_t lane_address(const Warp& w, const Instruction& i, int lane) {
  const auto offset = static_cast<std::uint64_t>(i.immediate);
  if ((i.flags & kFlagAddress32) != 0) {
    return w.slot<std::uint32_t>(i.a)[lane] + static_cast<std::uint32_t>(offset);
  }
  const std::uint64_t address = w.slot<std::uint64_t>(i.a)[lane] + offset;
  return i.space == AddressSpace::generic ? address - kSharedWindow : address;
}

// The state before an operation: the phase and the arrivals it still waits for.
std::uint64_t state_of(const AsyncBarrier& b) {
  return std::uint64_t{b.phase - b.first_phase} << 32 | static_cast<std::uint64_t>(b.pending);
}

bool is_over(const AsyncBarrier& b, const Warp& w, const Instruction& i, int lane) {
  if ((i.flags & kFlagParity) != 0) {
    return ((b.phase - b.first_phase) & 1) != (w.slot<std::uint32_t>(i.b)[lane] & 1);
  }
  return b.phase - b.first_phase !=
         static_cast<std::uint32_t>(w.slot<std::uint64_t>(i.b)[lane] >> 32);
}

void expect_bytes(AsyncBarrier& b, const Instruction& i, std::uint32_t bytes) {
  b.outstanding_bytes += bytes;
  b.expected_by = i.source;
}

BarrierMark mark_of(AsyncBarrierOperation operation) {
  return operation == AsyncBarrierOperation::expect_copy ? BarrierMark::expect
         : operation == AsyncBarrierOperation::end_copy  ? BarrierMark::copy
                                                         : BarrierMark::arrive;
}

// A lane sees the phase before the running one over; before the first there is none.
void note_wait_over(Warp& w, const Instruction& i, int barrier, int lane) {
  const AsyncBarrier& b = w.worker->async_barriers[barrier];
  if (b.phase == b.first_phase) return;
  note_mbarrier_event(w, i, BarrierMark::wait, barrier, lane, -1);
}

// What lanes of a warp saw end is known to the warp from here on.
void acquire(Warp& w, const Instruction& i, int barrier) {
  if ((i.flags & kFlagRelaxed) != 0) return;
  ++w.sync_count;
  if (w.worker->shadowed) w.worker->shadow.clocks.acquire(static_cast<int>(w.index), barrier);
  if (w.worker->cluster != nullptr) learn_from_cluster(*w.worker);
}

// Paths that wait for a phase which is now over go on. Their lanes on other barriers get a false
// predicate and come again.
void wake(Worker& worker, int barrier) {
  const AsyncBarrier& b = worker.async_barriers[barrier];
  for (Warp& w : worker.warps) {
    for (Arm& arm : w.arms) {
      if (arm.state != ArmState::at_async_barrier) continue;
      const Instruction& i = worker.kernel->code[arm.pc];
      std::uint32_t over = 0;
      for (std::uint32_t rest = arm.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        if (static_cast<std::int64_t>(lane_address(w, i, lane)) == b.offset &&
            is_over(b, w, i, lane)) {
          over |= 1u << lane;
        }
      }
      if (over == 0) continue;
      answer_wait(w, i, arm.mask, over);
      for (std::uint32_t rest = w.recorded ? over : 0; rest != 0; rest &= rest - 1) {
        note_wait_over(w, i, barrier, std::countr_zero(rest));
      }
      acquire(w, i, barrier);
      arm.state = ArmState::ready;
      ++arm.pc;
    }
  }
}

void end_phase_if_complete(Worker& worker, int barrier) {
  AsyncBarrier& b = worker.async_barriers[barrier];
  if (!b.valid || b.pending != 0 || b.outstanding_bytes != 0) return;
  ++b.phase;
  b.pending = b.expected;
  for (std::size_t v = 0; v < b.arrived.size(); ++v) b.arrived_before[v] |= b.arrived[v];
  b.arrived = {};
  if (worker.shadowed) worker.shadow.clocks.end_phase(barrier, b.phase);
  wake(worker, barrier);
}

// An arrival at a barrier of `home`, the lane's own block or another of its cluster.
void arrive(Warp& w, const Instruction& i, int lane, Worker& home, int barrier,
            std::int64_t count) {
  Worker& worker = *w.worker;
  AsyncBarrier& b = home.async_barriers[barrier];
  if (count < 1 || count > b.pending) {
    note_fault(w, i, FaultKind::divergent_barrier, 1u << lane,
               worker.source(i).opcode + " makes " + plural(count, "arrival") + " at " +
                   place_text(b.offset) + ", whose phase " +
                   std::to_string(b.phase - b.first_phase) + " waits for " +
                   std::to_string(b.pending) + " more");
    return;
  }
  b.pending -= count;
  if (&home == &worker) b.arrived[w.index] |= 1u << lane;
  if (std::find(b.arrived_by.begin(), b.arrived_by.end(), i.source) == b.arrived_by.end()) {
    b.arrived_by.push_back(i.source);
  }
  if ((i.flags & kFlagRelaxed) == 0) {
    if (worker.cluster != nullptr) publish_to_cluster(w);
    if (home.shadowed && &home == &worker) {
      home.shadow.clocks.arrive(static_cast<int>(w.index), barrier);
    } else if (home.shadowed) {
      home.shadow.clocks.arrive_from_outside(barrier);
    }
  }
  end_phase_if_complete(home, barrier);
}

void initialise(Warp& w, const Instruction& i, int lane, std::int64_t offset) {
  Worker& worker = *w.worker;
  const auto count = std::int64_t{w.slot<std::uint32_t>(i.b)[lane]};
  if (count < 1 || count > kMostArrivals) {
    note_fault(w, i, FaultKind::divergent_barrier, 1u << lane,
               worker.source(i).opcode + " makes a barrier of " + std::to_string(count) +
                   " arrivals; it takes 1 to " + std::to_string(kMostArrivals));
    return;
  }
  const bool again = worker.async_barriers.find(offset) >= 0;
  const int index = worker.async_barriers.find_or_add(offset);
  AsyncBarrier& b = worker.async_barriers[index];
  const std::uint32_t phase = again ? b.phase + 1 : 0;
  b = AsyncBarrier{offset, true, count, count, 0, phase, phase, i.source, 0, {}, {}, {}};
  if (worker.shadowed) worker.shadow.clocks.add_barrier(index);
}

// Bounds and alignment of the 8 bytes at `offset`.
bool is_place(Warp& w, const Instruction& i, int lane, std::uint64_t offset) {
  Worker& worker = *w.worker;
  const std::uint64_t size = worker.shared.size();
  if (offset >= size || offset + kBarrierBytes > size) {
    note_fault(w, i, FaultKind::out_of_bounds, 1u << lane,
               worker.source(i).opcode + " names a barrier at byte " +
                   std::to_string(static_cast<std::int64_t>(offset)) +
                   " of shared memory, beyond the " + bytes_text(static_cast<std::int64_t>(size)) +
                   " of the block",
               "shared memory");
    return false;
  }
  if (offset % kBarrierBytes != 0) {
    note_fault(w, i, FaultKind::misaligned, 1u << lane,
               worker.source(i).opcode + " names a barrier at byte " + std::to_string(offset) +
                   " of shared memory, which is not a multiple of its 8 bytes",
               "shared memory");
    return false;
  }
  return true;
}

// Barriers are made by one thread and used by others: that order is checked like any other.
void look_at(Warp& w, const Instruction& i, int lane, std::int64_t offset, bool writes) {
  Worker& worker = *w.worker;
  if (!worker.shadowed) return;
  const auto warp = static_cast<int>(w.index);
  const SharedFinding finding = writes ? worker.shadow.write(warp, lane, w.sync_count, offset,
                                                             kBarrierBytes, AccessStrength::weak)
                                       : worker.shadow.read(warp, lane, w.sync_count, offset,
                                                            kBarrierBytes, AccessStrength::strong);
  note_shared_finding(w, i, finding, lane, offset, kBarrierBytes,
                      writes ? AccessIntent::write : AccessIntent::read);
}

// The count or bytes that a lane gives, after noting what it does and the state before it.
std::uint32_t given_to(Warp& w, const Instruction& i, AsyncBarrierOperation operation,
                       const Worker& home, int barrier, int lane) {
  if (w.recorded && &home == w.worker) note_mbarrier_event(w, i, mark_of(operation), barrier, lane);
  if (i.d != 0) w.slot<std::uint64_t>(i.d)[lane] = state_of(home.async_barriers[barrier]);
  return i.b == 0 ? 1 : w.slot<std::uint32_t>(i.b)[lane];
}

// Copies are over when they are issued; warps that wait for this phase see them.
void show_copies(Warp& w, int lane, int barrier, std::uint32_t phase) {
  Worker& worker = *w.worker;
  if (!worker.shadowed) return;
  worker.shadow.copies.end_copies(static_cast<int>(w.index), lane, barrier, phase);
  worker.shadow.clocks.arrive(static_cast<int>(w.index), barrier);
}

}  // namespace

int AsyncBarriers::find_or_add(std::int64_t offset) {
  const auto [entry, added] = at_.try_emplace(offset, static_cast<int>(list_.size()));
  if (added) list_.emplace_back().offset = offset;
  return entry->second;
}

int barrier_of(Warp& w, const Instruction& i, int lane, std::uint64_t offset) {
  return barrier_of(w, i, lane, *w.worker, offset);
}

int barrier_of(Warp& w, const Instruction& i, int lane, const Worker& home, std::uint64_t offset) {
  // Blocks of a cluster have as much shared memory as each other.
  if (!is_place(w, i, lane, offset)) return -1;
  Worker& worker = *w.worker;
  const int index = home.async_barriers.find(static_cast<std::int64_t>(offset));
  if (index < 0 || !home.async_barriers[index].valid) {
    note_fault(w, i, FaultKind::uninitialised_read, 1u << lane,
               worker.source(i).opcode + " uses " + place_text(static_cast<std::int64_t>(offset)) +
                   (&home == &worker ? "" : " of another block of the cluster") +
                   ", which no mbarrier.init has initialised",
               "shared memory");
    return -1;
  }
  if (&home == &worker) look_at(w, i, lane, static_cast<std::int64_t>(offset), false);
  return index;
}

void end_copy(Worker& worker, int barrier, std::int64_t bytes) {
  worker.async_barriers[barrier].outstanding_bytes -= bytes;
  end_phase_if_complete(worker, barrier);
}

void run_async_barrier(Warp& w, const Instruction& i) {
  Worker& worker = *w.worker;
  const auto operation = static_cast<AsyncBarrierOperation>(i.subop);
  worker.watch.note_effect();
  for (std::uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    std::uint64_t offset = lane_address(w, i, lane);
    if (operation == AsyncBarrierOperation::initialise) {
      if (!is_place(w, i, lane, offset)) continue;
      look_at(w, i, lane, static_cast<std::int64_t>(offset), true);
      initialise(w, i, lane, static_cast<std::int64_t>(offset));
      continue;
    }
    Worker* const home = block_at(w, i, lane, offset);
    const int index = home == nullptr ? -1 : barrier_of(w, i, lane, *home, offset);
    if (index < 0) continue;
    AsyncBarrier& b = home->async_barriers[index];
    const std::uint32_t given = given_to(w, i, operation, *home, index, lane);
    switch (operation) {
      case AsyncBarrierOperation::invalidate:
        look_at(w, i, lane, static_cast<std::int64_t>(offset), true);
        b.valid = false;
        break;
      case AsyncBarrierOperation::drop:
        b.expected -= std::min<std::int64_t>(given, b.expected);
        [[fallthrough]];
      case AsyncBarrierOperation::arrive:
        arrive(w, i, lane, *home, index, given);
        break;
      case AsyncBarrierOperation::expect_copy:
        expect_bytes(b, i, given);
        end_phase_if_complete(*home, index);
        break;
      case AsyncBarrierOperation::end_copy:
        end_copy(*home, index, given);
        break;
      case AsyncBarrierOperation::drop_expecting:
        b.expected -= std::min<std::int64_t>(1, b.expected);
        [[fallthrough]];
      case AsyncBarrierOperation::arrive_expecting:
        expect_bytes(b, i, given);
        arrive(w, i, lane, *home, index, 1);
        break;
      case AsyncBarrierOperation::after_copies:
        ++b.pending;
        [[fallthrough]];
      case AsyncBarrierOperation::arrive_after_copies:
        show_copies(w, lane, index, b.phase);
        arrive(w, i, lane, *home, index, 1);
        break;
      case AsyncBarrierOperation::end_after_copies:
        show_copies(w, lane, index, b.phase);
        end_copy(*home, index, 1);
        break;
      default:
        break;
    }
  }
  if (worker.shadowed) worker.shadow.clocks.advance(static_cast<int>(w.index));
}

void run_pending_count(Warp& w, const Instruction& i) {
  for (std::uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    w.slot<std::uint32_t>(i.d)[lane] =
        static_cast<std::uint32_t>(w.slot<std::uint64_t>(i.a)[lane] & kMostArrivals);
  }
}

std::uint32_t lanes_past_barrier(Warp& w, const Instruction& i) {
  Worker& worker = *w.worker;
  std::uint32_t over = 0;
  int last = -1;
  for (std::uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const int index = barrier_of(w, i, lane, lane_address(w, i, lane));
    if (index >= 0 && !is_over(worker.async_barriers[index], w, i, lane)) continue;
    if (w.recorded && index >= 0) note_wait_over(w, i, index, lane);
    over |= 1u << lane;
    if (index >= 0 && index != last) acquire(w, i, index);
    last = index;
  }
  return over;
}

int waited_barrier(const Warp& w, const Instruction& i, int lane) {
  return w.worker->async_barriers.find(static_cast<std::int64_t>(lane_address(w, i, lane)));
}

void answer_wait(Warp& w, const Instruction& i, std::uint32_t lanes, std::uint32_t over) {
  std::uint32_t& p = w.predicate(i.d);
  p = (p & ~lanes) | over;
}

std::string waiting_text(Warp& w, const Instruction& i, std::uint32_t lanes) {
  const auto offset = static_cast<std::int64_t>(lane_address(w, i, std::countr_zero(lanes)));
  const int index = w.worker->async_barriers.find(offset);
  if (index < 0) return "waits for " + place_text(offset);
  const AsyncBarrier& b = w.worker->async_barriers[index];
  std::string text = "waits for phase " + std::to_string(b.phase - b.first_phase) + " of " +
                     place_text(offset) + ": " + std::to_string(b.expected - b.pending) + " of " +
                     plural(b.expected, "arrival") + ", ";
  if (b.outstanding_bytes < 0) {
    return text + bytes_text(-b.outstanding_bytes) + " more than were expected";
  }
  return text + (b.outstanding_bytes == 0 ? "no bytes" : bytes_text(b.outstanding_bytes)) +
         " outstanding";
}

}  // namespace warpscope
