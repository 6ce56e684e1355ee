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
Step b_pattern_step(const Workload& w);
BufferSpec a_pattern_buffer(const Workload& w, std::int64_t group = 32);
BufferSpec b_pattern_buffer(const Workload& w);
Buffers a_pattern_scratch(const Workload& w);
Buffers b_pattern_scratch(const Workload& w);
Buffers both_patterns_scratch(const Workload& w);

// The step only prepares B: before the time begins, or in the call; its tag `operand` says so.
Step preparing_b(const Workload& w, Step step);
// If several products share a preparation of B (the axis `reuse`), such steps run whole before the
// time begins. The timed call runs one part of `reuse` of them: their first blocks.
Steps shared_by_products(const Workload& w, Steps steps);

// A kernel of one block a tile of C, columns of tiles along x. Arguments are the buffers that are
// named, then N and K. `defines` follow those of the tile.
KernelLaunch tiled_kernel(const Workload& w, const Tile& tile, std::string source,
                          std::string entry, const std::vector<std::string>& buffers,
                          Defines defines = {}, bool quads = false);

// A kernel of blocks of 256 threads, as many as have `threads` of them.
KernelLaunch kernel_of_threads(std::string source, std::string entry, std::int64_t threads,
                               std::vector<Argument> arguments);
// A library's product of two buffers in the place of A and B; it may add to what C has.
Step dense_product(const Workload& w, std::string name, std::string call, std::string a,
                   std::string b, bool adds = false);

Steps dense_warp_tile_steps(const Workload& w);
Steps global_list_steps(const Workload& w);
Buffers global_list_scratch(const Workload& w);
Steps a_skip_steps(const Workload& w, bool tests_bits);

// Bytes of B for eight columns each, [K / 8][N / 8], in b_eights.
Steps ab_fine_steps(const Workload& w);
Steps ab_bodies_steps(const Workload& w);
Buffers ab_fine_scratch(const Workload& w);

// `blocks`: those that must find registers on a multiprocessor; 0 says nothing.
Steps transposed_b_steps(const Workload& w, std::int64_t blocks);
Buffers transposed_b_scratch(const Workload& w);
Steps broadcast_b_steps(const Workload& w);
Buffers broadcast_b_scratch(const Workload& w);
Steps k_major_b_steps(const Workload& w);

Steps joint_steps(const Workload& w, bool searches_lists);
Steps joint_wide_steps(const Workload& w);
Steps joint_granularity_steps(const Workload& w);
Buffers joint_granularity_scratch(const Workload& w);
std::int64_t group_rows(const Workload& w);  // rows of A a byte of joint_granularity stands for
Steps joint_table_steps(const Workload& w);
inline constexpr std::int64_t kMostTableBlocks = 1024;  // blocks of eight k that its table has
Steps block_list_steps(const Workload& w);

// Mistakes of broken.cu, by their number there.
Steps broken_steps(const Workload& w, const std::string& variant, int mistake);
Steps shared_pattern_tile_steps(const Workload& w);

}  // namespace warpscope::esmm
