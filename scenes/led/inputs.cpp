// scenes/led/inputs.cpp: where the blocks lie, what light they hold, and the frames.
#include "scenes/led/inputs.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "scenes/led/frame_files.h"
#include "scenes/led/shapes.h"
#include "scenes/parallel.h"
#include "scenes/random.h"

namespace warpscope::led {
namespace {

enum Stream : std::uint32_t { kRows = 31, kColumns, kCentres, kJitter, kPatterns, kPhase };

std::uint64_t seed_of(const Configuration& axes) {
  return static_cast<std::uint64_t>(axes.integer("seed"));
}

struct Place {
  std::int32_t row = 0, column = 0;
};
using Places = std::vector<Place>;

// The nearest place at which a block lies inside the frame and begins at a multiple of 4 columns.
Place inside(double row, double column, const Shape& s) {
  const double last_row = static_cast<double>(s.height - s.block);
  const auto last_quad = static_cast<double>((s.width - s.block) / kQuad);
  return {
      static_cast<std::int32_t>(std::clamp(std::round(row), 0.0, last_row)),
      static_cast<std::int32_t>(kQuad * std::clamp(std::round(column / kQuad), 0.0, last_quad))};
}

Places uniform_places(const Shape& s, std::uint64_t seed, std::uint64_t first) {
  const RandomStream rows(seed, kRows), columns(seed, kColumns);
  Places places(static_cast<std::size_t>(s.leds));
  for (std::uint64_t n = 0; n < places.size(); ++n) {
    const auto row = rows.below(first + n, static_cast<std::uint64_t>(s.height - s.block + 1));
    const auto quad =
        columns.below(first + n, static_cast<std::uint64_t>((s.width - s.block) / kQuad + 1));
    places[n] = {static_cast<std::int32_t>(row), static_cast<std::int32_t>(kQuad * quad)};
  }
  return places;
}

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

Places clustered_places(const Shape& s, std::uint64_t seed) {
  constexpr std::int64_t kPerCluster = 64;
  constexpr double kSpread = 0.05;  // standard deviation, of the frame's height and width
  const auto clusters = static_cast<std::uint64_t>(ceil_divide(s.leds, kPerCluster));
  const RandomStream centres(seed, kCentres), jitter(seed, kJitter);
  Places places(static_cast<std::size_t>(s.leds));
  for (std::uint64_t n = 0; n < places.size(); ++n) {
    const std::uint64_t k = n % clusters;
    const double row = centres.uniform(2 * k) * static_cast<double>(s.height - s.block);
    const double column = centres.uniform(2 * k + 1) * static_cast<double>(s.width - s.block);
    places[n] =
        inside(row + kSpread * static_cast<double>(s.height) * jitter.normal(2 * n),
               column + kSpread * static_cast<double>(s.width) * jitter.normal(2 * n + 1), s);
  }
  return places;
}

// A panel of rows and columns whose LEDs are off their places by up to a quarter of a cell.
Places panel_places(const Shape& s, std::uint64_t seed) {
  const double height = static_cast<double>(s.height - s.block),
               width = static_cast<double>(s.width - s.block);
  const auto columns = std::max<std::int64_t>(
      1, std::llround(std::sqrt(static_cast<double>(s.leds) * (width + 1) / (height + 1))));
  const std::int64_t rows = ceil_divide(s.leds, columns);
  const double cell_height = height / static_cast<double>(rows),
               cell_width = width / static_cast<double>(columns);
  const RandomStream jitter(seed, kJitter);
  Places places(static_cast<std::size_t>(s.leds));
  for (std::uint64_t n = 0; n < places.size(); ++n) {
    const auto at = static_cast<std::int64_t>(n);
    const double row = static_cast<double>(at / columns) + 0.25 + jitter.uniform(2 * n) / 2;
    const double column = static_cast<double>(at % columns) + 0.25 + jitter.uniform(2 * n + 1) / 2;
    places[n] = inside(row * cell_height, column * cell_width, s);
  }
  return places;
}

// Positions [C, N, 2] by the axis positions.
void place_blocks(const Configuration& axes, std::span<std::int32_t> positions) {
  const Shape s = shape_of(axes);
  const std::string& rule = axes.text("positions");
  Places shared;
  if (rule == "clustered") {
    shared = clustered_places(s, seed_of(axes));
  } else if (rule == "grid-jitter") {
    shared = panel_places(s, seed_of(axes));
  } else {
    shared = uniform_places(s, seed_of(axes), 0);
    if (rule == "sorted") sort_by_halves(shared, 0, shared.size());
  }
  for (std::int64_t c = 0; c < s.channels; ++c) {
    if (rule == "per-channel")
      shared = uniform_places(s, seed_of(axes), static_cast<std::uint64_t>(c * s.leds));
    for (std::int64_t n = 0; n < s.leds; ++n) {
      const Place& place = shared[static_cast<std::size_t>(n)];
      const auto at = static_cast<std::size_t>(2 * (c * s.leds + n));
      positions[at] = place.row;
      positions[at + 1] = place.column;
    }
  }
}

bool from_files(const Configuration& axes) { return axes.text("patterns") == "raw files"; }

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

// One to three Gaussians of 6 to 20 pixels, at most 1, of one LED and channel.
void draw_pattern(const RandomStream& stream, std::uint64_t block_index, std::int64_t side,
                  std::span<float> pattern) {
  constexpr std::uint64_t kDraws = 16;  // for one pattern
  const auto draw = [&](std::uint64_t i) { return stream.uniform(block_index * kDraws + i); };
  const double gain = 0.5 + 0.5 * draw(0);
  const auto lights = 1 + static_cast<std::uint64_t>(3 * draw(1));
  std::fill(pattern.begin(), pattern.end(), 0.0f);
  std::vector<float> down(static_cast<std::size_t>(side)), across(down.size());
  for (std::uint64_t light = 0; light < lights; ++light) {
    const double sigma = 6 + 14 * draw(2 + 4 * light);
    const double row = static_cast<double>(side) * (0.25 + 0.5 * draw(3 + 4 * light));
    const double column = static_cast<double>(side) * (0.25 + 0.5 * draw(4 + 4 * light));
    const double share = light == 0 ? 1 : 0.3 + 0.4 * draw(5 + 4 * light);
    for (std::size_t i = 0; i < down.size(); ++i) {
      const double at = static_cast<double>(i);
      const double scale = 1 / (2 * sigma * sigma);
      down[i] = static_cast<float>(gain * share * std::exp(-(at - row) * (at - row) * scale));
      across[i] = static_cast<float>(std::exp(-(at - column) * (at - column) * scale));
    }
    for (std::size_t i = 0; i < down.size(); ++i) {
      for (std::size_t j = 0; j < across.size(); ++j)
        pattern[i * across.size() + j] += down[i] * across[j];
    }
  }
  for (float& value : pattern) value = std::min(value, 1.0f);
}

// Brightness in [0, 1] of a procedural picture at time step f, channel c.
std::function<double(std::int64_t row, std::int64_t column)> picture(const Configuration& axes,
                                                                     std::int64_t f,
                                                                     std::int64_t c) {
  const Shape s = shape_of(axes);
  const double phase = 6.283 * RandomStream(seed_of(axes), kPhase).uniform(0);
  const double t = static_cast<double>(f), tint = static_cast<double>(c);
  if (axes.text("picture") == "gradient") {
    return [=](std::int64_t row, std::int64_t column) {
      const double along =
          static_cast<double>(row + column) / static_cast<double>(s.height + s.width) + 0.05 * t +
          0.3 * tint;
      return std::abs(2 * (along / 2 - std::floor(along / 2)) - 1);
    };
  }
  if (axes.text("picture") == "moving ring") {
    const double size = static_cast<double>(std::min(s.height, s.width));
    const double middle_row = 0.5 * static_cast<double>(s.height) + 0.2 * size * std::sin(0.3 * t);
    const double middle_column =
        0.5 * static_cast<double>(s.width) + 0.2 * size * std::cos(0.3 * t + phase);
    const double radius = size * (0.2 + 0.05 * tint), thickness = 0.05 * size;
    return [=](std::int64_t row, std::int64_t column) {
      const double off = std::hypot(static_cast<double>(row) - middle_row,
                                    static_cast<double>(column) - middle_column) -
                         radius;
      return std::exp(-off * off / (2 * thickness * thickness));
    };
  }
  // Plasma: waves down, across and along the diagonal, each from a table.
  std::vector<double> wave(static_cast<std::size_t>(s.height + s.width));
  std::vector<double> down(static_cast<std::size_t>(s.height)),
      across(static_cast<std::size_t>(s.width));
  for (std::size_t i = 0; i < wave.size(); ++i)
    wave[i] = std::sin(static_cast<double>(i) / 31 + 0.5 * t + phase + tint);
  for (std::size_t i = 0; i < down.size(); ++i)
    down[i] = std::sin(static_cast<double>(i) / 23 - 0.3 * t + 2 * tint);
  for (std::size_t i = 0; i < across.size(); ++i)
    across[i] = std::sin(static_cast<double>(i) / 47 + 0.2 * t - tint);
  return [wave = std::move(wave), down = std::move(down), across = std::move(across)](
             std::int64_t row, std::int64_t column) {
    return 0.5 + (wave[static_cast<std::size_t>(row + column)] +
                  down[static_cast<std::size_t>(row)] + across[static_cast<std::size_t>(column)]) /
                     6;
  };
}

}  // namespace

std::uint8_t quantised(float value, bool truncated) {
  const float clamped = std::clamp(value, 0.0f, 1.0f);
  return static_cast<std::uint8_t>(truncated ? clamped * 254.0f : std::round(clamped * 255.0f));
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
                       ", column " + std::to_string(column) + " and leaves the frame of " +
                       std::to_string(s.height) + "×" + std::to_string(s.width),
                   "positions",
                   "every block of " + std::to_string(s.block) + "×" + std::to_string(s.block) +
                       " must lie inside the frame");
  }
  return {};
}

Result<void> generate_positions(const Configuration& axes, Inputs& inputs, Facts& facts) {
  const Shape s = shape_of(axes);
  HostArray array(ElementType::i32, 2 * s.blocks());
  const std::span<std::int32_t> positions = array.as<std::int32_t>();
  if (from_files(axes)) {
    const auto bytes =
        read_raw(axes, "positions.raw", static_cast<std::int64_t>(array.bytes().size()));
    if (!bytes) return tl::unexpected(bytes.error());
    std::copy(bytes->begin(), bytes->end(), array.bytes().begin());
  } else {
    place_blocks(axes, positions);
  }
  if (Result<void> valid = validate_positions(positions, axes); !valid) return valid;
  bool quads = true;
  for (std::size_t i = 1; i < positions.size(); i += 2) quads = quads && positions[i] % kQuad == 0;
  facts["column_quads"] = quads ? 1 : 0;
  facts["covered_pixels"] = covered_pixels(positions, s);
  inputs["positions"] = std::move(array);
  return {};
}

Result<void> generate_values(const Configuration& axes, Inputs& inputs, Facts& facts) {
  const Shape s = shape_of(axes);
  const bool bytes = integers(axes), truncated = axes.text("quantise") == "254 truncated";
  const std::int64_t area = s.block * s.block;
  HostArray array(bytes ? ElementType::u8 : ElementType::f32, s.values());
  facts["quantisation_bias"] = facts["quantisation_error"] = 0;
  if (from_files(axes)) {
    const auto read = read_raw(axes, "values.raw", static_cast<std::int64_t>(array.bytes().size()));
    if (!read) return tl::unexpected(read.error());
    std::copy(read->begin(), read->end(), array.bytes().begin());
    inputs["values"] = std::move(array);
    return {};
  }
  const RandomStream stream(seed_of(axes), kPatterns);
  constexpr std::int64_t kMeasured = 64;  // patterns that the facts are taken from
  const std::int64_t measured = std::min(kMeasured, s.blocks());
  std::vector<double> bias(static_cast<std::size_t>(measured)), worst(bias.size());
  parallel_for(s.blocks(), 16, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> pattern(static_cast<std::size_t>(area));
    for (std::int64_t i = begin; i < end; ++i) {
      draw_pattern(stream, static_cast<std::uint64_t>(i), s.block, pattern);
      const auto first = static_cast<std::size_t>(i * area);
      if (!bytes) {
        std::copy(pattern.begin(), pattern.end(),
                  array.as<float>().begin() + static_cast<std::ptrdiff_t>(first));
        continue;
      }
      const std::span<std::uint8_t> to =
          array.as<std::uint8_t>().subspan(first, static_cast<std::size_t>(area));
      for (std::size_t e = 0; e < pattern.size(); ++e) to[e] = quantised(pattern[e], truncated);
      if (i >= measured) continue;
      for (std::size_t e = 0; e < pattern.size(); ++e) {
        const double error = to[e] / 255.0 - static_cast<double>(pattern[e]);
        bias[static_cast<std::size_t>(i)] += error / static_cast<double>(area);
        worst[static_cast<std::size_t>(i)] =
            std::max(worst[static_cast<std::size_t>(i)], std::abs(error));
      }
    }
  });
  facts["quantisation_bias"] = std::accumulate(bias.begin(), bias.end(), 0.0) /
                               static_cast<double>(std::max<std::int64_t>(1, measured));
  facts["quantisation_error"] = worst.empty() ? 0 : *std::max_element(worst.begin(), worst.end());
  inputs["values"] = std::move(array);
  return {};
}

Result<void> generate_frames(const Configuration& axes, Inputs& inputs, Facts&) {
  if (axes.text("picture") == "files") return read_frames(axes, inputs);
  const Shape s = shape_of(axes);
  const bool bytes = integers(axes);
  HostArray array(bytes ? ElementType::u8 : ElementType::f32, s.pixels());
  parallel_for(s.frames * s.channels, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t plane = begin; plane < end; ++plane) {
      const auto at = picture(axes, plane / s.channels, plane % s.channels);
      auto i = static_cast<std::size_t>(plane * s.height * s.width);
      for (std::int64_t row = 0; row < s.height; ++row) {
        for (std::int64_t column = 0; column < s.width; ++column, ++i) {
          const auto value = static_cast<float>(std::clamp(at(row, column), 0.0, 1.0));
          if (bytes) {
            array.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(std::round(value * 255.0f));
          } else {
            array.as<float>()[i] = value;
          }
        }
      }
    }
  });
  inputs["frames"] = std::move(array);
  return {};
}

}  // namespace warpscope::led
