// scenes/autoencoder/inputs/decoder.h: the half of the network that makes images of codes.
#pragma once

#include <span>
#include <vector>

#include "scenes/base/axis.h"

namespace warpscope::autoencoder {

// Runs the steps of cpu_sequential after Pool2, one image at a time on all cores. The result
// equals, to the bit, what a training by that row makes of the same codes. `weights`: the ten
// tensors, [out, in, 3, 3].
std::vector<float> decoded(const Configuration& axes, std::span<const float> weights,
                           std::span<const float> codes);

}  // namespace warpscope::autoencoder
