// workbench/panels/variants/ladder.cpp: what stands in a row of Variants.
#include "workbench/panels/variants/ladder.h"

#include <algorithm>
#include <cstdio>

#include "profiling/figures/time_unit.h"
#include "scenes/variant_families.h"
#include "workbench/workspace/scene/scene_words.h"

namespace warpscope {
namespace {

// For two points of one device and problem, both of today's source; else why they are not compared.
Comparison compared(const SelectedPoints& points, const PointState& state, const PointState& base,
                    CacheState cache) {
  Comparison comparison;
  if (!state.apart.empty() || !base.apart.empty()) {
    comparison.sentence = "not comparable: " +
                          (!state.apart.empty() ? state.apart : "the baseline was " + base.apart);
  } else if (has_figures(state.point->verdict.outcome) &&
             has_figures(base.point->verdict.outcome)) {
    comparison = points.compare(*base.point, *state.point, cache);
  }
  return comparison;
}

// The library row that the variant is compared with beside its baseline: its league's, else the
// scene's.
const Variant* library_beside(const Scene& scene, const Variant& variant,
                              const Configuration& axes) {
  std::string name = scene.library_baseline;
  for (const League& league : scene.leagues) {
    if (league.name == variant.league && !league.library_baseline.empty())
      name = league.library_baseline;
  }
  const Variant* library = find_variant(scene, name);
  if (library != nullptr && !applies(*library, axes))
    library = find_variant(scene, scene.library_baseline_elsewhere);
  return library == nullptr || library == &variant || !applies(*library, axes) ? nullptr : library;
}

LadderRow ladder_row(const PanelContext& context, const Selection& selection,
                     const Variant& variant, int index) {
  const SessionView& view = context.view;
  LadderRow row;
  row.variant = &variant;
  row.index = index;
  row.state = view.state(variant.name);
  row.stale = !row.state.apart.empty();
  row.baseline = view.points.baseline_id(variant.name).variant;
  if (!row.baseline.empty()) {
    row.outputs = view.session().outcomes().pair_of(view.point_id(variant.name),
                                                    view.points.baseline_id(variant.name));
  }
  const Measurement* point = row.state.point;
  if (point == nullptr) return row;
  if (may_have_remedy(point->verdict.outcome)) row.remedy = view.points.remedy(*point);
  if (const Variant* library = library_beside(view.scene(), variant, selection.axes)) {
    row.library = library->name;
    const PointState there = view.state(library->name);
    if (there.point != nullptr)
      row.with_library = compared(view.points, row.state, there, selection.cache);
  }
  if (right_by_luck(row)) {
    row.comparison.sentence =
        "right here by luck, so it is not compared. " + view.words.of(variant.sentence);
    row.with_library = {};
    return row;
  }
  const PointState base = view.points.baseline_state(variant.name);
  if (base.point == nullptr) return row;
  if (!selection.baseline_device.empty()) {
    row.across = across_devices(*point, *base.point, selection.cache);
  } else {
    row.comparison = compared(view.points, row.state, base, selection.cache);
  }
  return row;
}

}  // namespace

bool right_by_luck(const Variant& variant, const Measurement& point) {
  if (!variant.expected_fault) return false;
  // Others are wrong only where this axis lets them be.
  const Configuration& axes = point.axes;
  return axes.has("broken") && axes.text("broken") == "on" &&
         point.verdict.outcome == Outcome::correct;
}

std::string reported_words(const ReportedError& error) {
  return error.sentence.starts_with("against ")
             ? "without effect on the verdict, " + error.sentence
             : "compared with " + error.reference +
                   ", without effect on the verdict: " + error.sentence;
}

bool right_by_luck(const LadderRow& row) {
  return row.state.point != nullptr && right_by_luck(*row.variant, *row.state.point);
}

bool stands_for_times(Outcome outcome) {
  return !has_figures(outcome) && outcome != Outcome::unchecked;
}

Outcome outcome_of(const LadderRow& row) {
  return row.state.point == nullptr ? Outcome::unchecked : row.state.point->verdict.outcome;
}

double time_of(const LadderRow& row, CacheState cache) {
  if (row.state.point == nullptr || !has_figures(row.state.point->verdict.outcome)) return kNoTime;
  const std::optional<Timing>& timing = timing_of(*row.state.point, cache);
  return timing ? timing->median_ns : kNoTime;
}

std::vector<LadderRow> ladder_rows(const PanelContext& context, const Selection& selection) {
  std::vector<LadderRow> rows;
  const Scene& scene = context.view.scene();
  for (std::size_t i = 0; i < scene.variants.size(); ++i) {
    const Variant& variant = scene.variants[i];
    if (variant.applies && !variant.applies(selection.axes)) continue;
    rows.push_back(ladder_row(context, selection, variant, static_cast<int>(i)));
  }
  double shortest = kNoTime;
  for (const LadderRow& row : rows)
    shortest = std::min({shortest, time_of(row, CacheState::cold), time_of(row, CacheState::warm)});
  for (LadderRow& row : rows) row.shortest_ns = shortest;
  return rows;
}

std::string device_text(const SessionView& view, const std::string& id) {
  for (const DeviceName& device : view.session().devices()) {
    if (device.id() == id) return to_text(device);
  }
  return id;
}

std::array<TableColumn, kLadderCells> ladder_columns(const SessionView& view,
                                                     const Selection& selection) {
  const std::string against =
      !selection.baseline_device.empty()
          ? "time on " + device_text(view, selection.baseline_device) + " over time here"
      : view.scene().leagues.empty() ? "speed-up against " + selection.baseline
                                     : std::string("speed-up against the league's baseline");
  return {{{"family", ""},
           {"variant", ""},
           {"verdict", ""},
           {"cold", "ns"},
           {"warm", "ns"},
           {against + ", " + to_text(selection.cache), "1"},
           {"compared with", ""},
           {"configuration", ""},
           {"device", ""},
           {"speed-up against the library, " + std::string(to_text(selection.cache)), "1"},
           {"library", ""}}};
}

TableRow ladder_cells(const Scene& scene, const LadderRow& row, std::size_t index) {
  const auto time = [&](CacheState cache) {
    const double ns = time_of(row, cache);
    if (ns >= kNoTime) return figure_cell(std::nullopt, "ns");
    return TableCell{time_beside(ns, row.shortest_ns), ns, "ns"};
  };
  const auto gain = [](double ratio) {
    if (ratio <= 0) return words_cell("–");
    char text[32];
    std::snprintf(text, sizeof text, ratio < 0.1 ? "%.2g×" : "%.2f×", ratio);
    return TableCell{text, ratio, "1"};
  };
  const Measurement* point = row.state.point;
  return {{words_cell(family_label(scene, row.variant->family)), words_cell(row.variant->label),
           words_cell(point == nullptr ? "not measured"
                                       : std::string(to_text(point->verdict.outcome)) + ": " +
                                             in_words(point->verdict)),
           time(CacheState::cold), time(CacheState::warm),
           gain(std::max(row.comparison.ratio, row.across.ratio)), words_cell(row.baseline),
           words_cell(point == nullptr ? "" : point->key),
           words_cell(point == nullptr ? "" : device_of(point->conditions).id()),
           gain(row.with_library.ratio), words_cell(row.library)},
          index};
}

}  // namespace warpscope
