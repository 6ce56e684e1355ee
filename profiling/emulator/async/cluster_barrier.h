// profiling/emulator/async/cluster_barrier.h: barrier.cluster, where the threads of a cluster meet.
#pragma once

#include "profiling/emulator/state/worker.h"

// Every thread arrives, then waits; a phase is over when all threads of the cluster that have not
// ended have arrived. A thread arrives once before it waits, and waits only after it arrived.
// source: PTX ISA, "barrier.cluster". A launch without clusters is one of clusters of one block.

namespace warpscope {

// barrier.cluster.arrive of warp.mask; flags: kFlagRelaxed of async_barriers.h; subop 1: aligned.
void run_cluster_arrive(Warp& warp, const Instruction& i);

// The lanes of warp.mask at barrier.cluster.wait that may go on: those whose phase is over, and
// those that never arrived, after noting it.
std::uint32_t lanes_past_cluster(Warp& warp, const Instruction& i);

// After arrivals or ends of lanes: if the phase is over, waiting warps of all blocks go on.
void release_cluster(Worker& worker);

// Notes that lanes wait for threads of their cluster that never come.
void note_cluster_wait(Worker& worker, Warp& warp, const Arm& arm);

}  // namespace warpscope
