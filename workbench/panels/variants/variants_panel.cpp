// workbench/panels/variants/variants_panel.cpp: the ladder: variants in their leagues, sorted and
// filtered.
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "workbench/drawing/focus.h"
#include "workbench/panels/axes/pin_strip.h"
#include "workbench/panels/panels.h"
#include "workbench/panels/variants/ladder.h"
#include "workbench/panels/variants/ladder_groups.h"
#include "workbench/panels/variants/ladder_row.h"

namespace warpscope {
namespace {

// Rows below the name of their league, in the scene's order, each group with what it is compared
// with; those of no league come last.
template <typename Draw>
void draw_leagues(const PanelContext& context, const std::vector<LadderRow>& ladder,
                  const std::vector<TableRow>& rows, const Draw& draw) {
  const Style& style = context.style;
  const auto& leagues = context.view.scene().leagues;
  const auto group = [&](const League* league) {
    bool titled = false;
    for (const TableRow& row : rows) {
      const std::string& own = ladder[row.index].variant->league;
      const bool known = std::any_of(leagues.begin(), leagues.end(),
                                     [&own](const League& l) { return l.name == own; });
      if (league != nullptr ? own != league->name : known) continue;
      if (!std::exchange(titled, true)) {
        const Variant* baseline = find_variant(context.view.scene(), ladder[row.index].baseline);
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        ImGui::TableNextColumn();
        ImGui::PushStyleColor(ImGuiCol_Text, style.colours.accent);
        const std::string title = (league != nullptr ? league->label : "in no league") +
                                  (baseline == nullptr ? "" : " · against " + baseline->label);
        // The row has no other cell: the words go on over its columns.
        ImGui::TablePushBackgroundChannel();
        const float end = ImGui::GetCurrentTable()->WorkRect.Max.x;
        ImGui::TextUnformatted(fitting(title, end - ImGui::GetCursorScreenPos().x).c_str());
        ImGui::TablePopBackgroundChannel();
        ImGui::PopStyleColor();
        if (ImGui::IsItemHovered())
          ImGui::SetTooltip("%s\n%s", title.c_str(),
                            league != nullptr ? league->sentence.c_str() : "");
      }
      draw(row);
    }
  };
  for (const League& league : leagues) group(&league);
  group(nullptr);
}

// A choice between the baseline here and the same variants on another device of the session.
void draw_baseline_device(const PanelContext& context, Selection& selection) {
  const SessionView& view = context.view;
  const auto& devices = view.session().devices();
  if (devices.size() < 2) {
    selection.baseline_device.clear();
    return;
  }
  const std::string chosen =
      selection.baseline_device.empty()
          ? "compared with " + selection.baseline + " on the same device"
          : "each compared with itself on " + device_text(view, selection.baseline_device);
  ImGui::SetNextItemWidth(-1);
  if (!begin_tool_combo("##against", chosen.c_str())) {
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
    if (device.id() == view.device()) continue;
    if (ImGui::Selectable(("the same variant on " + to_text(device)).c_str(),
                          selection.baseline_device == device.id()))
      selection.baseline_device = device.id();
  }
  ImGui::EndCombo();
}

// Why no variant has a figure here, and what to do.
std::string without_points(const SessionView& view) {
  if (view.is_emulated_alone()) return "";
  const std::string where = view.points.not_recorded();
  return !where.empty() ? "– " + where + "."
         : view.recorded()
             ? "Nothing is recorded at this configuration: choose a preset, or another "
               "session."
         : view.progress().busy ? "Nothing is measured yet: figures come as they are measured."
                                : "Nothing is measured at this configuration: press run (F5).";
}

// Begins the table with its heads, as wide as what stands in the columns; false: it has no room.
bool begin_ladder(const Style& style, const Selection& selection,
                  const std::vector<LadderRow>& ladder) {
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_Sortable | ImGuiTableFlags_SortTristate |
                                     ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                     ImGuiTableFlags_BordersInnerH;
  if (!ImGui::BeginTable("ladder", kLadderColumns, kFlags)) return false;
  reach_rows();
  push_face(style.mono);  // what times are written in
  float word = ImGui::CalcTextSize("(000.0 µs)").x;
  ImGui::PopFont();
  const float time_width = word, gain = ImGui::CalcTextSize("speed-up ▲").x;
  float name = 0;
  for (const LadderRow& row : ladder)
    name = std::max(name, ImGui::CalcTextSize(row.variant->label.c_str()).x);
  // Names come first: what they and the other columns leave is a remedy's.
  const float room = ImGui::GetContentRegionAvail().x - name - time_width - gain - style.unit(10);
  for (const LadderRow& row : ladder) {
    if (stands_for_times(outcome_of(row)))
      word = std::max(word, ImGui::CalcTextSize(to_text(outcome_of(row))).x);
    if (row.remedy) {
      const float button = ImGui::CalcTextSize(row.remedy->sentence.c_str()).x +
                           2 * ImGui::GetStyle().FramePadding.x;
      word = std::max(word, std::min({button, 2 * time_width, room}));
    }
  }
  // Where there is no room for a name beside both times, the one that plots show stays; where a
  // name has no room beside that one either, figures stand below it.
  const float width = ImGui::GetContentRegionAvail().x;
  const bool narrow = width < style.unit(50), below = width < style.unit(36);
  const auto fixed = [&](bool out) {
    return ImGuiTableColumnFlags_WidthFixed | (out ? ImGuiTableColumnFlags_Disabled : 0);
  };
  const auto shown = [&](CacheState cache) {
    return fixed(below || (narrow && cache != selection.cache));
  };
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn("##marker",
                          ImGuiTableColumnFlags_WidthFixed | ImGuiTableColumnFlags_NoSort,
                          ImGui::GetTextLineHeight() * 1.3f);
  ImGui::TableSetupColumn("variant", ImGuiTableColumnFlags_WidthStretch, 1);
  ImGui::TableSetupColumn("##verdict", fixed(below), ImGui::GetTextLineHeight());
  ImGui::TableSetupColumn("cold", shown(CacheState::cold), word);
  ImGui::TableSetupColumn("warm", shown(CacheState::warm), narrow ? word : time_width);
  ImGui::TableSetupColumn(selection.baseline_device.empty() ? "speed-up" : "other GPU",
                          fixed(below), gain);
  reach_headers();
  ImGui::TableHeadersRow();
  return true;
}

// Whether the row that comes next lies above or below what the table shows, or half of it does.
bool is_out_of_view() {
  const float row = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
  const float at = ImGui::GetCursorScreenPos().y, top = ImGui::GetWindowPos().y;
  return at < top + row || at + row > top + ImGui::GetWindowHeight();
}

}  // namespace

void draw_variants_panel(const PanelContext& context, Selection& selection, VariantsPanel& state) {
  const Style& style = context.style;
  const auto columns = ladder_columns(context.view, selection);
  const TableBar bar = draw_table_bar("variants", "filter: text, < 200 µs", state.filter, selection,
                                      ImGui::GetContentRegionAvail().x);
  draw_pin_strip(context, selection);
  draw_baseline_device(context, selection);
  const std::vector<LadderRow> ladder = ladder_rows(context, selection);
  if (ladder.empty()) {
    return draw_note(style,
                     "No variant computes what this configuration asks for: change op or type.");
  }
  if (std::none_of(ladder.begin(), ladder.end(),
                   [](const LadderRow& row) { return row.state.point != nullptr; })) {
    if (const std::string why = without_points(context.view); !why.empty()) draw_note(style, why);
  }
  if (std::all_of(ladder.begin(), ladder.end(),
                  [](const LadderRow& row) { return row.variant->reference.empty(); }))
    draw_note(style, "no reference: outputs are not checked");
  const std::size_t filtered = selection.cache == CacheState::cold ? kLadderCold : kLadderWarm;
  const auto made = [&](std::size_t index) {
    return ladder_cells(context.view.scene(), ladder[index], index);
  };
  std::vector<TableRow> rows = rows_that_pass(state.filter.text, filtered, ladder.size(), made);
  if (rows.empty()) return draw_note(style, "No variant passes the filter.");
  if (!begin_ladder(style, selection, ladder)) return;
  if (bar.wanted || is_order_asked()) make_rows(rows, made);
  const bool sorted = sort_as_asked(rows);
  const bool turned = state.focus.changes_to({context.view.scene().name, selection.variant});
  const auto draw = [&](TableRow row) {
    make_row(row, made);
    const std::string& name = ladder[row.index].variant->name;
    const bool brought = turned && name == selection.variant && is_out_of_view();
    ImGui::PushID(name.c_str());
    draw_ladder_row(context, selection, ladder[row.index], columns, row);
    ImGui::PopID();
    if (brought) ImGui::SetScrollHereY(0.5f);
  };
  const Scene& scene = context.view.scene();
  const bool whole = scene.leagues.empty() && scene.groups.empty();
  if (sorted || whole) {
    for (const TableRow& row : rows) draw(row);
  } else if (!scene.groups.empty()) {
    const bool every = state.filter.text[0] != '\0';
    for (const LadderGroup& group :
         ladder_groups(context, selection, ladder, rows, state.open, every)) {
      draw_ladder_group_head(selection, style, group, ladder.front().shortest_ns, state.open);
      for (const TableRow& row : group.rows) draw(row);
    }
  } else {
    draw_leagues(context, ladder, rows, draw);
  }
  ImGui::EndTable();
  if (bar.wanted) selection.wish = rows_as_csv("variants", columns, rows);
}

}  // namespace warpscope
