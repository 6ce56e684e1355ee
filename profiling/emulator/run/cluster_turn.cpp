// profiling/emulator/run/cluster_turn.cpp: the blocks of a cluster in turn, each to where it must
// wait.
#include <algorithm>

#include "profiling/emulator/run/scheduler.h"

namespace warpscope {
namespace {

bool is_ready(const Worker& worker) {
  return std::any_of(worker.warps.begin(), worker.warps.end(), [](const Warp& w) {
    return std::any_of(w.arms.begin(), w.arms.end(),
                       [](const Arm& arm) { return arm.state == ArmState::ready; });
  });
}

// No block of the cluster can go on, whatever other clusters do.
void break_deadlock(std::span<Worker> blocks) {
  bool any = false;
  for (Worker& worker : blocks) {
    if (!worker.ended && release_stuck_collective(worker)) any = true;
  }
  if (any) return;
  for (Worker& worker : blocks) {
    if (!worker.ended) note_deadlock(worker);
  }
  for (Worker& worker : blocks) end_all_lanes(worker);
}

struct Round {
  bool moved = false, over = false, live = false, stopped = false;
};

Round run_round(std::span<Worker> blocks, const std::function<void()>& asked) {
  Round round;
  const auto has_others = [] { return true; };
  for (Worker& worker : blocks) {
    if (worker.ended) continue;
    const Turn turn = run_block(worker, asked, has_others);
    if (turn.end == TurnEnd::stopped) {
      round.stopped = true;
      return round;
    }
    worker.ended = turn.end == TurnEnd::ended;
    round.moved = round.moved || turn.moved || worker.ended;
    round.over = round.over || turn.end == TurnEnd::over;
    round.live = round.live || !worker.ended;
  }
  return round;
}

}  // namespace

Turn run_cluster(std::span<Worker> blocks, const std::function<void()>& asked,
                 const std::function<bool()>& has_others) {
  if (blocks.size() == 1) return run_block(blocks.front(), asked, has_others);
  Turn turn;
  for (;;) {
    const Round round = run_round(blocks, asked);
    turn.moved = turn.moved || round.moved;
    turn.end = round.stopped ? TurnEnd::stopped : round.over ? TurnEnd::over : TurnEnd::waits;
    if (!round.live && !round.stopped) turn.end = TurnEnd::ended;
    // Whether others may go on is asked between turns: this cluster may be going in circles.
    if (round.stopped || round.over || !round.live) return turn;
    if (round.moved) continue;
    const bool ready = std::any_of(blocks.begin(), blocks.end(), is_ready);
    if (ready) return turn;  // for what another cluster may change
    break_deadlock(blocks);
  }
}

}  // namespace warpscope
