// workbench/workspace/jobs/sweep_places.h: the configurations that a sweep measures.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "scenes/base/scene.h"
#include "workbench/workspace/selection/selection.h"

namespace warpscope {

// The values that a sweep takes of an axis: those that a person typed, else its choices or marks,
// else nine over its range. error: usage: a typed value.
Result<std::vector<AxisValue>> swept_values(const Axis& axis, const Selection& selection);

struct SweepPlaces {
  std::string axes;                // "n", "n × p"
  std::vector<Configuration> all;  // row by row: the second axis is the slower one
  std::size_t refused = 0;         // that the scene does not admit, and …
  std::string why;                 // … why, of the last one
};
// Every value of the swept axis with every value of the second one, if there is a second one.
// error: usage: no axis, one that means nothing here, a typed value, or more than 2,500 places.
Result<SweepPlaces> sweep_places(const Scene& scene, const Selection& selection);

}  // namespace warpscope
