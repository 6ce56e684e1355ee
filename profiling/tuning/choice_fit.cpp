// profiling/tuning/choice_fit.cpp: fits the tree of an automatic row to times.
#include "profiling/tuning/choice_fit.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <optional>

#include "scenes/host/random.h"

namespace warpscope {
namespace {

constexpr double kUnknownCost = 0.693;  // ln 2
constexpr std::size_t kRowsOfLeaf = 3;
constexpr std::uint32_t kFoldStream = 0x666f'6c64;

double rounded_threshold(double low, double high) {
  const double middle = low > 0 ? std::sqrt(low * high) : (low + high) / 2;
  for (int digits = 1; digits <= 6; ++digits) {
    char text[32];
    std::snprintf(text, sizeof text, "%.*g", digits, middle);
    const double value = std::strtod(text, nullptr);
    if (value > low && value <= high) return value;
  }
  return high;
}

// What is asked of a point: all numbers and texts of the features, once.
struct Answers {
  std::vector<std::optional<double>> numbers;
  std::vector<std::optional<std::string>> texts;
};

class TreeGrower {
 public:
  TreeGrower(const std::vector<const ChoicePoint*>& points, const ChoiceFeatures& features,
             const TreeLimits& limits)
      : points_(points), features_(features), limits_(limits) {
    std::set<ChosenRow> rows;
    for (const ChoicePoint* point : points) {
      for (const auto& [row, ns] : point->ns) rows.insert(row);
    }
    rows_.assign(rows.begin(), rows.end());
    for (const ChoicePoint* point : points) {
      std::vector<double> costs;
      for (const ChosenRow& row : rows_) {
        const std::optional<double> ratio = point->ratio(row);
        costs.push_back(ratio ? -std::log(*ratio) : kUnknownCost);
      }
      costs_.push_back(std::move(costs));
      Answers answers;
      for (const ChoiceFeature& feature : features) {
        answers.numbers.push_back(feature.number ? feature.number(point->workload) : std::nullopt);
        answers.texts.push_back(feature.text ? feature.text(point->workload) : std::nullopt);
      }
      answers_.push_back(std::move(answers));
    }
  }

  ChoiceTree grow(const std::string& row) {
    std::vector<std::size_t> all(points_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    tree_.row = row;
    add_node(all);
    tree_.otherwise = otherwise(all);
    return std::move(tree_);
  }

 private:
  struct Question {
    double cost = std::numeric_limits<double>::infinity();
    std::size_t feature = 0;
    std::string is;
    double below = 0;
  };

  std::vector<double> sums(const std::vector<std::size_t>& at) const {
    std::vector<double> total(rows_.size());
    for (const std::size_t p : at) {
      for (std::size_t r = 0; r < rows_.size(); ++r) total[r] += costs_[p][r];
    }
    return total;
  }
  static double least(const std::vector<double>& total) {
    return *std::min_element(total.begin(), total.end());
  }

  std::size_t add_node(const std::vector<std::size_t>& at) {
    const std::size_t place = tree_.nodes.size();
    tree_.nodes.emplace_back();
    const std::vector<double> total = sums(at);
    const Question best = best_question(at);
    if (best.cost > least(total) - limits_.least_gain) {
      make_leaf(tree_.nodes[place], at, total);
      return place;
    }
    std::vector<std::size_t> yes, no;
    for (const std::size_t p : at) (is_yes(best, p) ? yes : no).push_back(p);
    tree_.nodes[place].feature = features_[best.feature].name;
    tree_.nodes[place].is = best.is;
    tree_.nodes[place].below = best.below;
    const std::size_t first = add_node(yes), second = add_node(no);
    tree_.nodes[place].yes = first;
    tree_.nodes[place].no = second;
    return place;
  }

  bool is_yes(const Question& question, std::size_t p) const {
    const Answers& answers = answers_[p];
    if (!question.is.empty()) return answers.texts[question.feature] == question.is;
    const std::optional<double>& number = answers.numbers[question.feature];
    return number && *number < question.below;
  }

  Question best_question(const std::vector<std::size_t>& at) const {
    Question best;
    for (std::size_t f = 0; f < features_.size(); ++f) {
      if (features_[f].text) {
        ask_texts(f, at, best);
      } else {
        ask_numbers(f, at, best);
      }
    }
    return best;
  }

  void ask_texts(std::size_t f, const std::vector<std::size_t>& at, Question& best) const {
    std::set<std::string> values;
    for (const std::size_t p : at) {
      if (answers_[p].texts[f]) values.insert(*answers_[p].texts[f]);
    }
    for (const std::string& value : values) {
      std::vector<std::size_t> yes, no;
      for (const std::size_t p : at) (answers_[p].texts[f] == value ? yes : no).push_back(p);
      if (!enough(yes.size()) || !enough(no.size())) continue;
      const double cost = least(sums(yes)) + least(sums(no));
      if (cost < best.cost) best = {cost, f, value, 0};
    }
  }

  // Points without a number are on the side of no, whatever the threshold.
  void ask_numbers(std::size_t f, std::vector<std::size_t> at, Question& best) const {
    const auto of = [&](std::size_t p) {
      return answers_[p].numbers[f].value_or(std::numeric_limits<double>::infinity());
    };
    std::sort(at.begin(), at.end(),
              [&](std::size_t a, std::size_t b) { return of(a) != of(b) ? of(a) < of(b) : a < b; });
    std::vector<double> yes(rows_.size()), no = sums(at);
    for (std::size_t i = 0; i + 1 < at.size(); ++i) {
      for (std::size_t r = 0; r < rows_.size(); ++r) {
        yes[r] += costs_[at[i]][r];
        no[r] -= costs_[at[i]][r];
      }
      const double low = of(at[i]), high = of(at[i + 1]);
      if (low == high || !enough(i + 1) || !enough(at.size() - i - 1)) continue;
      const double cost = least(yes) + least(no);
      if (cost >= best.cost) continue;
      best = {cost, f, "",
              std::isinf(high) ? std::nextafter(low, high) : rounded_threshold(low, high)};
    }
  }

  bool enough(std::size_t points) const {
    return points >= static_cast<std::size_t>(limits_.least_points);
  }

  // Rows by cost, without those that were refused at a point of the leaf.
  void make_leaf(ChoiceNode& leaf, const std::vector<std::size_t>& at,
                 const std::vector<double>& total) const {
    for (const std::size_t r : by_cost(total)) {
      if (leaf.rows.size() == kRowsOfLeaf) break;
      const bool refused = std::any_of(
          at.begin(), at.end(), [&](std::size_t p) { return !points_[p]->usable(rows_[r]); });
      if (!leaf.rows.empty() &&
          (refused || total[r] > kUnknownCost * static_cast<double>(at.size())))
        continue;
      leaf.rows.push_back(rows_[r]);
    }
    leaf.points = static_cast<int>(at.size());
    leaf.ratio = std::exp(-least(total) / static_cast<double>(at.size()));
  }

  static std::vector<std::size_t> by_cost(const std::vector<double>& total) {
    std::vector<std::size_t> order(total.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return total[a] < total[b]; });
    return order;
  }

  // Rows by cost, until each point has one that ran.
  std::vector<ChosenRow> otherwise(const std::vector<std::size_t>& all) const {
    std::vector<ChosenRow> rows;
    std::vector<std::size_t> without = all;
    while (!without.empty()) {
      const std::size_t best = by_cost(sums(without)).front();
      rows.push_back(rows_[best]);
      const std::size_t before = without.size();
      std::erase_if(without, [&](std::size_t p) { return points_[p]->ns.count(rows_[best]) != 0; });
      if (without.size() == before) break;
    }
    return rows;
  }

  const std::vector<const ChoicePoint*>& points_;
  const ChoiceFeatures& features_;
  TreeLimits limits_;
  std::vector<ChosenRow> rows_;
  std::vector<std::vector<double>> costs_;
  std::vector<Answers> answers_;
  ChoiceTree tree_;
};

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

double mean_cost(const ChoiceScore& score) {
  double sum = 0;
  for (const ChoiceScore::Judged& each : score.judged)
    sum += each.ratio ? -std::log(*each.ratio) : kUnknownCost;
  return score.judged.empty() ? 0 : sum / static_cast<double>(score.judged.size());
}

}  // namespace

ChoiceTree grow_tree(const std::string& row, const std::vector<const ChoicePoint*>& points,
                     const ChoiceFeatures& features, const TreeLimits& limits) {
  return TreeGrower(points, features, limits).grow(row);
}

ChoiceScore unseen_score(const ChoiceTable& table, const ChoiceFeatures& features,
                         const TreeLimits& limits, const FitOptions& options) {
  const std::vector<const ChoicePoint*> points = all_points_of(table);
  const std::vector<int> folds = folds_of(points.size(), options);
  ChoiceScore score;
  for (int fold = 0; fold < options.folds; ++fold) {
    std::vector<const ChoicePoint*> seen, judged;
    for (std::size_t i = 0; i < points.size(); ++i)
      (folds[i] == fold ? judged : seen).push_back(points[i]);
    if (seen.empty() || judged.empty()) continue;
    const ChoiceTree tree = grow_tree(table.row, seen, features, limits);
    const ChoiceScore part = score_of(tree, features, judged);
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
  for (const int least_points : {1, 2, 3, 5}) {
    for (const double least_gain : {0.03, 0.06, 0.12, 0.25, 0.5}) {
      const TreeLimits limits{least_points, least_gain};
      ChoiceScore unseen = unseen_score(table, features, limits, options);
      const double cost = mean_cost(unseen);
      if (cost >= best) continue;
      best = cost;
      fitted.limits = limits;
      fitted.unseen = std::move(unseen);
    }
  }
  const std::vector<const ChoicePoint*> points = all_points_of(table);
  fitted.tree = grow_tree(table.row, points, features, fitted.limits);
  fitted.seen = score_of(fitted.tree, features, points);
  fitted.recorded = recorded_score(points);
  return fitted;
}

}  // namespace warpscope
