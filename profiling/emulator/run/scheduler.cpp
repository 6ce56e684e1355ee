// profiling/emulator/run/scheduler.cpp: the warps of a block in turn, to barriers and to the end.
#include "profiling/emulator/run/scheduler.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "profiling/emulator/async/cluster_barrier.h"
#include "profiling/emulator/hangs/hang_notes.h"
#include "profiling/emulator/instructions/collectives.h"
#include "profiling/emulator/run/arms.h"
#include "profiling/emulator/run/warp_execution.h"
#include "profiling/figures/metric.h"

namespace warpscope {
namespace {

// Paths at one barrier of the block.
void note_barrier_wait(Worker& worker, Warp& w, const Arm& arm) {
  const Instruction& i = worker.kernel->code[arm.pc];
  const BarrierState& barrier = worker.barriers[arm.barrier];
  std::int64_t live = 0;
  for (const Warp& other : worker.warps) live += std::popcount(~ended_lanes(other));
  note_fault(w, i, FaultKind::deadlock, arm.mask,
             worker.source(i).opcode + " waits at barrier " + std::to_string(arm.barrier) +
                 " with " + std::to_string(barrier.threads) + " of " +
                 std::to_string(barrier.expected > 0 ? barrier.expected : live) +
                 " threads; the others never arrive");
}
void note_async_wait(Worker& worker, Warp& w, const Arm& arm) {
  const Instruction& i = worker.kernel->code[arm.pc];
  if (!fault_is_first(w, i, FaultKind::deadlock, arm.mask)) return;
  tell_fault(w, i, FaultKind::deadlock, arm.mask,
             worker.source(i).opcode + " " + waiting_text(w, i, arm.mask), "shared memory", -1);
}
bool waits_at_async_barrier(const Arm& arm) { return arm.state == ArmState::at_async_barrier; }

// All paths wait and none can go on: say where each kind of waiting is, then let them go.
void break_deadlock(Worker& worker) {
  if (release_stuck_collective(worker)) return;
  note_deadlock(worker);
  // What waited at barriers ends: going on would only make up faults.
  end_all_lanes(worker);
}

// The instruction that a warp would run next, for the sentence about what the run took.
void fault_budget(Worker& worker) {
  const std::string took = taken_text(*worker.run);
  for (Warp& w : worker.warps) {
    for (const Arm& arm : w.arms) {
      if (arm.state != ArmState::ready) continue;
      const Instruction& i = worker.kernel->code[arm.pc];
      note_fault(w, i, FaultKind::budget, arm.mask,
                 "stopped at the limit after " + took +
                     ": the result is partial. The kernel has more work than that, or a loop whose "
                     "values change for ever (a loop that repeats would have been reported)");
      return;
    }
  }
}

// Warp instructions after which a block gives way to others that could run: far beyond what blocks
// run that wait for nobody, as each interruption costs caches and each block put aside memory.
constexpr std::int64_t kTurnInstructions = 4'000'000;
// Turns of all warps after which a block's states are compared, for 1/32 of the time: most blocks
// have fewer, as a turn goes to a barrier or for a slice.
constexpr std::int64_t kRoundsBeforeWindow = 1024;

// When to compare the states of a block.
class BlockWatch {
 public:
  explicit BlockWatch(bool suspect)
      : begin_(suspect ? 1 : kRoundsBeforeWindow), end_(begin_ + length()) {}
  // After a round.
  Recurrence::Answer look(Worker& worker) {
    ++rounds_;
    if (rounds_ < begin_) return Recurrence::Answer::none;
    if (rounds_ > end_) {
      worker.watch.block_ = worker.suspect = false;
      begin_ = std::max(2 * begin_, kRoundsBeforeWindow);
      end_ = begin_ + length();
      return Recurrence::Answer::none;
    }
    if (!worker.watch.block_) {
      worker.watch.block_ = true;
      recurrence_ = {};
    }
    return recurrence_.next(hash_of(worker, worker), worker.watch.memory(), worker.watch.effects());
  }

 private:
  std::int64_t length() const { return std::max<std::int64_t>(begin_ / 32, 32); }
  std::int64_t rounds_ = 0, begin_ = 0, end_ = 0;
  Recurrence recurrence_;
};

// Whether something of the warp moved, or may have.
bool run_warp(Worker& worker, Warp& w) {
  const std::int64_t slice_start = worker.instructions;
  Watch& watch = worker.watch;
  const std::uint64_t effects = watch.effects(), moves = watch.moves();
  const bool watched = w.suspect;
  for (Arm& arm : w.arms) arm.repeats = false;
  if (watched) {
    const std::int64_t look = instructions_of_look(w);
    worker.slice = std::max(worker.slice, look);
    watch.begin_warp(w.order + static_cast<std::uint64_t>(look));
  }
  bool any = false, over = false;
  while (run_ready_arm(worker, w)) {
    any = true;
    end_block_store(worker);
    over = worker.instructions - slice_start >= worker.slice || std::exchange(worker.yields, false);
    if (over) break;
  }
  // Then all that is ready repeats itself, and has changed nothing before.
  const bool quiet =
      watched && watch.on() && !over && watch.effects() == effects && watch.moves() == moves;
  watch.end_warp();
  return any && !quiet;
}

}  // namespace

std::string taken_text(const RunShared& run) {
  return run.out_of_time ? format_value(run.options->time_limit_s * 1e9, "ns")
                         : std::to_string(run.options->instruction_budget) + " warp instructions";
}

void end_all_lanes(Worker& worker) {
  for (Warp& w : worker.warps) {
    w.live = 0;
    w.arms.clear();
    w.meetings.clear();
  }
}

bool release_stuck_collective(Worker& worker) {
  for (Warp& w : worker.warps) {
    // Lanes at an mbarrier are why the others of their warp wait for them.
    if (std::any_of(w.arms.begin(), w.arms.end(), waits_at_async_barrier)) continue;
    for (const Arm& arm : w.arms) {
      if (arm.state == ArmState::at_collective) note_lanes_wait(worker, w, arm, 0);
    }
    if (release_collective(worker, w, true)) return true;
  }
  return false;
}

void note_deadlock(Worker& worker) {
  note_divergent_parts(worker);
  for (Warp& w : worker.warps) {
    for (const Arm& arm : w.arms) {
      if (waits_at_async_barrier(arm)) note_async_wait(worker, w, arm);
    }
  }
  for (Warp& w : worker.warps) {
    for (const Arm& arm : w.arms) {
      if (arm.state == ArmState::at_barrier) note_barrier_wait(worker, w, arm);
      if (arm.state == ArmState::at_cluster_barrier) note_cluster_wait(worker, w, arm);
      if (arm.state == ArmState::at_warpgroup) note_warpgroup_wait(worker, w, arm);
    }
  }
  note_waits(worker);
}

Turn run_block(Worker& worker, const std::function<void()>& asked,
               const std::function<bool()>& has_others) {
  RunShared& run = *worker.run;
  const std::int64_t start = worker.instructions;
  std::int64_t spent = start, next_turn = start + kTurnInstructions;
  const std::uint64_t effects = worker.watch.effects();
  Turn turn;
  const bool watched = worker.suspect;
  BlockWatch watch(watched);
  worker.watch.block_ = watched;
  worker.begun = true;
  const auto finish = [&](TurnEnd end) {
    run.budget.fetch_sub(worker.instructions - spent);
    worker.watch.block_ = false;
    worker.watch.settle();  // the block's memory may go
    turn.end = end;
    return turn;
  };
  while (!run.stop.load(std::memory_order_relaxed)) {
    bool moved = false, live = false, ready = false;
    for (Warp& w : worker.warps) {
      // Time slices have different lengths, so that a warp that polls a lock sometimes sees it
      // free.
      worker.slice = kSliceInstructions - (worker.suspect ? worker.instructions % 4099 : 0);
      if (run_warp(worker, w)) moved = true;
      if (release_collective(worker, w, false)) moved = true;
      live = live || w.live != 0;
      for (const Arm& arm : w.arms) ready = ready || arm.state == ArmState::ready;
      if (worker.instructions - spent >= kSliceInstructions) {
        const std::int64_t used = worker.instructions - spent;
        spent = worker.instructions;
        if (asked) asked();
        const bool spent_all = run.budget.fetch_sub(used) < used || run.out_of_time;
        if (spent_all && !run.stop.exchange(true)) fault_budget(worker);
        if (run.stop.load(std::memory_order_relaxed)) return finish(TurnEnd::stopped);
      }
    }
    if ((worker.lanes_ended || !moved) && release_barriers(worker)) moved = true;
    turn.moved = turn.moved || moved;
    if (!live) return finish(TurnEnd::ended);
    if (!moved && !ready) {
      if (worker.cluster != nullptr) return finish(TurnEnd::waits);
      break_deadlock(worker);
      continue;
    }
    if (!moved) return finish(TurnEnd::waits);
    const Recurrence::Answer answer = watch.look(worker);
    if (answer != Recurrence::Answer::none) {
      worker.suspect = true;
      const bool quiet = answer == Recurrence::Answer::quiet;
      if (quiet && watched) turn.moved = worker.watch.effects() != effects;
      return finish(quiet ? TurnEnd::waits : TurnEnd::over);
    }
    if (worker.instructions >= next_turn) {
      if (has_others()) return finish(TurnEnd::over);
      next_turn = worker.instructions + kTurnInstructions;
    }
  }
  return finish(TurnEnd::stopped);
}

void end_block(Worker& worker) {
  if (worker.block_index == worker.run->options->traced_block) {
    worker.run->requests = std::move(worker.requests);
    worker.run->issued = std::move(worker.issued);
    worker.run->barriers = std::move(worker.traced_barriers);
    worker.run->barrier_events = std::move(worker.barrier_events);
  }
  if (worker.printed.empty()) return;
  worker.prints.emplace_back(worker.block_index, std::move(worker.printed));
  worker.printed.clear();
}

void note_endless(Worker& worker, const std::string& why) {
  note_divergent_parts(worker);
  for (Warp& w : worker.warps) note_repeating(worker, w, why);
  for (Warp& w : worker.warps) {
    for (const Arm& arm : w.arms) {
      if (arm.state == ArmState::at_async_barrier) note_async_wait(worker, w, arm);
      if (arm.state == ArmState::at_barrier) note_barrier_wait(worker, w, arm);
      if (arm.state == ArmState::at_cluster_barrier) note_cluster_wait(worker, w, arm);
      if (arm.state == ArmState::at_collective) note_collective_wait(worker, w, arm);
      if (arm.state == ArmState::at_warpgroup) note_warpgroup_wait(worker, w, arm);
    }
  }
  note_waits(worker);
  end_all_lanes(worker);
}

}  // namespace warpscope
