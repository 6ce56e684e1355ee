// scenes/autoencoder/step/fused_step.h: a whole training step of few launches: products of tiles
// with what stands around them done on the way.
#pragma once

#include "scenes/autoencoder/steps/steps.h"

// Images lie on the device, and the loss stays there. Maps that are kept: p1 and p2 behind the
// pools with places1 and places2, y3, y4, y5 behind their ReLU, and gradients of what stands before
// each ReLU: dp1 (of maxima), dy2 (of the whole map), dy3, dy4, dy5. No column, no map before a
// pool and none behind an upsampling is in memory.

namespace warpscope::autoencoder {

// `winograd`: 2 or 4: Conv2, Conv3 and Conv4, in all directions, by windows of so many outputs a
// side; 0: by tiles.
Steps fused_step_steps(const Workload& w, std::int64_t winograd);
Buffers fused_step_scratch(const Workload& w, std::int64_t winograd);
// Multiplied and added by the convolutions of such a step.
double fused_step_flops(const Configuration& axes, std::int64_t winograd);

}  // namespace warpscope::autoencoder
