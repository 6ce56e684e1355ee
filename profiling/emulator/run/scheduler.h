// profiling/emulator/run/scheduler.h: the warps of a block in turn, to barriers and to the end.
#pragma once

#include <span>

#include "profiling/emulator/state/worker.h"

namespace warpscope {

// Allocates registers, memory and sums for a worker of a run.
void prepare_worker(Worker& worker, RunShared& run);
// Gives a worker the memory of a block, after its last block was put aside with its own.
void allocate_block(Worker& worker);
// How many bytes such memory takes.
std::int64_t block_bytes(const KernelCode& kernel, const Launch& launch);

// Starts a block (a linear index of the grid) in the worker, or goes on with one put aside.
void begin_block(Worker& worker, std::int64_t block_index);
void resume_block(Worker& worker, BlockState& state);

enum class TurnEnd {
  ended,   // the block did
  waits,   // whatever of it could run repeats itself, as long as no other block changes something
  over,    // others get their turn: it ran for long, or goes in circles
  stopped  // RunShared::stop
};
struct Turn {
  TurnEnd end = TurnEnd::ended;
  bool moved = false;  // it changed something that others may see
};
// Runs the worker's block. `asked` is called between slices of some ten thousand instructions;
// `has_others` says whether another block could run.
Turn run_block(Worker& worker, const std::function<void()>& asked,
               const std::function<bool()>& has_others);
// The same of the blocks of a cluster, a worker each, in turn. A list of one worker is a block by
// itself.
Turn run_cluster(std::span<Worker> blocks, const std::function<void()>& asked,
                 const std::function<bool()>& has_others);
// Lets lanes go on that wait for others of their warp that cannot come; false: there are none.
bool release_stuck_collective(Worker& worker);
// Notes what each lane of a block waits for that can never come; their block ends.
void note_deadlock(Worker& worker);
void end_all_lanes(Worker& worker);
// After the last turn of a block: what it printed and what was kept of it.
void end_block(Worker& worker);

// "4000000000 warp instructions" or "30 s": what ended a run that was not done.
std::string taken_text(const RunShared& run);

// Notes where the lanes of a block wait or repeat themselves that can never go on; `why` ends
// sentences of those that could be helped by another block.
void note_endless(Worker& worker, const std::string& why);
void note_repeating(Worker& worker, Warp& w, const std::string& why);  // the lanes of a warp
void note_collective_wait(Worker& worker, Warp& w, const Arm& arm);

// vprintf of the lanes of warp.mask, and the text of __assertfail for one lane.
void print_lanes(Warp& warp, const Instruction& i);
// malloc of the lanes of warp.mask.
void allocate_lanes(Warp& warp, const Instruction& i);
std::string assertion_text(Warp& warp, const Instruction& i, int lane);

}  // namespace warpscope
