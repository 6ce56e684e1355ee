// profiling/export/report/sweeps.h: the points of a session that differ in one number alone.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "profiling/session/session.h"

namespace warpscope {

using SceneOnDevice = std::pair<std::string, std::string>;  // the device by its id
SceneOnDevice place_of(const Measurement& m);

// The points of one scene and device that differ from its first configuration in one number of the
// problem alone; by its ids, so that cards of which one has no UUID are two.
struct Sweep {
  SceneOnDevice place;
  std::string axis;
  const Measurement* first = nullptr;
  std::vector<AxisValue> values;  // in order
  std::map<AxisValue, std::string> problem_at;
  std::set<std::string> problems;  // of those points
  bool holds(const Measurement& m) const {
    return place_of(m) == place && problems.count(m.problem) != 0;
  }
};

// Every axis of numbers over which at least three configurations were measured: values of a choice
// are problems of their own.
std::vector<Sweep> sweeps_of(const Session& session);

// So many of the values that a table or a chart can be read, spread evenly from the first to the
// last.
std::vector<AxisValue> shown_values(const std::vector<AxisValue>& all);

// What the points of a sweep share: ", the rest at n=128"; empty: nothing.
std::string rest_of(const Sweep& sweep);

}  // namespace warpscope
