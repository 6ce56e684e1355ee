// scenes/led/block_places.cpp: where the blocks of LEDs lie in the frame.
#include "scenes/led/block_places.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "scenes/host/parallel.h"
#include "scenes/host/random.h"
#include "scenes/led/inputs.h"

namespace warpscope::led {
namespace {

struct Place {
  std::int32_t row = 0, column = 0;
};
using Places = std::vector<Place>;

// The nearest place at which a block lies inside the frame and begins at a multiple of 4 columns.
Place inside(double row, double column, const Shape& s) {
  const auto last_row = static_cast<double>(s.height - s.block);
  const std::int64_t last_quad = (s.width - s.block) / kQuad;
  return {static_cast<std::int32_t>(std::clamp(std::round(row), 0.0, last_row)),
          static_cast<std::int32_t>(
              kQuad * std::clamp(std::round(column / kQuad), 0.0, static_cast<double>(last_quad)))};
}

// The place of block `n` of all.
class UniformPlaces {
 public:
  UniformPlaces(const Shape& s, std::uint64_t seed)
      : rows_(seed, kRows),
        columns_(seed, kColumns),
        row_count_(static_cast<std::uint64_t>(s.height - s.block + 1)),
        quad_count_(static_cast<std::uint64_t>((s.width - s.block) / kQuad + 1)) {}
  Place operator()(std::uint64_t n) const {
    const std::uint64_t row = rows_.below(n, row_count_), quad = columns_.below(n, quad_count_);
    return {static_cast<std::int32_t>(row), static_cast<std::int32_t>(kQuad * quad)};
  }

 private:
  RandomStream rows_, columns_;
  std::uint64_t row_count_, quad_count_;
};

// Halves the points at the median of their wider extent, again and again.
void sort_by_halves(Places& places, std::size_t begin, std::size_t end) {
  if (end - begin < 2) return;
  const auto first = places.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto last = places.begin() + static_cast<std::ptrdiff_t>(end);
  const auto by_row = [](const Place& a, const Place& b) {
    return std::pair(a.row, a.column) < std::pair(b.row, b.column);
  };
  const auto by_column = [](const Place& a, const Place& b) {
    return std::pair(a.column, a.row) < std::pair(b.column, b.row);
  };
  const auto [top, bottom] = std::minmax_element(first, last, by_row);
  const auto [left, right] = std::minmax_element(first, last, by_column);
  if (bottom->row - top->row > right->column - left->column) {
    std::stable_sort(first, last, by_row);
  } else {
    std::stable_sort(first, last, by_column);
  }
  const std::size_t middle = begin + (end - begin) / 2;
  sort_by_halves(places, begin, middle);
  sort_by_halves(places, middle, end);
}

class ClusteredPlaces {
 public:
  ClusteredPlaces(const Shape& s, std::uint64_t seed)
      : shape_(s), centres_(seed, kCentres), jitter_(seed, kJitter) {}
  Place operator()(std::uint64_t n) const {
    constexpr std::int64_t kPerCluster = 64;
    constexpr double kSpread = 0.05;  // standard deviation, of the frame's height and width
    const Shape& s = shape_;
    const std::uint64_t k = n % static_cast<std::uint64_t>(ceil_divide(s.leds, kPerCluster));
    const double row = centres_.uniform(2 * k) * static_cast<double>(s.height - s.block);
    const double column = centres_.uniform(2 * k + 1) * static_cast<double>(s.width - s.block);
    return inside(row + kSpread * static_cast<double>(s.height) * jitter_.normal(2 * n),
                  column + kSpread * static_cast<double>(s.width) * jitter_.normal(2 * n + 1), s);
  }

 private:
  Shape shape_;
  RandomStream centres_, jitter_;
};

// A panel of rows and columns whose LEDs are off their places by up to a quarter of a cell.
class PanelPlaces {
 public:
  PanelPlaces(const Shape& s, std::uint64_t seed) : shape_(s), jitter_(seed, kJitter) {
    const auto height = static_cast<double>(s.height - s.block),
               width = static_cast<double>(s.width - s.block);
    columns_ = std::max<std::int64_t>(
        1, std::llround(std::sqrt(static_cast<double>(s.leds) * (width + 1) / (height + 1))));
    cell_height_ = height / static_cast<double>(ceil_divide(s.leds, columns_));
    cell_width_ = width / static_cast<double>(columns_);
  }
  Place operator()(std::uint64_t n) const {
    const auto at = static_cast<std::int64_t>(n);
    const std::int64_t cell_row = at / columns_, cell_column = at % columns_;
    const double row = static_cast<double>(cell_row) + 0.25 + jitter_.uniform(2 * n) / 2;
    const double column = static_cast<double>(cell_column) + 0.25 + jitter_.uniform(2 * n + 1) / 2;
    return inside(row * cell_height_, column * cell_width_, shape_);
  }

 private:
  Shape shape_;
  RandomStream jitter_;
  std::int64_t columns_ = 1;
  double cell_height_ = 0, cell_width_ = 0;
};

// The blocks from `first` on, two numbers each, of positions that are functions of the index.
template <typename PlaceOf>
void place_blocks(const PlaceOf& place_of, std::int64_t first, std::int64_t per_channel,
                  std::span<std::int32_t> positions) {
  for (std::size_t e = 0; e < positions.size(); ++e) {
    const std::int64_t i = first + static_cast<std::int64_t>(e);
    const Place place = place_of(static_cast<std::uint64_t>(i / 2 % per_channel));
    positions[e] = i % 2 == 0 ? place.row : place.column;
  }
}

}  // namespace

void make_positions(const Configuration& axes, std::int64_t first,
                    std::span<std::int32_t> positions) {
  const Shape s = shape_of(axes);
  const std::string& rule = axes.text("positions");
  if (rule == "clustered") {
    place_blocks(ClusteredPlaces(s, seed_of(axes)), first, s.leds, positions);
  } else if (rule == "grid-jitter") {
    place_blocks(PanelPlaces(s, seed_of(axes)), first, s.leds, positions);
  } else {
    const std::int64_t alike = rule == "per-channel" ? s.blocks() : s.leds;
    place_blocks(UniformPlaces(s, seed_of(axes)), first, alike, positions);
  }
}

void sort_positions(const Shape& s, std::span<std::int32_t> positions) {
  Places places(static_cast<std::size_t>(s.leds));
  for (std::size_t n = 0; n < places.size(); ++n)
    places[n] = {positions[2 * n], positions[2 * n + 1]};
  sort_by_halves(places, 0, places.size());
  for (std::size_t i = 0; i < static_cast<std::size_t>(s.blocks()); ++i) {
    positions[2 * i] = places[i % places.size()].row;
    positions[2 * i + 1] = places[i % places.size()].column;
  }
}

double covered_pixels(std::span<const std::int32_t> positions, const Shape& s) {
  std::atomic<std::int64_t> covered = 0;
  parallel_for(s.channels, 1, [&](std::int64_t begin, std::int64_t end) {
    // Differences along a row: +1 where a block begins, −1 after it ends.
    const auto width = static_cast<std::size_t>(s.width + 1);
    for (std::int64_t c = begin; c < end; ++c) {
      std::vector<std::int32_t> steps(static_cast<std::size_t>(s.height + 1) * width);
      for (std::int64_t n = 0; n < s.leds; ++n) {
        const auto at = static_cast<std::size_t>(2 * (c * s.leds + n));
        const auto row = static_cast<std::size_t>(positions[at]),
                   column = static_cast<std::size_t>(positions[at + 1]),
                   block = static_cast<std::size_t>(s.block);
        ++steps[row * width + column];
        --steps[row * width + column + block];
        --steps[(row + block) * width + column];
        ++steps[(row + block) * width + column + block];
      }
      std::vector<std::int32_t> depth(width);
      std::int64_t count = 0;
      for (std::size_t row = 0; row < static_cast<std::size_t>(s.height); ++row) {
        std::int32_t along = 0;
        for (std::size_t column = 0; column + 1 < width; ++column) {
          along += steps[row * width + column];
          depth[column] += along;
          count += depth[column] > 0 ? 1 : 0;
        }
      }
      covered += count;
    }
  });
  return static_cast<double>(covered.load());
}

Result<void> validate_positions(std::span<const std::int32_t> positions,
                                const Configuration& axes) {
  const Shape s = shape_of(axes);
  for (std::int64_t i = 0; i < s.blocks(); ++i) {
    const std::int64_t row = positions[static_cast<std::size_t>(2 * i)],
                       column = positions[static_cast<std::size_t>(2 * i + 1)];
    if (row >= 0 && column >= 0 && row <= s.height - s.block && column <= s.width - s.block)
      continue;
    return failure(ErrorKind::input,
                   "the block of LED " + std::to_string(i % s.leds) + ", channel " +
                       std::to_string(i / s.leds) + " begins at row " + std::to_string(row) +
                       ", column " + std::to_string(column) + " and extends beyond the frame of " +
                       std::to_string(s.height) + "×" + std::to_string(s.width),
                   "positions",
                   "every block of " + std::to_string(s.block) + "×" + std::to_string(s.block) +
                       " must lie inside the frame");
  }
  return {};
}

}  // namespace warpscope::led
