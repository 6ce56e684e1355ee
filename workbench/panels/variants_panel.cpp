// workbench/panels/variants_panel.cpp: the ladder: verdict, times, and gain against a baseline.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "workbench/panels/ladder.h"
#include "workbench/panels/panels.h"

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
  ImGui::PushFont(style.mono);
  ImGui::PushStyleColor(ImGuiCol_Text, stale ? style.colours.muted : style.colours.text);
  const std::string text = format_value(ns, "ns");
  ImGui::TextUnformatted((stale ? "(" + text + ")" : text).c_str());
  ImGui::PopStyleColor();
  ImGui::PopFont();
  const std::optional<Timing>& timing = timing_of(*row.state.point, cache);
  if (ImGui::IsItemHovered() && timing) {
    ImGui::SetTooltip("%s, median of %zu samples, noise %s\nstopped: %s%s%s%s", to_text(cache),
                      timing->samples_ns.size(), format_value(timing->noise_ratio, "ratio").c_str(),
                      timing->stop_reason.c_str(), stale ? "\n○ " : "", row.state.apart.c_str(),
                      stale ? ": it is compared with nothing" : "");
  }
}

void draw_menu(std::span<const TableColumn> columns, Selection& selection, const LadderRow& row,
               const TableRow& cells) {
  if (!begin_row_menu(columns, cells, selection, "variants")) return;
  ImGui::Separator();
  if (ImGui::MenuItem("compare others with this", "V")) {
    selection.baseline = row.variant->name;
    selection.baseline_device.clear();
  }
  if (!row.library.empty() && row.library != row.baseline &&
      ImGui::MenuItem(("compare with the library row, " + row.library).c_str())) {
    selection.baseline = row.library;
    selection.baseline_device.clear();
  }
  if (ImGui::MenuItem("run", "Space"))
    selection.requests.push_back({Request::Kind::measure, row.variant->name});
  if (ImGui::MenuItem("capture a timeline"))
    selection.requests.push_back({Request::Kind::timeline, row.variant->name});
  ImGui::EndPopup();
}

// "1.50× faster, against the library's cusparse_alg3"; empty where the library row is the baseline
// itself, or the two have no ratio.
std::string against_library(const LadderRow& row) {
  if (row.with_library.ratio <= 0 || row.library == row.baseline) return "";
  return row.with_library.sentence + ", against the library's " + row.library;
}

void draw_gain(const PanelContext& context, const Selection& selection, const LadderRow& row) {
  const Style& style = context.style;
  if (!selection.baseline_device.empty()) {
    // Another device's: said, and neither won nor lost.
    if (row.across.ratio <= 0) {
      ImGui::TextDisabled("–");
      const double own = time_of(row, selection.cache);
      return explain_missing(own >= kNoTime
                                 ? missing_time(context, row.variant->name, selection.cache)
                             : row.across.sentence.empty()
                                 ? "not measured at this configuration on " +
                                       device_text(context.workspace, selection.baseline_device)
                                 : row.across.sentence);
    }
    ImGui::Text("%.2f×", row.across.ratio);
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", row.across.sentence.c_str());
    return;
  }
  if (row.variant->name == row.baseline) {
    ImGui::TextDisabled("base");
    const std::string library = against_library(row);
    if (!library.empty() && ImGui::IsItemHovered()) ImGui::SetTooltip("%s", library.c_str());
    return;
  }
  if (row.comparison.ratio <= 0) {
    ImGui::TextDisabled("–");
    const bool compared =
        row.comparison.difference == Difference::not_comparable && !row.comparison.sentence.empty();
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
  std::snprintf(text, sizeof text, "%.2f×", row.comparison.ratio);
  const char* sign = row.comparison.difference == Difference::faster   ? "▲ "
                     : row.comparison.difference == Difference::slower ? "▼ "
                     : row.comparison.difference == Difference::same   ? "= "
                                                                       : "~ ";
  ImGui::PushStyleColor(ImGuiCol_Text, difference_colour(style, row.comparison.difference));
  ImGui::TextUnformatted((std::string(sign) + text).c_str());
  ImGui::PopStyleColor();
  if (ImGui::IsItemHovered()) {
    const std::string library = against_library(row);
    ImGui::SetTooltip("%s, against %s%s", row.comparison.sentence.c_str(), row.baseline.c_str(),
                      library.empty() ? "" : ("\n" + library).c_str());
  }
}

// One sign for correct, failed, stale and pending; the words on hover.
void draw_sign(const PanelContext& context, const LadderRow& row, Outcome outcome) {
  const Style& style = context.style;
  const bool pending = row.state.freshness == Freshness::pending;
  const bool stale = outcome == Outcome::correct && row.stale;
  const std::string words = verdict_text(outcome);
  ImGui::PushStyleColor(ImGuiCol_Text,
                        pending || stale ? style.colours.muted : verdict_colour(style, outcome));
  ImGui::TextUnformatted(pending ? "…" : stale ? "○" : words.substr(0, words.find(' ')).c_str());
  ImGui::PopStyleColor();
  if (!ImGui::IsItemHovered()) return;
  const Measurement* point = row.state.point;
  if (point == nullptr)
    return explain_missing(missing_time(context, row.variant->name, CacheState::warm));
  ImGui::SetTooltip("%s: %s%s%s", words.c_str(), point->verdict.sentence.c_str(),
                    pending ? "\na newer measurement is on its way"
                    : stale ? "\n○ "
                            : "",
                    stale ? row.state.apart.c_str() : "");
}

void draw_row(const PanelContext& context, Selection& selection, const LadderRow& row,
              std::span<const TableColumn> columns, const TableRow& cells) {
  const Style& style = context.style;
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const ImU32 colour = variant_colour(style, row.index);
  bool& hidden = selection.hidden[row.variant->name];
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = ImGui::GetTextLineHeight();
  if (ImGui::InvisibleButton("shown", {height * 1.3f, height})) hidden = !hidden;
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("Click to %s it in plots.", hidden ? "show" : "hide");
  draw_marker(ImGui::GetWindowDrawList(), {at.x + height * 0.65f, at.y + height * 0.5f},
              height * 0.32f, variant_marker(row.index), hidden ? style.colours.muted : colour,
              hidden || row.stale ? Fill::ring : Fill::solid);
  ImGui::TableNextColumn();
  const bool chosen = selection.variant == row.variant->name;
  const Outcome outcome = outcome_of(row);
  const float width = ImGui::GetContentRegionAvail().x;
  const ImVec2 start = ImGui::GetCursorPos();
  if (ImGui::Selectable(
          "##focus", chosen,
          ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowItemOverlap)) {
    selection.variant = row.variant->name;
  }
  // The other columns have words of their own.
  const bool on_name =
      (ImGui::TableGetColumnFlags(kLadderName) & ImGuiTableColumnFlags_IsHovered) != 0;
  if (ImGui::IsItemHovered() && on_name) {
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(style.unit(48));
    ImGui::TextUnformatted(row.variant->label.c_str());
    ImGui::TextDisabled("%s · %s", row.variant->name.c_str(), row.variant->family.c_str());
    ImGui::TextUnformatted(context.workspace.words(row.variant->sentence).c_str());
    ImGui::TextUnformatted(("Look at: " + context.workspace.words(row.variant->look_at)).c_str());
    if (row.state.point != nullptr) {
      ImGui::PushStyleColor(ImGuiCol_Text, verdict_colour(style, outcome));
      ImGui::TextUnformatted(
          (verdict_text(outcome) + ": " + row.state.point->verdict.sentence).c_str());
      ImGui::PopStyleColor();
      for (const ReportedError& error : row.state.point->reported) {
        ImGui::TextDisabled("Beside it, judging nothing: %s: %s", error.reference.c_str(),
                            error.sentence.c_str());
      }
      if (row.state.point->submission == Submission::graph)
        ImGui::TextDisabled("Its steps are submitted as one CUDA graph.");
      if (!row.state.point->choice.empty())
        ImGui::TextUnformatted(
            ("Chosen: " + context.workspace.words(row.state.point->choice)).c_str());
    }
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
  }
  draw_menu(columns, selection, row, cells);
  ImGui::SetCursorPos(start);
  ImGui::PushStyleColor(ImGuiCol_Text,
                        outcome == Outcome::cannot_run ? style.colours.muted : style.colours.text);
  draw_fitting_text(row.variant->label, width);
  ImGui::PopStyleColor();
  ImGui::TableNextColumn();
  draw_sign(context, row, outcome);
  bool said = false;
  for (const CacheState cache : {CacheState::cold, CacheState::warm}) {
    if (!ImGui::TableNextColumn()) continue;
    if (!stands_for_times(outcome) || said) {
      draw_time(context, row, cache);
      continue;
    }
    said = true;
    if (row.remedy) {
      const auto changed =
          with_values(context.workspace.scene().axes, selection.axes, row.remedy->values);
      if (ImGui::SmallButton(fitting(row.remedy->sentence, ImGui::GetContentRegionAvail().x -
                                                               2 * ImGui::GetStyle().FramePadding.x)
                                 .c_str()) &&
          changed)
        selection.axes = *changed;
      if (ImGui::IsItemHovered()) {
        ImGui::SetTooltip("%s: %s\nClick: %s. Undo takes it back.", to_text(outcome),
                          row.state.point->verdict.sentence.c_str(), row.remedy->sentence.c_str());
      }
      continue;
    }
    ImGui::PushStyleColor(ImGuiCol_Text, verdict_colour(style, outcome));
    ImGui::TextUnformatted(to_text(outcome));
    ImGui::PopStyleColor();
    explain_missing(missing_time(context, row.variant->name, cache));
  }
  ImGui::TableNextColumn();
  draw_gain(context, selection, row);
}

// Rows below the name of their league, in the scene's order, each group with what it is compared
// with; those of no league come last.
template <typename Draw>
void draw_leagues(const PanelContext& context, const std::vector<LadderRow>& ladder,
                  const std::vector<TableRow>& rows, const Draw& draw) {
  const Style& style = context.style;
  const auto& leagues = context.workspace.scene().leagues;
  const auto group = [&](const League* league) {
    bool titled = false;
    for (const TableRow& row : rows) {
      const std::string& own = ladder[row.index].variant->league;
      const bool known = std::any_of(leagues.begin(), leagues.end(),
                                     [&own](const League& l) { return l.name == own; });
      if (league != nullptr ? own != league->name : known) continue;
      if (!std::exchange(titled, true)) {
        const std::string& baseline = ladder[row.index].baseline;
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        ImGui::TableNextColumn();
        ImGui::PushStyleColor(ImGuiCol_Text, style.colours.accent);
        draw_fitting_text((league != nullptr ? league->label : "in no league") +
                              (baseline.empty() ? "" : " · against " + baseline),
                          ImGui::GetContentRegionAvail().x);
        ImGui::PopStyleColor();
        if (league != nullptr && ImGui::IsItemHovered())
          ImGui::SetTooltip("%s", league->sentence.c_str());
      }
      draw(row);
    }
  };
  for (const League& league : leagues) group(&league);
  group(nullptr);
}

// A choice between the baseline here and the same variants on another device of the session.
void draw_baseline_device(const PanelContext& context, Selection& selection) {
  const Workspace& workspace = context.workspace;
  const auto& devices = workspace.session().devices();
  if (devices.size() < 2) {
    selection.baseline_device.clear();
    return;
  }
  const std::string chosen =
      selection.baseline_device.empty()
          ? "compared with " + selection.baseline + " on the same device"
          : "each compared with itself on " + device_text(workspace, selection.baseline_device);
  ImGui::SetNextItemWidth(-1);
  if (!ImGui::BeginCombo("##against", chosen.c_str())) {
    if (ImGui::IsItemHovered()) {
      ImGui::SetTooltip(
          "%s.\nBetween devices no variant wins: such ratios are said and not "
          "coloured.",
          chosen.c_str());
    }
    return;
  }
  if (ImGui::Selectable(("the baseline, " + selection.baseline + ", on the same device").c_str(),
                        selection.baseline_device.empty()))
    selection.baseline_device.clear();
  for (const DeviceName& device : devices) {
    if (device.id() == workspace.device()) continue;
    if (ImGui::Selectable(("the same variant on " + to_text(device)).c_str(),
                          selection.baseline_device == device.id()))
      selection.baseline_device = device.id();
  }
  ImGui::EndCombo();
}

// Why no variant has a figure here, and what to do.
std::string without_points(const Workspace& workspace) {
  const std::string where = workspace.not_recorded();
  return !where.empty() ? "– " + where + "."
         : workspace.recorded()
             ? "Nothing is recorded at this configuration: choose a preset, or another "
               "session."
         : workspace.progress().busy
             ? "Nothing is measured yet: figures come as they are measured."
             : "Nothing is measured at this configuration: press run (Space).";
}

// Begins the table with its heads, as wide as what stands in the columns; false: it has no room.
bool begin_ladder(const Style& style, const Selection& selection,
                  const std::vector<LadderRow>& ladder) {
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_Sortable | ImGuiTableFlags_SortTristate |
                                     ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                     ImGuiTableFlags_BordersInnerH;
  if (!ImGui::BeginTable("ladder", kLadderColumns, kFlags)) return false;
  ImGui::PushFont(style.mono);  // what times are written in
  float word = ImGui::CalcTextSize("(000.0 µs)").x;
  ImGui::PopFont();
  const float time_width = word;
  for (const LadderRow& row : ladder) {
    if (stands_for_times(outcome_of(row)))
      word = std::max(word, ImGui::CalcTextSize(to_text(outcome_of(row))).x);
    if (row.remedy) {
      const float button = ImGui::CalcTextSize(row.remedy->sentence.c_str()).x +
                           2 * ImGui::GetStyle().FramePadding.x;
      word = std::max(word, std::min(button, 2 * time_width));
    }
  }
  // Where there is no room for a name beside both times, the one that plots show stays.
  const bool narrow = ImGui::GetContentRegionAvail().x < style.unit(50);
  const auto shown = [&](CacheState cache) {
    return ImGuiTableColumnFlags_WidthFixed |
           (narrow && cache != selection.cache ? ImGuiTableColumnFlags_Disabled : 0);
  };
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn("##marker",
                          ImGuiTableColumnFlags_WidthFixed | ImGuiTableColumnFlags_NoSort,
                          ImGui::GetTextLineHeight() * 1.3f);
  ImGui::TableSetupColumn("variant", ImGuiTableColumnFlags_WidthStretch, 1);
  ImGui::TableSetupColumn("##verdict", ImGuiTableColumnFlags_WidthFixed,
                          ImGui::GetTextLineHeight());
  ImGui::TableSetupColumn("cold", shown(CacheState::cold), word);
  ImGui::TableSetupColumn("warm", shown(CacheState::warm), narrow ? word : time_width);
  const bool warm = selection.cache == CacheState::warm;
  ImGui::TableSetupColumn(!selection.baseline_device.empty() ? warm ? "dev, warm" : "dev, cold"
                          : warm                             ? "vs, warm"
                                                             : "vs, cold",
                          ImGuiTableColumnFlags_WidthFixed, ImGui::CalcTextSize("vs, warm ▲").x);
  ImGui::TableHeadersRow();
  return true;
}

}  // namespace

void draw_variants_panel(const PanelContext& context, Selection& selection, VariantsPanel& state) {
  const Style& style = context.style;
  const auto columns = ladder_columns(context.workspace, selection);
  const TableBar bar = draw_table_bar("variants", "filter: text, < 200 µs", state.filter, selection,
                                      ImGui::GetContentRegionAvail().x);
  draw_baseline_device(context, selection);
  const std::vector<LadderRow> ladder = ladder_rows(context, selection);
  if (ladder.empty()) {
    return draw_note(style,
                     "No variant computes what this configuration asks for: change op or type.");
  }
  if (std::none_of(ladder.begin(), ladder.end(),
                   [](const LadderRow& row) { return row.state.point != nullptr; })) {
    draw_note(style, without_points(context.workspace));
  }
  std::vector<TableRow> rows;
  const std::size_t filtered = selection.cache == CacheState::cold ? kLadderCold : kLadderWarm;
  for (std::size_t i = 0; i < ladder.size(); ++i) {
    TableRow row = ladder_cells(ladder[i], i);
    if (passes(state.filter.text, row, filtered)) rows.push_back(std::move(row));
  }
  if (rows.empty()) return draw_note(style, "No variant passes the filter.");
  if (!begin_ladder(style, selection, ladder)) return;
  const bool sorted = sort_as_asked(rows);
  const auto draw = [&](const TableRow& row) {
    ImGui::PushID(ladder[row.index].variant->name.c_str());
    draw_row(context, selection, ladder[row.index], columns, row);
    ImGui::PopID();
  };
  if (context.workspace.scene().leagues.empty() || sorted) {
    for (const TableRow& row : rows) draw(row);
  } else {
    draw_leagues(context, ladder, rows, draw);
  }
  ImGui::EndTable();
  if (bar.wanted) selection.wish = rows_as_csv("variants", columns, rows);
}

}  // namespace warpscope
