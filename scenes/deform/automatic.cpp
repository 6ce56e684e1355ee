// scenes/deform/automatic.cpp: the row of `deform` that picks another one.
#include "scenes/deform/automatic.h"

#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "scenes/base/kernel_parts.h"
#include "scenes/deform/constraints.h"
#include "scenes/deform/inputs/shapes.h"
#include "scenes/deform/variants/variants.h"

namespace warpscope::deform {
namespace {

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

}  // namespace

ChoiceFeatures choice_features(const std::vector<Axis>& axes) {
  ChoiceFeatures all;
  for (const char* name : {"locality", "queries", "batch", "levels", "points", "channels", "heads",
                           "outside", "sigma", "ring", "height0", "width0"})
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
  add("work", "multiply-adds", [](const Workload& w) {
    const Shape s = shape_of(w.axes);
    return static_cast<double>(s.samples() * s.channels);
  });
  add("image_bytes", "bytes of an image's values", [](const Workload& w) {
    const Shape s = shape_of(w.axes);
    return 2.0 * static_cast<double>(s.values()) / static_cast<double>(s.batch);
  });
  add("last_bytes", "bytes of the last two levels of a head", [](const Workload& w) {
    const Shape s = shape_of(w.axes);
    double pixels = 0;
    for (std::size_t n = 0; n < s.levels.size(); ++n) {
      if (n + 2 >= s.levels.size())
        pixels += static_cast<double>(s.levels[n].height * s.levels[n].width);
    }
    return 2 * pixels * static_cast<double>(s.channels);
  });
  add("pixel_samples", "samples per pixel", [](const Workload& w) {
    const Shape s = shape_of(w.axes);
    return static_cast<double>(s.samples()) /
           std::max(1.0, static_cast<double>(s.batch * s.rows * s.heads));
  });
  add("points_of_4", "points modulo 4",
      [](const Workload& w) { return static_cast<double>(w.integer("points") % 4); });
  add("samples_of_8", "samples per query modulo 8",
      [](const Workload& w) { return static_cast<double>(shape_of(w.axes).group_samples() % 8); });
  add("inside", "expected share of samples inside", [](const Workload& w) {
    const double around = expected_inside(w.axes, shape_of(w.axes));
    return w.axes.has("outside") ? around * (1 - w.real("outside")) : around;
  });
  return all;
}

Variant automatic_variant(const std::vector<Variant>& among, const std::vector<Axis>& axes,
                          const std::vector<WorkTerm>& terms) {
  const auto choice =
      std::make_shared<const AutomaticChoice>("deform", "auto", choice_features(axes), among, axes);
  Variant v = deform_variant(
      "auto", "automatic choice", "ours", kFittedChoiceSentence,
      "Move an axis until the choice changes. Compare the two variants there.", nullptr);
  v.own_roof_at = [choice](const Configuration& c) {
    return own_roof_of(choice->picked({c, {}}), c);
  };
  v.constraints = {halves()};
  act_as_picked(v, choice, terms);
  return v;
}

}  // namespace warpscope::deform
