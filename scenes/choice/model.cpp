// scenes/choice/model.cpp: reads and writes the text of a fitted choice.
#include "scenes/choice/model.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>

namespace warpscope {
namespace {

constexpr const char* kFirstLine = "warpscope choice 1";
constexpr int kMostDepth = 64;

std::string shortest(double value) {
  char text[40];
  for (int digits = 1; digits <= 17; ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    if (std::strtod(text, nullptr) == value) break;
  }
  return text;
}

std::string list_of(const std::vector<ChosenRow>& rows) {
  std::string text;
  for (const ChosenRow& row : rows) text += (text.empty() ? "" : "; ") + to_text(row);
  return text;
}

void write_node(const ChoiceTree& tree, std::size_t at, int depth, std::string& text) {
  const ChoiceNode& node = tree.nodes[at];
  const std::string indent(2 * static_cast<std::size_t>(depth), ' ');
  if (node.leaf()) {
    char of[64];
    std::snprintf(of, sizeof of, " (%d points, %.3f)", node.points, node.ratio);
    text += indent + "take " + list_of(node.rows) + of + "\n";
    return;
  }
  text += indent + "if " + node.feature;
  text += node.is.empty() ? " < " + shortest(node.below) : " is " + node.is;
  text += "\n";
  write_node(tree, node.yes, depth + 1, text);
  text += indent + "else\n";
  write_node(tree, node.no, depth + 1, text);
}

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + separator.size());
  }
}

// Takes `word` and a blank off the front. Returns whether they were there.
bool skip(std::string_view& text, std::string_view word) {
  if (text.substr(0, word.size()) != word) return false;
  std::string_view rest = text.substr(word.size());
  if (rest.empty() || rest.front() != ' ') return false;
  text = rest.substr(1);
  return true;
}

std::optional<double> number_of(std::string_view text) {
  const std::string word(text);
  char* end = nullptr;
  const double value = std::strtod(word.c_str(), &end);
  if (word.empty() || *end != '\0' || !std::isfinite(value)) return std::nullopt;
  return value;
}

// Reads line after line. Empty lines and comments (#) are skipped.
class ModelReader {
 public:
  ModelReader(std::string_view text, std::string where) : where_(std::move(where)) {
    int number = 0;
    for (std::string_view line : split(text, "\n")) {
      ++number;
      while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
      const std::size_t first = line.find_first_not_of(' ');
      if (first == std::string_view::npos || line[first] == '#') continue;
      lines_.push_back({number, static_cast<int>(first), line.substr(first)});
    }
  }

  Result<ChoiceModel> read() {
    if (lines_.empty() || lines_.front().text != kFirstLine)
      return wrong("this is not a fitted choice: its first line must be “warpscope choice 1”",
                   "name a file that `warpscope tune --fit` wrote");
    at_ = 1;
    ChoiceModel model;
    if (Result<void> read = read_origin(model); !read) return tl::unexpected(read.error());
    while (at_ < lines_.size()) {
      ChoiceTree tree;
      if (Result<void> read = read_tree(tree); !read) return tl::unexpected(read.error());
      if (model.tree(tree.row) != nullptr)
        return wrong("the row " + tree.row + " has two trees", "leave one of them out");
      model.trees.push_back(std::move(tree));
    }
    if (model.scene.empty())
      return wrong("the scene is not named", "write a line such as “scene csrmm” at the top");
    if (model.trees.empty())
      return wrong("there is no tree", "write “row NAME”, and a tree in the lines after it");
    return model;
  }

 private:
  struct Line {
    int number = 0, indent = 0;
    std::string_view text;
  };

  tl::unexpected<Error> wrong(std::string what, std::string remedy) const {
    const int line = lines_.empty() ? 1 : lines_[std::min(at_, lines_.size() - 1)].number;
    return failure(ErrorKind::input, std::move(what), where_ + ":" + std::to_string(line),
                   std::move(remedy));
  }

  Result<void> read_origin(ChoiceModel& model) {
    for (; at_ < lines_.size() && lines_[at_].text.substr(0, 4) != "row "; ++at_) {
      std::string_view rest = lines_[at_].text;
      const auto count = [&](int& into) -> Result<void> {
        const std::optional<double> value = number_of(rest);
        if (!value || *value < 0 || *value > 1e9 || *value != std::floor(*value))
          return wrong("“" + std::string(rest) + "” is not a count", "write a whole number");
        into = static_cast<int>(*value);
        return {};
      };
      Result<void> read;
      if (skip(rest, "scene")) {
        model.scene = rest;
      } else if (skip(rest, "device")) {
        model.device = rest;
      } else if (skip(rest, "driver")) {
        model.driver = rest;
      } else if (skip(rest, "date")) {
        model.date = rest;
      } else if (skip(rest, "build")) {
        model.build = rest;
      } else if (skip(rest, "from")) {
        model.sessions.emplace_back(rest);
      } else if (skip(rest, "times")) {
        if (rest != "warm" && rest != "cold")
          return wrong("times are warm or cold, not “" + std::string(rest) + "”",
                       "write “times warm” or “times cold”");
        model.cold = rest == "cold";
      } else if (skip(rest, "configurations")) {
        read = count(model.configurations);
      } else if (skip(rest, "measured")) {
        read = count(model.measured);
      } else {
        return wrong("“" + std::string(rest) + "” is not a line of the origin",
                     "write scene, device, driver, date, build, times, configurations, measured or "
                     "from, or begin a tree with row");
      }
      if (!read) return read;
    }
    return {};
  }

  Result<void> read_tree(ChoiceTree& tree) {
    std::string_view rest = lines_[at_].text;
    if (lines_[at_].indent != 0 || !skip(rest, "row"))
      return wrong("a tree begins with “row NAME”", "write the automatic row's name");
    tree.row = rest;
    ++at_;
    if (at_ < lines_.size()) {
      rest = lines_[at_].text;
      if (lines_[at_].indent == 0 && skip(rest, "otherwise")) {
        if (Result<void> read = read_rows(rest, tree.otherwise); !read) return read;
        ++at_;
      }
    }
    const Result<std::size_t> root = read_node(tree, 0);
    if (!root) return tl::unexpected(root.error());
    return {};
  }

  // A node at this depth and all below it. Returns its place.
  Result<std::size_t> read_node(ChoiceTree& tree, int depth) {
    if (depth > kMostDepth) return wrong("the tree has more than 64 levels", "fit it again");
    if (at_ >= lines_.size())
      return wrong("the tree ends too early", "write a line “take ROW” below every if and else");
    const Line line = lines_[at_];
    if (line.indent != 2 * depth)
      return wrong("this line must be indented by " + std::to_string(2 * depth) + " blanks",
                   "indent what belongs to an if or an else by two more blanks");
    std::string_view rest = line.text;
    const std::size_t place = tree.nodes.size();
    tree.nodes.emplace_back();
    if (skip(rest, "take")) {
      if (Result<void> read = read_leaf(rest, tree.nodes[place]); !read)
        return tl::unexpected(read.error());
      ++at_;
      return place;
    }
    if (!skip(rest, "if"))
      return wrong("expected “take ROW” or “if …”, not “" + std::string(line.text) + "”",
                   "see scenes/choice/README.md for the format");
    if (Result<void> read = read_question(rest, tree.nodes[place]); !read)
      return tl::unexpected(read.error());
    ++at_;
    const Result<std::size_t> yes = read_node(tree, depth + 1);
    if (!yes) return yes;
    if (at_ >= lines_.size() || lines_[at_].text != "else" || lines_[at_].indent != 2 * depth)
      return wrong("the if in line " + std::to_string(line.number) + " has no else",
                   "write else with the same indentation");
    ++at_;
    const Result<std::size_t> no = read_node(tree, depth + 1);
    if (!no) return no;
    tree.nodes[place].yes = *yes;
    tree.nodes[place].no = *no;
    return place;
  }

  Result<void> read_question(std::string_view rest, ChoiceNode& node) const {
    const std::size_t blank = rest.find(' ');
    node.feature = rest.substr(0, blank);
    rest.remove_prefix(std::min(rest.size(), node.feature.size() + 1));
    if (skip(rest, "is") && !rest.empty()) {
      node.is = rest;
      return {};
    }
    const std::optional<double> number = skip(rest, "<") ? number_of(rest) : std::nullopt;
    if (!number || node.feature.empty())
      return wrong("an if asks “NAME < NUMBER” or “NAME is VALUE”",
                   "write for example “if mean_row < 12.5”");
    node.below = *number;
    return {};
  }

  Result<void> read_leaf(std::string_view rest, ChoiceNode& node) const {
    if (const std::size_t open = rest.find(" ("); open != std::string_view::npos) {
      const std::string of(rest.substr(open));
      int used = 0;
      if (std::sscanf(of.c_str(), " (%d points, %lf)%n", &node.points, &node.ratio, &used) != 2 ||
          static_cast<std::size_t>(used) != of.size())
        return wrong("“" + of + "” does not say how many points and which ratio",
                     "write for example “(12 points, 0.991)”");
      rest = rest.substr(0, open);
    }
    return read_rows(rest, node.rows);
  }

  Result<void> read_rows(std::string_view text, std::vector<ChosenRow>& rows) const {
    for (const std::string_view part : split(text, "; ")) {
      const std::vector<std::string_view> words = split(part, " ");
      ChosenRow row;
      row.variant = words.front();
      bool good = !row.variant.empty() && row.variant.find('=') == std::string::npos;
      for (std::size_t n = 1; n < words.size(); ++n) {
        const std::size_t equals = words[n].find('=');
        good = good && equals != std::string_view::npos && equals > 0;
        if (good) row.axes[std::string(words[n].substr(0, equals))] = words[n].substr(equals + 1);
      }
      if (!good)
        return wrong("“" + std::string(part) + "” is not a row",
                     "write VARIANT or VARIANT axis=value, with “; ” between rows");
      rows.push_back(std::move(row));
    }
    return {};
  }

  std::string where_;
  std::vector<Line> lines_;
  std::size_t at_ = 0;
};

}  // namespace

std::string to_text(const ChosenRow& row) {
  std::string text = row.variant;
  for (const auto& [axis, value] : row.axes) text += " " + axis + "=" + value;
  return text;
}

const ChoiceTree* ChoiceModel::tree(std::string_view row) const {
  const auto found =
      std::find_if(trees.begin(), trees.end(), [row](const ChoiceTree& t) { return t.row == row; });
  return found == trees.end() ? nullptr : &*found;
}

std::string to_text(const ChoiceModel& model) {
  std::string text = std::string(kFirstLine) + "\n";
  const auto line = [&text](const char* name, const std::string& value) {
    if (!value.empty()) text += std::string(name) + " " + value + "\n";
  };
  line("scene", model.scene);
  line("device", model.device);
  line("driver", model.driver);
  line("date", model.date);
  line("build", model.build);
  line("times", model.cold ? "cold" : "warm");
  line("configurations", std::to_string(model.configurations));
  line("measured", std::to_string(model.measured));
  for (const std::string& session : model.sessions) line("from", session);
  for (const ChoiceTree& tree : model.trees) {
    text += "\nrow " + tree.row + "\n";
    line("otherwise", list_of(tree.otherwise));
    write_node(tree, 0, 0, text);
  }
  return text;
}

Result<ChoiceModel> parse_choice_model(std::string_view text, const std::string& where) {
  return ModelReader(text, where).read();
}

}  // namespace warpscope
