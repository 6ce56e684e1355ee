// scenes/choice/model.h: what rows are expected to take, fitted to times: how an automatic row
// chooses.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenes/host/result.h"

// `warpscope tune --fit` makes a model from recorded sessions and writes it as text. The texts of
// the built-in scenes are scenes/choice/SCENE.txt; they are compiled in.
//
//   warpscope choice 1
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
//   width 3
//   feature n log 3.9 1.1
//   feature dtype is f16 0.2 0.4
//   point 1.2 -0.5: k_tiles 28090
//   point -0.3 2: pair_rows turns=1 9850
//   cost k_tiles 10.2: 0.31 -0.02
//   cost pair_rows turns=1 9.8 never dtype f16: 0 0.2
//
// A table has the measured configurations as points: one number per feature, of which the mean is
// subtracted, and which is divided by the deviation; then the fastest row there with its time in
// ns. A row's expected time is exp(mean + Σ weight ·
// similarity(point, workload)). See kernel_similarity for the similarity.

namespace warpscope {

// A variant, and those of its own axes that do not stand at its defaults.
struct ChosenRow {
  std::string variant;
  std::map<std::string, std::string> axes;
  auto operator<=>(const ChosenRow&) const = default;
};
std::string to_text(const ChosenRow& row);  // "pair_rows_tensor turns=1"

// A value of a choice as models have it: "reference_+_offset", without blanks.
std::string packed(std::string value);

struct CostFeature {
  std::string name;
  std::string is;    // 1 where a choice has this value (see packed), else 0; empty: a number
  bool log = false;  // the logarithm of the number
  double mean = 0, deviation = 1;
};

struct RowCosts {
  ChosenRow row;
  double mean = 0;  // of the logarithms of its times in ns
  // Values of choices with which its output was wrong, or with which it did not run.
  std::vector<std::pair<std::string, std::string>> never;
  std::vector<double> weights;  // one per point; 0: it was not measured there
};

struct CostPoint {
  std::vector<double> features;
  ChosenRow best;  // of the rows that were measured there
  double best_ns = 0;
};

struct CostTable {
  std::string row;   // the automatic row whose choice it is
  double width = 3;  // how far a point reaches, in deviations of ten features
  std::vector<CostFeature> features;
  std::vector<CostPoint> points;
  std::vector<RowCosts> rows;
};

// exp(−d² / (2 · width² · features / 10)) + 0.9 · a·b / features + 1: a smooth part that is near
// its points, a part that grows with every feature, and a constant.
double kernel_similarity(const std::vector<double>& a, const std::vector<double>& b, double width);

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

}  // namespace warpscope
