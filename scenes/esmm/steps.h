// scenes/esmm/steps.h: what each kernel of `esmm` runs: patterns first, then the product.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenes/base/scene.h"
#include "scenes/esmm/tiles.h"

// Every function gives the steps of one technique at one workload. Steps that make patterns of an
// operand belong to `prepare` where the axis `preprocessing` says so.

namespace warpscope::esmm {

using Steps = std::vector<Step>;
using Buffers = std::vector<BufferSpec>;

// Patterns in scratch buffers a_pattern [M / group][K / 8] and b_pattern [N / group][K / 8].
Step a_pattern_step(const Workload& w, std::int64_t group = 32);
Step b_pattern_step(const Workload& w, std::int64_t group = 32);
BufferSpec a_pattern_buffer(const Workload& w, std::int64_t group = 32);
BufferSpec b_pattern_buffer(const Workload& w, std::int64_t group = 32);

// A kernel of one block a tile of C, columns of tiles along x. Arguments follow the operands that
// are named, then N and K.
KernelLaunch tiled_kernel(const Workload& w, const Tile& tile, std::string source,
                          std::string entry, std::vector<std::string> buffers);

Steps dense_warp_tile_steps(const Workload& w);
Steps a_skip_steps(const Workload& w, bool tests_bits);
Buffers a_pattern_scratch(const Workload& w);

}  // namespace warpscope::esmm
