// scenes/led/grouping.cpp: groups of neighbouring LEDs and the windows of pixels they share.
#include "scenes/led/grouping.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "scenes/base/device_units.h"
#include "scenes/led/shapes.h"
#include "scenes/led/steps.h"

namespace warpscope::led {

std::int64_t band_leds(const Configuration& axes, std::int64_t size) {
  const Shape s = shape_of(axes);
  const auto groups = static_cast<double>(ceil_divide(s.leds, size));
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

CoreTuning core_tuning(const Configuration& axes) {
  if (integers(axes)) return {.group = 15, .strip_rows = 16, .warps = 16, .most_stages = 8};
  return {.group = 16, .strip_rows = 8, .warps = 8, .most_stages = 8};
}

namespace {

// The pixels of all windows and the columns of the widest.
void measure_windows(const Configuration& axes, const Inputs& inputs, std::int64_t size,
                     double& pixels, double& widest) {
  pixels = widest = 0;
  for (const Window& window :
       make_groups(inputs.at("positions").as<std::int32_t>(), axes, size).windows) {
    pixels += static_cast<double>(window.rows) * window.columns;
    widest = std::max(widest, static_cast<double>(window.columns));
  }
}

}  // namespace

Result<void> measure_box_groups(const Configuration& axes, Inputs& inputs, Facts& facts) {
  measure_windows(axes, inputs, box_group(axes), facts["box_pixels"], facts["box_columns"]);
  return {};
}

Result<void> measure_core_groups(const Configuration& axes, Inputs& inputs, Facts& facts) {
  measure_windows(axes, inputs, core_tuning(axes).group, facts["core_pixels"],
                  facts["core_columns"]);
  return {};
}

namespace {

// Sectors of `rows` runs of `bytes` bytes whose first bytes lie `pitch` apart: runs that begin at
// the same place of a sector have the same number.
double sectors_of_rows(std::int64_t first, std::int64_t bytes, std::int64_t pitch,
                       std::int64_t rows) {
  const std::int64_t period = kSectorBytes / std::gcd(pitch, kSectorBytes);
  std::int64_t sectors = 0;
  for (std::int64_t row = 0; row < std::min(rows, period); ++row) {
    const std::int64_t alike = (rows - row - 1) / period + 1, begin = first + row * pitch;
    sectors += alike * ((begin + bytes - 1) / kSectorBytes - begin / kSectorBytes + 1);
  }
  return static_cast<double>(sectors);
}

// The same of a rectangle of pixels of one channel, in all frames.
double sectors_of_pixels(const Shape& s, std::int64_t channel, const Window& window) {
  const std::int64_t pitch = s.width * s.value_bytes, plane = s.height * pitch;
  double sectors = 0;
  for (std::int64_t f = 0; f < s.frames; ++f) {
    const std::int64_t first =
        (f * s.channels + channel) * plane + window.row * pitch + window.column * s.value_bytes;
    sectors += sectors_of_rows(first, window.columns * s.value_bytes, pitch, window.rows);
  }
  return sectors;
}

}  // namespace

Result<void> measure_sectors(const Configuration& axes, Inputs& inputs, Facts& facts) {
  const Shape s = shape_of(axes);
  const std::span<const std::int32_t> positions = inputs.at("positions").as<std::int32_t>();
  const auto side = static_cast<std::int32_t>(s.block);
  double blocks = 0, innermost = 0;
  for (std::int64_t i = 0; i < s.blocks(); ++i) {
    const Window block{positions[static_cast<std::size_t>(2 * i)],
                       positions[static_cast<std::size_t>(2 * i + 1)], side, side};
    const std::int64_t channel = i / s.leds, pixel_bytes = s.frames * s.value_bytes;
    blocks += sectors_of_pixels(s, channel, block);
    innermost +=
        sectors_of_rows(((channel * s.height + block.row) * s.width + block.column) * pixel_bytes,
                        s.block * pixel_bytes, s.width * pixel_bytes, s.block);
  }
  double windows = 0;
  const std::int64_t size = axes.integer("leds_per_block"), alignment = window_alignment(axes);
  const std::int64_t groups = ceil_divide(s.leds, size);
  const std::vector<Window> shared = make_groups(positions, axes, size).windows;
  for (std::size_t g = 0; g < shared.size(); ++g) {
    Window window = shared[g];
    window.columns = static_cast<std::int32_t>(ceil_divide(window.columns, alignment) * alignment);
    windows += sectors_of_pixels(s, static_cast<std::int64_t>(g) / groups, window);
  }
  // Sectors of boxes of `box_rows` × `box_columns`, side by side over the windows of groups of
  // `group`.
  const auto boxed = [&](std::int64_t group, std::int64_t box_rows, std::int64_t box_columns) {
    double sectors = 0;
    const std::int64_t in_channel = ceil_divide(s.leds, group);
    const std::vector<Window> covered = make_groups(positions, axes, group).windows;
    for (std::size_t g = 0; g < covered.size(); ++g) {
      const std::int64_t channel = static_cast<std::int64_t>(g) / in_channel;
      // Rows below the channel's last are of the next; below the last channel there are none.
      const std::int64_t rows = std::min(ceil_divide(covered[g].rows, box_rows) * box_rows,
                                         (s.channels - channel) * s.height - covered[g].row);
      for (std::int64_t from = 0; from < covered[g].columns; from += box_columns) {
        const std::int64_t column = covered[g].column + from;
        sectors += sectors_of_pixels(
            s, channel,
            {covered[g].row, static_cast<std::int32_t>(column), static_cast<std::int32_t>(rows),
             static_cast<std::int32_t>(std::min(box_columns, s.width - column))});
      }
    }
    return sectors;
  };
  const WindowBoxes form = window_boxes_form({axes, facts});
  const CoreTuning cores = core_tuning(axes);
  facts["block_sectors"] = blocks;
  facts["innermost_sectors"] = innermost;
  facts["window_sectors"] = windows;
  facts["box_sectors"] = boxed(form.group, form.strip_rows, form.box_columns);
  facts["core_sectors"] = boxed(cores.group, cores.strip_rows, kCoreBoxRow / s.value_bytes);
  return {};
}

}  // namespace warpscope::led
