// profiling/emulator/run/arms.cpp: how paths of a warp diverge, reconverge, wait and end.
#include "profiling/emulator/run/arms.h"

#include <algorithm>
#include <bit>

#include "profiling/emulator/async/cluster_barrier.h"
#include "profiling/emulator/instructions/collectives.h"
#include "profiling/emulator/instructions/warp_instructions.h"
#include "profiling/emulator/memory/barrier_events.h"
#include "profiling/emulator/run/scheduler.h"
#include "profiling/emulator/warpgroups/products.h"

namespace warpscope {
namespace {

void trim_meetings(Warp& w) {
  while (!w.meetings.empty() && w.meetings.back().expected == 0) w.meetings.pop_back();
}

// After lanes ended: reconvergence points that waited only for them go on.
void release_meetings(Warp& w) {
  for (std::size_t k = w.meetings.size(); k-- > 0;) {
    Meeting& m = w.meetings[k];
    if (m.expected == 0) continue;
    const std::uint32_t alive = m.expected & w.live;
    if (alive == 0) {
      m.expected = 0;
    } else if ((m.arrived & w.live) == alive) {
      Arm arm;
      arm.pc = m.pc;
      arm.mask = alive;
      arm.meeting = m.outer;
      m.expected = 0;
      w.arms.push_back(arm);
    }
  }
  trim_meetings(w);
}

std::uint32_t first_lane_value(const Warp& w, std::uint32_t slot, std::uint32_t lanes) {
  return w.slot<std::uint32_t>(slot)[std::countr_zero(lanes)];
}

std::int64_t live_threads(const Worker& worker) {
  std::int64_t threads = 0;
  for (const Warp& w : worker.warps) threads += lane_count(~ended_lanes(w));
  return threads;
}

// Lanes that came to a barrier at one instruction while others of their warp were elsewhere, summed
// over several paths. Returns the lanes that are still elsewhere.
std::uint32_t absent_lanes(const Worker& worker, const BarrierState& barrier,
                           const BarrierState::Part& part, std::uint32_t& came) {
  came = 0;
  for (const BarrierState::Part& other : barrier.parts) {
    if (other.warp == part.warp && other.pc == part.pc) came |= other.lanes;
  }
  return ~ended_lanes(worker.warps[part.warp]) & ~came;
}

void note_divergent_parts(Worker& worker, const BarrierState& barrier) {
  for (const BarrierState::Part& part : barrier.parts) {
    std::uint32_t came = 0;
    const std::uint32_t absent = absent_lanes(worker, barrier, part, came);
    if (absent == 0) continue;
    const Instruction& i = worker.kernel->code[part.pc];
    if ((i.flags & kFlagOfLanes) != 0) continue;
    note_fault(worker.warps[part.warp], i, FaultKind::divergent_barrier, part.lanes,
               worker.source(i).opcode + " is reached by lanes " + lanes_text(came) +
                   " of a warp while lanes " + lanes_text(absent) +
                   " are elsewhere: move it out of the divergent branch");
  }
}

// Threads that arrived as a barrier with a number of them counts: whole warps as 32.
std::int64_t counted_threads(const Worker& worker, const BarrierState& barrier) {
  std::int64_t counted = barrier.counted;
  for (const BarrierState::Part& part : barrier.parts) {
    std::uint32_t came = 0;
    if (absent_lanes(worker, barrier, part, came) != 0) continue;
    const bool last =
        &part == &*std::find_if(barrier.parts.rbegin(), barrier.parts.rend(),
                                [&](const BarrierState::Part& other) {
                                  return other.warp == part.warp && other.pc == part.pc;
                                });
    if (last) counted += kWarpLanes - lane_count(came);
  }
  return counted;
}

// Makes another path of some lanes, which reconverges with the others where this one does.
void part_off(Warp& w, const Arm& arm, ArmPlace place) {
  Arm other;
  other.pc = place.pc;
  other.mask = place.lanes;
  other.meeting = arm.meeting;
  w.arms.push_back(other);
}

// Before the lanes of a path diverge: they will reconverge at the join of the branch.
void agree_to_meet(Warp& w, Arm& arm, const Instruction& i, std::uint32_t lanes) {
  if (arm.meeting >= 0 && w.meetings[static_cast<std::size_t>(arm.meeting)].pc == i.join) return;
  w.meetings.push_back({i.join, lanes, 0, arm.meeting});
  arm.meeting = static_cast<std::int32_t>(w.meetings.size()) - 1;
}

// A path comes to a barrier of the block. False: bar.arrive, it goes on at once.
bool arrive(Worker& worker, Warp& w, const Instruction& i, std::uint32_t lanes) {
  const std::uint32_t id = first_lane_value(w, i.a, lanes) & 15;
  BarrierState& barrier = worker.barriers[id];
  if (lanes != w.live) {
    const auto pc = static_cast<std::uint32_t>(&i - worker.kernel->code.data());
    barrier.parts.push_back({w.index, pc, lanes});
  }
  if (i.b != 0) barrier.expected = first_lane_value(w, i.b, lanes);
  barrier.threads += lane_count(lanes);
  barrier.counted += lanes == w.live ? 32 : lane_count(lanes);
  barrier.arrived_warps |= 1u << w.index;
  const auto action = static_cast<BarrierAction>(i.subop);
  if (w.recorded) {
    const bool goes_on = action == BarrierAction::arrive;
    note_block_barrier_event(w, i, goes_on ? BarrierMark::arrive : BarrierMark::arrive_and_wait, id,
                             lanes);
  }
  if (action != BarrierAction::sync && action != BarrierAction::arrive) {
    const std::uint32_t bits = w.predicate(i.c) ^ ((i.flags & kFlagNegated) != 0 ? kAllLanes : 0);
    barrier.votes += std::popcount(bits & lanes);
  }
  if (action == BarrierAction::arrive) {
    worker.watch.note_effect();
    return false;
  }
  barrier.waiting_warps |= 1u << w.index;
  return true;
}

// Where lanes left for the kernel's end: the first branch that led there, or the exit itself.
void note_leaving(Warp& w, const Instruction& i, std::uint32_t lanes) {
  for (const Warp::Leaving& l : w.leavings) lanes &= ~l.lanes;
  if (lanes != 0) w.leavings.push_back({i.source, lanes});
}

void end_lanes(Worker& worker, Warp& w, std::uint32_t lanes) {
  w.live &= ~lanes;
  worker.lanes_ended = true;
  worker.watch.note_move();
  if (worker.cluster != nullptr || worker.meets_cluster) release_cluster(worker);
}

void fault_trap(Worker& worker, Warp& w, const Instruction& i, std::uint32_t lanes) {
  if ((i.flags & kFlagUnknown) == 0) {
    note_fault(w, i, FaultKind::assertion, lanes, "the kernel executed trap");
    return;
  }
  std::string why = i.extra < worker.kernel->unknown.size() ? worker.kernel->unknown[i.extra]
                                                            : worker.source(i).opcode;
  note_fault(w, i, FaultKind::unsupported, lanes, "the emulator cannot run this: " + why);
}

ArmPlace take_table(Worker& worker, Warp& w, Arm& arm, const Instruction& i, ArmPlace at,
                    std::uint32_t mask) {
  if ((at.lanes & ~mask) != 0) {
    // Guarded tables: lanes without the guard go on after it.
    part_off(w, arm, {at.pc + 1, at.lanes & ~mask});
    at.lanes = mask;
    if (mask == 0) return at;
  }
  const std::uint32_t first = first_lane_value(w, i.a, at.lanes);
  std::uint32_t same = 0;
  for (std::uint32_t rest = at.lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (w.slot<std::uint32_t>(i.a)[lane] == first) same |= 1u << lane;
  }
  if (same != at.lanes) {
    if (i.join != kNoJoin) agree_to_meet(w, arm, i, at.lanes);
    part_off(w, arm, {at.pc, at.lanes & ~same});  // takes the table again for the other lanes
    at.lanes = same;
  }
  if (first < i.c) return {worker.kernel->targets[i.extra + first], at.lanes};
  const bool calls = worker.source(i).opcode.starts_with("CALL");
  note_fault(w, i, FaultKind::out_of_bounds, at.lanes,
             calls ? "a call goes to an address at which the kernel has no function"
                   : "brx.idx takes entry " + std::to_string(first) + " of a table of " +
                         std::to_string(i.c));
  return {at.pc + 1, at.lanes};
}

// Lanes that end while their bulk copies may still read the block's shared memory.
void note_unfinished_stores(Warp& w, const Instruction& i, std::uint32_t mask) {
  const std::uint32_t lanes = w.worker->shadow.stores.pending(static_cast<int>(w.index), mask);
  if (lanes == 0) return;
  note_fault(w, i, FaultKind::missing_wait, lanes,
             "the thread ends before it has waited for its bulk copies out of shared memory "
             "(cp.async.bulk.wait_group.read)");
}

// exit, trap or a failed assertion.
ArmPlace end(Worker& worker, Warp& w, const Instruction& i, ArmPlace at, std::uint32_t mask) {
  if (i.kind == InstructionKind::trap) fault_trap(worker, w, i, mask);
  if (i.kind == InstructionKind::assertion && fault_is_first(w, i, FaultKind::assertion, mask)) {
    tell_fault(w, i, FaultKind::assertion, mask, assertion_text(w, i, std::countr_zero(mask)), {},
               -1);
  }
  note_leaving(w, i, mask);
  if (worker.kernel->has_warpgroups && mask == w.live) note_unfinished(w, i);
  if (worker.shadowed) note_unfinished_stores(w, i, mask);
  end_lanes(worker, w, mask);
  if ((at.lanes & ~mask) == 0) release_meetings(w);
  return {at.pc + 1, at.lanes & ~mask};
}

// The barrier is one of whole warps.
// source: PTX ISA, "barrier": .aligned, all threads of a warp execute the same barrier.
void note_lanes_kept_away(Worker& worker, Warp& w, const Instruction& i, std::uint32_t came,
                          std::uint32_t away) {
  if (away == 0) return;
  note_fault(w, i, FaultKind::divergent_barrier, came,
             worker.source(i).opcode + " is reached by lanes " + lanes_text(came) +
                 " of a warp while its predicate leaves out lanes " + lanes_text(away) +
                 ": let all lanes of a warp come to it");
}

ArmPlace come_to_barrier(Worker& worker, Warp& w, Arm& arm, const Instruction& i, ArmPlace at,
                         std::uint32_t mask) {
  if ((i.flags & kFlagOfLanes) != 0 && mask != at.lanes) {
    part_off(w, arm, {at.pc + 1, at.lanes & ~mask});
    at.lanes = mask;
  }
  note_lanes_kept_away(worker, w, i, mask, at.lanes & ~mask);
  if (!arrive(worker, w, i, at.lanes)) return {at.pc + 1, at.lanes};
  arm.barrier = static_cast<std::uint8_t>(first_lane_value(w, i.a, at.lanes) & 15);
  park(worker, w, arm, at, ArmState::at_barrier);
  release_barriers(worker);
  return {};
}

ArmPlace come_to_collective(Worker& worker, Warp& w, Arm& arm, const Instruction& i, ArmPlace at) {
  const std::uint32_t waiting = run_collective(w, i);
  if (waiting == 0) return {at.pc + 1, at.lanes};
  for (std::uint32_t rest = waiting; rest != 0;) {
    const std::uint32_t together = lanes_of_one_mask(w, i, rest);
    arm.wanted = first_lane_value(w, i.c, together);
    park(worker, w, arm, {at.pc, together}, ArmState::at_collective);
    rest &= ~together;
  }
  arm.state = ArmState::ready;
  return {at.pc + 1, at.lanes & ~waiting};
}

ArmPlace come_to_async_barrier(Worker& worker, Warp& w, Arm& arm, const Instruction& i, ArmPlace at,
                               std::uint32_t mask) {
  const std::uint32_t over = lanes_past_barrier(w, i);
  const bool asks = i.subop == static_cast<std::uint8_t>(AsyncBarrierOperation::test);
  if (w.witnessed && asks) {
    worker.watch.witnesses->push_back({&i, mask, AddressSpace::shared, 0, nullptr, 0});
  }
  if (over != 0 || asks) {
    answer_wait(w, i, mask, over);
    ++at.pc;
    if (over != 0) return at;
    // It will ask again, after other paths have run, one of which may make it true.
    park(worker, w, arm, at, ArmState::ready);
    std::rotate(w.arms.begin(), w.arms.end() - 1, w.arms.end());
    worker.yields = true;
    return {};
  }
  park(worker, w, arm, {at.pc, mask}, ArmState::at_async_barrier);
  arm.state = ArmState::ready;
  return {at.pc + 1, at.lanes & ~mask};
}

ArmPlace come_to_cluster_barrier(Worker& worker, Warp& w, Arm& arm, const Instruction& i,
                                 ArmPlace at, std::uint32_t mask) {
  const std::uint32_t waiting = mask & ~lanes_past_cluster(w, i);
  if (waiting == 0) return {at.pc + 1, at.lanes};
  park(worker, w, arm, {at.pc, waiting}, ArmState::at_cluster_barrier);
  arm.state = ArmState::ready;
  return {at.pc + 1, at.lanes & ~waiting};
}

}  // namespace

void note_divergent_parts(Worker& worker) {
  for (const BarrierState& barrier : worker.barriers) note_divergent_parts(worker, barrier);
}

void park(Worker& worker, Warp& w, Arm& arm, ArmPlace at, ArmState state) {
  arm.pc = at.pc;
  arm.mask = at.lanes;
  arm.state = state;
  w.arms.push_back(arm);
  worker.watch.note_move();
}

ArmPlace part(Warp& w, Arm& arm, const Instruction& i, ArmPlace at, std::uint32_t mask) {
  const std::uint32_t others = at.lanes & ~mask;
  if (i.join != kNoJoin) {
    agree_to_meet(w, arm, i, at.lanes);
    Meeting& m = w.meetings[static_cast<std::size_t>(arm.meeting)];
    if (i.target == i.join) {
      m.arrived |= mask;
      return {at.pc + 1, others};
    }
    if (at.pc + 1 == i.join) {
      m.arrived |= others;
      return {i.target, mask};
    }
  }
  part_off(w, arm, {i.target, mask});
  return {at.pc + 1, others};
}

ArmPlace meet(Warp& w, Arm& arm, ArmPlace at) {
  Meeting& m = w.meetings[static_cast<std::size_t>(arm.meeting)];
  m.arrived |= at.lanes;
  if ((m.arrived & w.live) != (m.expected & w.live)) {
    if ((w.worker->kernel->code[at.pc].flags & kFlagAtEnd) != 0) w.worker->lanes_ended = true;
    return {};
  }
  at.lanes = m.arrived & w.live;
  arm.meeting = m.outer;
  m.expected = 0;
  trim_meetings(w);
  return at;  // an outer reconvergence point may be here too
}

ArmPlace run_apart(Worker& worker, Warp& w, Arm& arm, const Instruction& i, ArmPlace at,
                   std::uint32_t mask) {
  if (i.kind == InstructionKind::branch_table) return take_table(worker, w, arm, i, at, mask);
  if (mask == 0) return {at.pc + 1, at.lanes};
  w.mask = mask;
  switch (i.kind) {
    case InstructionKind::leave:
      note_leaving(w, i, mask);
      worker.lanes_ended = true;  // as far as barriers are concerned
      return mask == at.lanes ? ArmPlace{i.target, mask} : part(w, arm, i, at, mask);
    case InstructionKind::exit:
    case InstructionKind::trap:
    case InstructionKind::assertion:
      return end(worker, w, i, at, mask);
    case InstructionKind::barrier:
      return come_to_barrier(worker, w, arm, i, at, mask);
    case InstructionKind::collective:
      return come_to_collective(worker, w, arm, i, at);
    case InstructionKind::async_barrier_wait:
      return come_to_async_barrier(worker, w, arm, i, at, mask);
    case InstructionKind::cluster_wait:
      return come_to_cluster_barrier(worker, w, arm, i, at, mask);
    case InstructionKind::async_wait:
      if (worker.shadowed) {
        worker.shadow.copies.wait(worker.shadow.clocks, static_cast<int>(w.index), mask,
                                  w.sync_count, i.immediate);
      }
      break;
    case InstructionKind::warpgroup_product:
      return come_to_product(worker, w, arm, i, at, mask);
    case InstructionKind::warpgroup_wait:
      return come_to_product_wait(worker, w, arm, i, at);
    case InstructionKind::print:
      print_lanes(w, i);
      break;
    case InstructionKind::allocation:
      allocate_lanes(w, i);
      break;
    case InstructionKind::ordinary:
    case InstructionKind::branch:
    case InstructionKind::branch_table:
    case InstructionKind::join:
      break;  // not here
  }
  return {at.pc + 1, at.lanes};
}

bool release_barriers(Worker& worker) {
  worker.lanes_ended = false;
  bool any = worker.kernel->has_warpgroups && release_warpgroups(worker);
  for (std::size_t id = 0; id < worker.barriers.size(); ++id) {
    BarrierState& barrier = worker.barriers[id];
    if (barrier.arrived_warps == 0) continue;
    const bool complete = barrier.expected > 0
                              ? counted_threads(worker, barrier) >= barrier.expected
                              : barrier.threads >= live_threads(worker);
    if (!complete) continue;
    note_divergent_parts(worker, barrier);
    for (std::uint32_t rest = barrier.waiting_warps; rest != 0; rest &= rest - 1) {
      Warp& w = worker.warps[static_cast<std::size_t>(std::countr_zero(rest))];
      for (Arm& arm : w.arms) {
        if (arm.state != ArmState::at_barrier || arm.barrier != id) continue;
        const Instruction& i = worker.kernel->code[arm.pc];
        w.mask = arm.mask;
        const auto action = static_cast<BarrierAction>(i.subop);
        if (action == BarrierAction::reduce_popc) {
          for (int lane = 0; lane < 32; ++lane) {
            if ((arm.mask >> lane & 1) != 0) {
              w.slot<std::uint32_t>(i.d)[lane] = static_cast<std::uint32_t>(barrier.votes);
            }
          }
        } else if (action == BarrierAction::reduce_and || action == BarrierAction::reduce_or) {
          const bool result = action == BarrierAction::reduce_and ? barrier.votes >= barrier.threads
                                                                  : barrier.votes > 0;
          std::uint32_t& p = w.predicate(i.d);
          p = (p & ~arm.mask) | (result ? arm.mask : 0);
        }
        arm.state = ArmState::ready;
        ++arm.pc;
      }
      ++w.sync_count;
    }
    if (worker.shadowed) worker.shadow.clocks.barrier(barrier.arrived_warps, barrier.waiting_warps);
    const std::int64_t phase = barrier.phase + 1;
    const std::uint32_t before = barrier.arrived_before | barrier.arrived_warps;
    barrier = BarrierState{};
    barrier.phase = phase;
    barrier.arrived_before = before;
    any = true;
  }
  return any;
}

}  // namespace warpscope
