// scenes/choice/model.h: which row an automatic row takes, as trees that were fitted to times.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/host/result.h"

// `warpscope tune --fit` makes a model from recorded sessions and writes it as text. The texts of
// the built-in scenes are scenes/choice/SCENE.txt; they are compiled in.
//
//   warpscope choice 1
//   scene csrmm
//   device NVIDIA H200
//   driver 580.159.04
//   date 2026-11-29
//   build 0.1.0 (6391bae92b)
//   times warm
//   configurations 171
//   measured 3650
//   from h200-csrmm.wsj.gz
//
//   row auto
//   otherwise row_swizzle; block_row
//   if dtype is f64
//     take block_row; cusparse_default (12 points, 0.991)
//   else
//     if mean_row < 12.5
//       take row_swizzle (40 points, 0.983)
//     else
//       take k_tiles; row_swizzle (31 points, 0.998)
//
// A question without an answer (the axis does not apply) is answered with else. `take` lists the
// rows from best to worst: the first that can run is taken. In parentheses: how many configurations
// of the fit lie there, and the geometric mean of best time / time of the first row.

namespace warpscope {

// A variant, and those of its own axes that do not stand at its defaults.
struct ChosenRow {
  std::string variant;
  std::map<std::string, std::string> axes;
  auto operator<=>(const ChosenRow&) const = default;
};
std::string to_text(const ChosenRow& row);  // "pair_rows_tensor turns=1"

struct ChoiceNode {
  std::string feature;  // what is asked; empty: a leaf
  std::string is;       // the value of a choice; empty: the number is compared
  double below = 0;
  std::size_t yes = 0, no = 0;  // the nodes that follow
  std::vector<ChosenRow> rows;  // of a leaf, best first
  int points = 0;               // of a leaf: configurations of the fit
  double ratio = 1;             // of a leaf: geometric mean of best time / time of the first row
  bool leaf() const { return feature.empty(); }
};

struct ChoiceTree {
  std::string row;                   // the automatic row whose choice it is
  std::vector<ChosenRow> otherwise;  // if no row of a leaf can run, best first
  std::vector<ChoiceNode> nodes;     // the first is asked first
};

struct ChoiceModel {
  std::string scene, device, driver, date, build;
  bool cold = false;       // whether times with cold caches decide
  int configurations = 0;  // of all trees
  int measured = 0;        // times
  std::vector<std::string> sessions;
  std::vector<ChoiceTree> trees;
  const ChoiceTree* tree(std::string_view row) const;  // null: it has none for this row
};

std::string to_text(const ChoiceModel& model);
// error: input, naming `where`, the line and the remedy.
Result<ChoiceModel> parse_choice_model(std::string_view text, const std::string& where);

// What is compiled in for a scene. Null: nothing.
const ChoiceModel* built_in_choice(std::string_view scene);

}  // namespace warpscope
