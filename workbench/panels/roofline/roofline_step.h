// workbench/panels/roofline/roofline_step.h: where the chosen step of the focus stands below the
// roofs.
#pragma once

#include <optional>
#include <string>

#include "workbench/panels/roofline/roofline_labels.h"
#include "workbench/panels/roofline/roofline_standings.h"

namespace warpscope {

// The chosen step of a run of several, as if it were a run of its own. No value: none is chosen, or
// it has no time or no arithmetic.
struct StepStanding {
  std::string name;
  double time_ns = 0;
  RooflineStanding standing;
};
std::optional<StepStanding> step_standing(const VariantStanding& focus, const std::string& step);

// Its points as squares in the focus's colour, and its name beside the first of them.
void draw_step(const PlotArea& area, const Style& style, const VariantStanding& focus,
               const StepStanding& step, TakenPlaces& taken);

}  // namespace warpscope
