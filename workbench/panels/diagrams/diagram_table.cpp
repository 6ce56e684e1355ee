// workbench/panels/diagrams/diagram_table.cpp: what each memory instruction costs, modelled and
// measured.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "workbench/drawing/focus.h"
#include "workbench/panels/diagrams/diagram.h"
#include "workbench/panels/picture_columns.h"

namespace warpscope {
namespace {

enum Column {
  kLine,
  kAccess,
  kRequests,
  kWaste,
  kModelled,
  kMeasured,
  kDifference,
  kUsed,
  kShare,
  kColumns
};

struct ColumnRow {
  const char* name;
  const char* sentence;
  float units;
};
constexpr std::array<ColumnRow, kColumns> kTable = {
    {{"line", "The source line of the instruction, outside all inlined functions.", 4.4f},
     {"access", "What it does, to which array, and the bytes per lane.", 8.5f},
     {"requests", "Warp instructions with at least one active lane.", 7.2f},
     {"waste",
      "Sectors (or wavefronts) beyond those that its bytes need, of all of the kernel. A click "
      "sorts by it.",
      5},
     {"modelled", "Sectors (or wavefronts) per request by the emulator's addresses.", 7.6f},
     {"measured", "The same from the hardware's counters; a dash says on hover why there is none.",
      7.4f},
     {"diff", "Measured against modelled.", 5.5f},
     {"used", "Bytes requested of the bytes fetched, or wavefronts needed of those taken.", 4.6f},
     {"share", "Share of all sectors (or wavefronts) of the kernel.", 4.9f}}};

double sort_value(const Trace& trace, const SiteFigures& f, int column) {
  const AccessSite& site = trace.sites[f.site];
  switch (column) {
    case kLine:
      return site.position.line;
    case kRequests:
      return static_cast<double>(site.totals.requests);
    case kModelled:
      return f.modelled;
    case kMeasured:
      return f.measured.value_or(-1);
    case kDifference:
      return f.measured && f.modelled > 0 ? *f.measured / f.modelled - 1 : -2;
    case kUsed:
      return f.efficiency_ratio;
    case kShare:
      return f.share_ratio;
    case kWaste:
      return f.waste_ratio;
    default:
      return static_cast<double>(f.site);
  }
}

std::string access_text(const AccessSite& site) {
  return std::string(to_text(site.kind)) + " " +
         (site.buffer.empty() ? to_text(site.space) : site.buffer) + " " +
         std::to_string(site.width_bytes) + " B";
}

// Returns whether the column is shown, and so whether the cell may explain itself.
bool number_cell(const Style& style, const std::string& text, ImU32 colour) {
  if (!ImGui::TableNextColumn()) return false;
  push_face(style.mono);
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopStyleColor();
  ImGui::PopFont();
  return true;
}

// A whole number in groups, or where it would be cut "369.6 M" with the number on hover. `what`: of
// what it is, on hover; empty: nothing more is said.
bool count_cell(const Style& style, double value, const std::string& what) {
  const std::string whole = format_value(value, "1");
  if (!ImGui::TableNextColumn()) return false;
  push_face(style.mono);
  const bool fits = ImGui::CalcTextSize(whole.c_str()).x <= ImGui::GetContentRegionAvail().x;
  std::string in_bytes = format_value(value, "B");  // as bytes have prefixes
  in_bytes.pop_back();
  ImGui::TextUnformatted((fits ? whole : in_bytes).c_str());
  ImGui::PopFont();
  if (ImGui::IsItemHovered() && (!fits || !what.empty()))
    ImGui::SetTooltip("%s", (what.empty() ? whole : whole + " " + what).c_str());
  return true;
}

std::string two_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

std::string percent(double ratio) {
  if (ratio > 0 && ratio < 0.005) return "<1 %";  // some, though it would round to none
  char text[32];
  std::snprintf(text, sizeof text, "%.0f %%", ratio * 100);
  return text;
}

// Measured and difference, or a dash with the reason.
void draw_measured(const Style& style, std::optional<double> modelled,
                   std::optional<double> measured, const std::string& about, bool whole) {
  const bool shown = whole && measured
                         ? count_cell(style, *measured, "counted in all")
                         : number_cell(style, measured ? two_digits(*measured) : "–",
                                       measured ? style.colours.text : style.colours.muted);
  if (shown && !about.empty() && ImGui::IsItemHovered()) ImGui::SetTooltip("%s", about.c_str());
  if (!measured || !modelled || *modelled <= 0) {
    number_cell(style, "–", style.colours.muted);
    return;
  }
  constexpr double kSame = 0.005;
  const double change = *measured / *modelled - 1;
  char difference[32];
  std::snprintf(difference, sizeof difference, "%+.1f %%", change * 100);
  number_cell(style, std::abs(change) < kSame ? "= same" : difference,
              std::abs(change) < kSame ? style.colours.good : style.colours.warning);
}

std::array<TableColumn, kColumns> columns_of(const char* unit) {
  return {{{"line", "1"},
           {"access", ""},
           {"requests", "1"},
           {"waste", "ratio"},
           {std::string("modelled ") + unit + " per request", "1"},
           {std::string("measured ") + unit + " per request", "1"},
           {"difference", "ratio"},
           {"used", "ratio"},
           {"share", "ratio"}}};
}

// What filtering, copying and exporting see of a row.
TableRow cells_of(const Trace& trace, const SiteFigures& f, std::size_t index) {
  const AccessSite& site = trace.sites[f.site];
  const auto count = [](double value) { return figure_cell(value, "1"); };
  std::optional<double> change;
  if (f.measured && f.modelled > 0) change = *f.measured / f.modelled - 1;
  return {{count(site.position.line), words_cell(access_text(site)),
           count(static_cast<double>(site.totals.requests)), figure_cell(f.waste_ratio, "ratio"),
           count(f.modelled), figure_cell(f.measured, "1"), figure_cell(change, "ratio"),
           figure_cell(f.efficiency_ratio, "ratio"), figure_cell(f.share_ratio, "ratio")},
          index};
}

void draw_row(const PanelContext& context, const Diagram& diagram, Selection& selection,
              const SiteFigures& f, std::span<const TableColumn> columns, const TableRow& row,
              const char* panel) {
  const Style& style = context.style;
  const Trace& trace = *diagram.trace;
  const AccessSite& site = trace.sites[f.site];
  TraceSelection& t = selection.trace;
  ImGui::TableNextRow();
  ImGui::PushID(static_cast<int>(f.site));
  ImGui::TableNextColumn();
  const bool chosen = t.site == f.site;
  const bool lit = t.hovered.line == site.position.line && t.hovered.file == site.position.file;
  if (lit || chosen)
    ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg0,
                           chosen ? faded(style.colours.accent, 0.3f) : style.colours.raised);
  const std::string line = std::to_string(site.position.line);
  if (ImGui::Selectable(line.c_str(), false, ImGuiSelectableFlags_SpanAllColumns))
    choose_site(t, trace, f.site);
  if (ImGui::IsItemHovered()) {
    t.hovering.file = site.position.file;
    t.hovering.line = site.position.line;
    const bool global = f.unit.starts_with("sectors");
    const std::string least =
        f.modelled <= f.ideal * 1.01
            ? (global ? "as few as its bytes need" : "no bank conflicts")
            : two_digits(f.ideal) + (global ? " would hold its bytes" : " without bank conflicts");
    ImGui::SetTooltip("%s\n%s, line %d\n%s %s: %s", site.text.c_str(), site.position.file.c_str(),
                      site.position.line, two_digits(f.modelled).c_str(), f.unit.c_str(),
                      least.c_str());
  }
  if (begin_row_menu(columns, row, selection, panel)) {
    if (ImGui::MenuItem("copy the instruction")) ImGui::SetClipboardText(site.text.c_str());
    if (ImGui::MenuItem(("show line " + line + " in Source").c_str()))
      selection.show_source = {site.position.file, site.position.line};
    ImGui::EndPopup();
  }
  ImGui::TableNextColumn();
  draw_fitting_text(access_text(site), ImGui::GetContentRegionAvail().x);
  count_cell(style, static_cast<double>(site.totals.requests), "");
  number_cell(style, percent(f.waste_ratio),
              f.waste_ratio > 0 ? style.colours.warning : style.colours.muted);
  const bool waste = f.modelled > f.ideal * 1.01;
  number_cell(style, two_digits(f.modelled) + (waste ? " ⚠" : ""),
              waste ? style.colours.warning : style.colours.text);
  draw_measured(style, f.modelled, f.measured, f.measured ? f.counted : f.missing, false);
  number_cell(style, percent(f.efficiency_ratio), style.colours.text);
  number_cell(style, percent(f.share_ratio), style.colours.text);
  ImGui::PopID();
}

void draw_group(const Style& style, const GroupFigures& group) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::TextDisabled("all");
  ImGui::TableNextColumn();
  ImGui::PushStyleColor(ImGuiCol_Text, style.colours.muted);
  const bool whole = group.unit == "wavefronts";
  draw_fitting_text(whole ? "wavefronts in all" : group.name, ImGui::GetContentRegionAvail().x);
  ImGui::PopStyleColor();
  ImGui::TableNextColumn();
  ImGui::TableNextColumn();
  if (whole && group.modelled) {
    count_cell(style, *group.modelled, "wavefronts in all");
  } else {
    number_cell(style, group.modelled ? two_digits(*group.modelled) : "–", style.colours.text);
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip(
          "%s%s", group.unit.c_str(),
          group.modelled ? "" : ": only one block was run, the counter sums over all");
  }
  draw_measured(style, group.modelled, group.measured, group.missing, whole);
  for (int column = kUsed; column < kColumns; ++column) ImGui::TableNextColumn();
}

// What the sums are of, how many instructions are left out, and why.
void draw_scope(const Style& style, const Trace& trace, const char* unit, std::size_t idle) {
  const char* scope = trace.scope.grid     ? "the whole grid"
                      : covers_grid(trace) ? "the grid, sampled"
                                           : "this block";
  ImGui::AlignTextToFramePadding();
  // Room for a filter box and a button stays beside the words.
  const float room = ImGui::GetContentRegionAvail().x - style.unit(22);
  const std::string words_here =
      std::string(scope) + " · " + unit + " per request" +
      (idle == 0 ? "" : " · " + std::to_string(idle) + " made no request");
  ImGui::PushStyleColor(ImGuiCol_Text, style.colours.muted);
  draw_fitting_text(words_here, std::max(room, style.unit(8)));
  ImGui::PopStyleColor();
  if (!ImGui::IsItemHovered() || (idle == 0 && !trace.sample)) return;
  std::string words = "Sums: " + scope_text(trace) + ".";
  if (idle > 0)
    words += " " + std::to_string(idle) + " made no request in " +
             (trace.sample ? "the blocks that were run" : scope) + ": no active lane reached them.";
  ImGui::SetTooltip("%s", words.c_str());
}

// Begins the table with its heads; false: it has no room.
bool begin_sites(const Style& style) {
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                     ImGuiTableFlags_Resizable | ImGuiTableFlags_Sortable |
                                     ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_PadOuterX;
  // What the measurement adds goes first, then what waste and share say as well.
  constexpr int kFirstToGo[] = {kDifference, kUsed, kMeasured, kRequests, kShare};
  constexpr float kPadding = 0.25f;
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding,
                      {style.unit(kPadding), ImGui::GetStyle().CellPadding.y});
  std::array<ColumnRoom, kColumns> room{};
  for (std::size_t i = 0; i < kTable.size(); ++i)
    room[i] = {kTable[i].name, style.unit(kTable[i].units)};
  const std::vector<bool> out = columns_left_out(room, kFirstToGo);
  const bool begun = ImGui::BeginTable("sites", kColumns, kFlags, ImGui::GetContentRegionAvail());
  ImGui::PopStyleVar();
  if (!begun) return false;
  reach_rows();
  ImGui::TableSetupScrollFreeze(0, 1);
  // What is left is the access's.
  for (std::size_t i = 0; i < kTable.size(); ++i) {
    const bool stretches = i == kAccess;
    ImGui::TableSetupColumn(
        kTable[i].name,
        (stretches ? ImGuiTableColumnFlags_WidthStretch : ImGuiTableColumnFlags_WidthFixed) |
            (i == kShare || i == kWaste ? ImGuiTableColumnFlags_PreferSortDescending : 0) |
            (!out.empty() && out[i] ? ImGuiTableColumnFlags_Disabled : 0),
        stretches ? 1 : room[i].width);
  }
  reach_headers();
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  // Part of the room that a header keeps free for the arrow of sorting.
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                      {style.unit(0.25f), ImGui::GetStyle().FramePadding.y});
  for (const ColumnRow& column : kTable) {
    if (!ImGui::TableNextColumn()) continue;
    ImGui::TableHeader(column.name);
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", column.sentence);
  }
  ImGui::PopStyleVar();
  return true;
}

void sort_as_asked(const Trace& trace, std::vector<SiteFigures>& figures) {
  const ImGuiTableSortSpecs* sort = ImGui::TableGetSortSpecs();
  if (sort == nullptr || sort->SpecsCount == 0) return;
  const ImGuiTableColumnSortSpecs& by = sort->Specs[0];
  const bool up = by.SortDirection == ImGuiSortDirection_Ascending;
  std::stable_sort(figures.begin(), figures.end(), [&](const SiteFigures& a, const SiteFigures& b) {
    const double x = sort_value(trace, a, by.ColumnIndex), y = sort_value(trace, b, by.ColumnIndex);
    return up ? x < y : x > y;
  });
}

}  // namespace

void draw_site_table(const PanelContext& context, const Diagram& diagram, Selection& selection,
                     RequestFamily family, TableFilter& filter) {
  const Style& style = context.style;
  const Trace& trace = *diagram.trace;
  const bool shared = family == RequestFamily::shared;
  std::vector<SiteFigures> figures = counted_figures(diagram);
  std::erase_if(figures,
                [&](const SiteFigures& f) { return !belongs(trace.sites[f.site], family); });
  const std::size_t idle = std::erase_if(
      figures, [&](const SiteFigures& f) { return trace.sites[f.site].totals.requests == 0; });
  const char* panel = shared ? "banks" : "coalescing";
  const char* unit = shared ? "wavefronts" : "sectors";
  draw_scope(context.style, trace, unit, idle);
  ImGui::SameLine();
  const TableBar bar =
      draw_table_bar(panel, "filter", filter, selection, ImGui::GetContentRegionAvail().x);
  if (figures.empty()) {
    const std::string memory = shared ? "shared memory" : "global memory";
    return draw_note(style, idle == 0 ? "The kernel has no instruction for " + memory + "."
                                      : "No instruction for " + memory + " made a request.");
  }
  const auto columns = columns_of(unit);
  if (filter.text[0] != '\0') {
    std::erase_if(figures, [&](const SiteFigures& f) {
      return !passes(filter.text, cells_of(trace, f, 0), kModelled);
    });
  }
  if (figures.empty()) return draw_note(style, "No instruction passes the filter.");
  if (!begin_sites(style)) return;
  sort_as_asked(trace, figures);
  const auto made = [&](std::size_t index) { return cells_of(trace, figures[index], index); };
  std::vector<TableRow> rows = rows_that_pass("", kModelled, figures.size(), made);
  if (bar.wanted) make_rows(rows, made);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(rows.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      TableRow& row = rows[static_cast<std::size_t>(i)];
      make_row(row, made);
      draw_row(context, diagram, selection, figures[row.index], columns, row, panel);
    }
  }
  for (const GroupFigures& group : group_figures(trace, diagram.counters)) {
    if ((group.space == Space::shared) == shared) draw_group(style, group);
  }
  ImGui::EndTable();
  if (bar.wanted) selection.wish = rows_as_csv(panel, columns, rows);
}

}  // namespace warpscope
