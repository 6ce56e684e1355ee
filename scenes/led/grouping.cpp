// scenes/led/grouping.cpp: groups of neighbouring LEDs and the windows of pixels they share.
#include "scenes/led/grouping.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "scenes/led/shapes.h"

namespace warpscope::led {

std::int64_t band_leds(const Configuration& axes, std::int64_t size) {
  const Shape s = shape_of(axes);
  const double groups = static_cast<double>(ceil_divide(s.leds, size));
  const double shape =
      static_cast<double>(s.height - s.block + 1) / static_cast<double>(s.width - s.block + 1);
  const auto bands = std::max<std::int64_t>(1, std::llround(std::sqrt(groups * shape)));
  return ceil_divide(ceil_divide(s.leds, bands), size) * size;
}

std::int64_t window_alignment(const Configuration& axes) {
  const Shape s = shape_of(axes);
  constexpr std::int64_t kPieceBytes = 16;  // the longest asynchronous copy of one lane
  return s.width * s.value_bytes % kPieceBytes == 0 ? kPieceBytes / s.value_bytes : kQuad;
}

Groups make_groups(std::span<const std::int32_t> positions, const Configuration& axes,
                   std::int64_t size) {
  const Shape s = shape_of(axes);
  const std::int64_t band = band_leds(axes, size), alignment = window_alignment(axes);
  Groups groups;
  groups.order.reserve(static_cast<std::size_t>(s.blocks()));
  for (std::int64_t c = 0; c < s.channels; ++c) {
    const std::span<const std::int32_t> at = positions.subspan(
        static_cast<std::size_t>(2 * c * s.leds), static_cast<std::size_t>(2 * s.leds));
    const auto row = [&at](std::int32_t n) { return at[2 * static_cast<std::size_t>(n)]; };
    const auto column = [&at](std::int32_t n) { return at[2 * static_cast<std::size_t>(n) + 1]; };
    std::vector<std::int32_t> order(static_cast<std::size_t>(s.leds));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::int32_t a, std::int32_t b) { return row(a) < row(b); });
    for (std::int64_t first = 0; first < s.leds; first += band) {
      const auto begin = order.begin() + first;
      const auto end = order.begin() + std::min(first + band, s.leds);
      std::sort(begin, end, [&](std::int32_t a, std::int32_t b) {
        return column(a) != column(b) ? column(a) < column(b) : a < b;
      });
    }
    for (std::int64_t first = 0; first < s.leds; first += size) {
      std::int32_t top = std::numeric_limits<std::int32_t>::max(), left = top, bottom = 0,
                   right = 0;
      for (std::int64_t i = first; i < std::min(first + size, s.leds); ++i) {
        const std::int32_t n = order[static_cast<std::size_t>(i)];
        top = std::min(top, row(n));
        left = std::min(left, column(n));
        bottom = std::max(bottom, row(n));
        right = std::max(right, column(n));
      }
      left -= left % static_cast<std::int32_t>(alignment);
      const auto block = static_cast<std::int32_t>(s.block);
      groups.windows.push_back({top, left, bottom + block - top, right + block - left});
    }
    groups.order.insert(groups.order.end(), order.begin(), order.end());
  }
  return groups;
}

Result<void> measure_groups(const Configuration& axes, Inputs& inputs, Facts& facts) {
  const Groups groups =
      make_groups(inputs.at("positions").as<std::int32_t>(), axes, axes.integer("leds_per_block"));
  const std::int64_t alignment = window_alignment(axes);
  double pixels = 0, rows = 0, widest = 0, largest = 0;
  for (const Window& window : groups.windows) {
    const double area = static_cast<double>(window.rows) * window.columns;
    const auto whole_pieces =
        static_cast<double>(ceil_divide(window.columns, alignment) * alignment);
    pixels += area;
    rows += window.rows;
    widest = std::max(widest, static_cast<double>(window.columns));
    largest = std::max(largest, window.rows * whole_pieces);
  }
  facts["window_pixels"] = pixels;
  facts["window_rows"] = rows;
  facts["window_columns"] = widest;
  facts["window_area"] = largest;
  return {};
}

std::int64_t box_group(const Configuration& axes) {
  constexpr std::int64_t kFewest = 8, kMost = 24;
  const Shape s = shape_of(axes);
  const std::int64_t tiles = ceil_divide(s.frames, axes.integer("frame_tile"));
  std::int64_t best = kFewest, least = -1;
  for (std::int64_t size = kFewest; size <= kMost; ++size) {
    const std::int64_t items = ceil_divide(s.leds, size) * s.channels * tiles;
    const std::int64_t turns = ceil_divide(items, kDesignDevice.multiprocessors) * size;
    if (least < 0 || turns <= least) least = turns, best = size;
  }
  return best;
}

Result<void> measure_box_groups(const Configuration& axes, Inputs& inputs, Facts& facts) {
  double pixels = 0, widest = 0;
  for (const Window& window :
       make_groups(inputs.at("positions").as<std::int32_t>(), axes, box_group(axes)).windows) {
    pixels += static_cast<double>(window.rows) * window.columns;
    widest = std::max(widest, static_cast<double>(window.columns));
  }
  facts["box_pixels"] = pixels;
  facts["box_columns"] = widest;
  return {};
}

}  // namespace warpscope::led
