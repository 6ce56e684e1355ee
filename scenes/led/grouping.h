// scenes/led/grouping.h: groups of neighbouring LEDs and the windows of pixels they share.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scenes/base/scene.h"

// One rule, twice: kernels/led/groups.cu sorts on the device in prepare steps, this on the host for
// facts and tests. LEDs of a channel are ranked by row and cut into bands of whole groups; within a
// band they are ranked by column; every `size` in turn are a group. Ties go to the smaller index.

namespace warpscope::led {

// Smallest rectangle of pixels that holds all blocks of a group.
struct Window {
  std::int32_t row = 0, column = 0, rows = 0, columns = 0;
  bool operator==(const Window&) const = default;
};

struct Groups {
  std::vector<std::int32_t> order;  // [C, N]: LEDs, group by group
  std::vector<Window> windows;      // [C, groups]
};

// LEDs of a band: a multiple of `size` that makes the cells of a uniform panel square.
std::int64_t band_leds(const Configuration& axes, std::int64_t size);

// Left edges of windows are multiples of this many pixels, so that rows can be copied in as long
// pieces as the frame's own rows permit.
std::int64_t window_alignment(const Configuration& axes);

Groups make_groups(std::span<const std::int32_t> positions, const Configuration& axes,
                   std::int64_t size);

// Facts for the axis leds_per_block: window_pixels (summed over groups and channels),
// window_columns (of the widest), window_area (of the largest, in whole copied pieces) and
// window_rows (summed).
Result<void> measure_groups(const Configuration& axes, Inputs& inputs, Facts& facts);

// LEDs of a group of window_boxes, 8 … 24: those that leave the fewest warps idle in the last of
// the whole waves of its blocks, one a multiprocessor of an H200. From leds, channels, frames and
// frame_tile.
std::int64_t box_group(const Configuration& axes);

// Facts for groups of that size: box_pixels and box_columns, as window_pixels and window_columns.
Result<void> measure_box_groups(const Configuration& axes, Inputs& inputs, Facts& facts);

// How window_tensor_core.cu is cut, by type.
struct CoreTuning {
  std::int64_t group = 0;       // LEDs
  std::int64_t strip_rows = 0;  // rows of a window that are resident together
  std::int64_t warps = 0;       // beside the producer
  std::int64_t most_stages = 0;
};
CoreTuning core_tuning(const Configuration& axes);
// Its boxes have rows of 64 bytes, of 8 frames side by side.
constexpr std::int64_t kCoreBoxRow = 64, kCoreFrames = 8;

// Facts for its groups: core_pixels and core_columns, as window_pixels and window_columns.
Result<void> measure_core_groups(const Configuration& axes, Inputs& inputs, Facts& facts);

// Facts of what crosses from L2 in all frames, in 32-byte sectors row by row: block_sectors (under
// every block), window_sectors (of windows of leds_per_block, in whole copied pieces), box_sectors
// (of the boxes of window_boxes, without what lies outside the frames), core_sectors (of those of
// window_tensor_core) and innermost_sectors (under every block where the frames of a pixel lie side
// by side).
Result<void> measure_sectors(const Configuration& axes, Inputs& inputs, Facts& facts);

}  // namespace warpscope::led
