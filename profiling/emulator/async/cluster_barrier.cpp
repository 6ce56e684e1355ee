// profiling/emulator/async/cluster_barrier.cpp: barrier.cluster, where the threads of a cluster
// meet.
#include "profiling/emulator/async/cluster_barrier.h"

#include <algorithm>
#include <bit>
#include <span>

#include "profiling/emulator/instructions/collectives.h"
#include "profiling/emulator/state/async_barriers.h"

namespace warpscope {
namespace {

// The shadow of a block's shared memory knows the barrier as one of the block's mbarriers, at a
// place that none has.
constexpr std::int64_t kNoPlace = -1;

int shadow_index(Worker& worker) {
  const bool made = worker.async_barriers.find(kNoPlace) >= 0;
  const int index = worker.async_barriers.find_or_add(kNoPlace);
  if (!made) worker.shadow.clocks.add_barrier(index);
  return index;
}

std::vector<Worker*> blocks_with(Worker& worker) {
  return worker.cluster != nullptr ? worker.cluster->blocks : std::vector<Worker*>{&worker};
}

// What a warp that waited comes after.
void acquire(Warp& w, const Instruction& i) {
  Worker& worker = *w.worker;
  ++w.sync_count;
  if ((i.flags & kFlagRelaxed) != 0) return;
  if (worker.shadowed)
    worker.shadow.clocks.acquire(static_cast<int>(w.index), shadow_index(worker));
  learn_from_cluster(worker);
}

void wake(Worker& worker) {
  for (Warp& w : worker.warps) {
    w.cluster_over = w.cluster_arrived & w.live;
    w.cluster_arrived = 0;
    bool any = false;
    for (Arm& arm : w.arms) {
      if (arm.state != ArmState::at_cluster_barrier) continue;
      if (!any) acquire(w, worker.kernel->code[arm.pc]);
      any = true;
      w.cluster_over &= ~arm.mask;
      arm.state = ArmState::ready;
      ++arm.pc;
    }
    if (any) worker.watch.note_effect();
  }
}

}  // namespace

void run_cluster_arrive(Warp& w, const Instruction& i) {
  Worker& worker = *w.worker;
  const std::uint32_t again = w.mask & (w.cluster_arrived | w.cluster_over);
  if (again != 0) {
    note_fault(w, i, FaultKind::divergent_barrier, again,
               worker.source(i).opcode + " is reached again before barrier.cluster.wait");
  }
  const std::uint32_t elsewhere = ~ended_lanes(w) & ~w.mask;
  if (i.subop != 0 && elsewhere != 0) {
    note_fault(w, i, FaultKind::divergent_barrier, w.mask,
               worker.source(i).opcode + " is reached by lanes " + lanes_text(w.mask) +
                   " of a warp while lanes " + lanes_text(elsewhere) +
                   " are elsewhere: move it out of the divergent branch, or leave out .aligned");
  }
  w.cluster_arrived |= w.mask & ~again;
  worker.meets_cluster = true;
  worker.watch.note_effect();
  if ((i.flags & kFlagRelaxed) == 0) {
    publish_to_cluster(w);
    if (worker.shadowed) {
      worker.shadow.clocks.arrive(static_cast<int>(w.index), shadow_index(worker));
      worker.shadow.clocks.advance(static_cast<int>(w.index));
    }
  }
  release_cluster(worker);
}

std::uint32_t lanes_past_cluster(Warp& w, const Instruction& i) {
  const std::uint32_t absent = w.mask & ~(w.cluster_arrived | w.cluster_over);
  if (absent != 0) {
    note_fault(w, i, FaultKind::divergent_barrier, absent,
               w.worker->source(i).opcode + " is reached without barrier.cluster.arrive before it");
  }
  const std::uint32_t over = w.mask & w.cluster_over;
  if (over != 0) acquire(w, i);
  w.cluster_over &= ~over;
  return over | absent;
}

void release_cluster(Worker& worker) {
  const std::vector<Worker*> blocks = blocks_with(worker);
  bool any = false;
  for (const Worker* block : blocks) {
    for (const Warp& w : block->warps) {
      if ((~ended_lanes(w) & ~w.cluster_arrived) != 0) return;
      any = any || w.cluster_arrived != 0;
    }
  }
  if (!any) return;
  const std::uint32_t over =
      worker.cluster != nullptr ? ++worker.cluster->phases_over : ++worker.cluster_phases;
  for (Worker* block : blocks) {
    if (block->shadowed) block->shadow.clocks.end_phase(shadow_index(*block), over);
    wake(*block);
  }
}

void note_cluster_wait(Worker& worker, Warp& w, const Arm& arm) {
  const Instruction& i = worker.kernel->code[arm.pc];
  if (!fault_is_first(w, i, FaultKind::deadlock, arm.mask)) return;
  std::int64_t live = 0, arrived = 0;
  std::string absent;
  for (const Worker* block : blocks_with(worker)) {
    std::int64_t missing = 0;
    for (const Warp& other : block->warps) {
      const std::uint32_t there = ~ended_lanes(other);
      live += std::popcount(there);
      arrived += std::popcount(there & other.cluster_arrived);
      missing += std::popcount(there & ~other.cluster_arrived);
    }
    if (missing == 0) continue;
    absent += (absent.empty() ? "" : " and ") + std::to_string(missing) + " of " +
              block_text(block->block);
  }
  tell_fault(w, i, FaultKind::deadlock, arm.mask,
             worker.source(i).opcode + " waits with " + std::to_string(arrived) + " of " +
                 std::to_string(live) + " threads of the cluster; " + absent + " never arrive",
             {}, -1);
}

}  // namespace warpscope
