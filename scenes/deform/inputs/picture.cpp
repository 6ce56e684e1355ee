// scenes/deform/inputs/picture.cpp: where one query samples the levels, as a picture.
#include "scenes/deform/inputs/picture.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "scenes/base/half.h"
#include "scenes/deform/inputs/dump_files.h"
#include "scenes/deform/inputs/inputs.h"
#include "scenes/deform/inputs/shapes.h"

namespace warpscope::deform {
namespace {

constexpr std::int64_t kGap = 4;  // pixels between levels
constexpr double kBrightest = 3;  // values of N(0, 1) from −3 to 3 are black to white

// Some elements of an array of the input, as they are there.
std::vector<float> elements_of(const Workload& w, const char* array, ElementType type,
                               std::int64_t first, std::int64_t count) {
  Inputs read;
  HostArray some(type, count);
  if (!from_dump(w.axes)) {
    make_elements(w, array, first, some.bytes());
  } else if (read_dump(w.axes, array, read)) {
    const auto part = read.at(array).part(first * element_bytes(type), some.size_bytes());
    std::copy(part.begin(), part.end(), some.bytes().begin());
  }
  const HostArray wide = widened(some);
  const auto numbers = wide.as<float>();
  return {numbers.begin(), numbers.end()};
}

// A location along an axis of `pixels` pixels, in pixels of the level with its ring.
double pixel_at(float location, std::int64_t pixels) {
  return location * static_cast<double>(pixels) + 0.5;
}
// Whether a sample counts that lies there.
bool counts(double at, std::int64_t pixels) {
  return at > 0 && at < static_cast<double>(pixels + 1);
}

class Canvas {
 public:
  Canvas(std::int64_t width, std::int64_t height) {
    raster_.width = static_cast<int>(width);
    raster_.height = static_cast<int>(height);
    raster_.rgb.assign(static_cast<std::size_t>(3 * width * height), 255);
  }
  void paint(std::int64_t x, std::int64_t y, std::uint8_t red, std::uint8_t green,
             std::uint8_t blue) {
    std::uint8_t* const pixel = raster_.rgb.data() + 3 * (y * raster_.width + x);
    pixel[0] = red, pixel[1] = green, pixel[2] = blue;
  }
  Raster take() { return std::move(raster_); }

 private:
  Raster raster_;
};

}  // namespace

Raster samples_picture(const Workload& w) {
  const Shape s = shape_of(w.axes);
  std::int64_t width = 0, height = 0;
  for (const Level& level : s.levels) {
    width += level.columns() + kGap;
    height = std::max(height, level.height + 2);
  }
  Canvas canvas(width - kGap, height);
  const std::int64_t stride = s.heads * s.channels, group = s.queries / 2 * s.heads;
  const std::vector<float> values = elements_of(w, "value", value_type(w.axes), 0, s.rows * stride);
  const std::vector<float> loc = elements_of(w, "loc", location_type(w.axes),
                                             2 * group * s.group_samples(), 2 * s.group_samples());
  std::int64_t left = 0, sample = 0;
  for (const Level& level : s.levels) {
    for (std::int64_t pixel = 0; pixel < level.rows(); ++pixel) {
      const double value = values[static_cast<std::size_t>((level.first_row + pixel) * stride)];
      const double share = std::clamp((value / kBrightest + 1) / 2, 0.0, 1.0);
      const auto grey = static_cast<std::uint8_t>(255 * (std::isnan(value) ? 0 : share));
      canvas.paint(left + pixel % level.columns(), pixel / level.columns(), grey, grey, grey);
    }
    for (std::int64_t p = 0; p < s.points; ++p, ++sample) {
      const auto at = static_cast<std::size_t>(2 * sample);
      const double x = pixel_at(loc[at], level.width), y = pixel_at(loc[at + 1], level.height);
      if (!counts(x, level.width) || !counts(y, level.height)) continue;
      canvas.paint(left + std::llround(x), std::llround(y), 220, 40, 30);
    }
    left += level.columns() + kGap;
  }
  return canvas.take();
}

PixelMaps level_maps(const Workload& w) {
  const Shape s = shape_of(w.axes);
  PixelMaps maps;
  maps.array = "value";
  maps.pixel = s.heads * s.channels;
  maps.image = s.rows * maps.pixel;
  for (const Level& level : s.levels) {
    maps.maps.push_back({"level " + std::to_string(maps.maps.size()), level.first_row * maps.pixel,
                         level.columns(), level.height + 2});
  }
  maps.places = "loc";
  maps.places_of = [w, s](std::span<const std::int64_t> elements) {
    std::vector<std::optional<PixelPlace>> places;
    // A dump is read once, and of random places no more than is asked for is made.
    std::vector<float> all;
    if (from_dump(w.axes)) all = elements_of(w, "loc", location_type(w.axes), 0, 2 * s.samples());
    for (const std::int64_t element : elements) {
      const std::int64_t sample = element / 2;
      const auto map = static_cast<std::size_t>(sample % s.group_samples() / s.points);
      const Level& level = s.levels[map];
      const auto [x, y] = [&] {
        if (!all.empty())
          return std::pair(all[static_cast<std::size_t>(2 * sample)],
                           all[static_cast<std::size_t>(2 * sample + 1)]);
        const std::vector<float> one = elements_of(w, "loc", location_type(w.axes), 2 * sample, 2);
        return std::pair(one[0], one[1]);
      }();
      const double column = pixel_at(x, level.width), row = pixel_at(y, level.height);
      places.push_back(counts(column, level.width) && counts(row, level.height)
                           ? std::optional(PixelPlace{map, column, row})
                           : std::nullopt);
    }
    return places;
  };
  return maps;
}

}  // namespace warpscope::deform
