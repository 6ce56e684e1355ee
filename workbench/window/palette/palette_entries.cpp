// workbench/window/palette/palette_entries.cpp: what the command palette lists, how it is ranked,
// and what each row does.
#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

#include "profiling/figures/metric.h"
#include "profiling/text/fuzzy_match.h"
#include "scenes/base/axis.h"
#include "scenes/catalogue.h"
#include "workbench/docking/layouts.h"
#include "workbench/lessons/lesson_outline.h"
#include "workbench/window/files/exports.h"
#include "workbench/window/frame.h"
#include "workbench/window/palette/palette.h"

namespace warpscope {
namespace {

constexpr std::size_t kMostRecent = 8;
constexpr int kRecentBonus = 15;

// Commands that the palette cannot do better than their keys: itself, and what Esc closes.
bool is_offered(const Command& command) {
  constexpr std::array<std::string_view, 2> kOwn = {"palette", "close"};
  const std::string_view name = command.name;
  return !name.starts_with("tab ") && std::find(kOwn.begin(), kOwn.end(), name) == kOwn.end();
}

void add_panels(const Workspace& workspace, std::vector<PaletteEntry>& entries) {
  for (const PanelRow& panel : all_panels()) {
    if (!panel.belongs(workspace.view())) continue;
    entries.push_back(
        {PaletteKind::panel, panel.name, panel.title, "show this panel", "", panel.key});
  }
}

void add_commands(std::vector<PaletteEntry>& entries) {
  for (const Command& command : all_commands()) {
    if (!is_offered(command)) continue;
    entries.push_back({PaletteKind::command, command.name, command.name, command.sentence,
                       to_text(command.task), command.keys});
  }
}

// Variants, axes and presets of the scene that is shown.
void add_of_scene(const Workspace& workspace, std::vector<PaletteEntry>& entries) {
  const Scene& scene = workspace.scene();
  for (const Variant& variant : scene.variants) {
    if (!applies(variant, workspace.selection.axes)) continue;
    entries.push_back(
        {PaletteKind::variant, variant.name, variant.label, "put it into focus", variant.name, ""});
  }
  for (const Axis& axis : scene.axes) {
    if (axis.kind == AxisKind::choice && axis.choices.size() < 2) continue;
    entries.push_back({PaletteKind::axis, axis.name, axis.name,
                       axis.label == axis.name ? axis.description : axis.label, axis.description,
                       ""});
  }
  for (const Preset& preset : scene.presets) {
    std::string values;
    for (const auto& [axis, text] : preset.values)
      values += (values.empty() ? "" : ", ") + axis + "=" + text;
    entries.push_back({PaletteKind::preset, preset.name, preset.name, values, "", ""});
  }
}

void add_metrics(const Workspace& workspace, std::vector<PaletteEntry>& entries) {
  const auto add = [&](const Metric& metric) {
    entries.push_back({PaletteKind::metric, metric.id, metric.label,
                       metric.cupti_name.empty() ? metric.id : metric.cupti_name,
                       metric.id + " " + metric.group, ""});
  };
  for (const Metric& metric : all_metrics()) add(metric);
  // Counters that were asked for by CUPTI's name.
  const Measurement* point = workspace.view().state(workspace.selection.variant).point;
  if (point == nullptr) return;
  for (const MetricValue& value : point->metrics) {
    constexpr std::string_view kCupti = "cupti:";
    const std::string id = value.id;
    if (id.starts_with(kCupti))
      entries.push_back({PaletteKind::metric, id, id.substr(kCupti.size()), "a counter", id, ""});
  }
}

void add_others(const Workspace& workspace, std::vector<PaletteEntry>& entries) {
  for (const Scene* scene : workspace.catalogue()->all())
    entries.push_back({PaletteKind::scene, scene->name, scene->name, scene->title, "", ""});
  for (const CounterSet& set : counter_sets()) {
    entries.push_back(
        {PaletteKind::counters, set.name, "counters " + set.name, set.sentence, "collect", ""});
  }
  for (const LessonOutline& lesson : lesson_titles()) {
    entries.push_back({PaletteKind::lesson, lesson.path.string(), lesson.title,
                       "a lesson on " + lesson.scene, lesson.path.stem().string(), ""});
  }
  for (const ShippedLayout& layout : shipped_layouts())
    entries.push_back({PaletteKind::layout, layout.name, layout.name, layout.sentence, "", ""});
}

// The named baselines of the scene, and the variant that is the baseline without a name.
void add_baselines(const Workspace& workspace, std::vector<PaletteEntry>& entries) {
  const NamedBaselines& baselines = workspace.selection.baselines;
  if (!baselines.chosen.empty()) {
    entries.push_back({PaletteKind::baseline, "", "baseline: the variant that is the baseline",
                       "compare with it", "", ""});
  }
  for (const auto& each : baselines.all) {
    if (each->point.scene != workspace.scene().name) continue;
    entries.push_back(
        {PaletteKind::baseline, each->id, "baseline: " + each->name, describe(*each), "", ""});
  }
}

void add_exports(const Workspace& workspace, std::vector<PaletteEntry>& entries) {
  for (const Export& each : all_exports()) {
    if (each.offered(workspace))
      entries.push_back({PaletteKind::file, each.name, each.words, "", "export save", ""});
  }
}

void go_to_axis(const std::string& name, Workspace& workspace, PanelStates& panels,
                FrameState& state) {
  const Axis* axis = find_axis(workspace.scene().axes, name);
  if (axis == nullptr) return;
  // The slider of an axis that only some variants have is there while one of them is in focus.
  if (!axis->of_variants.empty() && !of_variant(*axis, workspace.selection.variant))
    workspace.selection.variant = axis->of_variants.front();
  panels.axes.go_to = name;
  state.wanted_tab = "axes";
}

void take_preset(const std::string& name, Workspace& workspace) {
  const Scene& scene = workspace.scene();
  for (const Preset& preset : scene.presets) {
    if (preset.name != name) continue;
    if (auto changed = with_values(scene.axes, workspace.selection.axes, preset.values))
      workspace.selection.axes = std::move(*changed);
  }
}

}  // namespace

const char* to_text(PaletteKind kind) {
  constexpr const char* kWords[] = {"panel",    "action", "variant", "axis",   "scene",    "metric",
                                    "counters", "preset", "lesson",  "layout", "baseline", "file"};
  return kWords[static_cast<int>(kind)];
}

std::vector<PaletteEntry> palette_entries(const Workspace& workspace) {
  std::vector<PaletteEntry> entries;
  add_panels(workspace, entries);
  add_commands(entries);
  add_of_scene(workspace, entries);
  add_baselines(workspace, entries);
  add_exports(workspace, entries);
  add_metrics(workspace, entries);
  add_others(workspace, entries);
  return entries;
}

std::vector<std::size_t> palette_rows(const std::vector<PaletteEntry>& entries,
                                      const std::string& typed,
                                      const std::vector<std::string>& recent) {
  struct Ranked {
    std::size_t entry;
    int score;
  };
  std::vector<Ranked> ranked;
  const bool all = typed.find_first_not_of(' ') == std::string::npos;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const PaletteEntry& entry = entries[i];
    const std::string_view texts[] = {entry.title, entry.detail, entry.other, to_text(entry.kind)};
    std::optional<int> score = fuzzy_score(typed, texts);
    if (!score) continue;
    const auto at = std::find(recent.begin(), recent.end(), entry.id());
    if (at != recent.end()) *score += all ? static_cast<int>(recent.end() - at) : kRecentBonus;
    ranked.push_back({i, *score});
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Ranked& a, const Ranked& b) { return a.score > b.score; });
  std::vector<std::size_t> rows;
  for (const Ranked& row : ranked) rows.push_back(row.entry);
  return rows;
}

void choose_entry(const PaletteEntry& entry, Workspace& workspace, PanelStates& panels,
                  FrameState& state) {
  std::vector<std::string>& recent = state.help.palette.recent;
  std::erase(recent, entry.id());
  recent.insert(recent.begin(), entry.id());
  if (recent.size() > kMostRecent) recent.resize(kMostRecent);
  switch (entry.kind) {
    case PaletteKind::panel:
      state.wanted_tab = entry.name;
      break;
    case PaletteKind::command:
      for (const Command& command : all_commands()) {
        if (command.name == entry.name) state.help.palette.pending = &command;
      }
      break;
    case PaletteKind::variant:
      workspace.selection.variant = entry.name;
      break;
    case PaletteKind::axis:
      go_to_axis(entry.name, workspace, panels, state);
      break;
    case PaletteKind::scene:
      workspace.selection.scene = entry.name;
      break;
    case PaletteKind::metric:
      panels.metrics.go_to = entry.name;
      state.wanted_tab = "metrics";
      break;
    case PaletteKind::counters:
      workspace.selection.counters = entry.name;
      break;
    case PaletteKind::preset:
      take_preset(entry.name, workspace);
      break;
    case PaletteKind::lesson:
      state.lesson_wish = entry.name;
      break;
    case PaletteKind::baseline:
      workspace.selection.baselines.chosen = entry.name;
      break;
    case PaletteKind::file:
      for (const Export& each : all_exports()) {
        if (each.name == entry.name) each.start(workspace, state);
      }
      break;
    case PaletteKind::layout:
      choose_layout(state.docks, entry.name);
      break;
  }
}

}  // namespace warpscope
