// scenes/choice/model.cpp: reads and writes the text of fitted costs.
#include "scenes/choice/model.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>

namespace warpscope {
namespace {

constexpr const char* kFirstLine = "warpscope choice 2";
// Added before the root is taken: without it, differences of costs near 0, which are noise, would
// count most.
constexpr double kRootShift = 0.02;

std::string four_digits(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t first = text.find_first_not_of(' ');
    if (first == std::string_view::npos) return words;
    text.remove_prefix(first);
    const std::size_t end = std::min(text.find(' '), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

std::optional<double> number_of(std::string_view text) {
  const std::string word(text);
  char* end = nullptr;
  const double value = std::strtod(word.c_str(), &end);
  if (word.empty() || *end != '\0' || !std::isfinite(value)) return std::nullopt;
  return value;
}

void write_table(const CostTable& table, std::string& text) {
  text += "\nrow " + table.row + "\n";
  if (table.roots) text += "scale root\n";
  for (const CostFeature& feature : table.features)
    text += "feature " + feature.name + (feature.is.empty() ? "" : " is " + feature.is) + "\n";
  for (const RowCosts& costs : table.rows) {
    text += "cost " + to_text(costs.row) + " " + four_digits(costs.mean);
    for (const auto& [name, value] : costs.never) text += " never " + name + " " + value;
    text += "\n";
  }
  for (const DecisionTree& tree : table.trees) text += "tree " + to_text(tree) + "\n";
  text += "time " + four_digits(table.mean_time) + "\n";
  for (const DecisionTree& tree : table.time_trees) text += "time_tree " + to_text(tree) + "\n";
  for (const CostPoint& point : table.points) {
    char place[24];
    std::snprintf(place, sizeof place, "%016llx", static_cast<unsigned long long>(point.place));
    text += std::string("point ") + place + " " + to_text(point.best) + " " +
            std::to_string(std::llround(point.best_ns)) + "\n";
  }
}

// Reads line after line. Empty lines and comments (#) are skipped.
class ModelReader {
 public:
  ModelReader(std::string_view text, std::string where) : where_(std::move(where)) {
    for (int number = 1; !text.empty(); ++number) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      std::vector<std::string_view> words = words_of(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
      if (!words.empty() && words.back() == "\r") words.pop_back();
      if (!words.empty() && words.front().front() != '#')
        lines_.push_back({number, std::move(words)});
    }
  }

  Result<ChoiceModel> read() {
    if (lines_.empty() || joined(lines_.front().words, 0) != kFirstLine)
      return wrong("this is not a fitted choice: its first line must be “warpscope choice 2”",
                   "name a file that `warpscope tune --fit` wrote");
    ChoiceModel model;
    for (at_ = 1; at_ < lines_.size(); ++at_) {
      Result<void> read = lines_[at_].words.front() == "row" ? begin_table(model)
                          : model.tables.empty()             ? read_origin(model)
                                                             : read_line(model.tables.back());
      if (!read) return tl::unexpected(read.error());
    }
    if (model.scene.empty())
      return wrong("the scene is not named", "write a line such as “scene csrmm” at the top");
    if (model.tables.empty())
      return wrong("there is no table", "write “row NAME”, and a table in the lines after it");
    if (Result<void> whole = check_table(model.tables.back()); !whole)
      return tl::unexpected(whole.error());
    return model;
  }

 private:
  struct Line {
    int number = 0;
    std::vector<std::string_view> words;
  };

  tl::unexpected<Error> wrong(std::string what, std::string remedy) const {
    const int line = lines_.empty() ? 1 : lines_[std::min(at_, lines_.size() - 1)].number;
    return failure(ErrorKind::input, std::move(what), where_ + ":" + std::to_string(line),
                   std::move(remedy));
  }

  static std::string joined(const std::vector<std::string_view>& words, std::size_t first) {
    std::string text;
    for (std::size_t n = first; n < words.size(); ++n)
      text += (n > first ? " " : "") + std::string(words[n]);
    return text;
  }

  Result<void> read_origin(ChoiceModel& model) const {
    const std::vector<std::string_view>& words = lines_[at_].words;
    const std::string rest = joined(words, 1);
    const std::map<std::string_view, std::string*> texts = {{"scene", &model.scene},
                                                            {"device", &model.device},
                                                            {"driver", &model.driver},
                                                            {"date", &model.date},
                                                            {"build", &model.build}};
    const std::map<std::string_view, int*> counts = {{"configurations", &model.configurations},
                                                     {"measured", &model.measured}};
    if (const auto text = texts.find(words.front()); text != texts.end()) {
      *text->second = rest;
    } else if (words.front() == "from") {
      model.sessions.push_back(rest);
    } else if (words.front() == "times") {
      if (rest != "warm" && rest != "cold")
        return wrong("times are warm or cold, not “" + rest + "”",
                     "write “times warm” or “times cold”");
      model.cold = rest == "cold";
    } else if (const auto count = counts.find(words.front()); count != counts.end()) {
      const std::optional<double> value = number_of(rest);
      if (!value || *value < 0 || *value > 1e9 || *value != std::floor(*value))
        return wrong("“" + rest + "” is not a count", "write a whole number");
      *count->second = static_cast<int>(*value);
    } else {
      return wrong("“" + joined(words, 0) + "” is not a line of the origin",
                   "write scene, device, driver, date, build, times, configurations, measured or "
                   "from, or begin a table with row");
    }
    return {};
  }

  Result<void> begin_table(ChoiceModel& model) const {
    if (!model.tables.empty()) {
      if (Result<void> whole = check_table(model.tables.back()); !whole) return whole;
    }
    const std::string name = joined(lines_[at_].words, 1);
    if (name.empty()) return wrong("a table begins with “row NAME”", "write the automatic row");
    if (model.table(name) != nullptr)
      return wrong("the row " + name + " has two tables", "leave one of them out");
    model.tables.emplace_back().row = name;
    return {};
  }

  Result<void> check_table(const CostTable& table) const {
    if (table.rows.empty() || table.features.empty())
      return wrong("the table of " + table.row + " lacks features or costs",
                   "fit it again with `warpscope tune --fit`");
    return {};
  }

  Result<void> read_line(CostTable& table) const {
    const std::vector<std::string_view>& words = lines_[at_].words;
    if (words.front() == "feature") return read_feature(table);
    if (words.front() == "scale") return read_scale(table);
    if (words.front() == "cost") return read_costs(table);
    if (words.front() == "tree") return read_tree(table, table.rows.size(), table.trees);
    if (words.front() == "time_tree") return read_tree(table, 1, table.time_trees);
    if (words.front() == "point") return read_point(table);
    const std::optional<double> mean =
        words.front() == "time" && words.size() == 2 ? number_of(words[1]) : std::nullopt;
    if (!mean)
      return wrong("“" + joined(words, 0).substr(0, 60) + "” is not a line of a table",
                   "a table has scale, feature, cost, tree, time, time_tree and point lines");
    table.mean_time = *mean;
    return {};
  }

  // A variant and its axes, from word `n` on, which then is the next word.
  static ChosenRow row_of(const std::vector<std::string_view>& words, std::size_t& n) {
    ChosenRow row;
    if (n < words.size()) row.variant = words[n++];
    for (; n < words.size() && words[n].find('=') != std::string_view::npos; ++n) {
      const std::size_t equals = words[n].find('=');
      row.axes[std::string(words[n].substr(0, equals))] = words[n].substr(equals + 1);
    }
    return row;
  }

  Result<void> before_trees(const CostTable& table) const {
    if (table.trees.empty() && table.time_trees.empty()) return {};
    return wrong("features and costs stand before trees", "move this line up");
  }

  Result<void> read_scale(CostTable& table) const {
    if (joined(lines_[at_].words, 1) != "root")
      return wrong("“" + joined(lines_[at_].words, 1) + "” is not a scale of costs",
                   "write “scale root”, or leave the line out");
    table.roots = true;
    return {};
  }

  Result<void> read_feature(CostTable& table) const {
    const std::vector<std::string_view>& words = lines_[at_].words;
    const bool choice = words.size() == 4 && words[2] == "is";
    if (words.size() != 2 && !choice)
      return wrong("a feature is a name, or a choice and its value",
                   "write for example “feature n” or “feature dtype is f16”");
    table.features.push_back({std::string(words[1]), choice ? std::string(words[3]) : ""});
    return before_trees(table);
  }

  Result<void> read_costs(CostTable& table) const {
    const std::vector<std::string_view>& words = lines_[at_].words;
    RowCosts costs;
    std::size_t n = 1;
    costs.row = row_of(words, n);
    const std::optional<double> mean = n < words.size() ? number_of(words[n]) : std::nullopt;
    for (++n; mean && n + 2 < words.size() && words[n] == "never"; n += 3)
      costs.never.emplace_back(words[n + 1], words[n + 2]);
    if (!mean || n != words.size())
      return wrong("a cost line lacks its row or its mean",
                   "write for example “cost k_tiles 0.12 never dtype f16”");
    costs.mean = *mean;
    table.rows.push_back(std::move(costs));
    return before_trees(table);
  }

  Result<void> read_tree(const CostTable& table, std::size_t outputs,
                         std::vector<DecisionTree>& trees) const {
    Result<DecisionTree> tree = parse_tree(lines_[at_].words, 1, table.features.size(), outputs);
    if (!tree) return wrong(tree.error().what, tree.error().remedy);
    trees.push_back(std::move(*tree));
    return {};
  }

  Result<void> read_point(CostTable& table) const {
    const std::vector<std::string_view>& words = lines_[at_].words;
    CostPoint point;
    char* end = nullptr;
    const std::string place(words.size() > 1 ? words[1] : "");
    point.place = std::strtoull(place.c_str(), &end, 16);
    std::size_t n = 2;
    point.best = row_of(words, n);
    const std::optional<double> ns = n + 1 == words.size() ? number_of(words[n]) : std::nullopt;
    if (place.size() != 16 || *end != '\0' || !ns || *ns <= 0)
      return wrong("a point lacks its place, its fastest row or that row's time",
                   "write for example “point 9c14a0b7e2f05d11 k_tiles 28090”");
    point.best_ns = *ns;
    table.points.push_back(std::move(point));
    return {};
  }

  std::string where_;
  std::vector<Line> lines_;
  std::size_t at_ = 0;
};

}  // namespace

std::string packed(std::string value) {
  std::replace(value.begin(), value.end(), ' ', '_');
  return value;
}

std::string to_text(const ChosenRow& row) { return to_text(row, row.variant); }

std::string to_text(const ChosenRow& row, std::string name) {
  for (const auto& [axis, value] : row.axes) name += " " + axis + "=" + value;
  return name;
}

std::uint64_t place_of(const std::vector<double>& values) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const double value : values) {
    for (const char c : threshold_text(value) + " ")
      hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return hash;
}

double scaled_cost(double cost) { return std::sqrt(std::max(0.0, cost) + kRootShift); }

double cost_of_scaled(double root) { return root * std::abs(root) - kRootShift; }

std::vector<double> expected_logarithms(const CostTable& table, const std::vector<double>& values) {
  std::vector<double> costs;
  for (const RowCosts& row : table.rows) costs.push_back(row.mean);
  for (const DecisionTree& tree : table.trees) add_steps(tree, values, costs);
  std::vector<double> time = {table.mean_time};
  for (const DecisionTree& tree : table.time_trees) add_steps(tree, values, time);
  for (double& cost : costs) cost = (table.roots ? cost_of_scaled(cost) : cost) + time[0];
  return costs;
}

const CostTable* ChoiceModel::table(std::string_view row) const {
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [row](const CostTable& t) { return t.row == row; });
  return found == tables.end() ? nullptr : &*found;
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
  for (const CostTable& table : model.tables) write_table(table, text);
  return text;
}

Result<ChoiceModel> parse_choice_model(std::string_view text, const std::string& where) {
  return ModelReader(text, where).read();
}

}  // namespace warpscope
