// workbench/panels/findings/advice_panel.cpp: what to change first, with what it would buy and what
// that figure rests on.
#include <imgui.h>

#include <algorithm>
#include <string>
#include <vector>

#include "profiling/agreement/trace_metrics.h"
#include "profiling/overview/advice_list.h"
#include "profiling/overview/costly_trace.h"
#include "profiling/overview/occupancy_change.h"
#include "workbench/drawing/focus.h"
#include "workbench/panels/findings/show_finding.h"
#include "workbench/panels/overview/overview_scene.h"
#include "workbench/panels/panels.h"
#include "workbench/panels/source/source_listing.h"
#include "workbench/workspace/trace_state.h"

namespace warpscope {
namespace {

constexpr const char* kPanel = "advice";

// What the items are of.
struct Advised {
  const Measurement* point = nullptr;  // with figures, else null
  const Trace* trace = nullptr;        // of this configuration and text, else null
  std::vector<AdviceItem> items;
};

// The occupancy of the step that takes longest, where its registers are known.
void add_occupancy(const SessionView& view, const Measurement& point, AdviceSource& source) {
  const StepRecord* step = costly_step(point);
  if (step == nullptr || !step->resources) return;
  const DeviceLimits device = limits_of_architecture(architecture_of(view));
  const auto occupancy = occupancy_of(*step->resources, step->launch, device);
  if (!occupancy) return;
  source.occupancy = occupancy->ratio;
  source.occupancy_words = occupancy_sentence(*step->resources, step->launch, device);
}

Advised advised_of(const PanelContext& context, const Selection& selection, const Variant& variant,
                   AdvicePanel& state) {
  const SessionView& view = context.view;
  Advised advised;
  const PointState at = view.state(variant.name);
  if (at.point != nullptr && at.apart.empty() && has_figures(at.point->verdict.outcome))
    advised.point = at.point;
  const TraceState traced = trace_state(view, variant.name);
  if (traced.freshness == Freshness::fresh) advised.trace = traced.trace;
  AdviceSource source;
  source.focus = &variant;
  source.point = advised.point;
  source.cache = selection.cache;
  const std::vector<Candidate> candidates = candidates_of(context);
  source.candidates = candidates;
  std::optional<RooflineStanding> standing;
  if (advised.point != nullptr) {
    const RoofJoin join = view.points.roofs_of(advised.point->conditions);
    standing =
        stand(*advised.point, selection.cache, join.roofs != nullptr ? *join.roofs : RoofSet{},
              modelled_beside(view.session(), *advised.point));
    source.stalls = stalls_of(advised.point->metrics, scheduler_warps(architecture_of(view)));
    add_occupancy(view, *advised.point, source);
  }
  source.standing = standing ? &*standing : nullptr;
  if (advised.trace != nullptr)
    source.findings = findings_once(*advised.trace, state.findings).findings;
  advised.items = advice_items(source);
  return advised;
}

std::string gain_words(const AdviceItem& item) {
  return item.gain +
         (item.basis == AdviceBasis::none ? "" : std::string(" · ") + to_text(item.basis));
}

// The buttons that lead to what an item speaks of.
void draw_buttons(Selection& selection, const Advised& advised, const AdviceItem& item,
                  const AdvicePanel& state) {
  if (for_slides()) return;
  if (!item.variant.empty()) {
    if (small_tool_button("choose it")) selection.variant = item.variant;
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("Puts it into focus; undo leads back.");
  }
  if (item.finding >= 0 && advised.trace != nullptr &&
      small_tool_button("show the line and the access")) {
    show_finding(selection, *advised.trace,
                 state.findings.list.findings[static_cast<std::size_t>(item.finding)]);
  }
  const PanelRow* panel = item.panel.empty() ? nullptr : find_panel(item.panel);
  if (panel != nullptr && small_tool_button(("show " + std::string(panel->title)).c_str()))
    selection.wanted_panel = panel->name;
}

void draw_item(const PanelContext& context, Selection& selection, const Advised& advised,
               std::size_t index, const AdvicePanel& state) {
  const Style& style = context.style;
  const AdviceItem& item = advised.items[index];
  const std::string rank = std::to_string(index + 1), gain = gain_words(item);
  const float room = ImGui::GetContentRegionAvail().x, indent = style.unit(3);
  const float gain_width = ImGui::CalcTextSize(gain.c_str()).x;
  const float title_width = ImGui::CalcTextSize(item.title.c_str()).x;
  const bool beside = indent + title_width + style.unit(3) + gain_width < room;
  ImGui::PushID(static_cast<int>(index));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::TextDisabled("%s", rank.c_str());
  ImGui::SetCursorScreenPos({at.x + indent, at.y});
  ImGui::BeginGroup();
  ImGui::PushStyleColor(ImGuiCol_Text, item.wrong ? style.colours.bad : style.colours.accent);
  draw_fitting_text((item.wrong ? "✕ " : "") + item.title, ImGui::GetContentRegionAvail().x);
  ImGui::PopStyleColor();
  if (beside) ImGui::SetCursorScreenPos({at.x + room - gain_width, at.y});
  ImGui::PushStyleColor(ImGuiCol_Text,
                        item.basis == AdviceBasis::none ? style.colours.muted : style.colours.text);
  draw_fitting_text(gain, ImGui::GetContentRegionAvail().x);
  ImGui::PopStyleColor();
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", item.because.c_str());
  draw_paragraph(item.evidence);
  draw_paragraph("→ " + item.action);
  draw_note(style, (item.basis == AdviceBasis::none ? "No figure: "
                                                    : std::string(to_text(item.basis)) + ": ") +
                       item.because);
  draw_buttons(selection, advised, item, state);
  ImGui::EndGroup();
  ImGui::PopID();
  ImGui::Dummy({0, style.unit(0.5f)});
}

ExportWish rows_of(const std::vector<AdviceItem>& items, const Selection& selection,
                   const std::string& key) {
  static const TableColumn kColumns[] = {{"rank", "1"},     {"variant", ""},  {"configuration", ""},
                                         {"advice", ""},    {"evidence", ""}, {"action", ""},
                                         {"speed-up", "1"}, {"basis", ""},    {"because", ""}};
  std::vector<TableRow> rows;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const AdviceItem& item = items[i];
    const std::optional<double> speedup =
        item.basis == AdviceBasis::none ? std::nullopt : std::optional(item.speedup);
    rows.push_back({{figure_cell(static_cast<double>(i + 1), "1"), words_cell(selection.variant),
                     words_cell(key), words_cell(item.title), words_cell(item.evidence),
                     words_cell(item.action), figure_cell(speedup, "1"),
                     words_cell(to_text(item.basis)), words_cell(item.because)},
                    i});
  }
  return rows_as_csv(kPanel, kColumns, rows);
}

}  // namespace

void draw_advice_panel(const PanelContext& context, Selection& selection, AdvicePanel& state) {
  const Style& style = context.style;
  const SessionView& view = context.view;
  const Variant* variant = find_variant(view.scene(), selection.variant);
  if (variant == nullptr)
    return draw_note(style, "Nothing is selected: click a variant in the list.");
  if (!view.is_emulated_alone()) panel_heading(context, selection, variant->name);
  const Advised advised = advised_of(context, selection, *variant, state);
  if (tool_button("CSV")) selection.wish = rows_of(advised.items, selection, view.key());
  if (!for_slides()) ImGui::SameLine();
  draw_fitting_text(
      variant->label + ": " +
          (advised.items.empty()
               ? "no advice"
               : std::to_string(advised.items.size()) +
                     (advised.items.size() == 1 ? " item" : " items") + ", by what they buy"),
      ImGui::GetContentRegionAvail().x);
  ImGui::BeginChild("advice", {0, 0}, kReached);
  for (std::size_t i = 0; i < advised.items.size(); ++i)
    draw_item(context, selection, advised, i, state);
  if (advised.point == nullptr)
    draw_note(style,
              "There is no time of it here: gains by other variants and by roofs are not "
              "known.");
  if (advised.trace == nullptr)
    draw_note(style,
              "There is no trace of it here: waste by line is not known. Coalescing and "
              "Findings say why.");
  if (advised.items.empty() && advised.point != nullptr)
    draw_note(style,
              "No variant is faster here, no access wastes more than the limits of "
              "Findings, and no roof is known.");
  ImGui::EndChild();
}

}  // namespace warpscope
