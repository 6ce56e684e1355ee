// scenes/autoencoder/step/tensor_step.h: a whole training step on tensor cores.
#pragma once

#include "scenes/autoencoder/step/tensor_product.h"

// Maps have channels innermost, padded and rounded. Pools leave two bits per window; upsamplings
// leave nothing, since they are folded into the filters after them. Parameters and gradients have
// the layout of the other steps, [out, in, 3, 3]. y5 and p2, as planes in f32, are for pictures and
// latents.

namespace warpscope::autoencoder {

Steps tensor_step_steps(const Workload& w, TensorType type);
Buffers tensor_step_scratch(const Workload& w, TensorType type);
// Multiplies and adds: what is asked for where upsamplings are folded, and what tiles execute.
double tensor_step_flops(const Workload& w);
double tensor_step_executed_flops(const Workload& w, TensorType type);

}  // namespace warpscope::autoencoder
