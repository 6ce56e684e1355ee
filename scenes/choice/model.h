// scenes/choice/model.h: what rows are expected to take, fitted to times: how an automatic row
// chooses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenes/choice/trees.h"
#include "scenes/host/result.h"

// `warpscope tune --fit` makes a model from recorded sessions and writes it as text. The texts of
// the built-in scenes are scenes/choice/SCENE.txt; they are compiled in.
//
//   warpscope choice 2
//   scene csrmm
//   device NVIDIA H200
//   driver 580.159.04
//   date 2026-11-29T16:43:40Z
//   build 0.1.0 (6391bae92b)
//   times warm
//   configurations 98
//   measured 1650
//   from h200-csrmm.wsj.gz
//
//   row auto
//   scale root
//   feature n
//   feature dtype is f16
//   cost k_tiles 0.12
//   cost pair_rows turns=1 0.31 never dtype f16
//   tree 0<64 . 1<0.5 . . : -120 40 0 15 80 -3
//   time 10.2
//   time_tree 0<100 . . : -700 912
//   point 9c14a0b7e2f05d11 pair_rows turns=1 9850
//
// A row's cost is ln(its time / the fastest row's). The trees predict it, or with “scale root” its
// root: the number at “cost” and one step of each tree (trees.h). The fastest row's ln(ns) is the
// number at “time” and the steps of the time trees. Points are measured configurations at which the
// trees take a row that is not the fastest: the place, the fastest row and its time in ns.

namespace warpscope {

// A variant, and those of its own axes that do not stand at its defaults.
struct ChosenRow {
  std::string variant;
  std::map<std::string, std::string> axes;
  auto operator<=>(const ChosenRow&) const = default;
};
std::string to_text(const ChosenRow& row);  // "pair_rows_tensor turns=1"
// The same with another name of the variant, such as its label: "pair rows, tensor turns=1".
std::string to_text(const ChosenRow& row, std::string name);

// A value of a choice as models have it: "reference_+_offset", without blanks.
std::string packed(std::string value);

struct CostFeature {
  std::string name;
  std::string is;  // 1 where a choice has this value (see packed), else 0; empty: a number
};

struct RowCosts {
  ChosenRow row;
  double mean = 0;  // of its costs
  // Values of choices with which its output was wrong, or with which it did not run.
  std::vector<std::pair<std::string, std::string>> never;
};

struct CostPoint {
  std::uint64_t place = 0;  // see place_of
  ChosenRow best;           // of the rows that were measured there
  double best_ns = 0;
};

struct CostTable {
  std::string row;     // the automatic row whose choice it is
  bool roots = false;  // whether the trees' sums are scaled_cost of the costs, or the costs
  std::vector<CostFeature> features;
  std::vector<RowCosts> rows;
  std::vector<DecisionTree> trees;  // one output per row
  double mean_time = 0;             // of ln(ns) of the fastest row
  std::vector<DecisionTree> time_trees;
  std::vector<CostPoint> points;
};

// A number for five digits of each value. Two workloads with the same values are one place.
std::uint64_t place_of(const std::vector<double>& values);

// A cost as the trees of roots have it, and back. Small costs, which decide, are drawn apart.
double scaled_cost(double cost);
double cost_of_scaled(double root);

// Logarithms of the rows' expected times in ns, one per row.
std::vector<double> expected_logarithms(const CostTable& table, const std::vector<double>& values);

struct ChoiceModel {
  std::string scene, device, driver, date, build;
  bool cold = false;       // whether times with cold caches decide
  int configurations = 0;  // of all tables
  int measured = 0;        // times
  std::vector<std::string> sessions;
  std::vector<CostTable> tables;
  const CostTable* table(std::string_view row) const;  // null: it has none for this row
};

std::string to_text(const ChoiceModel& model);
// error: input, naming `where`, the line and the remedy.
Result<ChoiceModel> parse_choice_model(std::string_view text, const std::string& where);

// What is compiled in for a scene. Null: nothing.
const ChoiceModel* built_in_choice(std::string_view scene);
// The same without its trees, which are most of the text: every process makes all scenes, and few
// ask what an automatic row takes.
const ChoiceModel* built_in_outline(std::string_view scene);

}  // namespace warpscope
