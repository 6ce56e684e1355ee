// scenes/folder/folder_axes.cpp: what a person can vary, as a description says it.
#include <algorithm>
#include <cmath>

#include "scenes/folder/folder_model.h"

namespace warpscope::folder {
namespace {

constexpr std::size_t kMostAxes = 32, kMostValues = 200;

void read_range(const Fields& fields, Axis& axis) {
  if (!fields.requires_key("range", "write range = [1, 1024]: the slider's ends")) return;
  const std::vector<double> range = fields.numbers("range");
  const std::vector<double> typed = fields.has("typed") ? fields.numbers("typed") : range;
  if (range.size() != 2 || typed.size() != 2)
    return fields.refuse("range", "a range has two ends", "write range = [1, 1024]");
  axis.minimum = range[0];
  axis.maximum = range[1];
  axis.typed_minimum = std::min(typed[0], range[0]);
  axis.typed_maximum = std::max(typed[1], range[1]);
  if (!(axis.minimum <= axis.maximum))
    fields.refuse("range", "its ends are the wrong way round", "write the lower end first");
  if (axis.scale == AxisScale::log && !(axis.minimum > 0))
    fields.refuse("range", "a log scale starts above 0", "start at 1, or write scale = \"linear\"");
}

// A value as a person would type it. Choices have none but their texts.
std::optional<AxisValue> read_value(const Fields& fields, const Node& node, const std::string& key,
                                    const Axis& axis) {
  const std::optional<std::string> text = typed_text(node);
  const Result<AxisValue> value = text ? parse_axis_value(axis, *text)
                                       : failure(ErrorKind::usage, "it is not a value", "",
                                                 "write a number or one of the choices");
  if (value) return *value;
  fields.errors().add(node.line, fields.at(key), value.error());
  return std::nullopt;
}

void read_applies(const Fields& fields, const Scope& scope, Axis& axis) {
  const auto expression = fields.expression("applies", scope.names());
  if (!expression) return;
  // The axes before it, which are all that its expression may name.
  axis.applies = [before = std::make_shared<const Scope>(scope), expression = *expression](
                     const Configuration& c) { return expression.value(before->at(c)) != 0; };
}

Axis read_axis(const Node& node, const Scope& scope, DescriptionErrors& errors) {
  const Fields fields(
      errors, node, "axes." + node.key,
      {"label", "unit", "description", "kind", "range", "typed", "default", "scale", "binds",
       "choices", "of_variants", "defaults_of", "stops", "linked_to", "applies", "before"});
  Axis axis;
  axis.name = node.key;
  if (!is_identifier(node.key)) {
    fields.refuse("", "“" + node.key + "” is not a valid name for an axis",
                  "use letters, digits and _, starting with a letter");
  }
  axis.label = fields.text("label", node.key);
  axis.unit = fields.text("unit");
  axis.description = fields.text("description", axis.label + ".");
  axis.choices = fields.texts("choices");
  const Node* preset = fields.find("default");
  const std::size_t guess = !axis.choices.empty()                                   ? 2
                            : preset != nullptr && preset->kind == Node::Kind::real ? 1
                                                                                    : 0;
  axis.kind = static_cast<AxisKind>(fields.word("kind", guess, {"integer", "real", "choice"}));
  axis.scale = static_cast<AxisScale>(fields.word("scale", 0, {"linear", "log"}));
  axis.binds = static_cast<Binding>(
      fields.word("binds", 0, {"argument", "launch_shape", "compile_time", "input"}));
  axis.of_variants = fields.texts("of_variants");
  axis.linked_to = fields.text("linked_to");
  if (axis.kind == AxisKind::choice) {
    fields.refuse_unused({"range", "typed", "scale", "stops"}, "choices",
                         "remove it, or write range instead of choices");
    axis.default_value = axis.choices.empty() ? std::string() : axis.choices.front();
    if (axis.choices.empty())
      fields.refuse("choices", "a choice axis has no choices", "write choices = [\"a\", \"b\"]");
  } else {
    fields.refuse_unused({"choices"}, "a number", "remove it, or write kind = \"choice\"");
    read_range(fields, axis);
    if (fields.has("stops")) axis.stops = fields.numbers("stops");
    if (fields.requires_key("default", "write default = 1024: its initial value"))
      axis.default_value = std::int64_t{0};
  }
  if (preset != nullptr) {
    if (auto value = read_value(fields, *preset, "default", axis)) axis.default_value = *value;
  }
  if (const Node* before = fields.find("before"))
    axis.before = read_value(fields, *before, "before", axis);
  for (const Node* own : fields.tables("defaults_of")) {
    if (auto value = read_value(fields, *own, "defaults_of." + own->key, axis))
      axis.defaults_of[own->key] = *value;
  }
  read_applies(fields, scope, axis);
  return axis;
}

}  // namespace

bool is_identifier(std::string_view text) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !text.empty() && letter(text[0]) && std::all_of(text.begin(), text.end(), [&](char c) {
    return letter(c) || (c >= '0' && c <= '9');
  });
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= 80 && text[0] != '-' && text[0] != '.' &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_' || c == '-' || c == '.';
         });
}

void read_axes(const Fields& root, Scope& scope) {
  const std::vector<const Node*> rows = root.tables("axes");
  if (rows.empty() || rows.size() > kMostAxes) {
    return root.refuse("axes", "a scene has 1 to " + std::to_string(kMostAxes) + " axes",
                       "write [axes.n] with range and default");
  }
  for (const Node* row : rows) scope.add(read_axis(*row, scope, root.errors()));
  for (const Node* row : rows) {
    const Node* linked = row->find("linked_to");
    if (linked != nullptr && !scope.has(linked->text)) {
      root.errors().add(linked->line, "axes." + row->key + ".linked_to",
                        "there is no axis “" + linked->text + "”", "name one of the axes");
    }
  }
}

void read_values(const Fields& root, Scope& scope) {
  const std::vector<const Node*> rows = root.tables("let");
  if (rows.size() > kMostValues)
    return root.refuse("let", "there are more than 200 values", "use fewer names");
  for (const Node* row : rows) {
    const std::string key = "let." + row->key;
    if (!is_identifier(row->key) || scope.has(row->key)) {
      root.errors().add(row->line, key, "the name is taken, or is not a valid name",
                        "use letters, digits and _, and not the name of an axis");
    }
    if (auto value = root.expression(*row, key, scope.names())) scope.add(row->key, *value);
  }
}

}  // namespace warpscope::folder
