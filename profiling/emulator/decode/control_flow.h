// profiling/emulator/decode/control_flow.h: where lanes that part at a branch meet again.
#pragma once

#include <cstdint>
#include <vector>

#include "profiling/emulator/state/kernel_code.h"

namespace warpscope {

// For each node of a graph whose exit is the node number successors.size(): the immediate
// post-dominator (the first node that every path to the exit goes through), or −1 when no path
// leads to the exit. Nodes without successors do not reach it. Empty where that takes too long: a
// graph that was made for it.
std::vector<int> immediate_post_dominators(const std::vector<std::vector<int>>& successors);

// Finds the blocks of decoded instructions (targets are indices of `code`), sets each branch's
// join, and puts join pseudo-instructions where divergent paths may reconverge; all indices follow.
// A trap takes the place of all code whose blocks cannot be found in time.
void place_joins(KernelCode& kernel);

}  // namespace warpscope
