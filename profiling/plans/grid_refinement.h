// profiling/plans/grid_refinement.h: configurations that lie between two where different variants
// win.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "profiling/session/session.h"

// A coarse grid says between which of its values another variant becomes the fastest. The values in
// the middle of these say it more exactly, with few points. Refining again halves the distance
// again.
//
//   const GridRefinement finer = refine_grid(session.newest_points(), scene);
//   for (const Configuration& place : finer.places) plan(place);

namespace warpscope {

// Two neighbours that differ in one axis alone, won by different variants beyond the noise.
struct WinnerChange {
  std::string axis;
  AxisValue low, high;
  std::string winner_low, winner_high;
  Configuration place;              // where `low` is
  std::string elsewhere;            // the values of other axes that differ between changes: "n=64"
  std::string device;               // as DeviceName::id has it
  std::optional<AxisValue> middle;  // empty: the neighbours are too close already
};

struct GridRefinement {
  std::vector<WinnerChange> changes;
  std::vector<Configuration> places;  // of the problem, each once; those that were measured not
  std::vector<std::string> variants;  // of the points
  std::size_t points = 0;             // that were looked at
  std::size_t close = 0;              // changes without a middle
};

// Takes points of one scene, and compares their warm times. Winners are compared on one device and
// within one league. Points that are tuned, and automatic choices, are left out.
GridRefinement refine_grid(const std::vector<const Measurement*>& points, const Scene& scene);

}  // namespace warpscope
