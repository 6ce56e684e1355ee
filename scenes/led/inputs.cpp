// scenes/led/inputs.cpp: what light the blocks hold, the frames, and which input is made how.
#include "scenes/led/inputs.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "scenes/host/random.h"
#include "scenes/led/block_places.h"
#include "scenes/led/frame_files.h"
#include "scenes/led/shapes.h"

namespace warpscope::led {
namespace {

bool from_files(const Configuration& axes) { return axes.text("patterns") == "raw files"; }

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
      const auto at = static_cast<double>(i);
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
  const auto t = static_cast<double>(f), tint = static_cast<double>(c);
  if (axes.text("picture") == "gradient") {
    return [=](std::int64_t row, std::int64_t column) {
      const double along =
          static_cast<double>(row + column) / static_cast<double>(s.height + s.width) + 0.05 * t +
          0.3 * tint;
      return std::abs(2 * (along / 2 - std::floor(along / 2)) - 1);
    };
  }
  if (axes.text("picture") == "moving ring") {
    const auto size = static_cast<double>(std::min(s.height, s.width));
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

// Elements of the patterns from `first` on: of the first and the last only a part, perhaps.
template <typename Take>
void draw_patterns(const Configuration& axes, std::int64_t first, std::size_t count, Take take) {
  const Shape s = shape_of(axes);
  const std::int64_t area = s.block * s.block, end = first + static_cast<std::int64_t>(count);
  const RandomStream stream(seed_of(axes), kPatterns);
  std::vector<float> pattern(static_cast<std::size_t>(area));
  for (std::int64_t i = first; i < end;) {
    const std::int64_t block = i / area, next = std::min(end, (block + 1) * area);
    draw_pattern(stream, static_cast<std::uint64_t>(block), s.block, pattern);
    for (; i < next; ++i)
      take(static_cast<std::size_t>(i - first), pattern[static_cast<std::size_t>(i % area)]);
  }
}

void make_values(const Configuration& axes, std::int64_t first, std::span<std::byte> bytes) {
  if (integers(axes)) {
    const bool truncated = axes.text("quantise") == "254 truncated";
    const std::span<std::uint8_t> values = elements_in<std::uint8_t>(bytes);
    draw_patterns(axes, first, values.size(),
                  [&](std::size_t e, float value) { values[e] = quantised(value, truncated); });
  } else {
    const std::span<float> values = elements_in<float>(bytes);
    draw_patterns(axes, first, values.size(),
                  [&](std::size_t e, float value) { values[e] = value; });
  }
}

// Pixels of the frames from `first` on.
template <typename Take>
void draw_frames(const Configuration& axes, std::int64_t first, std::size_t count, Take take) {
  const Shape s = shape_of(axes);
  const std::int64_t plane_pixels = s.height * s.width;
  const std::int64_t end = first + static_cast<std::int64_t>(count);
  for (std::int64_t i = first; i < end;) {
    const std::int64_t plane = i / plane_pixels, next = std::min(end, (plane + 1) * plane_pixels);
    const auto at = picture(axes, plane / s.channels, plane % s.channels);
    std::int64_t row = i % plane_pixels / s.width, column = i % s.width;
    for (; i < next; ++i, ++column) {
      if (column == s.width) column = 0, ++row;
      take(static_cast<std::size_t>(i - first),
           static_cast<float>(std::clamp(at(row, column), 0.0, 1.0)));
    }
  }
}

void make_frames(const Configuration& axes, std::int64_t first, std::span<std::byte> bytes) {
  if (integers(axes)) {
    const std::span<std::uint8_t> pixels = elements_in<std::uint8_t>(bytes);
    draw_frames(axes, first, pixels.size(), [&](std::size_t e, float value) {
      pixels[e] = static_cast<std::uint8_t>(std::round(value * 255.0f));
    });
  } else {
    const std::span<float> pixels = elements_in<float>(bytes);
    draw_frames(axes, first, pixels.size(), [&](std::size_t e, float value) { pixels[e] = value; });
  }
}

}  // namespace

std::uint64_t seed_of(const Configuration& axes) {
  return static_cast<std::uint64_t>(axes.integer("seed"));
}

void make_elements(const Workload& w, const std::string& array, std::int64_t first,
                   std::span<std::byte> bytes) {
  if (array == "positions") {
    make_positions(w.axes, first, elements_in<std::int32_t>(bytes));
  } else if (array == "values") {
    make_values(w.axes, first, bytes);
  } else {
    make_frames(w.axes, first, bytes);
  }
}

bool has_elements(const Workload& w, const std::string& array) {
  if (array == "frames") return w.text("picture") != "files";
  return !from_files(w.axes) && (array != "positions" || w.text("positions") != "sorted");
}

std::uint8_t quantised(float value, bool truncated) {
  const float clamped = std::clamp(value, 0.0f, 1.0f);
  return static_cast<std::uint8_t>(truncated ? clamped * 254.0f : std::round(clamped * 255.0f));
}

Result<void> generate_positions(const Configuration& axes, Inputs& inputs, Facts& facts) {
  const Shape s = shape_of(axes);
  HostArray array(ElementType::i32, 2 * s.blocks());
  if (from_files(axes)) {
    const auto bytes =
        read_raw(axes, "positions.raw", static_cast<std::int64_t>(array.bytes().size()));
    if (!bytes) return tl::unexpected(bytes.error());
    std::copy(bytes->begin(), bytes->end(), array.bytes().begin());
  } else {
    const auto make = [&axes](std::int64_t first, std::span<std::byte> bytes) {
      make_positions(axes, first, elements_in<std::int32_t>(bytes));
    };
    array = HostArray::whole(ElementType::i32, array.count(), make);
    if (axes.text("positions") == "sorted") sort_positions(s, array.as<std::int32_t>());
  }
  const std::span<const std::int32_t> positions = std::as_const(array).as<std::int32_t>();
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
  const bool bytes = integers(axes);
  const ElementType type = bytes ? ElementType::u8 : ElementType::f32;
  facts["quantisation_bias"] = facts["quantisation_error"] = 0;
  if (from_files(axes)) {
    HostArray array(type, s.values());
    const auto read = read_raw(axes, "values.raw", array.size_bytes());
    if (!read) return tl::unexpected(read.error());
    std::copy(read->begin(), read->end(), array.bytes().begin());
    inputs["values"] = std::move(array);
    return {};
  }
  HostArray array = HostArray::whole(
      type, s.values(),
      [&axes](std::int64_t first, std::span<std::byte> to) { make_values(axes, first, to); });
  if (bytes) {
    constexpr std::int64_t kMeasured = 64;  // patterns that the facts are taken from
    const std::span<const std::uint8_t> quantised_values = std::as_const(array).as<std::uint8_t>();
    const std::int64_t area = s.block * s.block, measured = std::min(kMeasured, s.blocks());
    double bias = 0, worst = 0;
    for (std::int64_t i = 0; i < measured; ++i) {
      double of_pattern = 0;
      draw_patterns(
          axes, i * area, static_cast<std::size_t>(area), [&](std::size_t e, float value) {
            const double error = quantised_values[static_cast<std::size_t>(i * area) + e] / 255.0 -
                                 static_cast<double>(value);
            of_pattern += error / static_cast<double>(area);
            worst = std::max(worst, std::abs(error));
          });
      bias += of_pattern;
    }
    facts["quantisation_bias"] = bias / static_cast<double>(std::max<std::int64_t>(1, measured));
    facts["quantisation_error"] = worst;
  }
  inputs["values"] = std::move(array);
  return {};
}

Result<void> generate_frames(const Configuration& axes, Inputs& inputs, Facts&) {
  if (axes.text("picture") == "files") return read_frames(axes, inputs);
  inputs["frames"] = HostArray::whole(
      integers(axes) ? ElementType::u8 : ElementType::f32, shape_of(axes).pixels(),
      [&axes](std::int64_t first, std::span<std::byte> bytes) { make_frames(axes, first, bytes); });
  return {};
}

}  // namespace warpscope::led
