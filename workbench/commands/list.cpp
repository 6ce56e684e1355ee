// workbench/commands/list.cpp: scenes, axes, variants and constraints.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "scenes/registry.h"
#include "workbench/commands/commands.h"

namespace warpscope {
namespace {

using nlohmann::json;

json described(const Scene& scene) {
  json axes = json::array(), variants = json::array(), presets = json::array();
  for (const Axis& axis : scene.axes) {
    axes.push_back({{"name", axis.name},
                    {"label", axis.label},
                    {"unit", axis.unit},
                    {"default", to_text(axis.default_value)},
                    {"minimum", axis.typed_minimum},
                    {"maximum", axis.typed_maximum},
                    {"choices", axis.choices},
                    {"description", axis.description}});
  }
  for (const Variant& v : scene.variants) {
    json constraints = json::array();
    for (const Constraint& c : v.constraints) constraints.push_back(c.rule);
    json differences = json::array();
    for (const KnownDifference& known : v.known_differences)
      differences.push_back({{"figure", known.figure},
                             {"side", known.side == Side::above ? "above" : "below"},
                             {"least_ratio", known.least_ratio},
                             {"most_ratio", known.most_ratio},
                             {"reason", known.reason}});
    variants.push_back({{"name", v.name},
                        {"label", v.label},
                        {"family", v.family},
                        {"sentence", v.sentence},
                        {"look_at", v.look_at},
                        {"accuracy", v.accuracy},
                        {"constraints", constraints},
                        {"known_differences", differences}});
  }
  for (const Preset& p : scene.presets) presets.push_back({{"name", p.name}, {"values", p.values}});
  return {
      {"name", scene.name},   {"title", scene.title}, {"story", scene.story},      {"axes", axes},
      {"variants", variants}, {"presets", presets},   {"baseline", scene.baseline}};
}

void print(const Scene& scene) {
  std::printf("%s: %s\n%s\n\naxes\n", scene.name.c_str(), scene.title.c_str(), scene.story.c_str());
  for (const Axis& axis : scene.axes) {
    std::string range;
    if (axis.kind == AxisKind::choice) {
      for (const std::string& choice : axis.choices) range += (range.empty() ? "" : ", ") + choice;
    } else if (axis.kind != AxisKind::file) {
      char text[96];
      std::snprintf(text, sizeof text, "%.10g to %.10g", axis.typed_minimum, axis.typed_maximum);
      range = text;
    }
    std::printf("  %-15s default %-8s %s\n", axis.name.c_str(), to_text(axis.default_value).c_str(),
                range.c_str());
  }
  std::printf("\nvariants\n");
  for (const Variant& v : scene.variants) {
    std::printf("  %-24s %-9s %s\n", v.name.c_str(), v.family.c_str(), v.sentence.c_str());
    for (const Constraint& c : v.constraints)
      std::printf("  %-34s needs: %s\n", "", c.rule.c_str());
  }
}

}  // namespace

void declare_list(CLI::App& command, int&) {
  auto as_json = std::make_shared<bool>(false);
  command.add_flag("--json", *as_json, "print JSON");
  command.callback([as_json] {
    json all = json::array();
    for (const Scene& scene : all_scenes()) {
      if (*as_json) {
        all.push_back(described(scene));
      } else {
        print(scene);
      }
    }
    if (*as_json) std::printf("%s\n", all.dump(2).c_str());
  });
}

}  // namespace warpscope
