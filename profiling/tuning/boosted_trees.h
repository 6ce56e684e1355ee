// profiling/tuning/boosted_trees.h: fits decision trees one after the other, each to what the ones
// before it leave over.
#pragma once

#include <cstdint>
#include <vector>

#include "scenes/choice/trees.h"

// Gradient boosting of squared errors with several outputs per leaf. Each tree sees a part of the
// points, and each of its nodes a part of the numbers. The same input gives the same trees
// everywhere.
// source: Friedman, "Greedy function approximation: a gradient boosting machine", Annals of
// Statistics 29, 2001; Friedman, "Stochastic gradient boosting", 2002.

namespace warpscope {

struct BoostLimits {
  int trees = 200;
  int leaves = 6;
  double rate = 0.1;              // the share of what is left over that a tree takes
  double share_of_points = 0.7;   // that a tree sees
  double share_of_numbers = 0.4;  // that a node chooses among
  double held_back = 1;           // points without anything left over, added to each leaf
  std::size_t fewest = 2;         // points per leaf
};

// `values`: one list per point, all of the same length. `targets`: one per point and output; NaN
// where it is not known. `means`: of each output, from which the trees lead on.
std::vector<DecisionTree> boosted_trees(const std::vector<std::vector<double>>& values,
                                        const std::vector<std::vector<double>>& targets,
                                        const std::vector<double>& means, const BoostLimits& limits,
                                        std::uint64_t seed);

}  // namespace warpscope
