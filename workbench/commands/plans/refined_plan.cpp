// workbench/commands/plans/refined_plan.cpp: a plan of the places where the winner of a recorded
// sweep changes.
#include "workbench/commands/plans/refined_plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "scenes/base/plural.h"

namespace warpscope {
namespace {

std::int64_t signed_size(std::size_t n) { return static_cast<std::int64_t>(n); }

// The values that the request names, by axis; points of other values are not looked at.
Result<std::map<std::string, std::set<std::string>>> named_values(const Scene& scene,
                                                                  const MeasureRequest& request) {
  std::map<std::string, std::set<std::string>> named;
  const auto ranges = axis_arguments(request.axes);
  if (!ranges) return tl::unexpected(ranges.error());
  for (const auto& [name, text] : *ranges) {
    const Axis* axis = find_axis(scene.axes, name);
    if (axis == nullptr)
      return tl::unexpected(
          with_values(scene.axes, default_configuration(scene.axes), {{name, text}}).error());
    const Result<std::vector<AxisValue>> values = parse_axis_range(*axis, text);
    if (!values) return tl::unexpected(values.error());
    for (const AxisValue& value : *values) named[name].insert(to_text(value));
  }
  return named;
}

std::vector<const Measurement*> points_to_look_at(
    const Session& session, const SceneAndVariants& chosen,
    const std::map<std::string, std::set<std::string>>& named) {
  std::vector<const Measurement*> points;
  for (const Measurement* point : session.newest_points()) {
    const bool of_variant =
        point->scene == chosen.scene->name &&
        std::any_of(chosen.variants.begin(), chosen.variants.end(),
                    [&](const Variant* variant) { return variant->name == point->variant; });
    const bool of_values = std::all_of(named.begin(), named.end(), [&](const auto& each) {
      return point->axes.has(each.first) &&
             each.second.contains(to_text(point->axes.at(each.first)));
    });
    if (of_variant && of_values) points.push_back(point);
  }
  return points;
}

// "axis=value" for each value that is not the scene's default.
std::vector<std::string> words_of(const Scene& scene, const Configuration& place) {
  const Configuration usual = default_configuration(scene.axes);
  std::vector<std::string> words;
  for (const Axis& axis : scene.axes) {
    if (!place.has(axis.name) || !axis.of_variants.empty()) continue;
    if (usual.has(axis.name) && usual.at(axis.name) == place.at(axis.name)) continue;
    words.push_back(axis.name + "=" + to_text(place.at(axis.name)));
  }
  return words;
}

tl::unexpected<Error> nothing_to_add(const GridRefinement& found, const std::string& where) {
  if (found.points == 0)
    return failure(ErrorKind::usage, "the sessions have no points of these variants", where,
                   "measure a coarse grid first, or leave out axes");
  if (found.changes.empty())
    return failure(ErrorKind::usage,
                   "no two neighbouring configurations have different fastest variants (" +
                       plural(signed_size(found.points), "point") + " looked at)",
                   where, "measure several variants over a wider range of one axis");
  return failure(ErrorKind::usage,
                 "there is nothing left to refine: the fastest variant changes at " +
                     plural(signed_size(found.changes.size()), "place") +
                     ", and what lies between the neighbours is measured or too close to them",
                 where, "the grid is as fine as it gets");
}

}  // namespace

std::string to_text(const WinnerChange& change) {
  const auto at = [&](const AxisValue& value) { return change.axis + "=" + to_text(value); };
  return (change.elsewhere.empty() ? "" : change.elsewhere + ": ") + change.winner_low +
         " is fastest at " + at(change.low) + " and " + change.winner_high + " at " +
         at(change.high) + "; " +
         (change.middle ? at(*change.middle) + " lies between" : "nothing lies between");
}

Result<RefinedPlan> refined_plan(Catalogue& catalogue, const MeasureRequest& request,
                                 const std::vector<std::string>& sessions) {
  const Result<SceneAndVariants> chosen = variants_argument(catalogue, request.what);
  if (!chosen) return tl::unexpected(chosen.error());
  const auto named = named_values(*chosen->scene, request);
  if (!named) return tl::unexpected(named.error());
  const Result<Session> session = load_sessions(sessions, {}, PointParts::times);
  if (!session) return tl::unexpected(session.error());
  RefinedPlan made;
  made.found = refine_grid(points_to_look_at(*session, *chosen, *named), *chosen->scene);
  if (made.found.places.empty()) return nothing_to_add(made.found, sessions.front());
  // Variants that the coarse grid left out are left out here as well.
  MeasureRequest of_variants = request;
  of_variants.what = words_of_scene(request, *chosen) + "/";
  for (const std::string& variant : made.found.variants)
    of_variants.what += (variant == made.found.variants.front() ? "" : ",") + variant;
  std::vector<MeasureRequest> requests;
  for (const Configuration& place : made.found.places) {
    if (!chosen->scene->admit(place)) continue;  // the scene has none there
    requests.push_back(of_variants);
    requests.back().axes = words_of(*chosen->scene, place);
  }
  if (requests.empty()) return nothing_to_add(made.found, sessions.front());
  Result<Plan> plan = plan_of(catalogue, requests);
  if (!plan) return tl::unexpected(plan.error());
  made.plan = std::move(*plan);
  return made;
}

}  // namespace warpscope
