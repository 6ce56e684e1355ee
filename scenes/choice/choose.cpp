// scenes/choice/choose.cpp: asks a fitted tree at a workload which row is taken, and why.
#include "scenes/choice/choose.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <tuple>

#include "scenes/base/kernel_parts.h"
#include "scenes/host/nearest.h"

namespace warpscope {
namespace {

std::string three_digits(double value) {
  char text[32];
  if (std::abs(value) >= 1000 && std::abs(value) < 1e15) {
    std::snprintf(text, sizeof text, "%.0f", value);
  } else {
    std::snprintf(text, sizeof text, "%.3g", value);
  }
  return text;
}

std::set<std::string> variants_in(const ChoiceTree& tree) {
  std::set<std::string> names;
  for (const ChosenRow& row : tree.otherwise) names.insert(row.variant);
  for (const ChoiceNode& node : tree.nodes) {
    for (const ChosenRow& row : node.rows) names.insert(row.variant);
  }
  return names;
}

const Variant* named(const std::vector<Variant>& variants, const std::string& name) {
  const auto found = std::find_if(variants.begin(), variants.end(),
                                  [&](const Variant& v) { return v.name == name; });
  return found == variants.end() ? nullptr : &*found;
}

Result<void> unknown(const ChoiceTree& tree, const char* what, const std::string& name,
                     const std::vector<std::string>& known) {
  std::string list;
  for (const std::string& each : known) list += (list.empty() ? "" : ", ") + each;
  return failure(
      ErrorKind::input,
      "the tree of " + tree.row + " names the " + what + " “" + name + "”, which does not exist",
      "fitted choice", "fit it again with `warpscope tune --fit`, or use: " + list);
}

}  // namespace

ChoiceFeature number_feature(std::string name, std::string label,
                             std::function<std::optional<double>(const Workload&)> number) {
  ChoiceFeature feature;
  feature.name = std::move(name);
  feature.label = std::move(label);
  feature.number = std::move(number);
  return feature;
}

ChoiceFeature axis_feature(const Axis& axis) {
  ChoiceFeature feature;
  feature.name = axis.name;
  feature.label = axis.label;
  const auto known = [axis](const Workload& w) {
    return w.axes.has(axis.name) && applies(axis, w.axes);
  };
  if (axis.kind == AxisKind::integer || axis.kind == AxisKind::real) {
    feature.number = [axis, known](const Workload& w) {
      return known(w) ? std::optional<double>(w.real(axis.name)) : std::nullopt;
    };
  } else {
    feature.text = [axis, known](const Workload& w) {
      return known(w) ? std::optional<std::string>(w.text(axis.name)) : std::nullopt;
    };
  }
  return feature;
}

const ChoiceFeature* find_feature(const ChoiceFeatures& features, std::string_view name) {
  const auto found = std::find_if(features.begin(), features.end(),
                                  [name](const ChoiceFeature& f) { return f.name == name; });
  return found == features.end() ? nullptr : &*found;
}

bool answers_yes(const ChoiceNode& node, const ChoiceFeatures& features, const Workload& workload) {
  const ChoiceFeature* feature = find_feature(features, node.feature);
  if (feature == nullptr) return false;
  if (!node.is.empty()) {
    const auto text = feature->text ? feature->text(workload) : std::nullopt;
    return text && *text == node.is;
  }
  const auto number = feature->number ? feature->number(workload) : std::nullopt;
  return number && *number < node.below;
}

std::vector<const ChoiceNode*> path_of(const ChoiceTree& tree, const ChoiceFeatures& features,
                                       const Workload& workload) {
  std::vector<const ChoiceNode*> path = {tree.nodes.data()};
  while (!path.back()->leaf()) {
    const ChoiceNode& node = *path.back();
    path.push_back(&tree.nodes[answers_yes(node, features, workload) ? node.yes : node.no]);
  }
  return path;
}

std::string words_of_path(const std::vector<const ChoiceNode*>& path,
                          const ChoiceFeatures& features, const Workload& workload) {
  // One entry for a feature, side and value: a later bound is the narrower one.
  std::vector<std::pair<std::tuple<std::string, bool, std::string>, std::string>> said;
  for (const ChoiceNode* node : path) {
    if (node->leaf()) continue;
    const ChoiceFeature* feature = find_feature(features, node->feature);
    const bool yes = answers_yes(*node, features, workload);
    const std::string label = feature == nullptr ? node->feature : feature->label;
    std::string words;
    if (!node->is.empty()) {
      words = label + (yes ? " is " : " is not ") + node->is;
    } else if (const auto number = feature != nullptr && feature->number ? feature->number(workload)
                                                                         : std::nullopt) {
      words =
          label + " " + three_digits(*number) + (yes ? " < " : " ≥ ") + three_digits(node->below);
    } else {
      words = label + " does not apply";
    }
    const auto key = std::tuple(node->feature, yes, node->is);
    std::erase_if(said, [&](const auto& each) { return each.first == key; });
    said.emplace_back(key, std::move(words));
  }
  std::string text;
  for (const auto& each : said) text += (text.empty() ? "" : ", ") + each.second;
  return text.empty() ? "it is the best row everywhere" : text;
}

std::vector<ChosenRow> preferred_rows(const ChoiceTree& tree, const ChoiceFeatures& features,
                                      const Workload& workload) {
  std::vector<ChosenRow> rows = path_of(tree, features, workload).back()->rows;
  for (const ChosenRow& row : tree.otherwise) {
    if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
  }
  return rows;
}

Result<void> fits_scene(const ChoiceTree& tree, const ChoiceFeatures& features,
                        const std::vector<Variant>& variants, const std::vector<Axis>& axes) {
  std::vector<std::string> feature_names, variant_names;
  for (const ChoiceFeature& feature : features) feature_names.push_back(feature.name);
  for (const Variant& variant : variants) variant_names.push_back(variant.name);
  const auto admitted = [&](const ChosenRow& row) -> Result<void> {
    if (named(variants, row.variant) == nullptr)
      return unknown(tree, "row", row.variant, variant_names);
    const Result<Configuration> values = with_values(axes, default_configuration(axes), row.axes);
    if (!values) return tl::unexpected(values.error());
    for (const auto& [name, value] : row.axes) {
      const Axis* axis = find_axis(axes, name);
      if (of_problem(*axis) || !of_variant(*axis, row.variant))
        return unknown(tree, "own axis", row.variant + " " + name, {});
    }
    return {};
  };
  std::vector<ChosenRow> rows = tree.otherwise;
  for (const ChoiceNode& node : tree.nodes) {
    rows.insert(rows.end(), node.rows.begin(), node.rows.end());
    if (node.leaf()) continue;
    const ChoiceFeature* feature = find_feature(features, node.feature);
    if (feature == nullptr) return unknown(tree, "feature", node.feature, feature_names);
    if ((feature->text != nullptr) == node.is.empty())
      return failure(ErrorKind::input,
                     "the tree of " + tree.row + " compares " + node.feature +
                         (node.is.empty() ? ", which is a choice, with a number"
                                          : ", which is a number, with a choice"),
                     "fitted choice", "fit it again with `warpscope tune --fit`");
  }
  for (const ChosenRow& row : rows) {
    if (Result<void> good = admitted(row); !good) return good;
  }
  return {};
}

AutomaticChoice::AutomaticChoice(ChoiceTree tree, ChoiceFeatures features,
                                 const std::vector<Variant>& among, std::vector<Axis> axes)
    : tree_(std::move(tree)), features_(std::move(features)), axes_(std::move(axes)) {
  const std::set<std::string> names = variants_in(tree_);
  for (const Variant& variant : among) {
    if (names.count(variant.name) != 0) rows_.push_back(variant);
  }
}

const Variant& AutomaticChoice::row(const std::string& name) const { return *named(rows_, name); }

Workload AutomaticChoice::at(const Workload& workload, const ChosenRow& chosen) const {
  Workload own = workload;
  own.axes = for_variant(axes_, own.axes, chosen.variant);
  if (Result<Configuration> tuned = with_values(axes_, own.axes, chosen.axes); tuned)
    own.axes = *tuned;
  return own;
}

std::pair<const Variant*, ChosenRow> AutomaticChoice::first_that_runs(
    const Workload& workload) const {
  const std::vector<ChosenRow> preferred = preferred_rows(tree_, features_, workload);
  for (const ChosenRow& chosen : preferred) {
    const Variant& variant = row(chosen.variant);
    if (!applies(variant, workload.axes)) continue;
    if (!unavailable(variant, at(workload, chosen), kDesignDevice)) return {&variant, chosen};
  }
  return {&row(preferred.front().variant), preferred.front()};
}

const Variant& AutomaticChoice::picked(const Workload& workload) const {
  return *first_that_runs(workload).first;
}

Workload AutomaticChoice::own(const Workload& workload) const {
  return at(workload, first_that_runs(workload).second);
}

std::string AutomaticChoice::why(const Workload& workload) const {
  const auto [variant, chosen] = first_that_runs(workload);
  const ChosenRow first = preferred_rows(tree_, features_, workload).front();
  std::string text = variant->label + ": tree: " +
                     words_of_path(path_of(tree_, features_, workload), features_, workload);
  for (const auto& [axis, value] : chosen.axes) text += "; " + axis + "=" + value;
  if (first != chosen)
    text += "; its first choice there, " + row(first.variant).label + ", cannot run here";
  return text;
}

}  // namespace warpscope
