// workbench/panels/journal_panel.cpp: the iterations of an optimisation: what was tried, what was
// said of it, what this session shows, and what became of it.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>

#include "workbench/drawing/focus.h"
#include "workbench/panels/panels.h"
#include "workbench/panels/picture_columns.h"
#include "workbench/panels/terms.h"
#include "workbench/workspace/scene/scene_journals.h"

namespace warpscope {
namespace {

constexpr const char* kPanel = "journal";

enum JournalColumn : std::uint8_t {
  kName,
  kHypothesis,
  kSaid,
  kTime,
  kGain,
  kBecame,
  kJournalColumns
};
const TableColumn kColumns[kJournalColumns] = {
    {"iteration", ""},   {"what was expected", ""},  {"what was said", ""},
    {"time here", "ns"}, {"against its parent", ""}, {"became", ""}};
constexpr const char* kMeanings[kJournalColumns] = {
    "Its number and its variant. What was tried and left is indented.",
    "The author's, in a line, before it was measured.",
    "What the article or the author claimed of it, on its own machine.",
    "From this session, at the selected configuration, but for the axes that the iteration names.",
    "The verdict between the two times of this session.",
    "Kept, reverted, or left open."};

// An entry and whose it is.
struct Row {
  const JournalEntry* entry;
  bool own;
};

std::string label_of(const Scene& scene, const Iteration& iteration) {
  const Variant* variant = find_variant(scene, iteration.variant);
  const std::string axes = axes_text(scene, iteration);
  return std::to_string(iteration.number) + "  " +
         (variant != nullptr ? variant->label : iteration.variant) +
         (axes.empty() ? "" : " (" + axes + ")");
}

TableRow cells_of(const Scene& scene, const Row& row, std::size_t index) {
  const JournalEntry& entry = *row.entry;
  return {{words_cell(label_of(scene, entry.iteration)), words_cell(entry.iteration.hypothesis),
           words_cell(entry.iteration.said), figure_cell(entry.time_ns, "ns"),
           words_cell(entry.against_parent.empty() ? "–" : entry.against_parent),
           words_cell(decision_text(entry.iteration.decision))},
          index};
}

std::string why_no_time(const PanelContext& context, const JournalEntry& entry) {
  const Variant* variant = find_variant(context.view.scene(), entry.iteration.variant);
  if (variant == nullptr) return "the scene has no variant of this name any more";
  const auto axes = axes_of(context.view.scene(), entry.iteration, context.view.selection.axes);
  if (!axes || !applies(*variant, *axes))
    return "the variant does not apply to the selected configuration";
  if (!entry.iteration.axes.empty())
    return "it is not measured at " +
           configuration_key(context.view.scene().axes, *axes, variant->name);
  return missing_time(context, variant->name, context.view.selection.cache);
}

ImU32 colour_of(const Style& style, Decision decision) {
  return decision == Decision::kept       ? style.colours.good
         : decision == Decision::reverted ? style.colours.muted
                                          : style.colours.text;
}

// The variant and the values of its own axes come into focus.
void choose(const PanelContext& context, Selection& selection, const Row& row,
            JournalPanel& state) {
  const Scene& scene = context.view.scene();
  const Iteration& iteration = row.entry->iteration;
  state.chosen = iteration.number;
  state.own = row.own;
  if (find_variant(scene, iteration.variant) == nullptr) return;
  selection.variant = iteration.variant;
  if (const auto axes = with_values(scene.axes, selection.axes, iteration.axes); axes)
    selection.axes = *axes;
}

void draw_row(const PanelContext& context, Selection& selection, const Row& row,
              const TableRow& cells, JournalPanel& state) {
  const Style& style = context.style;
  ImGui::TableNextRow();
  ImGui::PushID(static_cast<int>(cells.index));
  const Decision decision = row.entry->iteration.decision;
  for (std::size_t i = 0; i < cells.cells.size(); ++i) {
    if (!ImGui::TableNextColumn()) continue;
    if (i == kName) {
      const bool chosen = row.own == state.own && row.entry->iteration.number == state.chosen;
      if (ImGui::Selectable(
              "##row", chosen,
              ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowOverlap))
        choose(context, selection, row, state);
      if (begin_row_menu(kColumns, cells, selection, kPanel)) ImGui::EndPopup();
      ImGui::SameLine(0, style.unit(1.5f) * static_cast<float>(row.entry->depth));
    }
    const bool faint = i == kSaid || cells.cells[i].text == "–";
    ImGui::PushStyleColor(ImGuiCol_Text, i == kBecame ? colour_of(style, decision)
                                         : faint      ? style.colours.muted
                                                      : style.colours.text);
    draw_fitting_text(cells.cells[i].text, ImGui::GetContentRegionAvail().x);
    ImGui::PopStyleColor();
    if (i == kTime && !row.entry->time_ns) explain_missing(why_no_time(context, *row.entry));
    if (i == kGain && row.entry->against_parent.empty())
      explain_missing("both need a time here, and a parent that is another point");
  }
  ImGui::PopID();
}

bool begin_table(const Style& style, float width) {
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                     ImGuiTableFlags_Resizable | ImGuiTableFlags_BordersInnerV;
  constexpr float kUnits[kJournalColumns] = {26, 18, 18, 10, 22, 10};
  std::array<ColumnRoom, kJournalColumns> room{};
  for (std::size_t i = 0; i < kJournalColumns; ++i)
    room[i] = {kColumns[i].name.c_str(), style.unit(kUnits[i])};
  constexpr int kFirstToGo[] = {kSaid, kHypothesis, kTime};
  const std::vector<bool> out = columns_left_out(room, kFirstToGo);
  if (!ImGui::BeginTable(kPanel, kJournalColumns, kFlags, {width, 0})) return false;
  reach_rows();
  ImGui::TableSetupScrollFreeze(0, 1);
  const auto is_out = [&](std::size_t i) { return !out.empty() && out[i]; };
  const bool words = !is_out(kHypothesis) || !is_out(kSaid);  // they take what is left
  for (std::size_t i = 0; i < kJournalColumns; ++i) {
    const bool wide = words ? i == kHypothesis || i == kSaid : i == kName;
    ImGui::TableSetupColumn(
        room[i].name,
        (wide ? ImGuiTableColumnFlags_WidthStretch : ImGuiTableColumnFlags_WidthFixed) |
            (is_out(i) ? ImGuiTableColumnFlags_Disabled : 0),
        wide ? 1.0f : room[i].width);
  }
  reach_headers();
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (int i = 0; i < kJournalColumns; ++i) {
    if (!ImGui::TableSetColumnIndex(i)) continue;
    ImGui::TableHeader(kColumns[i].name.c_str());
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", kMeanings[i]);
  }
  return true;
}

// A line of words with what it is before it, wrapped; not drawn if there are none.
void draw_detail(const Style& style, const char* what, const std::string& text) {
  if (text.empty()) return;
  ImGui::PushStyleColor(ImGuiCol_Text, style.colours.muted);
  ImGui::TextUnformatted(what);
  ImGui::PopStyleColor();
  draw_sentence(text);
}

// The figures that an iteration brought with it, on whatever device.
std::string figures_text(const Iteration& iteration) {
  std::string text;
  for (const MetricValue& value : iteration.measured) {
    const Metric* metric = find_metric(value.id);
    if (!value.value || metric == nullptr) continue;
    text +=
        (text.empty() ? "" : ", ") + metric->label + " " + format_value(*value.value, metric->unit);
  }
  return text;
}

void draw_details(const PanelContext& context, const Row& row) {
  const Style& style = context.style;
  const Iteration& i = row.entry->iteration;
  ImGui::TextWrapped("%s", label_of(context.view.scene(), i).c_str());
  if (row.own) {
    for (const Decision decision : {Decision::kept, Decision::reverted, Decision::open}) {
      if (decision != Decision::kept) ImGui::SameLine();
      ImGui::BeginDisabled(i.decision == decision);
      if (tool_button(decision_text(decision).c_str())) {
        request::Note note{i.variant, i};
        note.iteration.decision = decision;
        context.requests.ask(std::move(note));
      }
      ImGui::EndDisabled();
    }
  }
  if (row.own && !i.scene_text.empty() && !context.view.shown.folder().empty() && !for_slides()) {
    if (tool_button("go back to its text")) {
      context.requests.ask(request::GoBack{i});
    }
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip(
          "Saves the folder's files as they were then. The present text is noted first: nothing "
          "is lost.");
  }
  draw_detail(style, "expected", i.hypothesis);
  draw_detail(style, "said", i.said);
  draw_detail(style, "became", i.verdict);
  const std::string figures = figures_text(i);
  draw_detail(style, "measured",
              figures.empty()
                  ? ""
                  : figures + " on " + i.device + (i.problem.empty() ? "" : ", at " + i.problem));
  draw_detail(style, "noted", i.date);
  draw_detail(style, "change", i.diff);
}

// A line to write what is expected into, and the button that notes it.
void draw_entry(const PanelContext& context, Selection& selection, JournalPanel& state) {
  const Style& style = context.style;
  const float button =
      ImGui::CalcTextSize("note it").x + 2 * ImGui::GetStyle().FramePadding.x + style.unit(1);
  ImGui::SetNextItemWidth(
      std::clamp(ImGui::GetContentRegionAvail().x - button, style.unit(16), style.unit(44)));
  const bool entered =
      ImGui::InputTextWithHint("##hypothesis", "what you expect of the selected variant, and why",
                               &state.hypothesis, ImGuiInputTextFlags_EnterReturnsTrue);
  ImGui::SameLine();
  const bool empty = state.hypothesis.find_first_not_of(' ') == std::string::npos;
  ImGui::BeginDisabled(empty || selection.variant.empty());
  const bool pressed = tool_button("note it");
  ImGui::EndDisabled();
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) {
    const bool kept = context.view.opened.records() || !context.view.shown.folder().empty();
    ImGui::SetTooltip(
        "Says what was expected of the last save, where that is an iteration without "
        "words; else writes an iteration of the selected variant, with its figures "
        "as they stand.%s",
        kept ? ""
             : " Nothing is recorded to a file here: it is gone when the window "
               "closes.");
  }
  if (empty || selection.variant.empty() || (!entered && !pressed)) return;
  request::Note note{selection.variant, {}};
  note.iteration.hypothesis = state.hypothesis;
  if (state.own) note.iteration.parent = state.chosen;
  context.requests.ask(std::move(note));
  state.hypothesis.clear();
}

}  // namespace

void draw_journal_panel(const PanelContext& context, Selection& selection, JournalPanel& state) {
  const Style& style = context.style;
  const SessionView& view = context.view;
  const std::vector<JournalEntry> own = view.journals.own();
  const std::vector<JournalEntry>& seed = view.journals.shipped();
  const TableBar bar =
      draw_table_bar(kPanel, "filter: text   (Ctrl+F)", state.filter, selection, style.unit(28));
  if (!for_slides()) {
    ImGui::SameLine();
    if (ImGui::GetContentRegionAvail().x < style.unit(26)) ImGui::NewLine();
    draw_entry(context, selection, state);
  }
  const std::string score = prediction_score(own);
  if (!score.empty()) draw_note(style, score + ".");
  std::vector<Row> all;
  for (const JournalEntry& entry : own) all.push_back({&entry, true});
  for (const JournalEntry& entry : seed) all.push_back({&entry, false});
  if (all.empty()) {
    return draw_note(style,
                     "No iteration is noted, and the scene retells no article's. Write what you "
                     "expect of the selected variant, and press “note it”.");
  }
  std::vector<TableRow> rows;
  for (std::size_t i = 0; i < all.size(); ++i) {
    rows.push_back(cells_of(view.scene(), all[i], i));
  }
  in_one_time_unit(rows, kTime);
  std::erase_if(rows, [&](const TableRow& row) { return !passes(state.filter.text, row, kTime); });
  if (rows.empty()) return draw_note(style, "No iteration passes the filter.");
  const auto chosen = std::find_if(all.begin(), all.end(), [&](const Row& row) {
    return row.own == state.own && row.entry->iteration.number == state.chosen;
  });
  const float room = ImGui::GetContentRegionAvail().x;
  const float details = chosen != all.end() ? std::min(style.unit(40), room * 0.4f) : 0;
  if (begin_table(style, room - details)) {
    for (const TableRow& row : rows) draw_row(context, selection, all[row.index], row, state);
    ImGui::EndTable();
  }
  if (chosen != all.end()) {
    ImGui::SameLine();
    ImGui::BeginChild("details", {0, 0}, kReached);
    draw_details(context, *chosen);
    ImGui::EndChild();
  }
  if (bar.wanted) selection.wish = rows_as_csv(kPanel, kColumns, rows);
}

}  // namespace warpscope
