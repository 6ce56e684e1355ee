// workbench/panels/source/listing_cells.cpp: the figures before a row of PTX or SASS.
#include "workbench/panels/source/listing_cells.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "profiling/stalls/stall_words.h"
#include "workbench/panels/diagrams/diagram.h"

namespace warpscope {
namespace {

// "8 192", "1.23 M": whole as long as it is short.
std::string count_text(std::int64_t v) {
  constexpr std::int64_t kWhole = 99'999;
  if (v <= kWhole) return format_value(static_cast<double>(v), "1");
  double part = static_cast<double>(v) / 1e3;
  const char* prefix = "kMGTPE";
  for (constexpr double kNext = 999.5; part >= kNext && prefix[1] != '\0'; ++prefix) part /= 1e3;
  return fmt::format("{:.3g} {}", part, *prefix);
}

// A cell of a row: its name above the rows and what it means, and its text.
struct Cell {
  const char *name, *sentence;
  std::string (*text)(const RowFigures&);
};
constexpr Cell kCells[] = {
    {"executed", "Warp instructions executed, emulated.",
     [](const RowFigures& r) { return count_text(r.modelled.instructions); }},
    {"threads", "Thread instructions: lanes whose predicate holds, emulated.",
     [](const RowFigures& r) { return count_text(r.modelled.threads); }},
    {"sectors", "32-byte sectors of global and local memory, emulated.",
     [](const RowFigures& r) {
       const std::int64_t sectors = r.modelled.global.sectors + r.modelled.local.sectors;
       return sectors == 0 ? std::string() : count_text(sectors);
     }},
    {"wavefr.", "Wavefronts of shared memory, emulated.", [](const RowFigures& r) {
       const std::int64_t wavefronts = r.modelled.shared.wavefronts;
       return wavefronts == 0 ? std::string() : count_text(wavefronts);
     }}};
constexpr float kCellLetters = 9, kBarLetters = 4, kLiveLetters = 5, kLineLetters = 5,
                kShareLetters = 8, kReasonLetters = 18;
// From which the first cell has room beside the instruction, from which all cells, and from which
// all cells and the waits. Waits come before the first cell, and their reasons before all cells.
constexpr float kMediumUnits = 60, kWideUnits = 84, kWidestUnits = 118;

// Draws text that ends `width` letters after the cursor, and leaves the cursor after it.
void draw_right(const CellLayout& layout, float letters, const std::string& text, ImU32 colour) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = letters * layout.letter;
  ImGui::GetWindowDrawList()->AddText(
      {at.x + width - layout.letter - ImGui::CalcTextSize(text.c_str()).x, at.y}, colour,
      text.c_str());
  ImGui::SetCursorScreenPos({at.x + width, at.y});
}

// Full where it was counted or sampled, else outlined.
void draw_bar(const Style& style, const CellLayout& layout, double ratio, bool full) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const Box box{at.x, at.y + 1, at.x + kBarLetters * layout.letter * static_cast<float>(ratio) + 1,
                at.y + ImGui::GetTextLineHeight() - 1};
  const ImU32 colour = heat_colour(style, 0.25 + 0.75 * ratio);
  add_box(ImGui::GetWindowDrawList(), box, full ? colour : faded(colour, 0.35f));
  if (!full) add_outline(ImGui::GetWindowDrawList(), box, colour, 1);
}

// The chosen figure with a bar of its part of the most: outlined where emulated, full where
// counted.
void draw_heat(const Style& style, const CellLayout& layout, std::int64_t value, double most,
               bool counted) {
  if (value > 0 && most > 0)
    draw_bar(style, layout, std::min(1.0, static_cast<double>(value) / most), counted);
  draw_right(layout, kBarLetters + kCellLetters, value > 0 ? count_text(value) : "",
             style.colours.text);
}

// The share of a row's waits with a bar, outlined where it is modelled, and the reason that most of
// them have.
void draw_waits(const Style& style, const CellLayout& layout, const InstructionShare* of,
                const InstructionShares& waits) {
  if (of != nullptr) draw_bar(style, layout, of->share_ratio / waits.most_ratio, !waits.modelled);
  draw_right(layout, kBarLetters + kShareLetters,
             of == nullptr ? "" : percent_words(of->share_ratio), style.colours.text);
  if (!layout.reasons) return;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (of != nullptr)
    ImGui::GetWindowDrawList()->AddText(
        at, style.colours.muted, fitting(of->reason, (kReasonLetters - 1) * layout.letter).c_str());
  ImGui::SetCursorScreenPos({at.x + kReasonLetters * layout.letter, at.y});
}

}  // namespace

std::int64_t heat_of(const RowFigures& row, const LineFigureRow& heat, bool counted) {
  if (counted && heat.measured != nullptr) return heat.measured(row.measured).value_or(0);
  return row.is_modelled ? heat.modelled(row.modelled) : 0;
}

const LiveRegisters* live_at(const Listing& listing, const ListedColumn& column, std::size_t k) {
  return k < column.live.size() && column.live[k] < listing.live.size()
             ? &listing.live[column.live[k]]
             : nullptr;
}

const InstructionShare* waits_at(const InstructionShares* waits, const ListedColumn& column,
                                 std::size_t k) {
  if (waits == nullptr || column.live[k] >= waits->rows.size()) return nullptr;
  const InstructionShare& of = waits->rows[column.live[k]];
  return of.share_ratio > 0 ? &of : nullptr;
}

CellLayout layout_of(const Style& style, const ListedColumn& column, const Listing& listing,
                     SourceColumn which, const ListingColumns& columns) {
  CellLayout layout;
  const LineFigureRow* const heat = columns.heat;
  layout.letter = ImGui::CalcTextSize("0").x;
  layout.heat = heat != nullptr && !column.figures.rows.empty();
  layout.measured = layout.heat && column.figures.measured && heat->measured != nullptr;
  const float room = ImGui::GetContentRegionAvail().x;
  layout.live = which == SourceColumn::machine_code && !listing.live.empty();
  layout.waits = which == SourceColumn::machine_code && columns.waits != nullptr &&
                 columns.waits->most_ratio > 0 && columns.waits->rows.size() == column.instructions;
  layout.reasons = layout.waits && room >= style.unit(kWideUnits);
  const float all = layout.waits ? kWidestUnits : kWideUnits;
  const float first = layout.waits ? kWideUnits : kMediumUnits;
  if (column.figures.modelled && which == SourceColumn::machine_code)
    layout.cells = room >= style.unit(all) ? std::size(kCells) : room >= style.unit(first) ? 1 : 0;
  return layout;
}

void draw_cell_names(const Style& style, const CellLayout& layout, const ListingColumns& columns) {
  const LineFigureRow* const heat = columns.heat;
  const auto name = [&](float letters, const std::string& text, const std::string& sentence) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const bool left = letters == kReasonLetters;
    draw_right(layout, letters, left ? "" : text, style.colours.muted);
    if (left) ImGui::GetWindowDrawList()->AddText(at, style.colours.muted, text.c_str());
    const ImVec2 end{ImGui::GetCursorScreenPos().x, at.y + ImGui::GetTextLineHeight()};
    if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(at, end))
      ImGui::SetTooltip("%s", sentence.c_str());
  };
  name(kLineLetters, "line", "The line of the kernel's text that it comes from.");
  if (layout.heat)
    name(kBarLetters + kCellLetters, fitting(std::string(heat->label), 12 * layout.letter),
         std::string(heat->label) + ", emulated. " + std::string(heat->sentence));
  if (layout.measured)
    name(kBarLetters + kCellLetters, "counted",
         std::string(heat->label) + ", counted by the hardware at each instruction.");
  for (const Cell& cell : std::span(kCells).first(layout.cells))
    name(kCellLetters, cell.name, cell.sentence);
  if (layout.waits)
    name(kBarLetters + kShareLetters, columns.waits->modelled ? "modelled" : "samples",
         columns.waits->modelled
             ? "The share of each instruction in the modelled cycles of all warps: waiting and "
               "issued. Hover over a row for its reasons."
             : "The share of each instruction in all samples: waiting and issued. Hover over a row "
               "for its reasons.");
  if (layout.reasons)
    name(kReasonLetters, "waits most for", "The reason that most of its waits have.");
  if (layout.live)
    name(kLiveLetters, "live",
         "General registers in use at the instruction: read there or later, or written.");
  ImGui::Dummy({0, ImGui::GetTextLineHeight()});
}

void draw_cells(const Style& style, const CellLayout& layout, const ListingColumns& columns,
                const ListedColumn& column, std::size_t k, int line, const Listing& listing) {
  draw_right(layout, kLineLetters, line > 0 ? std::to_string(line) : "", style.colours.muted);
  const LineFigureRow* const heat = columns.heat;
  const RowFigures* row = k < column.figures.rows.size() ? &column.figures.rows[k] : nullptr;
  const bool known = row != nullptr && row->machine_instructions > 0;
  if (layout.heat)
    draw_heat(style, layout, known ? heat_of(*row, *heat, false) : 0, column.most, false);
  if (layout.measured)
    draw_heat(style, layout, known ? heat_of(*row, *heat, true) : 0, column.most, true);
  for (const Cell& cell : std::span(kCells).first(layout.cells))
    draw_right(layout, kCellLetters, known ? cell.text(*row) : "", style.colours.text);
  if (layout.waits) draw_waits(style, layout, waits_at(columns.waits, column, k), *columns.waits);
  if (!layout.live) return;
  const LiveRegisters* const live = live_at(listing, column, k);
  const bool most = column.most_live == k;
  draw_right(layout, kLiveLetters, live == nullptr ? "" : std::to_string(live->general),
             most ? style.colours.warning : style.colours.muted);
}

}  // namespace warpscope
