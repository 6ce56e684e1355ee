// profiling/tuning/choice_fit.cpp: fits the costs of the rows that an automatic row chooses from.
#include "profiling/tuning/choice_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "scenes/host/random.h"

namespace warpscope {
namespace {

constexpr std::uint32_t kFoldStream = 0x666f'6c64;
// A row gets costs if it was measured this often, and at this share of the points at which it can
// run: of a row that was timed in one corner too much would be assumed.
constexpr std::size_t kFewestTimes = 6;
constexpr double kLeastShare = 0.25;
// What a row is assumed to take at least, over the best time, where it can run and was not
// measured. Without that, a row that was timed at small sizes alone could be expected to win at
// large ones.
constexpr double kUnmeasured = 1.5;

// Solves A·x = b for a symmetric, positive definite A by Cholesky's method. A is overwritten.
std::vector<double> solve(std::vector<std::vector<double>>& a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < j; ++k) {
      for (std::size_t i = j; i < n; ++i) a[i][j] -= a[i][k] * a[j][k];
    }
    const double root = std::sqrt(std::max(a[j][j], 1e-12));
    for (std::size_t i = j; i < n; ++i) a[i][j] /= root;
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i][k] * b[k];
    b[i] /= a[i][i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= a[k][i] * b[k];
    b[i] /= a[i][i];
  }
  return b;
}

// The feature with the mean and deviation of these values; empty if all are equal.
std::optional<CostFeature> spread(CostFeature feature, const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  const auto count = static_cast<double>(values.size());
  feature.mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : values) squares += (value - feature.mean) * (value - feature.mean);
  feature.deviation = std::sqrt(squares / count);
  if (feature.deviation < 1e-9) return std::nullopt;
  return feature;
}

void add_number(const ChoiceFeature& feature, const std::vector<const ChoicePoint*>& points,
                std::vector<CostFeature>& features) {
  std::vector<double> values;
  for (const ChoicePoint* point : points) {
    if (const std::optional<double> value = feature.number(point->workload))
      values.push_back(*value);
  }
  CostFeature cost;
  cost.name = feature.name;
  // Sizes act by their ratios; what can be 0 (a remainder, a yes or no) does not.
  cost.log = std::all_of(values.begin(), values.end(), [](double v) { return v > 0; });
  if (cost.log) {
    for (double& value : values) value = std::log(value);
  }
  if (const auto found = spread(cost, values)) features.push_back(*found);
}

void add_values(const ChoiceFeature& feature, const std::vector<const ChoicePoint*>& points,
                std::vector<CostFeature>& features) {
  std::set<std::string> all;
  std::vector<std::string> texts;
  for (const ChoicePoint* point : points) {
    texts.push_back(packed(feature.text(point->workload).value_or("")));
    if (!texts.back().empty()) all.insert(texts.back());
  }
  for (const std::string& value : all) {
    std::vector<double> ones;
    for (const std::string& text : texts) ones.push_back(text == value ? 1 : 0);
    CostFeature cost;
    cost.name = feature.name;
    cost.is = value;
    if (const auto found = spread(cost, ones)) features.push_back(*found);
  }
}

// Choices that all points share at which the row was refused though its constraints allow it: of
// the choice that forbids the fewest points where it was right, the values.
std::vector<std::pair<std::string, std::string>> never_of(
    const ChosenRow& row, const std::vector<const ChoicePoint*>& points,
    const ChoiceFeatures& features) {
  std::vector<const ChoicePoint*> refused;
  for (const ChoicePoint* point : points) {
    if (point->refused.count(row) != 0 && point->usable(row)) refused.push_back(point);
  }
  std::vector<std::pair<std::string, std::string>> best;
  int fewest = std::numeric_limits<int>::max();
  for (const ChoiceFeature& feature : features) {
    if (!feature.text || refused.empty()) continue;
    std::set<std::string> values;
    for (const ChoicePoint* point : refused)
      values.insert(packed(feature.text(point->workload).value_or("")));
    if (values.count("") != 0) continue;
    int forbidden = 0;
    for (const ChoicePoint* point : points) {
      const std::string value = packed(feature.text(point->workload).value_or(""));
      forbidden += point->ns.count(row) != 0 && values.count(value) != 0 ? 1 : 0;
    }
    if (forbidden >= fewest) continue;
    fewest = forbidden;
    best.clear();
    for (const std::string& value : values) best.emplace_back(feature.name, value);
  }
  return best;
}

// Logarithms of a row's times at some points.
struct Observed {
  std::vector<std::size_t> at;
  std::vector<double> logs;
};

void fit_weights(RowCosts& costs, const Observed& observed,
                 const std::vector<std::vector<double>>& similarities, double noise) {
  const auto& [at, logs] = observed;
  costs.mean = std::accumulate(logs.begin(), logs.end(), 0.0) / static_cast<double>(logs.size());
  std::vector<std::vector<double>> matrix(at.size(), std::vector<double>(at.size()));
  std::vector<double> rests;
  for (std::size_t i = 0; i < at.size(); ++i) {
    for (std::size_t k = 0; k < at.size(); ++k) matrix[i][k] = similarities[at[i]][at[k]];
    matrix[i][i] += noise;
    rests.push_back(logs[i] - costs.mean);
  }
  const std::vector<double> weights = solve(matrix, rests);
  costs.weights.assign(similarities.size(), 0);
  for (std::size_t i = 0; i < at.size(); ++i) costs.weights[at[i]] = weights[i];
}

std::optional<RowCosts> costs_of(const ChosenRow& row,
                                 const std::vector<const ChoicePoint*>& points,
                                 const std::vector<std::vector<double>>& similarities,
                                 double noise) {
  Observed observed;
  std::vector<std::size_t> left_out;  // where it can run, and was not measured
  for (std::size_t n = 0; n < points.size(); ++n) {
    const auto found = points[n]->ns.find(row);
    if (found != points[n]->ns.end()) {
      observed.at.push_back(n);
      observed.logs.push_back(std::log(found->second));
    } else if (points[n]->usable(row) && points[n]->refused.count(row) == 0) {
      left_out.push_back(n);
    }
  }
  const std::size_t measured = observed.at.size();
  if (measured < kFewestTimes ||
      static_cast<double>(measured) < kLeastShare * static_cast<double>(measured + left_out.size()))
    return std::nullopt;
  RowCosts costs;
  costs.row = row;
  fit_weights(costs, observed, similarities, noise);
  const RowCosts first = costs;
  for (const std::size_t n : left_out) {
    const double expected = std::inner_product(first.weights.begin(), first.weights.end(),
                                               similarities[n].begin(), first.mean);
    const double least = std::log(kUnmeasured * points[n]->best_ns);
    if (expected >= least) continue;
    observed.at.push_back(n);
    observed.logs.push_back(least);
  }
  if (observed.at.size() > measured) fit_weights(costs, observed, similarities, noise);
  return costs;
}

// A fold for each point, all folds alike in size.
std::vector<int> folds_of(std::size_t points, const FitOptions& options) {
  const RandomStream stream(options.seed, kFoldStream);
  std::vector<std::size_t> order(points);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = points; i > 1; --i)
    std::swap(order[i - 1], order[static_cast<std::size_t>(stream.below(i, i))]);
  std::vector<int> folds(points);
  for (std::size_t i = 0; i < points; ++i)
    folds[order[i]] = static_cast<int>(i % static_cast<std::size_t>(options.folds));
  return folds;
}

// A point without a ratio counts as if the row took twice the best time.
double mean_cost(const ChoiceScore& score) {
  constexpr double kUnknownCost = 0.693;  // ln 2
  double sum = 0;
  for (const ChoiceScore::Judged& each : score.judged)
    sum += each.ratio ? -std::log(*each.ratio) : kUnknownCost;
  return score.judged.empty() ? 0 : sum / static_cast<double>(score.judged.size());
}

}  // namespace

CostTable fit_costs(const std::string& row, const std::vector<const ChoicePoint*>& points,
                    const ChoiceFeatures& features, const CostLimits& limits) {
  CostTable table;
  table.row = row;
  table.width = limits.width;
  for (const ChoiceFeature& feature : features) {
    if (feature.number) {
      add_number(feature, points, table.features);
    } else {
      add_values(feature, points, table.features);
    }
  }
  std::set<ChosenRow> rows;
  for (const ChoicePoint* point : points) {
    table.points.push_back(
        {standardised(table, features, point->workload), point->best, point->best_ns});
    for (const auto& [each, ns] : point->ns) rows.insert(each);
  }
  std::vector<std::vector<double>> similarities;
  for (const CostPoint& a : table.points) {
    std::vector<double>& line = similarities.emplace_back();
    for (const CostPoint& b : table.points)
      line.push_back(kernel_similarity(a.features, b.features, table.width));
  }
  for (const ChosenRow& each : rows) {
    std::optional<RowCosts> costs = costs_of(each, points, similarities, limits.noise);
    if (!costs) continue;
    costs->never = never_of(each, points, features);
    table.rows.push_back(std::move(*costs));
  }
  return table;
}

ChoiceScore unseen_score(const ChoiceTable& table, const ChoiceFeatures& features,
                         const CostLimits& limits, const FitOptions& options) {
  const std::vector<const ChoicePoint*> points = all_points_of(table);
  const std::vector<int> folds = folds_of(points.size(), options);
  ChoiceScore score;
  for (int fold = 0; fold < options.folds; ++fold) {
    std::vector<const ChoicePoint*> seen, judged;
    for (std::size_t i = 0; i < points.size(); ++i)
      (folds[i] == fold ? judged : seen).push_back(points[i]);
    if (seen.empty() || judged.empty()) continue;
    const ChoiceScore part =
        score_of(fit_costs(table.row, seen, features, limits), features, judged);
    score.judged.insert(score.judged.end(), part.judged.begin(), part.judged.end());
  }
  summarise(score);
  return score;
}

Result<FittedChoice> fit_choice(const ChoiceTable& table, const ChoiceFeatures& features,
                                const FitOptions& options) {
  constexpr std::size_t kFewest = 20;
  if (table.points.size() < kFewest)
    return failure(ErrorKind::input,
                   "the sessions have " + std::to_string(table.points.size()) +
                       " configurations at which enough rows of " + table.row +
                       "'s choice were timed, and a fit needs 20",
                   table.row, "measure more: `warpscope agree choice SCENE --random 40`");
  FittedChoice fitted;
  double best = std::numeric_limits<double>::infinity();
  for (const double width : {1.5, 2.0, 3.0}) {
    for (const double noise : {0.01, 0.02, 0.05}) {
      const CostLimits limits{width, noise};
      ChoiceScore unseen = unseen_score(table, features, limits, options);
      const double cost = mean_cost(unseen);
      if (cost >= best) continue;
      best = cost;
      fitted.limits = limits;
      fitted.unseen = std::move(unseen);
    }
  }
  const std::vector<const ChoicePoint*> points = all_points_of(table);
  fitted.costs = fit_costs(table.row, points, features, fitted.limits);
  fitted.seen = score_of(fitted.costs, features, points);
  fitted.recorded = recorded_score(points);
  return fitted;
}

}  // namespace warpscope
