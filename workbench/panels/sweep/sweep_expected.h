// workbench/panels/sweep/sweep_expected.h: places of a map that were not measured, by fitted costs.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "profiling/tuning/expected_places.h"
#include "workbench/panels/panels.h"

namespace warpscope {

struct SweepMap;

// What the costs say of a map. By the cell's place in WinnerMap::cells.
struct ExpectedMap {
  const Variant* automatic = nullptr;  // whose costs they are; null: none, and `why` says why
  const ChoiceModel* model = nullptr;
  std::string why;                                     // empty also where the scene has no costs
  std::map<std::size_t, const ExpectedPlace*> places;  // where nothing is measured
  bool unfinished = false;                             // some come in the next frames
};

// Extends the map by the values that a sweep would take, and asks the costs of the automatic choice
// in focus, or of that in its league, for each place without a figure. `state` keeps the answers.
ExpectedMap expect_places(const PanelContext& context, const Selection& selection, SweepMap& map,
                          SweepPanel& state);

// "predicted: A 12 µs; second is B 15 µs (1.25×)".
std::string expected_sentence(const Scene& scene, const ExpectedPlace& place);
// The same with all variants, a line each, and the device of the costs.
std::string expected_lines(const Scene& scene, const ExpectedMap& map, const ExpectedPlace& place);

}  // namespace warpscope
