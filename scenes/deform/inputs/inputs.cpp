// scenes/deform/inputs/inputs.cpp: values, locations and weights: random ones, or those of a dump.
#include "scenes/deform/inputs/inputs.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenes/base/half.h"
#include "scenes/deform/inputs/dump_files.h"
#include "scenes/deform/inputs/shapes.h"
#include "scenes/host/random.h"

namespace warpscope::deform {
namespace {

enum Stream : std::uint32_t { kValues = 41, kPlaces, kOffsets, kOutside, kLogits, kChosen };

RandomStream stream_of(const Configuration& axes, Stream stream) {
  return {static_cast<std::uint64_t>(axes.integer("seed")), stream};
}

// Writes next() for each element of these bytes.
template <typename Next>
void write(ElementType type, std::span<std::byte> bytes, Next next) {
  if (type == ElementType::f32) {
    for (float& element : elements_in<float>(bytes)) element = next();
    return;
  }
  const auto narrow = type == ElementType::f16 ? to_f16 : to_bf16;
  for (std::uint16_t& element : elements_in<std::uint16_t>(bytes)) element = narrow(next());
}

// Rows of the values, and whether a row is a pixel of a ring.
class Rings {
 public:
  explicit Rings(const Shape& shape) : shape_(shape) {}
  bool has(std::int64_t row) const {
    std::size_t l = shape_.levels.size() - 1;
    while (shape_.levels[l].first_row > row) --l;
    const Level& level = shape_.levels[l];
    const std::int64_t y = (row - level.first_row) / level.columns();
    const std::int64_t x = (row - level.first_row) % level.columns();
    return y == 0 || y == level.height + 1 || x == 0 || x == level.width + 1;
  }

 private:
  const Shape& shape_;
};

void make_values(const Configuration& axes, std::int64_t first, std::span<std::byte> bytes) {
  const Shape s = shape_of(axes);
  const Rings rings(s);
  const RandomStream stream = stream_of(axes, kValues);
  const bool zero = ring_is_zero(axes);
  const std::int64_t row_elements = s.heads * s.channels;
  std::int64_t i = first, row_end = first;
  bool in_ring = false;
  write(value_type(axes), bytes, [&] {
    if (i >= row_end) {
      in_ring = zero && rings.has(i / row_elements % s.rows);
      row_end = (i / row_elements + 1) * row_elements;
    }
    const auto index = static_cast<std::uint64_t>(i++);
    return in_ring ? 0.0f : static_cast<float>(stream.normal(index));
  });
}

// Locations of one sample after the other, before they are rounded.
class Places {
 public:
  explicit Places(const Configuration& axes)
      : shape_(shape_of(axes)),
        places_(stream_of(axes, kPlaces)),
        offsets_(stream_of(axes, kOffsets)),
        outside_(stream_of(axes, kOutside)),
        around_(axes.text("locality") == "reference + offset"),
        window_(axes.text("locality") == "seed window"),
        sigma_(around_ ? axes.real("sigma") : 0),
        outside_ratio_(axes.real("outside")) {}

  Point at(std::int64_t sample) const {
    const auto index = static_cast<std::uint64_t>(sample);
    const Level& level =
        shape_.levels[static_cast<std::size_t>(sample / shape_.points % shape_.level_count())];
    if (outside_ratio_ > 0 && outside_.uniform(4 * index) < outside_ratio_) {
      return beyond(level, index);
    }
    const auto of_axis = [&](std::uint64_t axis, double centre, std::int64_t pixels) {
      if (around_)
        return centre + sigma_ * offsets_.normal(2 * index + axis) / static_cast<double>(pixels);
      const double u = places_.uniform(2 * index + axis);
      return window_ ? 0.3 + 0.4 * u : u;
    };
    const std::int64_t query = sample / shape_.group_samples() / shape_.heads % shape_.queries;
    const Point centre = around_ ? reference_point(shape_, query) : Point{};
    return {of_axis(0, centre.x, level.width), of_axis(1, centre.y, level.height)};
  }

 private:
  // One to two pixels farther out than where samples begin to count, which no rounding to half
  // brings back: a step of a half is at most half a pixel there.
  Point beyond(const Level& level, std::uint64_t index) const {
    const double far = 1.5 + outside_.uniform(4 * index + 1);
    const double along = outside_.uniform(4 * index + 2);
    const std::uint64_t side = outside_.below(4 * index + 3, 4);
    const bool across = side < 2, low = side % 2 == 0;
    const auto pixels = static_cast<double>(across ? level.width : level.height);
    const double place = low ? -far / pixels : 1 + far / pixels;
    return across ? Point{place, along} : Point{along, place};
  }

  Shape shape_;
  RandomStream places_, offsets_, outside_;
  bool around_, window_;
  double sigma_, outside_ratio_;
};

void make_locations(const Configuration& axes, std::int64_t first, std::span<std::byte> bytes) {
  const Places places(axes);
  Point point;
  std::int64_t i = first;
  if (i % 2 != 0) point = places.at(i / 2);
  write(location_type(axes), bytes, [&] {
    if (i % 2 == 0) point = places.at(i / 2);
    return static_cast<float>(i++ % 2 == 0 ? point.x : point.y);
  });
}

float logit(const RandomStream& stream, ElementType type, std::int64_t i) {
  return rounded(static_cast<float>(stream.normal(static_cast<std::uint64_t>(i))), type);
}

void make_logits(const Configuration& axes, std::int64_t first, std::span<std::byte> bytes) {
  const RandomStream stream = stream_of(axes, kLogits);
  const ElementType type = value_type(axes);
  write(type, bytes, [&] { return logit(stream, type, first++); });
}

void make_weights(const Configuration& axes, std::int64_t first, std::span<std::byte> bytes) {
  const ElementType type = value_type(axes);
  if (!has_logits(axes)) return write(type, bytes, [] { return 0.125f; });
  const std::int64_t count = shape_of(axes).group_samples();
  const RandomStream stream = stream_of(axes, kLogits);
  std::vector<double> group(static_cast<std::size_t>(count));
  std::int64_t i = first, made = -1;
  write(type, bytes, [&] {
    if (i / count != made) {
      made = i / count;
      double sum = 0;
      for (std::int64_t j = 0; j < count; ++j)
        sum += group[static_cast<std::size_t>(j)] = std::exp(logit(stream, type, made * count + j));
      for (double& weight : group) weight /= sum;
    }
    return static_cast<float>(group[static_cast<std::size_t>(i++ % count)]);
  });
}

HostArray whole_numbers(const std::vector<std::int64_t>& numbers) {
  return HostArray::of(std::span(numbers));
}

bool counts(double at, std::int64_t pixels) {
  const double padded = at * static_cast<double>(pixels) + 0.5;
  return 0 < padded && padded < static_cast<double>(pixels + 1);
}

}  // namespace

std::int64_t query_columns(const Shape& s) {
  const Level& level = s.levels.front();
  if (s.queries == s.rows) return level.columns();
  const double aspect = static_cast<double>(level.width) / static_cast<double>(level.height);
  return std::max<std::int64_t>(1,
                                std::llround(std::sqrt(static_cast<double>(s.queries) * aspect)));
}

Point reference_point(const Shape& s, std::int64_t query) {
  const auto cell = [](std::int64_t i, std::int64_t of) {
    return (static_cast<double>(i) + 0.5) / static_cast<double>(of);
  };
  if (s.queries == s.rows) {
    std::size_t l = s.levels.size() - 1;
    while (s.levels[l].first_row > query) --l;
    const Level& level = s.levels[l];
    const std::int64_t place = query - level.first_row;
    return {std::clamp(cell(place % level.columns() - 1, level.width), 0.0, 1.0),
            std::clamp(cell(place / level.columns() - 1, level.height), 0.0, 1.0)};
  }
  const std::int64_t columns = query_columns(s);
  return {cell(query % columns, columns), cell(query / columns, ceil_divide(s.queries, columns))};
}

void make_elements(const Workload& w, const std::string& array, std::int64_t first,
                   std::span<std::byte> bytes) {
  const auto make = array == "value"    ? make_values
                    : array == "loc"    ? make_locations
                    : array == "weight" ? make_weights
                                        : make_logits;
  make(w.axes, first, bytes);
}

bool has_elements(const Workload& w, const std::string&) { return !from_dump(w.axes); }

Result<void> generate_levels(const Configuration& axes, Inputs& inputs, Facts&) {
  std::vector<std::int64_t> shapes, starts;
  for (const Level& level : shape_of(axes).levels) {
    shapes.insert(shapes.end(), {level.height, level.width});
    starts.push_back(level.first_row);
  }
  inputs["shapes"] = whole_numbers(shapes);
  inputs["starts"] = whole_numbers(starts);
  return {};
}

Result<void> generate_values(const Configuration& axes, Inputs& inputs, Facts&) {
  return from_dump(axes) ? read_dump(axes, "value", inputs) : Result<void>{};
}

Result<void> generate_weights(const Configuration& axes, Inputs& inputs, Facts&) {
  inputs.erase("logits");
  return from_dump(axes) ? read_dump(axes, "weight", inputs) : Result<void>{};
}

Result<void> generate_expected(const Configuration& axes, Inputs& inputs, Facts&) {
  inputs.erase("expected");
  return has_expected(axes) ? read_expected(axes, inputs) : Result<void>{};
}

Result<void> generate_locations(const Configuration& axes, Inputs& inputs, Facts& facts) {
  constexpr std::int64_t kMostCounted = 1 << 20;
  const Shape s = shape_of(axes);
  if (from_dump(axes)) {
    if (Result<void> read = read_dump(axes, "loc", inputs); !read) return read;
  }
  const ElementType type = location_type(axes);
  const Places* places = nullptr;
  std::optional<Places> drawn;
  if (!from_dump(axes)) places = &drawn.emplace(axes);
  const auto of_dump = [&](std::int64_t element) {
    return from_f16(inputs.at("loc").as<std::uint16_t>()[static_cast<std::size_t>(element)]);
  };
  // One of every so many samples, chosen at random: levels and points repeat.
  const std::int64_t step = ceil_divide(s.samples(), kMostCounted);
  const RandomStream chosen(0, kChosen);
  std::int64_t counted = 0, valid = 0;
  for (std::int64_t start = 0; start < s.samples(); start += step) {
    const auto within = static_cast<std::uint64_t>(std::min(step, s.samples() - start));
    const std::int64_t sample =
        start + static_cast<std::int64_t>(chosen.below(static_cast<std::uint64_t>(start), within));
    const Level& level = s.levels[static_cast<std::size_t>(sample / s.points % s.level_count())];
    const Point at = places != nullptr ? places->at(sample)
                                       : Point{of_dump(2 * sample), of_dump(2 * sample + 1)};
    ++counted;
    valid += counts(rounded(static_cast<float>(at.x), type), level.width) &&
                     counts(rounded(static_cast<float>(at.y), type), level.height)
                 ? 1
                 : 0;
  }
  facts["valid_ratio"] = static_cast<double>(valid) / static_cast<double>(counted);
  return {};
}

}  // namespace warpscope::deform
