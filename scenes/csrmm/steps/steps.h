// scenes/csrmm/steps/steps.h: what each kernel and library of csrmm runs: sources, defines, grids,
// arguments.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenes/base/kernel_parts.h"
#include "scenes/base/scene.h"

// Every function gives the steps of one technique at one workload. Grids and arguments follow from
// the axes m, k, n, unroll, op, weights and the fact nnz.

namespace warpscope::csrmm {

bool transposed(const Configuration& axes);

// The type of weights, B and C, from the axis dtype; sums are f32 whatever it is.
ElementType value_type(const Configuration& axes);
std::int64_t value_bytes(const Configuration& axes);

// The forms of warp_row.cu and seed_warp_row.cu.
struct WarpRow {
  bool zero_test = false;
  std::int64_t unroll = 1;
  bool read_only = true;
  bool grouped = false;
};

// The forms of block_row.cu and seed_block_row.cu; `narrow`: 32-bit indices into B where k·n is
// below 2³¹, whatever the axis index_width says.
struct BlockRow {
  bool zero_test = false;
  std::int64_t unroll = 1;
  bool narrow = false;
};

using Steps = std::vector<Step>;
using Buffers = std::vector<BufferSpec>;

Steps warp_row_steps(const Workload& w, const WarpRow& form);
Steps block_row_steps(const Workload& w, const BlockRow& form);
Steps shuffle_steps(const Workload& w, std::int64_t in_flight);
Steps rows_per_block_steps(const Workload& w);
Steps row_pack_steps(const Workload& w);
Steps float4_columns_steps(const Workload& w);

// Whether length_dispatch takes the warp-row kernel here.
bool short_rows(const Workload& w);

// Materialised products, added by segment (op NT) or by scatter (op T).
Steps gather_add_steps(const Workload& w);
Buffers gather_add_scratch(const Workload& w);
Steps t_scatter_steps(const Workload& w, bool read_only);
Buffers t_scatter_scratch(const Workload& w);  // sums beside a C of 16 bits

}  // namespace warpscope::csrmm
