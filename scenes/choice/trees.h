// scenes/choice/trees.h: decision trees whose answers add up to a prediction.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scenes/host/result.h"

// A tree asks one number after the other whether it is below a threshold, and answers with one step
// per output at the leaf where it ends. Steps are whole thousandths, so a text has exactly what was
// fitted.
//
//   std::vector<double> sums(outputs, 0.0);
//   for (const DecisionTree& tree : trees) add_steps(tree, values, sums);
//
// As text, nodes come before their branches, first the branch below the threshold: “3<2.5” asks
// whether number 3 is below 2.5, “.” is a leaf. Then follow the steps, leaf by leaf:
//
//   3<2.5 . 0<64 . . : -120 40 0 15 80 -3

namespace warpscope {

struct TreeNode {
  double below = 0;   // the next node follows where the number is below it,
  int otherwise = 0;  // and this one elsewhere; of a leaf: its place among the leaves
  int asks = -1;      // which number; -1: a leaf
};

struct DecisionTree {
  std::vector<TreeNode> nodes;  // the first is the root
  std::vector<int> steps;       // thousandths: of each leaf, one per output
};

// Adds the steps of the leaf that `values` lead to. `sums`: one per output.
void add_steps(const DecisionTree& tree, const std::vector<double>& values,
               std::vector<double>& sums);

std::string to_text(const DecisionTree& tree);
// The words of a line. error: input, without a place: thresholds or steps that are not numbers, a
// tree that does not end, another count of steps than outputs × leaves, a number that is not there.
Result<DecisionTree> parse_tree(const std::vector<std::string_view>& words, std::size_t first,
                                std::size_t numbers, std::size_t outputs);

// The shortest text that gives thresholds their five digits.
std::string threshold_text(double value);

}  // namespace warpscope
