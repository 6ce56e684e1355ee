// scenes/led/library_steps.h: what cuSPARSE and cuBLAS need around their products.
#pragma once

#include <cstdint>
#include <string>

#include "scenes/led/steps.h"

// f32 only. Frames are laid out as [pixels, F] in a run step, the matrix is made in prepare steps.

namespace warpscope::led {

// All blocks as one CSR matrix of N·C rows and C·H·W columns.
Steps cusparse_steps(const Workload& w, const std::string& call);
Buffers cusparse_scratch(const Workload& w);

// Every block's pixels gathered to a patch, then one product of F×B² by B²×1 an LED and channel.
Steps cublas_batched_steps(const Workload& w);
Buffers cublas_batched_scratch(const Workload& w);
std::int64_t cublas_batched_bytes(const Workload& w);

// One dense matrix of N rows and H·W columns a channel, zeros and all.
Steps cublas_dense_steps(const Workload& w);
Buffers cublas_dense_scratch(const Workload& w);
std::int64_t cublas_dense_bytes(const Workload& w);

}  // namespace warpscope::led
