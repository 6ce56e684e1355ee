// scenes/deform/automatic.cpp: the row of `deform` that picks another one.
#include "scenes/deform/automatic.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "scenes/base/kernel_parts.h"
#include "scenes/deform/constraints.h"
#include "scenes/deform/inputs/shapes.h"
#include "scenes/deform/variants/variants.h"

namespace warpscope::deform {
namespace {

struct Pick {
  std::string variant, because;
  std::map<std::string, std::string> tuning = {};  // of the variant's own axes
};

// Where one row passes another on an H200, at four levels of eight points: queries of all images,
// and the share of the samples that lie inside of their level.
constexpr std::int64_t kFewQueries = 7000, kGatheredQueries = 22000, kManyQueries = 110000;
constexpr double kHalfInside = 0.51, kThirdInside = 0.34;

// The chance that a place lies inside of a level along one axis, where its reference is anywhere in
// it and the offset is normal. `extent` is the level's in standard deviations.
double inside_along(double extent) {
  const double density = std::exp(-0.5 * extent * extent) / std::sqrt(2 * M_PI);
  const double at_centre = 1 / std::sqrt(2 * M_PI);
  const double below = 0.5 * std::erfc(-extent / std::sqrt(2.0));
  return 2 / extent * (extent * below + density - at_centre) - 1;
}

// The share of the samples inside of their level, as the axes have it for places around references.
double expected_inside(const Configuration& axes, const Shape& s) {
  if (from_dump(axes) || axes.text("locality") != "reference + offset") return 1;
  const double sigma = axes.real("sigma");
  if (sigma <= 0) return 1;
  double sum = 0;
  for (const Level& level : s.levels)
    sum += inside_along(level.height / sigma) * inside_along(level.width / sigma);
  return sum / static_cast<double>(s.level_count());
}

Pick pick(const Configuration& axes) {
  constexpr std::int64_t kPairChannels = 32, kShuffleChannels = 64, kSlotPoints = 8;
  const Shape s = shape_of(axes);
  if (s.channels != kPairChannels || s.heads != 1) {
    if (s.channels == kShuffleChannels && s.heads == 1)
      return {"lane_per_point_shuffle", "eight lanes hold the 64 channels of a query"};
    return {"interleaved_compile_time_points",
            "corners in pairs need 32 channels of one head, and shuffles need 64"};
  }
  if (s.points == 1)
    return {"interleaved_compile_time_points", "with one point, lanes have little to share"};
  if (s.points > kSlotPoints && s.points % kSlotPoints != 0)
    return {"pair_row_gather", "the points are not a multiple of 8"};
  const std::int64_t queries = s.batch * s.queries;
  if (queries < kFewQueries)
    return {"pair_rows_tensor", "one block per multiprocessor has few queries", {{"turns", "1"}}};
  if (queries < kGatheredQueries)
    return {"pair_row_gather", "there are too few queries for persistent blocks"};
  const double inside = expected_inside(axes, s);
  if (inside < kThirdInside && s.points == kSlotPoints)
    return {"lane_per_point_shuffle", "many samples are outside, and it skips them one by one"};
  if (inside < kHalfInside)
    return {"pair_row_gather", "many samples are outside, and it skips them two by two"};
  if (queries < kManyQueries)
    return {"pair_rows_tensor", "there are too few queries for a second pass to pay"};
  if (s.level_count() <= 2) return {"pair_rows_tensor", "two levels need no second pass"};
  return {"pair_rows_two_passes", "many queries sample three levels or more"};
}

}  // namespace

ChoiceFeatures choice_features(const std::vector<Axis>& axes) {
  ChoiceFeatures all;
  for (const char* name : {"locality", "queries", "batch", "levels", "points", "channels", "heads",
                           "outside", "sigma", "ring"})
    all.push_back(axis_feature(*find_axis(axes, name)));
  const auto add = [&all](const char* name, const char* label, double (*of)(const Workload&)) {
    all.push_back(
        number_feature(name, label, [of](const Workload& w) { return std::optional(of(w)); }));
  };
  add("all_queries", "queries of all images", [](const Workload& w) {
    const Shape s = shape_of(w.axes);
    return static_cast<double>(s.batch * s.queries);
  });
  add("sums", "queries times heads of all images",
      [](const Workload& w) { return static_cast<double>(shape_of(w.axes).groups()); });
  add("query_samples", "samples per query",
      [](const Workload& w) { return static_cast<double>(shape_of(w.axes).group_samples()); });
  add("all_samples", "samples",
      [](const Workload& w) { return static_cast<double>(shape_of(w.axes).samples()); });
  add("image_pixels", "pixels of an image's levels",
      [](const Workload& w) { return static_cast<double>(shape_of(w.axes).rows); });
  add("value_bytes", "bytes of all values",
      [](const Workload& w) { return 2.0 * static_cast<double>(shape_of(w.axes).values()); });
  add("inside", "expected share of samples inside", [](const Workload& w) {
    const double around = expected_inside(w.axes, shape_of(w.axes));
    return w.axes.has("outside") ? around * (1 - w.real("outside")) : around;
  });
  return all;
}

Variant automatic_variant(const std::vector<Variant>& among, const std::vector<Axis>& axes) {
  const auto rows = std::make_shared<const std::vector<Variant>>(among);
  const auto picked = [rows](const Configuration& c) -> const Variant& {
    const std::string name = pick(c).variant;
    return *std::find_if(rows->begin(), rows->end(),
                         [&](const Variant& v) { return v.name == name; });
  };
  const auto own = [axes](Workload w) {
    const Pick chosen = pick(w.axes);
    w.axes = for_variant(axes, w.axes, chosen.variant);
    if (Result<Configuration> tuned = with_values(axes, w.axes, chosen.tuning)) w.axes = *tuned;
    return w;
  };
  Variant v = deform_variant(
      "auto", "automatic choice", "ours",
      "Picks a variant by levels, points, channels, the number of queries and the "
      "spread of samples.",
      "Move an axis until the choice changes, and see whether it changed at the right point.",
      [picked, own](const Workload& w) { return picked(w.axes).steps(own(w)); });
  v.own_roof_at = [picked](const Configuration& c) { return own_roof_of(picked(c), c); };
  v.constraints = {halves(),
                   {"what the chosen variant needs",
                    [picked, own](const Workload& w, const DeviceLimits& device) {
                      return unavailable(picked(w.axes), own(w), device);
                    }}};
  v.choice = [picked](const Workload& w) {
    return picked(w.axes).label + ": " + pick(w.axes).because;
  };
  return v;
}

}  // namespace warpscope::deform
