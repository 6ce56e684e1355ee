// profiling/tuning/choice_fit.h: fits the costs of the rows that an automatic row chooses from, and
// says how the choice does on configurations that it has not seen.
#pragma once

#include <cstdint>
#include <vector>

#include "profiling/tuning/choice_table.h"

// Each row's ln(time) is fitted by kernel ridge regression on standardised features of the
// workload, with kernel_similarity. Its few numbers are tried out by cross-validation.
// source: Rasmussen and Williams, "Gaussian Processes for Machine Learning", 2006, chapter 2.
//
//   const Result<FittedChoice> fitted = fit_choice(table, features, {});
//   show(fitted->unseen);     // cross-validated: each point judged by a fit without it

namespace warpscope {

struct CostLimits {
  double width = 3;     // see CostTable
  double noise = 0.05;  // variance of ln(time) that is not explained by the features
};

// `row`: the automatic row. A row that was measured fewer than six times, or at less than a quarter
// of the points at which it can run, gets no costs and is never taken. Where it was not measured,
// it counts as at least 1.5 times as long as the best row.
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
  ChoiceScore seen;    // each point by the costs themselves
  ChoiceScore recorded;
};
// error: input, fewer than 20 points.
Result<FittedChoice> fit_choice(const ChoiceTable& table, const ChoiceFeatures& features,
                                const FitOptions& options);

// The score of costs that were each fitted without the points that they judge.
ChoiceScore unseen_score(const ChoiceTable& table, const ChoiceFeatures& features,
                         const CostLimits& limits, const FitOptions& options);

}  // namespace warpscope
