// profiling/export/report/sweeps.cpp: the points of a session that differ in one number alone.
#include "profiling/export/report/sweeps.h"

#include <map>
#include <variant>
#include <vector>

#include "profiling/points/point.h"

namespace warpscope {

SceneOnDevice place_of(const Measurement& m) { return {m.scene, device_of(m.conditions).id()}; }

std::vector<Sweep> sweeps_of(const Session& session) {
  constexpr std::size_t kFewest = 3;
  struct First {
    const Measurement* point;
    Configuration axes;
  };
  std::map<SceneOnDevice, First> first;
  std::map<std::pair<SceneOnDevice, std::string>, std::map<AxisValue, std::string>> found;
  for (const Measurement* m : session.all_points()) {
    const Configuration axes = problem_axes(*m);
    const First& base = first.try_emplace(place_of(*m), First{m, axes}).first->second;
    if (axes.values().size() != base.axes.values().size()) continue;
    std::vector<std::string> differing;
    for (const auto& [axis, value] : axes.values()) {
      if (!base.axes.has(axis) || base.axes.at(axis) != value) differing.push_back(axis);
    }
    if (differing.size() != 1 || !base.axes.has(differing[0])) continue;
    if (std::holds_alternative<std::string>(axes.at(differing[0]))) continue;
    std::map<AxisValue, std::string>& values = found[{place_of(*m), differing[0]}];
    values.emplace(base.axes.at(differing[0]), base.point->problem);
    values.emplace(axes.at(differing[0]), m->problem);
  }
  std::vector<Sweep> sweeps;
  for (const auto& [place, values] : found) {
    if (values.size() < kFewest) continue;
    Sweep sweep{place.first, place.second, first.at(place.first).point, {}, values, {}};
    for (const auto& [value, problem] : values) {
      sweep.values.push_back(value);
      sweep.problems.insert(problem);
    }
    sweeps.push_back(std::move(sweep));
  }
  return sweeps;
}

std::vector<AxisValue> shown_values(const std::vector<AxisValue>& all) {
  constexpr std::size_t kMostShownValues = 64;
  if (all.size() <= kMostShownValues) return all;
  std::vector<AxisValue> shown;
  for (std::size_t i = 0; i < kMostShownValues; ++i)
    shown.push_back(all[i * (all.size() - 1) / (kMostShownValues - 1)]);
  return shown;
}

std::string rest_of(const Sweep& sweep) {
  Measurement rest;
  rest.scene = sweep.place.first;
  rest.axes = sweep.first->axes;
  rest.axes.unset(sweep.axis);
  const std::string problem = problem_of(rest);
  return problem.empty() ? "" : ", the rest at " + problem;
}

}  // namespace warpscope
