// profiling/claims/claim_points.cpp: what a claim gathers over the points of a session.
#include "profiling/claims/claim_points.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "profiling/points/point.h"
#include "scenes/base/plural.h"

namespace warpscope {
namespace {

void variants_in(const ClaimNode& node, const Scene& scene, std::set<std::string>& found) {
  if (node.kind == ClaimNode::Kind::call && !node.parts.empty() &&
      variants_of(node.parts.front(), scene, {})) {
    for (const ClaimNode& part : node.parts) {
      if (const auto variants = variants_of(part, scene, {})) {
        for (const Variant* variant : *variants) found.insert(variant->name);
      }
    }
  }
  if (node.kind == ClaimNode::Kind::name && find_variant(scene, node.name.head) != nullptr)
    found.insert(node.name.head);
  for (const ClaimNode& part : node.parts) variants_in(part, scene, found);
}

// The problem of a point, with the variants' own axes at their defaults.
Configuration problem_of(const Scene& scene, const Measurement& point, const Configuration& usual) {
  Configuration axes = usual;
  const Configuration whole = with_defaults(scene.axes, point.axes);
  for (const Axis& axis : scene.axes) {
    if (of_problem(axis) && whole.has(axis.name)) axes.set(axis.name, whole.at(axis.name));
  }
  return axes;
}

// Axes, each with the values of which a point must have one.
using Places = std::vector<std::pair<std::string, std::vector<AxisValue>>>;

Places read_places(const Scene& scene,
                   const std::map<std::string, std::vector<std::string>>& written) {
  Places places;
  for (const auto& [name, texts] : written) {
    const Axis* axis = find_axis(scene.axes, name);
    std::vector<AxisValue> values;
    for (const std::string& text : texts) {
      if (const Result<AxisValue> value = parse_axis_value(*axis, text)) values.push_back(*value);
    }
    places.emplace_back(name, std::move(values));
  }
  return places;
}

bool has_place(const Configuration& axes, const Places& places) {
  return std::all_of(places.begin(), places.end(), [&axes](const auto& place) {
    return axes.has(place.first) && std::find(place.second.begin(), place.second.end(),
                                              axes.at(place.first)) != place.second.end();
  });
}

// Whether an axis of the problem, as the point itself has it, says that it has no such place.
bool stands_elsewhere(const Scene& scene, const Configuration& axes, const Places& places) {
  return std::any_of(places.begin(), places.end(), [&](const auto& place) {
    return of_problem(*find_axis(scene.axes, place.first)) && axes.has(place.first) &&
           std::find(place.second.begin(), place.second.end(), axes.at(place.first)) ==
               place.second.end();
  });
}

std::string place_in_words(const Scene& scene, const Configuration& axes,
                           const std::vector<const Axis*>& told) {
  std::string text;
  for (const Axis* axis : told) {
    if (!applies(*axis, axes)) continue;
    text += (text.empty() ? "" : ", ") + axis->name + "=" + to_text(axes.at(axis->name));
  }
  return text.empty() ? scene.name + "'s defaults" : text;
}

// The axes of the problem that differ among the points or stand elsewhere than by default.
std::vector<const Axis*> told_axes(const Scene& scene, const std::vector<PlacedValue>& found) {
  const Configuration usual = default_configuration(scene.axes);
  std::vector<const Axis*> told;
  for (const Axis& axis : scene.axes) {
    if (!of_problem(axis)) continue;
    const bool moved = std::any_of(found.begin(), found.end(), [&](const PlacedValue& each) {
      return applies(axis, each.axes) && each.axes.at(axis.name) != usual.at(axis.name);
    });
    if (moved) told.push_back(&axis);
  }
  return told;
}

}  // namespace

std::vector<Configuration> recorded_configurations(const ClaimNode& node,
                                                   const ClaimContext& context) {
  std::vector<Configuration> all;
  if (context.session == nullptr) return all;
  const Scene& scene = *context.scene;
  std::set<std::string> variants, seen;
  std::set<std::string_view> known;  // problems as the points themselves name them: taken, or not
  variants_in(node.parts.front(), scene, variants);
  const std::string device = device_at_hand(context);
  const Configuration usual = default_configuration(scene.axes);
  const Places places = read_places(scene, node.places);
  for (const std::string& variant : variants) {
    for (const Measurement* point : context.session->points(scene.name, variant)) {
      // Variants are measured at the same problems: most points add none.
      if (known.count(point->problem) != 0) continue;
      if (point->partial || point->verdict.outcome != Outcome::correct) continue;
      if (!device.empty() && device_of(point->conditions).id() != device) continue;
      if (!point->problem.empty()) known.insert(point->problem);
      // Before all axes of the problem are gathered, which takes longer.
      if (stands_elsewhere(scene, point->axes, places)) continue;
      Configuration axes = problem_of(scene, *point, usual);
      if (!has_place(axes, places)) continue;
      if (seen.insert(problem_key(scene.axes, axes)).second) all.push_back(std::move(axes));
    }
  }
  return all;
}

std::string points_in_words(const Scene& scene, const std::vector<PlacedValue>& found) {
  std::string text = plural(std::ssize(found), "point");
  const char* before = ": ";
  for (const Axis* axis : told_axes(scene, found)) {
    std::vector<AxisValue> values;
    for (const PlacedValue& each : found) {
      if (applies(*axis, each.axes)) values.push_back(each.axes.at(axis->name));
    }
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    text += std::exchange(before, "; ") + axis->name + "=";
    for (std::size_t at = 0; at < values.size(); ++at)
      text += (at == 0 ? "" : ", ") + to_text(values[at]);
  }
  return text;
}

OrMissing<ClaimValue> gather(const std::string& function, const Scene& scene,
                             const std::vector<PlacedValue>& found) {
  if (function == "points") return words_of(points_in_words(scene, found));
  const ClaimValue& first = found.front().value;
  if (function == "count") {
    const bool relation = first.kind == ClaimValue::Kind::truth;
    ClaimValue made = number_of(0, "");
    made.whole = true;
    for (const PlacedValue& each : found) made.number += !relation || each.value.truth ? 1 : 0;
    return made;
  }
  if (first.kind != ClaimValue::Kind::number) return nonsense(function + " needs figures");
  const auto less = [](const PlacedValue& a, const PlacedValue& b) {
    return a.value.number < b.value.number;
  };
  const auto [least, most] = std::minmax_element(found.begin(), found.end(), less);
  if (function == "at_min" || function == "at_max")
    return words_of(place_in_words(scene, (function == "at_min" ? least : most)->axes,
                                   told_axes(scene, found)));
  ClaimValue made = number_of(0, first.unit);
  made.whole = function != "mean" && first.whole;
  if (function == "mean") {
    for (const PlacedValue& each : found) made.number += each.value.number;
    made.number /= static_cast<double>(found.size());
  } else {
    made.number = (function == "min" ? least : most)->value.number;
  }
  return made;
}

}  // namespace warpscope
