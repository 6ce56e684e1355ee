// workbench/panels/sweep/sweep_map.h: Sweep over two axes: who is best where, and by how much.
#pragma once

#include "workbench/panels/sweep/sweep_points.h"

namespace warpscope {

struct ExpectedMap;

// What a map shows: its axes, metric and variants, and the places that have figures.
struct SweepMap {
  const Axis *x, *y;
  const Metric* metric;
  std::vector<const Variant*> variants;
  WinnerMap winners;
};
SweepMap map_of(const PanelContext& context, const Selection& selection, const Axis& x,
                const Axis& y, const Metric& metric, SweepPanel& state, LeftOut& left_out);

// One cell per place in the winner's colour and marker, with the ratio of the second to the first.
// A place that was not measured is hatched and has a hollow marker: the costs expect that winner.
// A click selects a place; the one that is selected is framed and described above.
void draw_map(const PanelContext& context, Selection& selection, const SweepMap& map,
              const ExpectedMap& expected);

// A row per figure, measured or expected, with its rank and its ratio to the best at its place.
ExportWish rows_of(const Scene& scene, const SweepMap& map, const ExpectedMap& expected);

}  // namespace warpscope
