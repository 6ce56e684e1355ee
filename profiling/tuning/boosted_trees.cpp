// profiling/tuning/boosted_trees.cpp: fits decision trees one after the other, each to what the
// ones before it leave over.
#include "profiling/tuning/boosted_trees.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <utility>

#include "scenes/host/random.h"

namespace warpscope {
namespace {

constexpr std::uint32_t kPointStream = 0x706f'696e, kNumberStream = 0x6e75'6d62;
constexpr std::size_t kMostThresholds = 63;  // per number

// A threshold between two neighbouring values, in five digits. No value if none separates them.
std::optional<double> between(double low, double high) {
  const double middle = low > 0 ? std::sqrt(low * high) : (low + high) / 2;
  const double rounded = std::strtod(threshold_text(middle).c_str(), nullptr);
  return low < rounded && rounded <= high ? std::optional(rounded) : std::nullopt;
}

// Thresholds of one number with about as many points between each two.
std::vector<double> thresholds_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  std::vector<double> all;
  const std::size_t apart = values.size() / (kMostThresholds + 1) + 1;
  std::size_t since = 0;  // points since the last threshold
  const bool few = [&] {
    std::vector<double> unique = values;
    unique.erase(std::unique(unique.begin(), unique.end()), unique.end());
    return unique.size() <= kMostThresholds + 1;
  }();
  for (std::size_t n = 1; n < values.size(); ++n) {
    ++since;
    if (values[n] == values[n - 1] || (!few && since < apart)) continue;
    if (const auto threshold = between(values[n - 1], values[n])) {
      all.push_back(*threshold);
      since = 0;
    }
  }
  return all;
}

struct Sum {
  double left_over = 0, count = 0;
};

struct Split {
  double gain = 0;
  std::size_t number = 0, threshold = 0;  // a point goes below if its bin is at most `threshold`
};

struct Node {
  std::vector<std::size_t> points;
  Split best;
  int below = -1, otherwise = -1;  // places of its branches; -1: a leaf
};

class Booster {
 public:
  Booster(const std::vector<std::vector<double>>& values,
          const std::vector<std::vector<double>>& targets, const std::vector<double>& means,
          const BoostLimits& limits, std::uint64_t seed)
      : values_(values),
        outputs_(means.size()),
        limits_(limits),
        points_(seed, kPointStream),
        numbers_(seed, kNumberStream) {
    const std::size_t numbers = values.empty() ? 0 : values.front().size();
    for (std::size_t n = 0; n < numbers; ++n) {
      std::vector<double> column;
      for (const std::vector<double>& point : values) column.push_back(point[n]);
      thresholds_.push_back(thresholds_of(column));
      std::vector<std::uint8_t>& bins = bins_.emplace_back();
      for (const double value : column) {
        const auto& all = thresholds_.back();
        bins.push_back(static_cast<std::uint8_t>(std::upper_bound(all.begin(), all.end(), value) -
                                                 all.begin()));
      }
      if (!thresholds_.back().empty()) asked_.push_back(n);
    }
    for (const std::vector<double>& target : targets) {
      for (std::size_t o = 0; o < outputs_; ++o) {
        known_.push_back(std::isnan(target[o]) ? 0 : 1);
        left_over_.push_back(std::isnan(target[o]) ? 0 : target[o] - means[o]);
      }
    }
  }

  DecisionTree next() {
    std::vector<Node> nodes(1);
    nodes[0].points = some_points();
    nodes[0].best = best_split(nodes[0]);
    for (int leaves = 1; leaves < limits_.leaves; ++leaves) {
      const auto widest =
          std::max_element(nodes.begin(), nodes.end(),
                           [](const Node& a, const Node& b) { return a.best.gain < b.best.gain; });
      if (widest->best.gain <= 0) break;
      split(nodes, static_cast<std::size_t>(widest - nodes.begin()));
    }
    DecisionTree tree;
    write(nodes, 0, tree);
    take(tree);
    return tree;
  }

 private:
  std::vector<std::size_t> some_points() {
    std::vector<std::size_t> all(values_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    const auto wanted = std::max<std::size_t>(
        1, static_cast<std::size_t>(limits_.share_of_points * static_cast<double>(all.size())));
    for (std::size_t i = 0; i < wanted; ++i)
      std::swap(all[i], all[i + points_.below(drawn_points_++, all.size() - i)]);
    all.resize(wanted);
    std::sort(all.begin(), all.end());
    return all;
  }

  // Sums of each output over all points of a node.
  std::vector<Sum> sums_of(const std::vector<std::size_t>& points) const {
    std::vector<Sum> sums(outputs_);
    for (const std::size_t point : points) {
      for (std::size_t o = 0; o < outputs_; ++o) {
        sums[o].left_over += left_over_[point * outputs_ + o];
        sums[o].count += known_[point * outputs_ + o];
      }
    }
    return sums;
  }

  double explained(const Sum& sum) const {
    return sum.left_over * sum.left_over / (sum.count + limits_.held_back);
  }

  Split best_split(const Node& node) {
    Split best;
    if (node.points.size() < 2 * limits_.fewest) return best;
    const std::vector<Sum> all = sums_of(node.points);
    double before = 0;
    for (const Sum& sum : all) before += explained(sum);
    std::vector<std::size_t> numbers = asked_;
    const auto wanted = static_cast<std::size_t>(
        std::ceil(limits_.share_of_numbers * static_cast<double>(numbers.size())));
    for (std::size_t i = 0; i < wanted; ++i) {
      std::swap(numbers[i], numbers[i + numbers_.below(drawn_numbers_++, numbers.size() - i)]);
      try_number(numbers[i], node, all, before, best);
    }
    return best;
  }

  void try_number(std::size_t number, const Node& node, const std::vector<Sum>& all, double before,
                  Split& best) {
    const std::size_t bins = thresholds_[number].size() + 1;
    histogram_.assign(bins * outputs_, {});
    counts_.assign(bins, 0);
    for (const std::size_t point : node.points) {
      const std::size_t bin = bins_[number][point];
      ++counts_[bin];
      Sum* const to = &histogram_[bin * outputs_];
      for (std::size_t o = 0; o < outputs_; ++o) {
        to[o].left_over += left_over_[point * outputs_ + o];
        to[o].count += known_[point * outputs_ + o];
      }
    }
    std::vector<Sum> below(outputs_);
    std::size_t count = 0;
    for (std::size_t bin = 0; bin + 1 < bins; ++bin) {
      count += counts_[bin];
      double after = 0;
      for (std::size_t o = 0; o < outputs_; ++o) {
        const Sum& here = histogram_[bin * outputs_ + o];
        below[o].left_over += here.left_over;
        below[o].count += here.count;
        after += explained(below[o]) +
                 explained({all[o].left_over - below[o].left_over, all[o].count - below[o].count});
      }
      if (counts_[bin] == 0 || count < limits_.fewest ||
          node.points.size() - count < limits_.fewest)
        continue;
      if (after - before > best.gain) best = {after - before, number, bin};
    }
  }

  void split(std::vector<Node>& nodes, std::size_t at) {
    Node below, otherwise;
    const Split by = nodes[at].best;
    for (const std::size_t point : nodes[at].points)
      (bins_[by.number][point] <= by.threshold ? below : otherwise).points.push_back(point);
    below.best = best_split(below);
    otherwise.best = best_split(otherwise);
    nodes[at].best.gain = 0;
    nodes[at].below = static_cast<int>(nodes.size());
    nodes[at].otherwise = nodes[at].below + 1;
    nodes.push_back(std::move(below));
    nodes.push_back(std::move(otherwise));
  }

  void write(const std::vector<Node>& nodes, std::size_t at, DecisionTree& tree) const {
    const Node& node = nodes[at];
    const std::size_t place = tree.nodes.size();
    tree.nodes.emplace_back();
    if (node.below < 0) {
      tree.nodes[place].otherwise = static_cast<int>(tree.steps.size() / outputs_);
      for (const Sum& sum : sums_of(node.points)) {
        const double step = limits_.rate * sum.left_over / (sum.count + limits_.held_back);
        tree.steps.push_back(static_cast<int>(std::lround(1000 * step)));
      }
      return;
    }
    tree.nodes[place].asks = static_cast<int>(node.best.number);
    tree.nodes[place].below = thresholds_[node.best.number][node.best.threshold];
    write(nodes, static_cast<std::size_t>(node.below), tree);
    tree.nodes[place].otherwise = static_cast<int>(tree.nodes.size());
    write(nodes, static_cast<std::size_t>(node.otherwise), tree);
  }

  // What the tree explains, also of points that it has not seen, is no longer left over.
  void take(const DecisionTree& tree) {
    std::vector<double> steps(outputs_);
    for (std::size_t point = 0; point < values_.size(); ++point) {
      std::fill(steps.begin(), steps.end(), 0.0);
      add_steps(tree, values_[point], steps);
      for (std::size_t o = 0; o < outputs_; ++o)
        left_over_[point * outputs_ + o] -= known_[point * outputs_ + o] * steps[o];
    }
  }

  const std::vector<std::vector<double>>& values_;
  std::size_t outputs_;
  const BoostLimits& limits_;
  RandomStream points_, numbers_;
  std::uint64_t drawn_points_ = 0, drawn_numbers_ = 0;
  std::vector<std::vector<double>> thresholds_;  // of each number
  std::vector<std::vector<std::uint8_t>> bins_;  // of each number and point
  std::vector<std::size_t> asked_;               // numbers that have thresholds
  std::vector<double> known_, left_over_;        // of each point and output
  std::vector<Sum> histogram_;
  std::vector<std::size_t> counts_;
};

}  // namespace

std::vector<DecisionTree> boosted_trees(const std::vector<std::vector<double>>& values,
                                        const std::vector<std::vector<double>>& targets,
                                        const std::vector<double>& means, const BoostLimits& limits,
                                        std::uint64_t seed) {
  Booster booster(values, targets, means, limits, seed);
  std::vector<DecisionTree> trees;
  for (int n = 0; n < limits.trees && !values.empty(); ++n) trees.push_back(booster.next());
  return trees;
}

}  // namespace warpscope
