// profiling/grading/exercise.cpp: the description of an exercise, read.
#include "profiling/grading/exercise.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "scenes/folder/description_fields.h"

namespace warpscope {
namespace {

const std::vector<const char*> kKeys = {"title", "text",    "kernel", "variant", "starter",
                                        "hints", "counted", "hidden", "timed",   "goal"};
const std::vector<const char*> kGoalKeys = {"goal", "name", "points", "why"};

AxisTexts axes_of(DescriptionErrors& errors, const Node& table, const std::string& key) {
  AxisTexts axes;
  if (table.kind != Node::Kind::table)
    errors.add(table.line, key, "it is not a table of axes", "write { n = 1000 }");
  for (const Node& item : table.items) {
    const std::optional<std::string> text = typed_text(item);
    if (!text)
      errors.add(item.line, key + "." + item.key, "it is not a value of an axis",
                 "write a number, or a text in quotes");
    axes[item.key] = text.value_or("");
  }
  return axes;
}

std::vector<AxisTexts> sizes_of(const Fields& root, const char* key) {
  std::vector<AxisTexts> all;
  for (const Node* node : root.list(key)) all.push_back(axes_of(root.errors(), *node, key));
  return all;
}

double points_of(const Fields& fields) {
  const Node* node = fields.find("points");
  if (node == nullptr) return 1;
  const double points = node->kind == Node::Kind::whole  ? static_cast<double>(node->whole)
                        : node->kind == Node::Kind::real ? node->real
                                                         : 0;
  constexpr double kMost = 1000;
  if (!(points > 0 && points <= kMost))
    fields.refuse("points", "these are not points", "write a number above 0, at most 1000");
  return points;
}

void read_goal(const Node& node, DescriptionErrors& errors, Exercise& exercise) {
  const Fields fields(errors, node, "goal", kGoalKeys);
  if (!fields.requires_key("goal", "write goal = \"right at every size\"")) return;
  Result<Goal> goal = parse_goal(fields.text("goal"));
  if (!goal) {
    errors.add(node.line, "goal", goal.error());
    return;
  }
  goal->name = fields.text("name", goal->name);
  goal->why = fields.text("why");
  goal->points = points_of(fields);
  goal->line = node.line;
  exercise.goals.push_back(std::move(*goal));
}

void check_goals(const Fields& root, const Exercise& exercise) {
  std::set<std::string> texts;
  for (const Goal& goal : exercise.goals) {
    if (!texts.insert(goal.text).second)
      root.errors().add(goal.line, "goal", "this goal is there twice", "remove one of them");
  }
  const bool right = std::any_of(exercise.goals.begin(), exercise.goals.end(),
                                 [](const Goal& goal) { return goal.kind == GoalKind::right; });
  if (!right)
    root.refuse("goal", "no goal says that the output must be right",
                "add [[goal]] with goal = \"right at every size\"");
}

}  // namespace

Result<Exercise> parse_exercise(std::string_view text, const std::string& file) {
  const Result<Node> node = parse_description(text, file);
  if (!node) return tl::unexpected(node.error());
  DescriptionErrors errors(file);
  const Fields root(errors, *node, "", kKeys);
  Exercise exercise;
  for (const auto& [key, remedy] :
       {std::pair("title", "write title = \"…\""),
        std::pair("text", "write what the student shall do: text = \"…\""),
        std::pair("kernel", "name the file that a student hands in: kernel = \"saxpy.cu\""),
        std::pair("counted",
                  "write the sizes at which goals are counted: counted = [{ n = 65536 "
                  "}]")})
    root.requires_key(key, remedy);
  exercise.title = root.text("title");
  exercise.text = root.text("text");
  exercise.kernel = root.text("kernel");
  exercise.variant = root.text("variant", exercise.variant);
  exercise.starter = root.text("starter", exercise.starter);
  exercise.hints = root.texts("hints");
  exercise.counted = sizes_of(root, "counted");
  if (root.has("counted") && exercise.counted.empty())
    root.refuse("counted", "it has no sizes", "write counted = [{ n = 65536 }]");
  exercise.hidden = sizes_of(root, "hidden");
  if (const Node* timed = root.find("timed")) exercise.timed = axes_of(errors, *timed, "timed");
  for (const Node* goal : root.list("goal")) read_goal(*goal, errors, exercise);
  if (!errors.first()) check_goals(root, exercise);
  if (errors.first()) return tl::unexpected(*errors.first());
  return exercise;
}

std::string axes_text(const AxisTexts& axes) {
  std::string text;
  for (const auto& [name, value] : axes) text += (text.empty() ? "" : ", ") + name + "=" + value;
  return text.empty() ? "the scene's defaults" : text;
}

}  // namespace warpscope
