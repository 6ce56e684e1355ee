// profiling/tuning/choice_fit.h: fits the tree of an automatic row to times, and says how it does
// on configurations that it has not seen.
#pragma once

#include <cstdint>
#include <vector>

#include "profiling/tuning/choice_table.h"

// The cost of a row at a point is ln(time / best). A leaf takes the row with the lowest sum of
// costs, and each question is the one that lowers the sum most (CART with costs by class).
// source: Breiman, Friedman, Olshen, Stone, "Classification and Regression Trees", 1984; Elkan,
// "The Foundations of Cost-Sensitive Learning", IJCAI 2001.
//
//   const Result<FittedChoice> fitted = fit_choice(table, features, {});
//   show(fitted->unseen);     // cross-validated: each point judged by a tree without it

namespace warpscope {

// When a branch of the tree ends.
struct TreeLimits {
  int least_points = 2;     // on either side of a question
  double least_gain = 0.1;  // by which a question must lower the sum of costs
};

// A row that was refused, or was not measured, costs as if it took twice the best time.
ChoiceTree grow_tree(const std::string& row, const std::vector<const ChoicePoint*>& points,
                     const ChoiceFeatures& features, const TreeLimits& limits);

struct FitOptions {
  int folds = 10;
  std::uint64_t seed = 1;  // which points are judged together
};

struct FittedChoice {
  ChoiceTree tree;
  TreeLimits limits;   // of those tried, the ones that did best on unseen points
  ChoiceScore unseen;  // each point by a tree that was grown without its fold
  ChoiceScore seen;    // each point by the tree itself
  ChoiceScore recorded;
};
// error: input, fewer than 20 points.
Result<FittedChoice> fit_choice(const ChoiceTable& table, const ChoiceFeatures& features,
                                const FitOptions& options);

// The score of trees that were each grown without the points that they judge.
ChoiceScore unseen_score(const ChoiceTable& table, const ChoiceFeatures& features,
                         const TreeLimits& limits, const FitOptions& options);

}  // namespace warpscope
