// workbench/panels/findings/findings_panel.cpp: what is wrong with a launch, or wasteful in it, as
// a ranked table.
#include <imgui.h>

#include <algorithm>
#include <filesystem>

#include "scenes/base/plural.h"
#include "workbench/drawing/focus.h"
#include "workbench/panels/diagrams/diagram.h"
#include "workbench/panels/findings/show_finding.h"
#include "workbench/panels/panels.h"
#include "workbench/panels/terms.h"
#include "workbench/workspace/trace_state.h"

namespace warpscope {
namespace {

constexpr const char* kPanel = "findings";

enum FindingColumn : std::uint8_t {
  kRank,
  kKind,
  kLine,
  kShare,
  kCause,
  kFigure,
  kBetter,
  kGain,
  kSeverity,  // from here on in copies and files alone
  kFile,
  kCount,
  kFindingColumns
};
const TableColumn kColumns[kFindingColumns] = {
    {"rank", "1"},    {"finding", ""}, {"line", "1"},  {"share", "ratio"},
    {"cause", ""},    {"figure", ""},  {"better", ""}, {"gain", ""},
    {"severity", ""}, {"file", ""},    {"count", ""}};
constexpr int kDrawnColumns = kSeverity;
constexpr const char* kMeanings[kDrawnColumns] = {
    "Wrong results come first, then waste by its share.",
    "The kind of the finding. ✕: the result is wrong; ⚠: waste of at least a tenth of the launch's "
    "traffic or instructions, a run that was stopped at its limit, an instruction that is not "
    "emulated, or a fault at a buffer of guessed size; ·: less waste.",
    "A click shows the line in Source and the access in its diagram.",
    "Waste: of the launch's sectors, wavefronts, requests or warp instructions, whichever the "
    "finding counts.",
    "Why it happens, the figure, and what would be better.",
    "The figure, emulated.",
    "What would be better.",
    "An upper bound for what a change can save."};

// The columns of words stand beside each other where there is room, else one below the other.
bool is_wide(const Style& style) { return ImGui::GetContentRegionAvail().x > style.unit(150); }

const char* sign_of(FindingSeverity severity) {
  return severity == FindingSeverity::error     ? "✕"
         : severity == FindingSeverity::warning ? "⚠"
                                                : "·";
}

ImU32 colour_of(const Style& style, FindingSeverity severity) {
  return severity == FindingSeverity::error     ? style.colours.bad
         : severity == FindingSeverity::warning ? style.colours.warning
                                                : style.colours.muted;
}

// "31" in the kernel's own file, "tile.cuh:31" in another one.
std::string place_of_finding(const Trace& trace, const Finding& f) {
  const std::string file = std::filesystem::path(f.position.file).filename().string();
  if (f.position.line == 0) return file;
  const std::string line = std::to_string(f.position.line);
  return f.position.file == trace.source ? line : file + ":" + line;
}

TableRow cells_of(const Trace& trace, const Finding& f, std::size_t index) {
  TableRow row{std::vector<TableCell>(kFindingColumns, words_cell("–")), index};
  const auto rank = static_cast<double>(index + 1);
  row.cells[kRank] = {std::to_string(index + 1), rank, "1"};
  row.cells[kKind] = words_cell(rule_of(f.kind).title);
  row.cells[kLine] = {place_of_finding(trace, f), static_cast<double>(f.position.line), "1"};
  if (f.all > 0) row.cells[kShare] = figure_cell(f.share_ratio(), "ratio");
  row.cells[kCause] = words_cell(f.what);
  row.cells[kFigure] = words_cell(f.figure);
  row.cells[kBetter] = words_cell(f.better);
  if (!f.gain.empty()) row.cells[kGain] = words_cell(f.gain);
  row.cells[kSeverity] = words_cell(to_text(f.severity));
  row.cells[kFile] = words_cell(f.position.file);
  row.cells[kCount] = {std::to_string(f.count), static_cast<double>(f.count), f.unit};
  return row;
}

}  // namespace

// A sample takes the place of the first block's trace: what the sums are of belongs to the name.
const FindingList& findings_once(const Trace& trace, FindingsPanel& state) {
  const std::string of = name_of(trace) + "/" + std::to_string(trace.job) + "/" +
                         scope_text(trace) + "/" + std::to_string(trace.warp_instructions) + "/" +
                         trace.source_hash;
  if (state.of != of) state = {state.filter, of, findings_of(trace)};
  return state.list;
}

void show_finding(Selection& selection, const Trace& trace, const Finding& f) {
  if (f.position.line > 0) selection.show_source = {f.position.file, f.position.line};
  TraceSelection& t = selection.trace;
  selection.pair = false;
  switch (f.diagram) {
    case FindingDiagram::none:
      return;
    case FindingDiagram::global_requests:
      selection.wanted_panel = "coalescing";
      break;
    case FindingDiagram::shared_requests:
      selection.wanted_panel = "banks";
      break;
    case FindingDiagram::active_lanes:
      selection.wanted_panel = "divergence";
      return;
  }
  if (f.site < 0) return;
  if (t.site != f.site) choose_site(t, trace, f.site);
  if (const auto worst = worst_request(trace, static_cast<std::uint32_t>(f.site)))
    choose_request(t, trace, *worst);
  t.zoom = TraceZoom::request;
}

namespace {

std::string title_of(const Finding& f) {
  return std::string(sign_of(f.severity)) + " " + rule_of(f.kind).title;
}
// The words of a row, one below the other.
std::string stacked_text(const Finding& f) {
  return title_of(f) + "\n" + f.what + "\n" + f.figure + (f.gain.empty() ? "" : "; " + f.gain) +
         "\n→ " + f.better;
}

float height_of(const std::string& text, float width) {
  return ImGui::CalcTextSize(text.c_str(), nullptr, false, std::max(width, 1.0f)).y;
}

bool begin_table(const Style& style, bool wide) {
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                     ImGuiTableFlags_Resizable | ImGuiTableFlags_BordersInner |
                                     ImGuiTableFlags_Sortable | ImGuiTableFlags_SortTristate;
  if (!ImGui::BeginTable(wide ? "findings-wide" : kPanel, kDrawnColumns, kFlags)) return false;
  reach_rows();
  ImGui::TableSetupScrollFreeze(0, 1);
  const float widths[kDrawnColumns] = {3, 18, wide ? 12.f : 9.f, 8, 0, 0, 0, 0};
  for (int i = 0; i < kDrawnColumns; ++i) {
    const bool words = i >= kCause;
    const bool off = !wide && (i == kKind || i > kCause);
    ImGui::TableSetupColumn(
        i == kRank             ? "#"
        : i == kCause && !wide ? "cause, figure, and what is better"
                               : kColumns[i].name.c_str(),
        (words ? ImGuiTableColumnFlags_WidthStretch : ImGuiTableColumnFlags_WidthFixed) |
            (off ? ImGuiTableColumnFlags_Disabled : 0) |
            (i == kShare ? ImGuiTableColumnFlags_PreferSortDescending : 0),
        words ? 1.0f : style.unit(widths[i]));
  }
  reach_headers();
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (int i = 0; i < kDrawnColumns; ++i) {
    if (!ImGui::TableSetColumnIndex(i)) continue;
    ImGui::TableHeader(ImGui::TableGetColumnName(i));
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", kMeanings[i]);
  }
  return true;
}

// How high the row is: as its longest cell of words.
float row_height(const Finding& f, const TableRow& cells, bool wide) {
  float height = ImGui::GetTextLineHeight();
  for (int i = kCause; i < kDrawnColumns; ++i) {
    if (!ImGui::TableSetColumnIndex(i)) continue;
    const std::string text = wide ? cells.cells[static_cast<std::size_t>(i)].text : stacked_text(f);
    height = std::max(height, height_of(text, ImGui::GetContentRegionAvail().x));
  }
  return height;
}

void draw_title(const Style& style, const Finding& f) {
  ImGui::PushStyleColor(ImGuiCol_Text, colour_of(style, f.severity));
  ImGui::TextWrapped("%s", title_of(f).c_str());
  ImGui::PopStyleColor();
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", rule_of(f.kind).help);
}

void draw_words(const Style& style, const Finding& f, const TableRow& cells, int column,
                bool wide) {
  if (wide) return draw_sentence(cells.cells[static_cast<std::size_t>(column)].text);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {ImGui::GetStyle().ItemSpacing.x, 0});
  draw_title(style, f);
  draw_sentence(f.what);
  draw_note(style, f.figure + (f.gain.empty() ? "" : "; " + f.gain));
  draw_sentence("→ " + f.better);
  ImGui::PopStyleVar();
}

void draw_row(const PanelContext& context, Selection& selection, const Trace& trace,
              const Finding& f, const TableRow& cells, bool wide) {
  const Style& style = context.style;
  ImGui::TableNextRow();
  ImGui::PushID(static_cast<int>(cells.index));
  const float height = row_height(f, cells, wide);
  TraceSelection& t = selection.trace;
  if (f.position.line > 0 && t.hovered.line == f.position.line && t.hovered.file == f.position.file)
    ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg0, style.colours.raised);
  for (int i = 0; i < kDrawnColumns; ++i) {
    if (!ImGui::TableSetColumnIndex(i)) continue;
    const std::string& text = cells.cells[static_cast<std::size_t>(i)].text;
    if (i == kRank) {
      if (ImGui::Selectable("##row", false,
                            ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowOverlap,
                            {0, height}))
        show_finding(selection, trace, f);
      if (ImGui::IsItemHovered()) {
        t.hovering.file = f.position.file;
        t.hovering.line = f.position.line;
      }
      if (begin_row_menu(kColumns, cells, selection, kPanel)) ImGui::EndPopup();
      ImGui::SameLine(0, 0);
      ImGui::TextUnformatted(text.c_str());
    } else if (i == kKind) {
      draw_title(style, f);
    } else if (i >= kCause) {
      draw_words(style, f, cells, i, wide);
    } else {
      draw_fitting_text(text, ImGui::GetContentRegionAvail().x);
      if (i == kShare && f.all == 0)
        explain_missing("a share needs a sum over the launch: this finding has none");
    }
  }
  ImGui::PopID();
}

// The steps that have a trace, where there are several: each is a launch with findings of its own.
void draw_steps(const PanelContext& context, const Trace& trace, Selection& selection) {
  const std::vector<std::string> steps = traced_steps(context.view.session(), trace);
  if (steps.size() < 2 || for_slides()) return;
  for (const std::string& step : steps) {
    if (&step != &steps.front()) flow(ImGui::CalcTextSize(step.c_str()).x + context.style.unit(2));
    ImGui::PushStyleColor(ImGuiCol_Text, step == trace.step ? context.style.colours.accent
                                                            : context.style.colours.muted);
    if (small_tool_button((step + "##step").c_str())) selection.step = step;
    ImGui::PopStyleColor();
  }
}

// Whether the trace is of the selection, and why not.
void draw_freshness(const PanelContext& context, const TraceState& state, const Variant& variant) {
  const Style& style = context.style;
  if (state.freshness != Freshness::fresh) {
    ImGui::PushStyleColor(ImGuiCol_Text, style.colours.warning);
    ImGui::TextWrapped("%s", state.freshness == Freshness::pending
                                 ? "… a newer trace is on its way"
                                 : ("stale: " + state.why_stale).c_str());
    ImGui::PopStyleColor();
    if (state.freshness == Freshness::stale) {
      flow(style.unit(10));
      if (small_tool_button("trace again")) context.requests.ask(request::Trace{variant.name});
    }
  }
  if (state.failure) {
    ImGui::PushStyleColor(ImGuiCol_Text, style.colours.bad);
    ImGui::TextWrapped("✕ the last emulation failed: %s", sentence(*state.failure).c_str());
    ImGui::PopStyleColor();
  }
}

std::string count_line(const FindingList& list, const Variant& variant, const Trace& trace) {
  const std::size_t count = list.findings.size();
  return variant.label + ": " +
         (count == 0 ? "no findings" : plural(std::ssize(list.findings), "finding")) + " in " +
         std::filesystem::path(trace.source).filename().string();
}

}  // namespace

void draw_findings_panel(const PanelContext& context, Selection& selection, FindingsPanel& state) {
  const Style& style = context.style;
  const Variant* variant = find_variant(context.view.scene(), selection.variant);
  if (variant == nullptr)
    return draw_note(style, "Nothing is selected: click a variant in the list.");
  const TraceState shown = trace_state(context.view, selection.variant);
  if (shown.trace == nullptr)
    return explain_absence(context, *variant, shown, request::Trace{variant->name});
  const Trace& trace = *shown.trace;
  const FindingList& list = findings_once(trace, state);
  draw_steps(context, trace, selection);
  draw_freshness(context, shown, *variant);
  const TableBar bar = draw_table_bar(kPanel, "filter: text, > 10 %  (Ctrl+F)", state.filter,
                                      selection, style.unit(30));
  ImGui::SameLine();
  draw_fitting_text(count_line(list, *variant, trace), ImGui::GetContentRegionAvail().x);
  draw_note(style, list.scope);
  if (list.findings.empty())
    return draw_note(style, "No fault was found, and no access wastes more than these limits.");
  std::vector<TableRow> rows;
  for (std::size_t i = 0; i < list.findings.size(); ++i)
    rows.push_back(cells_of(trace, list.findings[i], i));
  std::erase_if(rows, [&](const TableRow& row) { return !passes(state.filter.text, row, kShare); });
  if (rows.empty()) return draw_note(style, "No finding passes the filter.");
  const bool wide = is_wide(style);
  if (!begin_table(style, wide)) return;
  sort_as_asked(rows);
  for (const TableRow& row : rows)
    draw_row(context, selection, trace, list.findings[row.index], row, wide);
  ImGui::EndTable();
  if (bar.wanted) selection.wish = rows_as_csv(kPanel, kColumns, rows);
}

}  // namespace warpscope
