// scenes/random_configuration.h: configurations of a scene drawn at random, the same
// everywhere.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "scenes/base/scene.h"

// Every axis is drawn within its range on its scale, sometimes a mark of the slider or a value that
// may only be typed; a choice is the first half of the time, else any of them. A configuration is
// drawn again if the scene refuses it, if it needs a file, or if it is larger than the bounds.
// Configuration i of a seed does not depend on how many are asked for, nor on the machine: numbers
// come from Philox (random.h), reals are rounded to three digits.
//
//   Result<std::vector<RandomConfiguration>> some = random_configurations(scene, {7}, 3);

namespace warpscope {

struct RandomDraw {
  std::uint64_t seed = 1;
  // Bounds for the scene's buffers on a device and for the multiply-adds that its model counts. A
  // device takes milliseconds for that much, and the emulator about one second per variant.
  std::int64_t most_bytes = 64LL << 20;
  double most_flops = 2e7;
  std::map<std::string, std::string> fixed;  // axis → typed text: not drawn
  // Whether numbers below the slider's range are drawn as well, which may only be typed.
  bool beyond_sliders = true;
};

struct RandomConfiguration {
  Configuration axes;  // settled and admitted
  Facts facts;         // of its inputs
};

// error: usage (a fixed axis or value that is not there), input (a thousand draws in a row were
// refused: says the last reason).
Result<std::vector<RandomConfiguration>> random_configurations(const Scene& scene,
                                                               const RandomDraw& draw, int count);

// `axes` as the changes from the scene's defaults that a job or a command line takes.
std::map<std::string, std::string> changes_of(const Scene& scene, const Configuration& axes);

}  // namespace warpscope
