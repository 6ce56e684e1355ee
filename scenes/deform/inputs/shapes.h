// scenes/deform/inputs/shapes.h: the sizes that follow from the axes of `deform`.
#pragma once

#include <cstdint>
#include <vector>

#include "scenes/base/axis.h"
#include "scenes/base/kernel_parts.h"

// value [batch][rows][heads][channels]: the levels one after the other, each with a ring of one
// pixel around it. loc [batch][queries][heads][levels][points][2] holds (x, y), weight the same
// without the last extent, out [batch][queries][heads][channels]. shapes [levels][2] are height and
// width without the ring, starts [levels] a level's first row.

namespace warpscope::deform {

inline constexpr std::int64_t kLaneChannels = 8;  // of f16: 16 bytes, a thread's share of a pixel

struct Level {
  std::int64_t height = 0, width = 0;  // without the ring
  std::int64_t first_row = 0;
  std::int64_t columns() const { return width + 2; }
  std::int64_t rows() const { return (height + 2) * columns(); }  // pixels, those of the ring too
};

struct Shape {
  std::int64_t batch = 0, queries = 0, heads = 0, points = 0, channels = 0;
  std::vector<Level> levels;
  std::int64_t rows = 0;  // of all levels of an image
  std::int64_t level_count() const { return static_cast<std::int64_t>(levels.size()); }
  std::int64_t groups() const { return batch * queries * heads; }  // sums of levels·points samples
  std::int64_t group_samples() const { return level_count() * points; }
  std::int64_t samples() const { return groups() * group_samples(); }
  std::int64_t values() const { return batch * rows * heads * channels; }
  std::int64_t outputs() const { return groups() * channels; }
};

Shape shape_of(const Configuration& axes);

// Sizes of the levels without their first rows: the typed list, or the first one halved and rounded
// up again and again.
std::vector<Level> level_sizes(const Configuration& axes);

ElementType value_type(const Configuration& axes);     // of value, weight and out
ElementType location_type(const Configuration& axes);  // f16; f32 where all is
bool from_dump(const Configuration& axes);             // never in scenes without the axis `inputs`
bool has_expected(const Configuration& axes);  // what another program made of a dump is there too
bool has_logits(const Configuration& axes);    // what softmax makes the weights of is there too
bool ring_is_zero(const Configuration& axes);

}  // namespace warpscope::deform
