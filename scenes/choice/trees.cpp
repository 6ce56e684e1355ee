// scenes/choice/trees.cpp: decision trees whose answers add up to a prediction.
#include "scenes/choice/trees.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <optional>
#include <system_error>

namespace warpscope {
namespace {

constexpr double kStepsPerUnit = 1000;

// Built-in scenes have more than 100 000 numbers, and every process reads them when it starts.
template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || !std::isfinite(static_cast<double>(number)))
    return std::nullopt;
  return number;
}

tl::unexpected<Error> wrong(const std::string& what) {
  return failure(ErrorKind::input, what, "", "fit the choice again with `warpscope tune --fit`");
}

// Reads nodes in the order of the text: a node's first branch follows it, then its second.
class TreeReader {
 public:
  TreeReader(const std::vector<std::string_view>& words, std::size_t next, std::size_t numbers)
      : words_(words), next_(next), numbers_(numbers) {}

  // Each open node waits for its second branch.
  Result<DecisionTree> nodes() {
    std::vector<std::size_t> open;
    while (true) {
      if (next_ == words_.size() || words_[next_] == ":")
        return wrong("this tree ends before its last leaf");
      const std::string_view word = words_[next_++];
      const std::size_t at = tree_.nodes.size();
      tree_.nodes.emplace_back();
      if (word != ".") {
        if (Result<void> asked = ask(word, tree_.nodes.back()); !asked)
          return tl::unexpected(asked.error());
        open.push_back(at);
        continue;
      }
      tree_.nodes.back().otherwise = static_cast<int>(leaves_++);
      if (open.empty()) return tree_;
      tree_.nodes[open.back()].otherwise = static_cast<int>(at) + 1;
      open.pop_back();
    }
  }
  std::size_t next() const { return next_; }
  std::size_t leaves() const { return leaves_; }

 private:
  Result<void> ask(std::string_view word, TreeNode& node) const {
    const std::size_t less = word.find('<');
    const auto asks = number_in<int>(word.substr(0, std::min(less, word.size())));
    const auto below =
        less == std::string_view::npos ? std::nullopt : number_in<double>(word.substr(less + 1));
    if (!asks || !below || *asks < 0 || static_cast<std::size_t>(*asks) >= numbers_)
      return wrong("“" + std::string(word) + "” asks for no feature of this table");
    node.asks = *asks;
    node.below = *below;
    return {};
  }

  const std::vector<std::string_view>& words_;
  std::size_t next_, numbers_, leaves_ = 0;
  DecisionTree tree_;
};

}  // namespace

void add_steps(const DecisionTree& tree, const std::vector<double>& values,
               std::vector<double>& sums) {
  std::size_t at = 0;
  while (tree.nodes[at].asks >= 0) {
    const TreeNode& node = tree.nodes[at];
    const bool below = values[static_cast<std::size_t>(node.asks)] < node.below;
    at = below ? at + 1 : static_cast<std::size_t>(node.otherwise);
  }
  const std::size_t first = static_cast<std::size_t>(tree.nodes[at].otherwise) * sums.size();
  for (std::size_t output = 0; output < sums.size(); ++output)
    sums[output] += tree.steps[first + output] / kStepsPerUnit;
}

std::string threshold_text(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.5g", value);
  return text;
}

std::string to_text(const DecisionTree& tree) {
  std::string text;
  for (const TreeNode& node : tree.nodes) {
    text += node.asks < 0 ? "." : std::to_string(node.asks) + "<" + threshold_text(node.below);
    text += " ";
  }
  text += ":";
  for (const int step : tree.steps) text += " " + std::to_string(step);
  return text;
}

Result<DecisionTree> parse_tree(const std::vector<std::string_view>& words, std::size_t first,
                                std::size_t numbers, std::size_t outputs) {
  TreeReader reader(words, first, numbers);
  Result<DecisionTree> tree = reader.nodes();
  if (!tree) return tree;
  std::size_t next = reader.next();
  if (next == words.size() || words[next] != ":")
    return wrong("a tree's nodes and its steps are apart by a colon");
  const std::size_t needed = reader.leaves() * outputs;
  tree->steps.reserve(needed);
  for (++next; next < words.size(); ++next) {
    const auto step = number_in<int>(words[next]);
    if (!step) return wrong("“" + std::string(words[next]) + "” is not a whole number");
    tree->steps.push_back(*step);
  }
  if (tree->steps.size() != needed)
    return wrong("this tree has " + std::to_string(tree->steps.size()) + " steps, and needs " +
                 std::to_string(needed));
  return tree;
}

}  // namespace warpscope
