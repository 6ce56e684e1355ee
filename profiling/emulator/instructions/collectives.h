// profiling/emulator/instructions/collectives.h: lanes of a warp that exchange values under member
// masks.
#pragma once

#include <string>

#include "profiling/emulator/state/worker.h"

// Every lane names the lanes that it exchanges values with. Lanes that name equal masks at the same
// operation are a group, and a group goes on when all its lanes that have not ended are there:
// PTX ISA, "vote.sync", "shfl.sync", "match.sync", "redux.sync" and "bar.warp.sync", let a thread
// "wait until all non-exited threads corresponding to membermask" have executed the same
// instruction "with the same qualifiers and same membermask value". So lanes that ended may be
// named; what they would bring is in no sum and in no ballot. Lanes that only have the kernel's
// `ret` before them have ended too: ptxas makes an EXIT of the branch to it.

namespace warpscope {

// Runs the collective at `i` for the groups of warp.mask that are complete. Gives the lanes that
// have to wait for others.
std::uint32_t run_collective(Warp& warp, const Instruction& i);

// Those of `lanes` that name the same mask at `i` as the lowest of them.
std::uint32_t lanes_of_one_mask(const Warp& warp, const Instruction& i, std::uint32_t lanes);

// Lanes that are not there, have ended, or wait for others in front of the kernel's end.
std::uint32_t ended_lanes(const Warp& warp);

// Lets those parked paths of a warp go on whose group is complete; with `force`, any waiting path,
// for lanes that will never come. False if none could.
bool release_collective(Worker& worker, Warp& warp, bool force);

// "0–3, 7", and with its noun "lane 7", "lanes 0–3, 7".
std::string lanes_text(std::uint32_t lanes);
std::string named_lanes(std::uint32_t lanes);
std::string mask_text(std::uint32_t mask);  // "0x0000ffff"

}  // namespace warpscope
