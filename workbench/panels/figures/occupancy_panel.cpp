// workbench/panels/figures/occupancy_panel.cpp: registers, spills, shared memory and occupancy of
// the selected variant's kernels on each architecture, and the launch that will fail, before it is
// tried.
#include <imgui.h>

#include <algorithm>
#include <array>

#include "profiling/export/compiled_table.h"
#include "profiling/overview/costly_line.h"
#include "profiling/overview/occupancy_change.h"
#include "profiling/session/remedy.h"
#include "scenes/base/texts/machine_code.h"
#include "workbench/drawing/focus.h"
#include "workbench/panels/diagrams/diagram.h"
#include "workbench/panels/figures/occupancy_curves.h"
#include "workbench/panels/panels.h"
#include "workbench/panels/picture_columns.h"
#include "workbench/panels/source/source_listing.h"
#include "workbench/workspace/scene/kernel_files.h"

namespace warpscope {
namespace {

constexpr const char* kPanel = "occupancy";

enum OccupancyColumn : std::uint8_t {
  kStep,
  kArchitecture,
  kRegisters,
  kSpills,
  kLocal,
  kStatic,
  kDynamic,
  kThreads,
  kBlocks,
  kRatio,
  kStanding,
  kOccupancyColumns
};
const TableColumn kColumns[kOccupancyColumns] = {
    {"step", ""},           {"on", ""},        {"registers", "1"},
    {"spills", ""},         {"local", "B"},    {"static", "B"},
    {"dynamic", "B"},       {"threads", "1"},  {"blocks", "1"},
    {"occupancy", "ratio"}, {"limited by", ""}};
constexpr const char* kMeanings[kOccupancyColumns] = {
    "The kernel step.",
    "The architecture that it is compiled for.",
    "Registers per thread. They are allocated per warp, in units of 256.",
    "Bytes that a thread's spilled registers store and load, as counted in the code.",
    "Local memory per thread: spilled registers and arrays.",
    "Shared memory per block, as declared.",
    "Shared memory per block, as the launch requests it.",
    "Threads per block.",
    "Blocks that a multiprocessor runs at once.",
    "Their warps, as a share of those that a multiprocessor can hold.",
    "What lets no more blocks in, or why none starts."};

// What has room in each column; step and the last one share what is left.
constexpr const char* kWidest[kOccupancyColumns] = {
    "",         "sm_100a", "255", "10000 / 10000", "100.0 kB", "100.0 kB",
    "100.0 kB", "1024",    "32",  "100.0 %",       ""};

// Asks for the table where the session has none of this point and text; once, as nothing but
// another point or text would bring another answer.
void ask(const PanelContext& context, Selection& selection, OccupancyPanel::Asked missing_of,
         OccupancyPanel& state) {
  if (!context.view.engines.has_emulator() || selection.held ||
      !state.asked.changes_to(std::move(missing_of)))
    return;
  context.requests.ask(request::Registers{selection.variant});
}

// What will be at the launch on the device at hand, and the button that mends it.
void draw_prediction(const PanelContext& context, Selection& selection, const Compilation& here) {
  const SessionView& view = context.view;
  const Style& style = context.style;
  const auto predicted = predicted_failure(view.scene(), here);
  if (!predicted) return;
  ImGui::PushStyleColor(ImGuiCol_Text, verdict_colour(style, Outcome::launch_failed));
  ImGui::TextWrapped("%s on %s: %s", verdict_text(Outcome::launch_failed).c_str(),
                     architecture_name(here.compute_capability).c_str(),
                     predicted->verdict.sentence.c_str());
  ImGui::PopStyleColor();
  if (!predicted->remedy) return draw_note(style, predicted->verdict.remedy);
  const auto changed = with_values(view.scene().axes, selection.axes, predicted->remedy->values);
  if (tool_button((predicted->remedy->sentence + "##launch").c_str()) && changed)
    selection.axes = *changed;
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("The nearest value at which it starts; undo takes it back.");
}

TableRow cells_of(const CompiledRow& row, std::size_t index) {
  const auto bytes = [](std::int64_t value) {
    return figure_cell(static_cast<double>(value), "B");
  };
  TableRow cells{std::vector<TableCell>(kOccupancyColumns, words_cell("–")), index};
  cells.cells[kStep] = words_cell(row.step == nullptr ? "" : row.step->name);
  cells.cells[kArchitecture] = words_cell(architecture_name(row.compilation->compute_capability));
  cells.cells[kStanding] = words_cell(row.occupancy ? to_text(row.occupancy->limit)
                                                    : row.standing() + (": " + row.sentence()));
  if (row.step == nullptr || !row.step->resources) return cells;
  const KernelResources& r = *row.step->resources;
  const Launch& launch = row.step->launch;
  const auto count = [](std::int64_t value) {
    return TableCell{std::to_string(value), static_cast<double>(value), "1"};
  };
  cells.cells[kRegisters] = count(r.registers_per_thread);
  cells.cells[kSpills] = r.spill_store_bytes + r.spill_load_bytes > 0
                             ? words_cell(std::to_string(r.spill_store_bytes) + " / " +
                                          std::to_string(r.spill_load_bytes))
                             : count(0);
  cells.cells[kLocal] = bytes(r.local_bytes_per_thread);
  cells.cells[kStatic] = bytes(r.static_shared_bytes);
  cells.cells[kDynamic] = bytes(launch.dynamic_shared_bytes);
  cells.cells[kThreads] = count(launch.block.x * launch.block.y * launch.block.z);
  if (row.occupancy) {
    cells.cells[kBlocks] = count(row.occupancy->blocks);
    cells.cells[kRatio] = figure_cell(row.occupancy->ratio, "ratio");
  }
  return cells;
}

bool begin_table(const Style& style) {
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                     ImGuiTableFlags_Resizable | ImGuiTableFlags_BordersInnerV |
                                     ImGuiTableFlags_Sortable | ImGuiTableFlags_SortTristate;
  const auto is_wide = [](std::size_t i) { return i == kStep || i == kStanding; };
  // The arrow of a sorted column comes after its name.
  const auto width_of = [&style](std::size_t i) {
    return std::max(ImGui::CalcTextSize(kColumns[i].name.c_str()).x + style.unit(3),
                    ImGui::CalcTextSize(kWidest[i]).x);
  };
  std::array<ColumnRoom, kOccupancyColumns> room{};
  for (std::size_t i = 0; i < kOccupancyColumns; ++i)
    room[i] = {kColumns[i].name.c_str(), is_wide(i) ? style.unit(16) : width_of(i)};
  constexpr int kFirstToGo[] = {kStatic,  kDynamic, kLocal,       kSpills,
                                kThreads, kBlocks,  kArchitecture};
  const std::vector<bool> out = columns_left_out(room, kFirstToGo);
  if (!ImGui::BeginTable(kPanel, kOccupancyColumns, kFlags)) return false;
  reach_rows();
  ImGui::TableSetupScrollFreeze(0, 1);
  for (std::size_t i = 0; i < kOccupancyColumns; ++i) {
    ImGui::TableSetupColumn(
        kColumns[i].name.c_str(),
        (is_wide(i) ? ImGuiTableColumnFlags_WidthStretch : ImGuiTableColumnFlags_WidthFixed) |
            (!out.empty() && out[i] ? ImGuiTableColumnFlags_Disabled : 0),
        i == kStanding ? 2.0f
        : i == kStep   ? 1.0f
                       : width_of(i));
  }
  reach_headers();
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (int i = 0; i < kOccupancyColumns; ++i) {
    if (!ImGui::TableSetColumnIndex(i)) continue;
    ImGui::TableHeader(kColumns[i].name.c_str());
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", kMeanings[i]);
  }
  return true;
}

// What names a row: its architecture and its step.
std::string name_of(const CompiledRow& row) {
  return architecture_name(row.compilation->compute_capability) + " " +
         (row.step != nullptr ? row.step->name : "");
}

struct Card {
  int architecture;
  const char* name;
};
constexpr Card kCards[] = {{75, "T4, RTX 20"},      {80, "A100, A30"},  {86, "A10, A40, RTX 30"},
                           {89, "L4, L40, RTX 40"}, {90, "H100, H200"}, {100, "B200"},
                           {120, "RTX 50"}};

// "sm_75 (T4, RTX 20)"
std::string card_name(int architecture) {
  const auto* card = std::find_if(std::begin(kCards), std::end(kCards), [&](const Card& each) {
    return each.architecture == architecture;
  });
  return architecture_name(architecture) +
         (card == std::end(kCards) ? "" : " (" + std::string(card->name) + ")");
}

// A button per card: its rows and curves are shown. The choice is the filter's text, so that both
// agree.
void draw_card_choice(const Style& style, const std::vector<CompiledRow>& rows,
                      OccupancyPanel& state) {
  std::vector<int> cards;
  for (const CompiledRow& row : rows) cards.push_back(row.compilation->compute_capability);
  std::sort(cards.begin(), cards.end());
  cards.erase(std::unique(cards.begin(), cards.end()), cards.end());
  if (cards.size() < 2 || for_slides()) return;
  const auto button = [&](const std::string& text, const std::string& filter,
                          const std::string& meaning) {
    const bool chosen = filter == state.filter.text;
    ImGui::PushStyleColor(ImGuiCol_Text, chosen ? style.colours.accent : style.colours.muted);
    if (tool_button(text.c_str())) {
      std::snprintf(state.filter.text, sizeof state.filter.text, "%s", filter.c_str());
      state.step.clear();
    }
    ImGui::PopStyleColor();
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", meaning.c_str());
  };
  button("every card", "", "The rows of all cards, and the curves of the device at hand.");
  for (const int card : cards) {
    const std::string name = architecture_name(card);
    flow(ImGui::CalcTextSize(name.c_str()).x + style.unit(3));
    button(name, name, card_name(card) + ": its rows and curves. No such GPU is needed.");
  }
}

// The card whose name is the filter's text, else that of the device at hand.
int chosen_card(const std::vector<CompiledRow>& rows, int architecture,
                const OccupancyPanel& state) {
  const auto chosen = std::find_if(rows.begin(), rows.end(), [&](const CompiledRow& row) {
    return architecture_name(row.compilation->compute_capability) == state.filter.text;
  });
  return chosen != rows.end() ? chosen->compilation->compute_capability : architecture;
}

// What is known of a card that this program was not compared with.
void draw_unchecked(const Style& style, int architecture) {
  if (architecture == kCheckedMachineCode) return;
  draw_note(style, "Registers and shared memory on " + card_name(architecture) +
                       " are the compiler's, and occupancy follows from the limits of that card. "
                       "Emulated figures are not checked on that hardware.");
}

// The row whose curves are shown: the one that was clicked, else that of the device at hand and of
// the step that takes longest; null: no launch starts.
const CompiledRow* shown_row(const std::vector<CompiledRow>& rows, int architecture,
                             const Measurement* point, const OccupancyPanel& state) {
  const StepRecord* longest = point != nullptr ? costly_step(*point) : nullptr;
  const CompiledRow *first = nullptr, *costly = nullptr;
  for (const CompiledRow& row : rows) {
    if (!row.occupancy || row.step == nullptr || !row.step->resources) continue;
    if (name_of(row) == state.step) return &row;
    if (row.compilation->compute_capability != architecture) continue;
    if (first == nullptr) first = &row;
    if (longest != nullptr && row.step->name == longest->name) costly = &row;
  }
  return costly != nullptr ? costly : first;
}

// The sentence and the curves of a row. Returns whether the table has room below them.
bool draw_curves(const PanelContext& context, const CompiledRow& row, bool several,
                 std::optional<double> achieved, OccupancyPanel& state) {
  const Style& style = context.style;
  const DeviceLimits device = limits_of_architecture(row.compilation->compute_capability);
  const std::string name = several ? name_of(row) + ": " : "";
  draw_paragraph(name + occupancy_sentence(*row.step->resources, row.step->launch, device));
  draw_unchecked(style, row.compilation->compute_capability);
  const float room = ImGui::GetContentRegionAvail().y, table = style.unit(12),
              least = curves_height(style, 0);
  const bool both = room >= least + table;
  if (!both) {
    if (tool_button(state.table ? "show the curves" : "show the table")) state.table = !state.table;
    if (state.table) return true;
  }
  const float height = curves_height(style, both ? room - table : ImGui::GetContentRegionAvail().y);
  ImGui::BeginChild("curves", {0, height}, kReached);
  draw_occupancy_curves(style, *row.step->resources, row.step->launch, device, achieved,
                        height - ImGui::GetStyle().ItemSpacing.y);
  ImGui::EndChild();
  return both;
}

void draw_row(const PanelContext& context, Selection& selection, const CompiledRow& row,
              const TableRow& cells, bool here, OccupancyPanel& state) {
  const Style& style = context.style;
  ImGui::TableNextRow();
  ImGui::PushID(static_cast<int>(cells.index));
  ImGui::PushStyleColor(ImGuiCol_Text, row.failure ? verdict_colour(style, Outcome::launch_failed)
                                       : !row.refusal.empty() ? style.colours.muted
                                                              : style.colours.text);
  for (std::size_t i = 0; i < cells.cells.size(); ++i) {
    if (!ImGui::TableNextColumn()) continue;
    if (i == 0) {
      if (ImGui::Selectable(
              "##row", here,
              ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowOverlap))
        state.step = name_of(row);
      if (begin_row_menu(kColumns, cells, selection, kPanel)) ImGui::EndPopup();
      ImGui::SameLine(0, 0);
    }
    draw_fitting_text(cells.cells[i].text, ImGui::GetContentRegionAvail().x);
  }
  ImGui::PopStyleColor();
  ImGui::PopID();
}

// The compilations of the selected point; where there is none, what its measurement kept of them.
struct Compiled {
  std::vector<const Compilation*> all;
  std::optional<Compilation> measured;  // what `all` may point to
  std::string stale;                    // of an earlier text
};
Compiled compiled_of(const PanelContext& context, const PointId& id, const Measurement* point) {
  const SessionView& view = context.view;
  Compiled found;
  found.all = view.session().outcomes().compilations_of(id);
  for (const Compilation* made : found.all) {
    for (const StepRecord& step : made->steps) {
      if (found.stale.empty()) found.stale = view.files.earlier_text(step);
    }
  }
  if (found.all.empty() && point != nullptr)
    found.measured = compiled_of(*point, architecture_of(view));
  if (found.measured) found.all.push_back(&*found.measured);
  return found;
}

// What is on its way, or why nothing is there.
void draw_missing(const PanelContext& context, const Selection& selection, bool none) {
  const SessionView& view = context.view;
  const JobState job = view.last_job(JobKind::registers, selection.variant);
  if (job.job != nullptr && !job.done) {
    return draw_note(context.style, "… " + (job.progress && !job.progress->text.empty()
                                                ? job.progress->text
                                                : std::string("compiling")));
  }
  if (!none) return;
  if (job.job != nullptr && job.done->error)
    return draw_note(context.style, sentence(*job.done->error));
  draw_note(context.style,
            view.engines.has_emulator()
                ? "Nothing is compiled yet for this configuration."
                : "There is no compiler here: the recorded session has no kernels of "
                  "this configuration.");
}

}  // namespace

void draw_occupancy_panel(const PanelContext& context, Selection& selection,
                          OccupancyPanel& state) {
  const Style& style = context.style;
  const SessionView& view = context.view;
  const Variant* variant = find_variant(view.scene(), selection.variant);
  if (variant == nullptr)
    return draw_note(style, "Nothing is selected: click a variant in the list.");
  if (!variant->own_kernels) {
    return draw_note(style, without_kernel(context, *variant,
                                           " calls a library: the registers of its kernels stand "
                                           "in Timeline, where one was captured."));
  }
  const PointId& id = view.point_id(variant->name);
  const PointState at = view.state(variant->name);
  const Measurement* point = at.apart.empty() ? at.point : nullptr;
  const Compiled compiled = compiled_of(context, id, point);
  if (compiled.all.empty() || compiled.measured || !compiled.stale.empty())
    ask(context, selection, {{id.scene, id.variant, id.key, "", ""}, compiled.stale}, state);
  const int architecture = architecture_of(view);
  const TableBar bar = draw_table_bar(kPanel, "filter: text, > 64   (Ctrl+F)", state.filter,
                                      selection, style.unit(38));
  ImGui::SameLine();
  draw_fitting_text(variant->label, ImGui::GetContentRegionAvail().x);
  if (!compiled.stale.empty()) draw_note(style, "○ " + compiled.stale);
  draw_missing(context, selection, compiled.all.empty());
  for (const Compilation* made : compiled.all) {
    if (made->compute_capability == architecture) draw_prediction(context, selection, *made);
  }
  if (const std::string achieved = point != nullptr ? achieved_sentence(*point) : "";
      !achieved.empty())
    draw_paragraph(achieved);
  const std::vector<CompiledRow> all = compiled_rows(context.view.shown.catalogue(), compiled.all);
  std::vector<TableRow> rows;
  for (std::size_t i = 0; i < all.size(); ++i) {
    TableRow row = cells_of(all[i], i);
    if (passes(state.filter.text, row, kRegisters)) rows.push_back(std::move(row));
  }
  if (all.empty()) return;
  draw_card_choice(style, all, state);
  const CompiledRow* shown = shown_row(all, chosen_card(all, architecture, state), point, state);
  const std::optional<double> achieved =
      point != nullptr && shown != nullptr && shown->step != nullptr &&
              shown->compilation->compute_capability == architecture
          ? achieved_occupancy(*point, shown->step->name)
          : std::nullopt;
  if (shown != nullptr && !draw_curves(context, *shown, all.size() > 1, achieved, state)) return;
  if (rows.empty()) return draw_note(style, "No kernel passes the filter.");
  if (!begin_table(style)) return;
  // Those of the device whose figures stand beside them come first.
  std::stable_partition(rows.begin(), rows.end(), [&](const TableRow& row) {
    return all[row.index].compilation->compute_capability == architecture;
  });
  sort_as_asked(rows);
  for (const TableRow& row : rows) {
    draw_row(context, selection, all[row.index], row, &all[row.index] == shown, state);
  }
  ImGui::EndTable();
  if (bar.wanted) selection.wish = rows_as_csv(kPanel, kColumns, rows);
}

}  // namespace warpscope
