// scenes/autoencoder/step/fused_step.h: a whole training step in few launches: products of tiles,
// with the layers around them fused in.
#pragma once

#include "scenes/autoencoder/steps/steps.h"

// Images lie on the device, and the loss stays there. These maps are kept: p1 and p2 after the
// pools with places1 and places2; y3, y4, y5 after their ReLU; and the gradients before each ReLU:
// dp1 (of maxima), dy2 (of the whole map), dy3, dy4, dy5. Columns, maps before a pool and maps
// after an upsampling are never in memory.

namespace warpscope::autoencoder {

// `winograd`: 2 or 4: Conv2, Conv3 and Conv4, in all directions, use windows with this many outputs
// per side; 0: they use tiles.
Steps fused_step_steps(const Workload& w, std::int64_t winograd);
Buffers fused_step_scratch(const Workload& w, std::int64_t winograd);
// Multiplied and added by the convolutions of such a step.
double fused_step_flops(const Configuration& axes, std::int64_t winograd);

}  // namespace warpscope::autoencoder
