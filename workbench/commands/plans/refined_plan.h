// workbench/commands/plans/refined_plan.h: a plan of the places where the winner of a recorded
// sweep changes.
#pragma once

#include <string>
#include <vector>

#include "profiling/plans/grid_refinement.h"
#include "workbench/commands/plans/plan_jobs.h"

namespace warpscope {

struct RefinedPlan {
  Plan plan;
  GridRefinement found;
};
// The points that `request` asks for at those places; its axes name values that are looked at, and
// leave out others. error: usage (nothing to add, and why), input (a session).
Result<RefinedPlan> refined_plan(Catalogue& catalogue, const MeasureRequest& request,
                                 const std::vector<std::string>& sessions);

// "n=64: auto is fastest at p=0.01 and k_tiles at p=0.04; p=0.02 is added".
std::string to_text(const WinnerChange& change);

}  // namespace warpscope
