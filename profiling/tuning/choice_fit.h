// profiling/tuning/choice_fit.h: fits the costs of the rows that an automatic row chooses from, and
// says how the choice does on configurations that it has not seen.
#pragma once

#include <cstdint>
#include <vector>

#include "profiling/tuning/choice_table.h"

// The cost of a row at a point is ln(its time / the fastest row's). Boosted trees predict the roots
// of the costs of all rows at once from features of the workload. Their number of leaves is tried
// out by cross-validation.
//
//   const Result<FittedChoice> fitted = fit_choice(table, features, {});
//   show(fitted->unseen);     // cross-validated: each point judged by a fit without it

namespace warpscope {

struct CostLimits {
  int leaves = 6;       // of each tree of costs
  int trees = 200;      // of costs
  int time_trees = 60;  // of the time of the fastest row
  double most = 1.5;    // costs above this count as this: how slow a slow row is decides nothing
};

// `row`: the automatic row. A row that was measured fewer than six times, or at less than a
// twentieth of the points at which it can run, gets no costs and is never taken, nor does a row
// that is hardly ever better than the rows that have some. A row that calls a vendor's library has
// costs from six times on. Where a row was not measured, it counts as twice as long as the best
// row, but nothing is assumed of a library that was measured at a twentieth.
CostTable fit_costs(const std::string& row, const std::vector<const ChoicePoint*>& points,
                    const ChoiceFeatures& features, const CostLimits& limits);

struct FitOptions {
  int folds = 10;
  std::uint64_t seed = 1;  // which points are judged together
};

struct FittedChoice {
  CostTable costs;
  CostLimits limits;   // of those tried, the ones that did best on unseen points
  ChoiceScore unseen;  // each point by costs that were fitted without its fold
  ChoiceScore timed;   // the same where the fastest of the kTimedRows nearest rows is taken
  ChoiceScore seen;    // each point by the costs themselves
  ChoiceScore recorded;
};
// error: input, fewer than 20 points.
Result<FittedChoice> fit_choice(const ChoiceTable& table, const ChoiceFeatures& features,
                                const FitOptions& options);

}  // namespace warpscope
