// scenes/led/work.h: what `led` must cost: the operator's work, and how its variants read patterns
// and pixels.
#pragma once

#include <vector>

#include "scenes/base/scene.h"

namespace warpscope::led {

// Which pixels a variant fetches for every frame.
enum class Pixels {
  blocks,     // those under every block, block by block
  innermost,  // the same with the frames innermost, in a layout that a step makes
  windows,    // of a group's LEDs, each once
  boxes,      // the same in boxes that the hardware copies
  cores,      // the same for tensor cores
};

// How a variant reads its inputs, as far as bytes of DRAM and L2 and their use depend on it.
struct Reads {
  std::int64_t (*patterns)(const Workload&) = nullptr;  // how often every pattern; null: once
  // All other patterns are read between: where they exceed L2 it comes from DRAM each time.
  bool apart = false;
  Pixels pixels = Pixels::blocks;
  bool pattern_held = false;  // in registers, while pixels pass
};
void charge_reads(Variant& variant, const Reads& reads);

// What counters hold the expectation of L2 to, and the assumption in words.
L2Expectation l2_expectation();
std::vector<WorkTerm> work_terms();

}  // namespace warpscope::led
