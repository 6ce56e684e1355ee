// scenes/esmm/lists.h: kernels that order a tile's active k by class before they multiply.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenes/base/scene.h"
#include "scenes/esmm/steps.h"

// Buffers of theirs: a_words [⌈M/32⌉][⌈K/32⌉] and b_words [⌈N/32⌉][⌈K/32⌉] have a bit for every k
// of 32 rows or columns, a_columns [⌈M/32⌉][32·⌈K/32⌉][32] the active k of 32 rows of A, one after
// the other.

namespace warpscope::esmm {

// What a product's numbers become: kernels/esmm/class_lists.cu, and FORM of class_lists_tensor.cu.
enum class Products { fp32, tf32, tf32_three_times, bf16 };

// How a chunk comes to shared memory: each lane copies its part of every k (active_lists.cuh), or
// eight lanes together copy one line of a k (line_copies.cuh).
enum class Copies { by_lane, by_line };

// The sizes of a list and of its tile, as the axes say.
struct ListShape {
  std::int64_t row_groups = 1;  // of a tile, 32 rows each: 1 or 2. It has two column groups.
  std::int64_t warps = 4;       // of a tile
  std::int64_t slots = 16;      // k of a chunk
  // Active k that a list holds: those of 4096 k where they fit, else of fewer.
  std::int64_t listed() const { return warps == 1 ? 1024 : 2048; }
  std::int64_t classes() const { return row_groups == 2 ? 9 : 3; }
};
ListShape list_shape(const Workload& w);
// Bytes of shared memory of a block: two chunks a warp, and the lists.
std::int64_t list_shared_bytes(const ListShape& shape, Products products);
// Blocks of a multiprocessor that its registers and its shared memory allow.
std::int64_t list_blocks(const ListShape& shape, Products products);

std::vector<Axis> list_axes();
// a_words, b_words and a_columns: both operands in one launch where they belong to one phase.
Steps packed_pattern_steps(const Workload& w);
Steps list_steps(const Workload& w, Products products, Copies copies);
Buffers list_scratch(const Workload& w);

}  // namespace warpscope::esmm
