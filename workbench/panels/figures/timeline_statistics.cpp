// workbench/panels/figures/timeline_statistics.cpp: the table of a timeline.
#include "workbench/panels/figures/timeline_statistics.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <vector>

#include "workbench/drawing/focus.h"
#include "workbench/panels/picture_columns.h"

namespace warpscope {
namespace {

constexpr const char* kTable = "timeline";

enum StatisticColumn : std::uint8_t {
  kName,
  kKind,
  kCalls,
  kTotal,
  kShare,
  kMean,
  kShortest,
  kLongest,
  kStatisticColumns
};
const TableColumn kColumns[kStatisticColumns] = {
    {"what", ""},       {"kind", ""},   {"calls", "1"},     {"total", "ns"},
    {"share", "ratio"}, {"mean", "ns"}, {"shortest", "ns"}, {"longest", "ns"}};
constexpr const char* kMeanings[kStatisticColumns] = {
    "The kernel, the copy, or the NVTX range.",
    "What ran on the device, or a range on the host.",
    "How often, in all runs that were captured.",
    "All calls together.",
    "For what share of the time while anything ran on the device it did; of a range, while the "
    "outermost ranges did. What runs at once counts in each: shares may add up to more than 100 %.",
    "The total by the calls.",
    "The shortest call.",
    "The longest call."};

TableRow cells_of(const TimelineStatistic& s, std::size_t index) {
  return {{words_cell(s.name),
           words_cell(s.on_host ? "range on the host" : s.kind),
           {std::to_string(s.calls), static_cast<double>(s.calls), "1"},
           figure_cell(s.total_ns, "ns"),
           figure_cell(s.share_ratio, "ratio"),
           figure_cell(s.mean_ns(), "ns"),
           figure_cell(s.shortest_ns, "ns"),
           figure_cell(s.longest_ns, "ns")},
          index};
}

bool begin_table(const Style& style) {
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                     ImGuiTableFlags_Resizable | ImGuiTableFlags_BordersInnerV |
                                     ImGuiTableFlags_Sortable | ImGuiTableFlags_SortTristate;
  std::array<ColumnRoom, kStatisticColumns> room{};
  for (std::size_t i = 0; i < kStatisticColumns; ++i)
    room[i] = {kColumns[i].name.c_str(), style.unit(i == kName ? 24 : i == kKind ? 14 : 11)};
  constexpr int kFirstToGo[] = {kShortest, kLongest, kKind, kMean, kShare};
  const std::vector<bool> out = columns_left_out(room, kFirstToGo);
  if (!ImGui::BeginTable(kTable, kStatisticColumns, kFlags)) return false;
  reach_rows();
  ImGui::TableSetupScrollFreeze(0, 1);
  for (std::size_t i = 0; i < kStatisticColumns; ++i) {
    ImGui::TableSetupColumn(
        room[i].name,
        (i == kName ? ImGuiTableColumnFlags_WidthStretch : ImGuiTableColumnFlags_WidthFixed) |
            (!out.empty() && out[i] ? ImGuiTableColumnFlags_Disabled : 0),
        i == kName ? 1.0f : room[i].width);
  }
  reach_headers();
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (int i = 0; i < kStatisticColumns; ++i) {
    if (!ImGui::TableSetColumnIndex(i)) continue;
    ImGui::TableHeader(kColumns[i].name.c_str());
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", kMeanings[i]);
  }
  return true;
}

}  // namespace

void draw_timeline_statistics(const PanelContext& context, Selection& selection,
                              const Timeline& timeline, TableFilter& filter) {
  const TableBar bar = draw_table_bar(kTable, "filter: text, > 50 µs   (Ctrl+F)", filter, selection,
                                      context.style.unit(38));
  std::vector<TableRow> rows;
  for (const TimelineStatistic& statistic : statistics_of(timeline)) {
    rows.push_back(cells_of(statistic, rows.size()));
  }
  if (rows.empty()) return draw_note(context.style, "Nothing passes the filter.");
  for (std::size_t column = 0; column < rows.front().cells.size(); ++column)
    in_one_time_unit(rows, column);
  std::erase_if(rows, [&](const TableRow& row) { return !passes(filter.text, row, kTotal); });
  if (rows.empty()) return draw_note(context.style, "Nothing passes the filter.");
  if (!begin_table(context.style)) return;
  sort_as_asked(rows);
  for (const TableRow& row : rows) {
    ImGui::TableNextRow();
    ImGui::PushID(static_cast<int>(row.index));
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      if (!ImGui::TableNextColumn()) continue;
      if (i == 0) {
        ImGui::Selectable("##row", false,
                          ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowOverlap);
        if (begin_row_menu(kColumns, row, selection, kTable)) ImGui::EndPopup();
        ImGui::SameLine(0, 0);
      }
      draw_fitting_text(row.cells[i].text, ImGui::GetContentRegionAvail().x);
    }
    ImGui::PopID();
  }
  ImGui::EndTable();
  if (bar.wanted) selection.wish = rows_as_csv(kTable, kColumns, rows);
}

}  // namespace warpscope
