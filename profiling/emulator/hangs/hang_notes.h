// profiling/emulator/hangs/hang_notes.h: notes where the warps of a block wait that never go on.
#pragma once

#include <string>

#include "profiling/emulator/state/worker.h"

// Called once nothing can go on, before the lanes are let go: what is noted here becomes the rows
// of the story, hang_story.h. An ordinary run never comes here.

namespace warpscope {

inline constexpr std::int64_t kMostHungBlocks = 16;  // whose warps have rows, of each worker

// A row for each group of warps at a barrier, an mbarrier or a warp-level operation.
void note_waits(Worker& worker);
// A row for lanes that wait at a warp-level operation for others of their warp, which are let go
// on.
void note_lanes_wait(Worker& worker, const Warp& w, const Arm& arm, std::uint32_t missing);

// What a loop that never ends reads.
struct SpinWord {
  const Witness* read = nullptr;  // null: no memory
  std::string name, buffer;       // "flag[7]"
  std::int64_t index = -1;
  std::string value;
};
void note_spin(Worker& worker, const Warp& w, const Arm& arm, const SpinWord& word);

// Whether lanes at `pc` may come to an instruction for which `is_it` holds.
bool reaches(const KernelCode& kernel, std::uint32_t pc,
             const std::function<bool(const Instruction&)>& is_it);

}  // namespace warpscope
