// workbench/panels/variants/ladder_row.cpp: a row of Variants: marker, name, verdict, times and
// gain.
#include "workbench/panels/variants/ladder_row.h"

#include <imgui.h>

#include <cstdio>
#include <string>

#include "profiling/figures/time_unit.h"
#include "profiling/points/output_pair.h"
#include "scenes/variant_families.h"
#include "workbench/drawing/focus.h"
#include "workbench/panels/axes/pin_strip.h"
#include "workbench/workspace/kept_baselines.h"
#include "workbench/workspace/scene/scene_words.h"

namespace warpscope {
namespace {

// A figure of another configuration is in parentheses.
void draw_time(const PanelContext& context, const LadderRow& row, CacheState cache) {
  const Style& style = context.style;
  const double ns = time_of(row, cache);
  if (ns >= kNoTime) {
    ImGui::TextDisabled("%s", row.state.freshness == Freshness::pending ? "…" : "–");
    return explain_missing(missing_time(context, row.variant->name, cache));
  }
  const bool stale = row.stale;
  push_face(style.mono);
  ImGui::PushStyleColor(ImGuiCol_Text, stale ? style.colours.muted : style.colours.text);
  const std::string text = time_beside(ns, row.shortest_ns);
  ImGui::TextUnformatted((stale ? "(" + text + ")" : text).c_str());
  ImGui::PopStyleColor();
  ImGui::PopFont();
  const std::optional<Timing>& timing = timing_of(*row.state.point, cache);
  if (ImGui::IsItemHovered() && timing) {
    ImGui::SetTooltip("%s, median of %zu samples, noise %s\nstopped: %s%s%s%s", to_text(cache),
                      timing->samples_ns.size(), format_value(timing->noise_ratio, "ratio").c_str(),
                      timing->stop_reason.c_str(), stale ? "\n○ " : "", row.state.apart.c_str(),
                      stale ? ": it is not compared" : "");
  }
}

// What a row of this name is called on the screen.
std::string label_of(const PanelContext& context, const std::string& name) {
  const Variant* variant = find_variant(context.view.scene(), name);
  return variant != nullptr ? variant->label : name;
}

void draw_menu(const PanelContext& context, std::span<const TableColumn> columns,
               Selection& selection, const LadderRow& row, const TableRow& cells) {
  if (!begin_row_menu(columns, cells, selection, "variants")) return;
  ImGui::Separator();
  draw_pin_items(context, selection, row.variant->name, selection.axes);
  if (ImGui::MenuItem("compare others with this", "V")) {
    selection.baseline = row.variant->name;
    selection.baseline_device.clear();
    selection.baselines.chosen.clear();
  }
  if (ImGui::MenuItem("keep as a baseline with a name"))
    keep_baseline(context.view, selection, row.variant->name);
  if (!row.library.empty() && row.library != row.baseline &&
      ImGui::MenuItem(
          ("compare with the library row, " + label_of(context, row.library)).c_str())) {
    selection.baseline = row.library;
    selection.baseline_device.clear();
    selection.baselines.chosen.clear();
  }
  if (row.variant->name != row.baseline && !row.baseline.empty() &&
      ImGui::MenuItem(
          ("compare its outputs with those of " + label_of(context, row.baseline)).c_str()))
    context.requests.ask(request::Outputs{row.variant->name});
  const bool live = !context.view.recorded();
  if (ImGui::MenuItem("run", "F5", false, live))
    context.requests.ask(request::Measure{row.variant->name});
  if (ImGui::MenuItem("capture a timeline", nullptr, false, live))
    context.requests.ask(request::Timeline{row.variant->name});
  ImGui::EndPopup();
}

// "1.50× faster, against the library's cuSPARSE CSR_ALG3"; empty where the library row is the
// baseline itself, or the two have no ratio.
std::string against_library(const PanelContext& context, const LadderRow& row) {
  if (row.with_library.ratio <= 0 || row.library == row.baseline) return "";
  return row.with_library.sentence + ", against the library's " + label_of(context, row.library);
}

void draw_gain(const PanelContext& context, const Selection& selection, const LadderRow& row) {
  const Style& style = context.style;
  if (!selection.baseline_device.empty()) {
    // Another device's: said, and neither won nor lost.
    if (row.across.ratio <= 0) {
      ImGui::TextDisabled("–");
      const double own = time_of(row, selection.cache);
      return explain_missing(
          own >= kNoTime                ? missing_time(context, row.variant->name, selection.cache)
          : row.across.sentence.empty() ? "not measured at this configuration on " +
                                              device_text(context.view, selection.baseline_device)
                                        : row.across.sentence);
    }
    ImGui::Text("%.2f×", row.across.ratio);
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", row.across.sentence.c_str());
    return;
  }
  if (row.variant->name == row.baseline) {
    ImGui::TextDisabled("base");
    const std::string library = against_library(context, row);
    if (!library.empty() && ImGui::IsItemHovered()) ImGui::SetTooltip("%s", library.c_str());
    return;
  }
  if (row.comparison.ratio <= 0) {
    ImGui::TextDisabled("–");
    const bool compared =
        right_by_luck(row) || (row.comparison.difference == Difference::not_comparable &&
                               !row.comparison.sentence.empty());
    const double own = time_of(row, selection.cache);
    if (row.baseline.empty())
      return explain_missing(
          "the league of this variant has no baseline: choose one of it with a "
          "right click");
    return explain_missing(compared ? row.comparison.sentence
                           : own >= kNoTime
                               ? missing_time(context, row.variant->name, selection.cache)
                               : "the baseline has no time: " +
                                     missing_time(context, row.baseline, selection.cache));
  }
  char text[32];
  const double ratio = row.comparison.ratio;
  std::snprintf(text, sizeof text, ratio < 0.1 ? "%.2g×" : "%.2f×", ratio);  // never 0.00
  const char* sign = row.comparison.difference == Difference::faster   ? "▲ "
                     : row.comparison.difference == Difference::slower ? "▼ "
                     : row.comparison.difference == Difference::same   ? "= "
                                                                       : "~ ";
  ImGui::PushStyleColor(ImGuiCol_Text, difference_colour(style, row.comparison.difference));
  ImGui::TextUnformatted((std::string(sign) + text).c_str());
  ImGui::PopStyleColor();
  if (ImGui::IsItemHovered()) {
    const std::string library = against_library(context, row);
    ImGui::SetTooltip("%s, against %s%s", row.comparison.sentence.c_str(),
                      label_of(context, row.baseline).c_str(),
                      library.empty() ? "" : ("\n" + library).c_str());
  }
}

// One sign for correct, failed, stale and pending; the words on hover.
void draw_sign(const PanelContext& context, const LadderRow& row, Outcome outcome) {
  const Style& style = context.style;
  const bool pending = row.state.freshness == Freshness::pending;
  const bool stale = has_figures(outcome) && row.stale;
  const Measurement* point = row.state.point;
  // Without a reference the verdict is known before the kernel has run.
  if (point == nullptr && context.view.is_emulated_alone() && row.variant->reference.empty())
    outcome = Outcome::no_reference;
  const std::string words = verdict_text(outcome);
  const bool luck = right_by_luck(row);
  ImGui::PushStyleColor(ImGuiCol_Text, pending || stale || luck ? style.colours.muted
                                                                : verdict_colour(style, outcome));
  ImGui::TextUnformatted(pending ? "…" : stale ? "○" : words.substr(0, words.find(' ')).c_str());
  ImGui::PopStyleColor();
  if (!ImGui::IsItemHovered()) return;
  if (point == nullptr && outcome == Outcome::no_reference)
    return explain_missing(words + ": nothing says what its output should be");
  if (point == nullptr)
    return explain_missing(missing_time(context, row.variant->name, CacheState::warm));
  if (luck && !pending && !stale) return explain_missing(row.comparison.sentence);
  ImGui::SetTooltip("%s: %s%s%s", words.c_str(), in_words(point->verdict).c_str(),
                    pending ? "\na newer measurement is on its way"
                    : stale ? "\n○ "
                            : "",
                    stale ? row.state.apart.c_str() : "");
}

// The variant's marker; a click shows or hides it in plots.
void draw_marker_button(const Style& style, Selection& selection, const LadderRow& row) {
  const ImU32 colour = variant_colour(style, row.index);
  bool& hidden = selection.hidden[row.variant->name];
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = ImGui::GetTextLineHeight();
  if (press_area("shown", {height * 1.3f, height})) hidden = !hidden;
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("Click to %s it in plots.", hidden ? "show" : "hide");
  draw_marker(ImGui::GetWindowDrawList(), {at.x + height * 0.65f, at.y + height * 0.5f},
              height * 0.32f, variant_marker(row.index), hidden ? style.colours.muted : colour,
              hidden || row.stale ? Fill::ring : Fill::solid);
}

// What the variant is, and what its point says beside its figures.
void explain_variant(const PanelContext& context, const LadderRow& row, Outcome outcome) {
  const Style& style = context.style;
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(style.unit(48));
  ImGui::TextUnformatted(row.variant->label.c_str());
  ImGui::TextDisabled("%s · %s", row.variant->name.c_str(),
                      family_label(context.view.scene(), row.variant->family).c_str());
  ImGui::TextUnformatted(context.view.words.of(row.variant->sentence).c_str());
  ImGui::TextUnformatted(("Look at: " + context.view.words.of(row.variant->look_at)).c_str());
  if (const Measurement* point = row.state.point; point != nullptr) {
    ImGui::PushStyleColor(ImGuiCol_Text, verdict_colour(style, outcome));
    ImGui::TextUnformatted((verdict_text(outcome) + ": " + in_words(point->verdict)).c_str());
    ImGui::PopStyleColor();
    for (const ReportedError& error : point->reported) {
      ImGui::TextDisabled("%s", reported_words(error).c_str());
    }
    if (point->submission == Submission::graph)
      ImGui::TextDisabled("Its steps are submitted as one CUDA graph.");
    if (!point->choice.empty())
      ImGui::TextUnformatted(("Chosen: " + context.view.words.of(point->choice)).c_str());
  }
  if (row.outputs != nullptr) {
    ImGui::TextUnformatted(
        ("Beside " + row.outputs->second.variant + ", bit by bit: " + sentence_of(*row.outputs))
            .c_str());
  }
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

// The name, which a click anywhere in the row selects and a right click has a menu for; the row has
// `lines` of text.
void draw_name(const PanelContext& context, Selection& selection, const LadderRow& row,
               Outcome outcome, std::span<const TableColumn> columns, const TableRow& cells,
               int lines) {
  const Style& style = context.style;
  const bool chosen = selection.variant == row.variant->name;
  const float width = ImGui::GetContentRegionAvail().x;
  const ImVec2 start = ImGui::GetCursorPos();
  const float height = static_cast<float>(lines) * ImGui::GetTextLineHeightWithSpacing() -
                       ImGui::GetStyle().ItemSpacing.y;
  if (ImGui::Selectable("##focus", chosen,
                        ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowOverlap,
                        {0, height})) {
    selection.variant = row.variant->name;
  }
  // The other columns have words of their own.
  const bool on_name =
      (ImGui::TableGetColumnFlags(kLadderName) & ImGuiTableColumnFlags_IsHovered) != 0;
  if (ImGui::IsItemHovered() && on_name) explain_variant(context, row, outcome);
  draw_menu(context, columns, selection, row, cells);
  ImGui::SetCursorPos(start);
  ImGui::PushStyleColor(ImGuiCol_Text,
                        outcome == Outcome::cannot_run ? style.colours.muted : style.colours.text);
  draw_fitting_text(row.variant->label, width);
  ImGui::PopStyleColor();
}

// A button that changes the axes so that the variant can run.
void draw_row_remedy(const PanelContext& context, Selection& selection, const LadderRow& row,
                     Outcome outcome) {
  const AxisChange& remedy = *row.remedy;
  const auto changed = with_values(context.view.scene().axes, selection.axes, remedy.values);
  const float room = ImGui::GetContentRegionAvail().x - 2 * ImGui::GetStyle().FramePadding.x;
  if (small_tool_button(fitting(remedy.sentence, room).c_str()) && changed)
    selection.axes = *changed;
  if (ImGui::IsItemHovered()) {
    ImGui::SetTooltip("%s: %s\nClick: %s. Undo takes it back.", to_text(outcome),
                      row.state.point->verdict.sentence.c_str(), remedy.sentence.c_str());
  }
}

// What stands in place of the times of a row without figures: what it is, or what to do about it.
void draw_outcome(const PanelContext& context, Selection& selection, const LadderRow& row,
                  Outcome outcome, CacheState cache) {
  if (row.remedy) return draw_row_remedy(context, selection, row, outcome);
  ImGui::PushStyleColor(ImGuiCol_Text, verdict_colour(context.style, outcome));
  ImGui::TextUnformatted(to_text(outcome));
  ImGui::PopStyleColor();
  explain_missing(missing_time(context, row.variant->name, cache));
}

// Both times; where the outcome stands for them, it is drawn once.
void draw_times(const PanelContext& context, Selection& selection, const LadderRow& row,
                Outcome outcome) {
  bool said = false;
  for (const CacheState cache : {CacheState::cold, CacheState::warm}) {
    if (!ImGui::TableNextColumn()) continue;
    if (!stands_for_times(outcome) || said) {
      draw_time(context, row, cache);
      continue;
    }
    said = true;
    draw_outcome(context, selection, row, outcome, cache);
  }
}

// The same in one line below the name.
void draw_below_name(const PanelContext& context, Selection& selection, const LadderRow& row,
                     Outcome outcome) {
  const float gap = context.style.unit(1);
  draw_sign(context, row, outcome);
  ImGui::SameLine(0, gap);
  if (stands_for_times(outcome))
    return draw_outcome(context, selection, row, outcome, selection.cache);
  draw_time(context, row, selection.cache);
  ImGui::SameLine(0, gap);
  draw_gain(context, selection, row);
}

}  // namespace

void draw_ladder_row(const PanelContext& context, Selection& selection, const LadderRow& row,
                     std::span<const TableColumn> columns, const TableRow& cells) {
  const Outcome outcome = outcome_of(row);
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  draw_marker_button(context.style, selection, row);
  ImGui::TableNextColumn();
  const bool below =
      (ImGui::TableGetColumnFlags(kLadderVerdict) & ImGuiTableColumnFlags_IsEnabled) == 0;
  draw_name(context, selection, row, outcome, columns, cells, below ? 2 : 1);
  if (below) return draw_below_name(context, selection, row, outcome);
  ImGui::TableNextColumn();
  draw_sign(context, row, outcome);
  draw_times(context, selection, row, outcome);
  ImGui::TableNextColumn();
  draw_gain(context, selection, row);
}

}  // namespace warpscope
