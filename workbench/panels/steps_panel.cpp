// workbench/panels/steps_panel.cpp: the steps of the selected variant, or its layers: what each
// costs and what limits it.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "profiling/points/point.h"
#include "profiling/points/tag_totals.h"
#include "profiling/steps/planned_steps.h"
#include "workbench/drawing/focus.h"
#include "workbench/panels/panels.h"
#include "workbench/panels/picture_columns.h"

namespace warpscope {
namespace {

constexpr const char* kPanel = "steps";

enum StepColumn : std::uint8_t {
  kName,
  kCalls,
  kTime,
  kShare,
  kFlops,
  kBytes,
  kRate,
  kRatio,
  kBinds,
  kHow,
  kStepColumns
};
const TableColumn kColumns[kStepColumns] = {
    {"step", ""},         {"steps", "1"}, {"time", "ns"},     {"share", "ratio"},
    {"FLOP", "FLOP"},     {"DRAM", "B"},  {"rate", "FLOP/s"}, {"of its roof", "ratio"},
    {"nearest roof", ""}, {"how", ""}};
constexpr const char* kMeanings[kStepColumns] = {
    "The step, or the layer and the phase that several steps belong to. A click chooses it in "
    "Source and in the diagrams.",
    "How many steps stand in the row.",
    "Each step alone, warm, added up: the gaps between them are in no row.",
    "Share of the times of all rows together.",
    "Floating-point operations by the work model: a product and a sum are two.",
    "Bytes of device memory: counted where counters “standard” were collected, else what they must "
    "be at least (≥).",
    "Operations of the work model by the time.",
    "The shortest time that the nearest roof allows, as a share of the time it takes.",
    "The roof that is reached first. It limits the step from 60 % on.",
    "The kernel's file, or the library's call."};
// What has room in each column; the last one takes what is left.
constexpr const char* kWidest[kStepColumns] = {"Conv1 · backward gradient",
                                               "1000",
                                               "000000 µs",
                                               "100.0 %",
                                               "000.0 MFLOP",
                                               "≥ 000.0 MB",
                                               "000.0 GFLOP/s",
                                               "100.0 %",
                                               "DRAM roof at 50 % writes",
                                               ""};

TableRow cells_of(const StepRow& row, std::size_t index) {
  TableRow cells{std::vector<TableCell>(kStepColumns, words_cell("–")), index};
  cells.cells[kName] = words_cell(row.name);
  cells.cells[kCalls] = {std::to_string(row.steps), static_cast<double>(row.steps), "1"};
  cells.cells[kTime] = figure_cell(row.time_ns, "ns");
  cells.cells[kShare] = figure_cell(row.share_ratio, "ratio");
  cells.cells[kFlops] = figure_cell(row.flops, "FLOP");
  cells.cells[kBytes] = figure_cell(row.dram_bytes, "B");
  if (row.dram_bytes && row.bytes_origin == Origin::modelled)
    cells.cells[kBytes].text = "≥ " + cells.cells[kBytes].text;
  if (row.flops && *row.flops > 0 && row.time_ns && *row.time_ns > 0)
    cells.cells[kRate] = figure_cell(*row.flops / (*row.time_ns * 1e-9), "FLOP/s");
  if (row.standing && row.standing->binding) {
    cells.cells[kRatio] = figure_cell(row.standing->binding_ratio, "ratio");
    cells.cells[kBinds] = words_cell(row.standing->binding_name);
  }
  cells.cells[kHow] = words_cell(row.how);
  return cells;
}

// Why a cell is a dash.
std::string why_missing(const StepRow& row, std::size_t column) {
  switch (column) {
    case kTime:
    case kShare:
      return row.no_time.empty() ? "it was not timed" : row.no_time;
    case kFlops:
      return "the scene's work model does not say it of this step";
    case kBytes:
      return "neither counted nor in the scene's work model: collect the counters “standard”";
    case kRate:
      return row.flops && *row.flops == 0 ? "it has no arithmetic" : "it needs a time and the work";
    default:
      return row.standing ? row.standing->sentence : "it needs a time";
  }
}

bool begin_table(const Style& style) {
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                     ImGuiTableFlags_Resizable | ImGuiTableFlags_BordersInnerV |
                                     ImGuiTableFlags_Sortable | ImGuiTableFlags_SortTristate;
  const auto width_of = [&style](std::size_t i) {
    return std::max(ImGui::CalcTextSize(kColumns[i].name.c_str()).x + style.unit(3),
                    ImGui::CalcTextSize(kWidest[i]).x);
  };
  std::array<ColumnRoom, kStepColumns> room{};
  for (std::size_t i = 0; i < kStepColumns; ++i)
    room[i] = {kColumns[i].name.c_str(), i == kHow ? style.unit(16) : width_of(i)};
  constexpr int kFirstToGo[] = {kHow, kRate, kFlops, kBytes, kCalls, kBinds, kRatio};
  const std::vector<bool> out = columns_left_out(room, kFirstToGo);
  const std::size_t wide = !out.empty() && out[kHow] ? kName : kHow;
  if (!ImGui::BeginTable(kPanel, kStepColumns, kFlags)) return false;
  reach_rows();
  ImGui::TableSetupScrollFreeze(1, 1);
  for (std::size_t i = 0; i < kStepColumns; ++i) {
    ImGui::TableSetupColumn(
        kColumns[i].name.c_str(),
        (i == wide ? ImGuiTableColumnFlags_WidthStretch : ImGuiTableColumnFlags_WidthFixed) |
            (!out.empty() && out[i] ? ImGuiTableColumnFlags_Disabled : 0),
        i == wide ? 1.0f : width_of(i));
  }
  reach_headers();
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (int i = 0; i < kStepColumns; ++i) {
    if (!ImGui::TableSetColumnIndex(i)) continue;
    ImGui::TableHeader(kColumns[i].name.c_str());
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", kMeanings[i]);
  }
  return true;
}

// Source and diagrams turn to the row's kernel; it is emulated alone where it never was.
void choose(const PanelContext& context, Selection& selection, const StepRow& row) {
  const SessionView& view = context.view;
  if (row.focus.empty()) return;
  selection.step = row.focus;
  const PointId& id = view.point_id(selection.variant);
  if (view.engines.has_emulator() && view.session().trace(id, row.focus) == nullptr)
    context.requests.ask(request::Trace{selection.variant});
}

void draw_row(const PanelContext& context, Selection& selection, const StepRow& row,
              const TableRow& cells) {
  ImGui::TableNextRow();
  ImGui::PushID(static_cast<int>(cells.index));
  for (std::size_t i = 0; i < cells.cells.size(); ++i) {
    if (!ImGui::TableNextColumn()) continue;
    const TableCell& cell = cells.cells[i];
    if (i == 0) {
      const bool chosen = !row.focus.empty() && row.focus == selection.step;
      if (ImGui::Selectable(
              "##row", chosen,
              ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowOverlap))
        choose(context, selection, row);
      if (ImGui::IsItemHovered() && row.focus.empty())
        ImGui::SetTooltip("It has no kernel of this scene: there is nothing to look at.");
      if (begin_row_menu(kColumns, cells, selection, kPanel)) ImGui::EndPopup();
      ImGui::SameLine(0, 0);
    }
    const bool missing = cell.text == "–";
    if (missing) ImGui::PushStyleColor(ImGuiCol_Text, context.style.colours.muted);
    draw_fitting_text(cell.text, ImGui::GetContentRegionAvail().x);
    if (missing) ImGui::PopStyleColor();
    if (missing) explain_missing(why_missing(row, i));
    if (i == kRatio && row.standing && ImGui::IsItemHovered())
      ImGui::SetTooltip("%s", row.standing->sentence.c_str());
  }
  ImGui::PopID();
}

// What would run here if nothing has run. No value: the axes alone do not say, or it cannot run.
std::optional<Measurement> planned_here(const SessionView& view, const Variant& variant) {
  const PointId& id = view.point_id(variant.name);
  const auto compiled = view.session().outcomes().compilations_of(id);
  if (compiled.empty() && view.scene().steps_need_facts) return std::nullopt;
  const Workload workload{for_variant(view.scene().axes, view.selection.axes, variant.name),
                          compiled.empty() ? Facts{} : compiled.back()->facts};
  if (!applies(variant, workload.axes) || unavailable(variant, workload, {})) return std::nullopt;
  return planned_run(view.scene(), variant, workload);
}

// The point whose steps are shown: what was measured at the selection, else what would run.
struct ShownSteps {
  const Measurement* measured = nullptr;
  std::optional<Measurement> planned;
  const Measurement* get() const {
    return measured != nullptr ? measured : planned ? &*planned : nullptr;
  }
};
ShownSteps steps_to_show(const SessionView& view, const Variant& variant) {
  ShownSteps shown;
  const PointState state = view.state(variant.name);
  const bool here = state.point != nullptr && state.apart.empty();
  if (here && has_figures(state.point->verdict.outcome) && !state.point->steps.empty())
    shown.measured = state.point;
  if (shown.measured == nullptr) shown.planned = planned_here(view, variant);
  return shown;
}

const std::vector<StepRow>& rows_of(const SessionView& view, const ShownSteps& shown, bool each,
                                    StepsPanel& state) {
  const Measurement& point = *shown.get();
  const StepsPanel::MadeOf made_of{point.variant, point.key, view.session().revision(),
                                   shown.measured != nullptr, each};
  return state.rows.of(made_of, [&] {
    const RoofJoin join = view.points.roofs_of(point.conditions);
    return step_rows(point, join.roofs != nullptr ? *join.roofs : RoofSet{},
                     each ? StepGroups::each : StepGroups::tags);
  });
}

void draw_grouping(const Measurement& point, StepsPanel& state) {
  if (tags_of(point).empty()) return;
  ImGui::SameLine();
  if (tool_button(state.each ? "by layer" : "each step")) state.each = !state.each;
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip(state.each ? "A row for all steps of a layer in one phase."
                                 : "A row for every step.");
}

}  // namespace

void draw_steps_panel(const PanelContext& context, Selection& selection, StepsPanel& state) {
  const Style& style = context.style;
  const SessionView& view = context.view;
  const Variant* variant = find_variant(view.scene(), selection.variant);
  if (variant == nullptr)
    return draw_note(style, "Nothing is selected: click a variant in the list.");
  const ShownSteps shown = steps_to_show(view, *variant);
  if (shown.get() == nullptr) {
    if (panel_heading(context, selection, selection.variant) != nullptr)
      draw_note(style, "This measurement has no steps with times of their own.");
    return;
  }
  const TableBar bar = draw_table_bar(kPanel, "filter: text, > 50 µs   (Ctrl+F)", state.filter,
                                      selection, style.unit(38));
  draw_grouping(*shown.get(), state);
  ImGui::SameLine();
  draw_fitting_text(
      variant->label + (shown.measured != nullptr ? "" : " · what would run here: not measured"),
      ImGui::GetContentRegionAvail().x);
  const std::vector<StepRow>& all =
      rows_of(view, shown, state.each || tags_of(*shown.get()).empty(), state);
  std::vector<TableRow> rows;
  for (std::size_t i = 0; i < all.size(); ++i) {
    rows.push_back(cells_of(all[i], i));
  }
  in_one_time_unit(rows, kTime);
  std::erase_if(rows, [&](const TableRow& row) { return !passes(state.filter.text, row, kTime); });
  if (rows.empty()) return draw_note(style, "No step passes the filter.");
  if (!begin_table(style)) return;
  sort_as_asked(rows);
  for (const TableRow& row : rows) draw_row(context, selection, all[row.index], row);
  ImGui::EndTable();
  if (bar.wanted) selection.wish = rows_as_csv(kPanel, kColumns, rows);
}

}  // namespace warpscope
