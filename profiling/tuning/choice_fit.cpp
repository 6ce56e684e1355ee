// profiling/tuning/choice_fit.cpp: fits the costs of the rows that an automatic row chooses from.
#include "profiling/tuning/choice_fit.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "profiling/tuning/boosted_trees.h"
#include "profiling/tuning/row_choice.h"
#include "scenes/host/random.h"

namespace warpscope {
namespace {

constexpr std::uint32_t kFoldStream = 0x666f'6c64;
// A row gets costs if it was measured this often, and at this share of the points at which it can
// run: of a row that was timed in one corner too much would be assumed. Library calls need no
// share: no automatic row should be slower than a library, so they must be among those timed.
constexpr std::size_t kFewestTimes = 6;
constexpr double kLeastShare = 0.05;
// What a row is assumed to take, over the best time, where it can run and was not measured. Without
// that, a row that was timed at small sizes alone could be expected to win at large ones. Nothing
// is assumed of a library that was measured at kLeastShare: at worst it is timed in vain.
constexpr double kUnmeasured = 2;
// A row is taken up if that brings the best of all rows nearer by this much, as the mean of
// logarithms over all points.
constexpr double kLeastGain = 2e-4;
// A point keeps its fastest row if the trees take one that is slower than that by this much.
constexpr double kKept = 1.01;

bool varies(const ChoiceFeature& feature, const std::vector<const ChoicePoint*>& points) {
  std::set<double> values;
  for (const ChoicePoint* point : points)
    values.insert(feature.number(point->workload).value_or(kAbsent));
  return values.size() > 1;
}

void add_values(const ChoiceFeature& feature, const std::vector<const ChoicePoint*>& points,
                std::vector<CostFeature>& features) {
  std::set<std::string> all;
  for (const ChoicePoint* point : points)
    all.insert(packed(feature.text(point->workload).value_or("")));
  if (all.size() < 2) return;
  for (const std::string& value : all) {
    if (!value.empty()) features.push_back({feature.name, value});
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

std::set<ChosenRow> libraries_of(const std::vector<const ChoicePoint*>& points) {
  std::set<ChosenRow> libraries;
  for (const ChoicePoint* point : points)
    libraries.insert(point->libraries.begin(), point->libraries.end());
  return libraries;
}

struct TimesOfRow {
  std::size_t measured = 0, usable = 0;  // points at which it was timed, and at which it can run
  bool at_a_share() const {
    return static_cast<double>(measured) >= kLeastShare * static_cast<double>(usable);
  }
};

std::map<ChosenRow, TimesOfRow> times_of_rows(const std::vector<const ChoicePoint*>& points) {
  std::map<ChosenRow, TimesOfRow> times;
  for (const ChoicePoint* point : points) {
    for (const auto& [row, ns] : point->ns) ++times[row].measured;
  }
  for (auto& [row, count] : times) {
    for (const ChoicePoint* point : points)
      count.usable += point->usable(row) && point->refused.count(row) == 0 ? 1 : 0;
  }
  return times;
}

// Rows that were measured often enough.
std::vector<ChosenRow> candidates(const std::map<ChosenRow, TimesOfRow>& times,
                                  const std::set<ChosenRow>& libraries) {
  std::vector<ChosenRow> rows;
  for (const auto& [row, count] : times) {
    if (count.measured >= kFewestTimes && (libraries.count(row) != 0 || count.at_a_share()))
      rows.push_back(row);
  }
  return rows;
}

// ln(time / best) of a row that was measured there.
std::optional<double> cost_of(const ChoicePoint& point, const ChosenRow& row) {
  const auto found = point.ns.find(row);
  if (found == point.ns.end()) return std::nullopt;
  return std::log(found->second / point.best_ns);
}

// The libraries, and the fewest rows with which the best is as good as that of all, taken up one
// after the other. With rows that are never much better than another one, more can be mistaken.
std::vector<ChosenRow> few_rows(const std::vector<ChosenRow>& all,
                                const std::vector<const ChoicePoint*>& points,
                                const std::set<ChosenRow>& libraries) {
  constexpr double kNoRow = 3;  // ln(time / best) of a point at which none of the rows can run
  std::vector<double> costs(points.size(), kNoRow);
  std::set<ChosenRow> taken;
  const auto take = [&](const ChosenRow& row) {
    taken.insert(row);
    for (std::size_t n = 0; n < points.size(); ++n)
      costs[n] = std::min(costs[n], cost_of(*points[n], row).value_or(kNoRow));
  };
  for (const ChosenRow& row : all) {
    if (libraries.count(row) != 0) take(row);
  }
  while (taken.size() < all.size()) {
    double most = 0;
    const ChosenRow* best = nullptr;
    for (const ChosenRow& row : all) {
      if (taken.count(row) != 0) continue;
      double gain = 0;
      for (std::size_t n = 0; n < points.size(); ++n)
        gain += std::max(0.0, costs[n] - cost_of(*points[n], row).value_or(kNoRow));
      if (gain > most) {
        most = gain;
        best = &row;
      }
    }
    if (best == nullptr || most < kLeastGain * static_cast<double>(points.size())) break;
    take(*best);
  }
  return {taken.begin(), taken.end()};
}

// What the trees of costs are fitted to: one root per row, not a number where it cannot run, and
// where a row of `unassumed` was not measured.
std::vector<double> target_of(const ChoicePoint& point, const std::vector<RowCosts>& rows,
                              double most, const std::set<ChosenRow>& unassumed) {
  std::vector<double> costs;
  for (const RowCosts& each : rows) {
    std::optional<double> cost = cost_of(point, each.row);
    if (!cost && point.refused.count(each.row) != 0 && point.usable(each.row)) cost = most;
    if (!cost && point.usable(each.row) && unassumed.count(each.row) == 0)
      cost = std::log(kUnmeasured);
    costs.push_back(cost ? scaled_cost(std::min(most, *cost))
                         : std::numeric_limits<double>::quiet_NaN());
  }
  return costs;
}

// The mean of each output over the points at which it is known.
std::vector<double> means_of(const std::vector<std::vector<double>>& targets) {
  std::vector<double> means(targets.front().size()), counts(means.size());
  for (const std::vector<double>& target : targets) {
    for (std::size_t o = 0; o < means.size(); ++o) {
      if (std::isnan(target[o])) continue;
      means[o] += target[o];
      ++counts[o];
    }
  }
  for (std::size_t o = 0; o < means.size(); ++o) {
    char text[40];  // as the text of a model has it
    std::snprintf(text, sizeof text, "%.4g", counts[o] > 0 ? means[o] / counts[o] : 0);
    means[o] = std::strtod(text, nullptr);
  }
  return means;
}

void fit_trees(CostTable& table, const std::vector<const ChoicePoint*>& points,
               const ChoiceFeatures& features, const CostLimits& limits,
               const std::set<ChosenRow>& unassumed) {
  std::vector<std::vector<double>> values, costs, times;
  for (const ChoicePoint* point : points) {
    values.push_back(feature_values(table, features, point->workload));
    costs.push_back(target_of(*point, table.rows, limits.most, unassumed));
    times.push_back({std::log(point->best_ns)});
  }
  const std::vector<double> means = means_of(costs);
  for (std::size_t n = 0; n < means.size(); ++n) table.rows[n].mean = means[n];
  BoostLimits boost;
  boost.trees = limits.trees;
  boost.leaves = limits.leaves;
  table.trees = boosted_trees(values, costs, means, boost, 1);
  const std::vector<double> mean_time = means_of(times);
  table.mean_time = mean_time[0];
  boost.trees = limits.time_trees;
  boost.leaves = 12;
  table.time_trees = boosted_trees(values, times, mean_time, boost, 2);
}

// The points at which the trees take a row that is not the fastest.
void keep_points(CostTable& table, const std::vector<const ChoicePoint*>& points,
                 const ChoiceFeatures& features) {
  std::map<std::uint64_t, CostPoint> kept;
  for (const ChoiceScore::Judged& each : score_of(table, features, points).judged) {
    if (each.ratio && *each.ratio * kKept >= 1) continue;
    const std::uint64_t place = place_of(feature_values(table, features, each.point->workload));
    kept[place] = {place, each.point->best, std::round(each.point->best_ns)};
  }
  for (const auto& [place, point] : kept) table.points.push_back(point);
}

// A fold for each point, all folds alike in size. // One problem that was measured on two devices
// is judged in one fold.
std::vector<int> folds_of(const std::vector<const ChoicePoint*>& points,
                          const FitOptions& options) {
  const RandomStream stream(options.seed, kFoldStream);
  std::set<std::string> names;
  for (const ChoicePoint* point : points) names.insert(point->problem);
  std::vector<std::string> order(names.begin(), names.end());
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[static_cast<std::size_t>(stream.below(i, i))]);
  std::map<std::string, int> folds;
  for (std::size_t i = 0; i < order.size(); ++i)
    folds[order[i]] = static_cast<int>(i % static_cast<std::size_t>(options.folds));
  std::vector<int> all;
  for (const ChoicePoint* point : points) all.push_back(folds[point->problem]);
  return all;
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
  table.roots = true;
  for (const ChoiceFeature& feature : features) {
    if (!feature.number) {
      add_values(feature, points, table.features);
    } else if (varies(feature, points)) {
      table.features.push_back({feature.name, ""});
    }
  }
  const std::set<ChosenRow> libraries = libraries_of(points);
  const std::map<ChosenRow, TimesOfRow> times = times_of_rows(points);
  std::set<ChosenRow> unassumed;
  for (const auto& [each, count] : times) {
    if (libraries.count(each) != 0 && count.at_a_share()) unassumed.insert(each);
  }
  for (const ChosenRow& each : few_rows(candidates(times, libraries), points, libraries))
    table.rows.push_back({each, 0, never_of(each, points, features)});
  if (table.rows.empty()) return table;
  fit_trees(table, points, features, limits, unassumed);
  keep_points(table, points, features);
  return table;
}

namespace {

// Scores of costs that were each fitted without the points that they judge.
struct UnseenScores {
  ChoiceScore table, timed;
};

UnseenScores unseen_scores(const ChoiceTable& table, const ChoiceFeatures& features,
                           const CostLimits& limits, const FitOptions& options) {
  const std::vector<const ChoicePoint*> points = all_points_of(table);
  const std::vector<int> folds = folds_of(points, options);
  UnseenScores scores;
  const auto add = [](ChoiceScore& to, const ChoiceScore& part) {
    to.judged.insert(to.judged.end(), part.judged.begin(), part.judged.end());
  };
  for (int fold = 0; fold < options.folds; ++fold) {
    std::vector<const ChoicePoint*> seen, judged;
    for (std::size_t i = 0; i < points.size(); ++i)
      (folds[i] == fold ? judged : seen).push_back(points[i]);
    if (seen.empty() || judged.empty()) continue;
    const CostTable costs = fit_costs(table.row, seen, features, limits);
    add(scores.table, score_of(costs, features, judged));
    add(scores.timed, score_of(costs, features, judged, kTimedRows));
  }
  summarise(scores.table);
  summarise(scores.timed);
  return scores;
}

}  // namespace

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
  for (const int leaves : {6, 12}) {
    const CostLimits limits{.leaves = leaves};
    UnseenScores unseen = unseen_scores(table, features, limits, options);
    const double cost = mean_cost(unseen.table);
    if (cost >= best) continue;
    best = cost;
    fitted.limits = limits;
    fitted.unseen = std::move(unseen.table);
    fitted.timed = std::move(unseen.timed);
  }
  const std::vector<const ChoicePoint*> points = all_points_of(table);
  fitted.costs = fit_costs(table.row, points, features, fitted.limits);
  fitted.seen = score_of(fitted.costs, features, points);
  fitted.recorded = recorded_score(points);
  return fitted;
}

}  // namespace warpscope
