// profiling/emulator/run/warp_execution.cpp: one arm of a warp from an instruction to where it must
// wait.
#include "profiling/emulator/run/warp_execution.h"

#include <algorithm>
#include <bit>

#include "profiling/emulator/instructions/collectives.h"
#include "profiling/emulator/instructions/warp_instructions.h"
#include "profiling/emulator/run/scheduler.h"

namespace warpscope {
namespace {

// Sums of the run: none; per instruction; and with each instruction of the warp kept.
enum class Detail { none, sums, kept };

void trim_meetings(Warp& w) {
  while (!w.meetings.empty() && w.meetings.back().expected == 0) w.meetings.pop_back();
}

// After lanes ended: meetings that waited only for them go on.
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
  for (const Warp& w : worker.warps) threads += lane_count(w.live);
  return threads;
}

// An arm comes to a barrier of the block. False: bar.arrive, it goes on at once.
bool arrive(Worker& worker, Warp& w, const Instruction& i, std::uint32_t lanes) {
  const std::uint32_t id = first_lane_value(w, i.a, lanes) & 15;
  BarrierState& barrier = worker.barriers[id];
  if (lanes != w.live) {
    note_fault(w, i, FaultKind::divergent_barrier, lanes,
               worker.source(i).opcode + " is reached by lanes " + lanes_text(lanes) +
                   " of a warp while lanes " + lanes_text(w.live & ~lanes) +
                   " are elsewhere: move it out of the divergent branch");
  }
  if (i.b != 0) barrier.expected = first_lane_value(w, i.b, lanes);
  barrier.threads += lane_count(lanes);
  barrier.counted += lanes == w.live ? 32 : lane_count(lanes);
  barrier.arrived_warps |= 1u << w.index;
  const auto action = static_cast<BarrierAction>(i.subop);
  if (action != BarrierAction::sync && action != BarrierAction::arrive) {
    const std::uint32_t bits = w.predicate(i.c) ^ ((i.flags & flag_negated) != 0 ? kAllLanes : 0);
    barrier.votes += std::popcount(bits & lanes);
  }
  if (action == BarrierAction::arrive) {
    worker.watch.note_effect();
    return false;
  }
  barrier.waiting_warps |= 1u << w.index;
  return true;
}

void end_lanes(Worker& worker, Warp& w, std::uint32_t lanes) {
  w.live &= ~lanes;
  worker.lanes_ended = true;
  worker.watch.note_move();
}

void fault_trap(Worker& worker, Warp& w, const Instruction& i, std::uint32_t lanes) {
  if ((i.flags & flag_unknown) == 0) {
    note_fault(w, i, FaultKind::assertion, lanes, "the kernel executed trap");
    return;
  }
  std::string why = i.extra < worker.kernel->unknown.size() ? worker.kernel->unknown[i.extra]
                                                            : worker.source(i).opcode;
  note_fault(w, i, FaultKind::unsupported, lanes, "the emulator cannot run this: " + why);
}

// At a branch: whether the warp came back to where it had been.
bool repeats(Worker& worker, Warp& w, const Arm& arm) {
  Watch& watch = worker.watch;
  if (!watch.on()) {
    if (w.order < w.watch_at) return false;
    watch.begin_warp(w.watch_branches);
  }
  if (watch.repeats(worker, w, arm)) {
    w.suspect = true;
    return true;
  }
  if (!watch.on()) {
    w.suspect = false;
    w.watch_at = 2 * w.order;
    w.watch_branches = std::min(2 * w.watch_branches, most_watched_branches);
  }
  return false;
}

template <Detail level>
void run_arm(Worker& worker, Warp& w, Arm arm) {
  const Instruction* const code = worker.kernel->code.data();
  std::uint32_t pc = arm.pc, active = arm.mask;
  std::int64_t done = 0;
  const auto park = [&](ArmState state) {
    arm.pc = pc;
    arm.mask = active;
    arm.state = state;
    w.arms.push_back(arm);
    worker.watch.note_move();
  };
  // Instructions after which branches look around them: for the end of the slice, or each time.
  const auto next_look = [&]() -> std::int64_t {
    if (worker.watch.on() || w.order >= w.watch_at) return 0;
    return std::min<std::int64_t>(slice_instructions,
                                  done + static_cast<std::int64_t>(w.watch_at - w.order));
  };
  std::int64_t look = next_look();
  for (;;) {
    const Instruction& i = code[pc];
    std::uint32_t mask = active;
    if (i.guard != 0) mask &= w.predicate(i.guard) ^ i.guard_flip;
    if constexpr (level != Detail::none) {
      if (i.counted != 0) {
        ++worker.executed[pc];
        worker.lanes[pc] += lane_count(mask);
      }
      if constexpr (level == Detail::kept) {
        if (i.counted != 0) {
          auto& issued = worker.issued[w.index];
          if (worker.run->kept_instructions > 0) {
            --worker.run->kept_instructions;
            issued.push_back({i.source, mask, worker.source(i).position.line});
          } else {
            worker.truncated = true;
          }
        }
      }
    }
    done += i.counted;
    w.order += i.counted;
    switch (i.kind) {
      case InstructionKind::ordinary:
        if (mask != 0) {
          w.mask = mask;
          i.run(w, i);
        }
        ++pc;
        continue;
      case InstructionKind::branch: {
        if (mask == active) {
          pc = i.target;
        } else if (mask == 0) {
          ++pc;
        } else {
          const std::uint32_t others = active & ~mask;
          if (i.join != no_join) {
            if (arm.meeting < 0 || w.meetings[static_cast<std::size_t>(arm.meeting)].pc != i.join) {
              w.meetings.push_back({i.join, active, 0, arm.meeting});
              arm.meeting = static_cast<std::int32_t>(w.meetings.size()) - 1;
            }
            Meeting& m = w.meetings[static_cast<std::size_t>(arm.meeting)];
            if (i.target == i.join) {
              m.arrived |= mask;
              active = others;
              ++pc;
              break;
            }
            if (pc + 1 == i.join) {
              m.arrived |= others;
              active = mask;
              pc = i.target;
              break;
            }
          }
          Arm other;
          other.pc = i.target;
          other.mask = mask;
          other.meeting = arm.meeting;
          w.arms.push_back(other);
          active = others;
          ++pc;
        }
        break;
      }
      case InstructionKind::branch_table: {
        if (mask != active && (active & ~mask) != 0) {
          // Guarded tables: lanes without the guard go on behind it.
          Arm other;
          other.pc = pc + 1;
          other.mask = active & ~mask;
          other.meeting = arm.meeting;
          w.arms.push_back(other);
          active = mask;
          if (active == 0) {
            worker.instructions += done;
            return;
          }
        }
        const std::uint32_t first = first_lane_value(w, i.a, active);
        std::uint32_t same = 0;
        for (std::uint32_t rest = active; rest != 0; rest &= rest - 1) {
          const int lane = std::countr_zero(rest);
          if (w.slot<std::uint32_t>(i.a)[lane] == first) same |= 1u << lane;
        }
        if (same != active) {
          if (i.join != no_join &&
              (arm.meeting < 0 || w.meetings[static_cast<std::size_t>(arm.meeting)].pc != i.join)) {
            w.meetings.push_back({i.join, active, 0, arm.meeting});
            arm.meeting = static_cast<std::int32_t>(w.meetings.size()) - 1;
          }
          Arm other;
          other.pc = pc;  // takes the table again for the other lanes
          other.mask = active & ~same;
          other.meeting = arm.meeting;
          w.arms.push_back(other);
          active = same;
        }
        if (first >= i.c) {
          note_fault(w, i, FaultKind::out_of_bounds, active,
                     "brx.idx takes entry " + std::to_string(first) + " of a table of " +
                         std::to_string(i.c));
          ++pc;
        } else {
          pc = worker.kernel->targets[i.extra + first];
        }
        break;
      }
      case InstructionKind::join: {
        if (arm.meeting < 0 || w.meetings[static_cast<std::size_t>(arm.meeting)].pc != pc) {
          ++pc;
          continue;
        }
        Meeting& m = w.meetings[static_cast<std::size_t>(arm.meeting)];
        m.arrived |= active;
        if ((m.arrived & w.live) != (m.expected & w.live)) {
          worker.instructions += done;
          return;
        }
        active = m.arrived & w.live;
        arm.meeting = m.outer;
        m.expected = 0;
        trim_meetings(w);
        continue;  // an outer meeting may be here too
      }
      case InstructionKind::exit:
      case InstructionKind::trap:
      case InstructionKind::assertion:
        if (mask != 0) {
          if (i.kind == InstructionKind::trap) fault_trap(worker, w, i, mask);
          if (i.kind == InstructionKind::assertion &&
              fault_is_first(w, i, FaultKind::assertion, mask)) {
            tell_fault(w, i, FaultKind::assertion, mask,
                       assertion_text(w, i, std::countr_zero(mask)), {}, -1);
          }
          end_lanes(worker, w, mask);
          active &= ~mask;
          if (active == 0) {
            release_meetings(w);
            worker.instructions += done;
            return;
          }
        }
        ++pc;
        continue;
      case InstructionKind::barrier:
        if (mask == 0) {
          ++pc;
          continue;
        }
        if (!arrive(worker, w, i, active)) {
          ++pc;
          continue;
        }
        arm.barrier = static_cast<std::uint8_t>(first_lane_value(w, i.a, active) & 15);
        park(ArmState::at_barrier);
        worker.instructions += done;
        release_barriers(worker);
        return;
      case InstructionKind::collective: {
        if (mask == 0) {
          ++pc;
          continue;
        }
        w.mask = mask;
        const std::uint32_t waiting = run_collective(w, i);
        if (waiting == 0) {
          ++pc;
          continue;
        }
        const std::uint32_t others = active & ~waiting;
        for (std::uint32_t rest = waiting; rest != 0; rest &= ~active) {
          active = lanes_of_one_mask(w, i, rest);
          arm.wanted = first_lane_value(w, i.c, active);
          park(ArmState::at_collective);
        }
        if (others == 0) {
          worker.instructions += done;
          return;
        }
        arm.state = ArmState::ready;
        active = others;
        ++pc;
        continue;
      }
      case InstructionKind::async_barrier_wait: {
        if (mask == 0) {
          ++pc;
          continue;
        }
        w.mask = mask;
        const std::uint32_t over = lanes_past_barrier(w, i);
        const bool asks = i.subop == static_cast<std::uint8_t>(AsyncBarrierOperation::test);
        if (w.witnessed && asks) {
          worker.watch.witnesses->push_back({&i, mask, AddressSpace::shared, 0, nullptr, 0});
        }
        if (over != 0 || asks) {
          answer_wait(w, i, mask, over);
          ++pc;
          if (over != 0) continue;
          // It will ask again: whoever makes it true first.
          park(ArmState::ready);
          std::rotate(w.arms.begin(), w.arms.end() - 1, w.arms.end());
          worker.yields = true;
          worker.instructions += done;
          return;
        }
        const std::uint32_t others = active & ~mask;
        active = mask;
        park(ArmState::at_async_barrier);
        if (others == 0) {
          worker.instructions += done;
          return;
        }
        arm.state = ArmState::ready;
        active = others;
        ++pc;
        continue;
      }
      case InstructionKind::async_wait:
        if (mask != 0 && worker.shadowed) {
          worker.shadow.wait(static_cast<int>(w.index), mask, w.sync_count, i.immediate);
        }
        ++pc;
        continue;
      case InstructionKind::print:
        w.mask = mask;
        if (mask != 0) print_lanes(w, i);
        ++pc;
        continue;
    }
    // Only after branches: every endless loop has one.
    if (done >= look) {
      arm.pc = pc;
      arm.mask = active;
      arm.repeats = repeats(worker, w, arm);
      look = next_look();
      if (!arm.repeats && done < worker.slice) continue;
      w.arms.push_back(arm);
      // The other arms first: one may hold the lock that this one spins for.
      std::rotate(w.arms.begin(), w.arms.end() - 1, w.arms.end());
      worker.instructions += done;
      return;
    }
  }
}

}  // namespace

bool run_ready_arm(Worker& worker, Warp& w) {
  for (std::size_t k = w.arms.size(); k-- > 0;) {
    if (w.arms[k].state != ArmState::ready || w.arms[k].repeats) continue;
    const Arm arm = w.arms[k];
    w.arms.erase(w.arms.begin() + static_cast<std::ptrdiff_t>(k));
    if (w.recorded) {
      run_arm<Detail::kept>(worker, w, arm);
    } else if (worker.sums) {
      run_arm<Detail::sums>(worker, w, arm);
    } else {
      run_arm<Detail::none>(worker, w, arm);
    }
    return true;
  }
  return false;
}

bool release_barriers(Worker& worker) {
  worker.lanes_ended = false;
  bool any = false;
  for (std::size_t id = 0; id < worker.barriers.size(); ++id) {
    BarrierState& barrier = worker.barriers[id];
    if (barrier.arrived_warps == 0) continue;
    const bool complete = barrier.expected > 0 ? barrier.counted >= barrier.expected
                                               : barrier.threads >= live_threads(worker);
    if (!complete) continue;
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
    if (worker.shadowed) worker.shadow.barrier(barrier.arrived_warps, barrier.waiting_warps);
    barrier = BarrierState{};
    any = true;
  }
  return any;
}

}  // namespace warpscope
