// workbench/panels/diagrams/hang_picture.cpp: who waits for what where a launch never ends, as a
// picture.
#include "workbench/panels/diagrams/hang_picture.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "profiling/access/hang_rows.h"
#include "scenes/base/plural.h"
#include "workbench/panels/diagrams/diagram.h"

namespace warpscope {
namespace {

constexpr float kLeastCellUnits = 10, kMostCellUnits = 18;

std::string name_of(const HangRow& row, const Trace& trace, const BlockRoles& roles) {
  std::string text = fmt::format("block {}", row.block);
  if (!row.warps.empty()) text += " · " + warps_text(row.warps);
  if (row.lanes != 0) text += ", " + plural(std::popcount(row.lanes), "lane");
  if (row.block == trace.scope.block && !row.warps.empty()) text += roles.suffix(row.warps.front());
  return text;
}

// A sign and a word beside the colour.
const char* label_of(HangState state) {
  switch (state) {
    case HangState::waits:
      return "● waits";
    case HangState::ended:
      return "✕ ended";
    case HangState::never_came:
      break;
  }
  return "never came";
}

void add_dashes(ImDrawList* list, const Box& box, ImU32 colour, float dash, float width) {
  const int across = static_cast<int>(std::ceil(box.width() / (2 * dash)));
  for (int n = 0; n < across; ++n) {
    const float x = box.x0 + static_cast<float>(2 * n) * dash;
    const float end = std::min(x + dash, box.x1);
    list->AddLine({x, box.y0}, {end, box.y0}, colour, width);
    list->AddLine({x, box.y1}, {end, box.y1}, colour, width);
  }
  const int down = static_cast<int>(std::ceil(box.height() / (2 * dash)));
  for (int n = 0; n < down; ++n) {
    const float y = box.y0 + static_cast<float>(2 * n) * dash;
    const float end = std::min(y + dash, box.y1);
    list->AddLine({box.x0, y}, {box.x0, end}, colour, width);
    list->AddLine({box.x1, y}, {box.x1, end}, colour, width);
  }
}

void draw_cell(const Style& style, const Box& box, HangState state) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float width = std::max(1.0f, style.unit(0.2f));
  ImU32 ink = style.colours.bad;
  if (state == HangState::waits) {
    add_box(list, box, style.colours.warning);
    ink = ink_on(style.colours.warning);
  } else if (state == HangState::ended) {
    add_outline(list, box, style.colours.muted, width);
    ink = style.colours.muted;
  } else {
    add_dashes(list, box, ink, style.unit(0.6f), width);
  }
  add_centred(list, box, ink, label_of(state));
}

void point_at(const Trace& trace, const HangPlace& place, const HangCell& cell,
              Selection& selection) {
  selection.trace.hovering.file = place.position.file;
  selection.trace.hovering.line = place.position.line;
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left))
    selection.show_source = {place.position.file, place.position.line};
  const auto wait = static_cast<std::size_t>(cell.wait);
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(ImGui::GetFontSize() * 35);
  ImGui::Text("line %d: %s", place.position.line, label_of(cell.state));
  if (cell.wait >= 0 && wait < trace.hang->waits.size())
    ImGui::TextUnformatted(trace.hang->waits[wait].sentence.c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

// Where rows and columns lie. Names stay at the left while places are scrolled.
struct TableLayout {
  float label = 0, cell = 0, row = 0, head = 0;  // widths and heights
  ImVec2 at;                                     // of the first place's head
  float left = 0;                                // of the names
  Box box(std::size_t r, std::size_t place, float gap) const {
    const float x = at.x + cell * static_cast<float>(place);
    const float y = at.y + head + row * static_cast<float>(r);
    return {x + gap, y + gap / 2, x + cell - gap, y + row - gap / 2};
  }
};

void draw_heads(const Style& style, const HangTable& table, const TableLayout& l, float height) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float line = ImGui::GetTextLineHeight();
  for (std::size_t c = 0; c < table.places.size(); ++c) {
    const float x = l.at.x + l.cell * static_cast<float>(c), y = l.at.y;
    const HangPlace& place = table.places[c];
    add_centred(list, {x, y, x + l.cell, y + line}, style.colours.muted,
                fmt::format("line {}", place.position.line));
    add_centred(list, {x, y + line, x + l.cell, y + 2 * line}, style.colours.muted,
                fitting(place.object, l.cell - style.unit(0.5f)));
    list->AddLine({x, y}, {x, y + height}, style.colours.grid);
  }
}

void draw_cells(const Style& style, const Trace& trace, const HangTable& table,
                const TableLayout& l, Selection& selection) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool hovered = ImGui::IsWindowHovered() && mouse.x >= l.left + l.label;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    for (const HangCell& c : table.rows[r].cells) {
      const Box box = l.box(r, c.place, style.unit(0.4f));
      draw_cell(style, box, c.state);
      if (hovered && box.contains(mouse.x, mouse.y))
        point_at(trace, table.places[c.place], c, selection);
    }
  }
}

void draw_names(const Style& style, const std::vector<std::string>& names, const TableLayout& l) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float line = ImGui::GetTextLineHeight();
  const auto rows = static_cast<float>(names.size());
  add_box(list, {l.left, l.at.y, l.left + l.label, l.at.y + l.head + l.row * rows},
          style.colours.panel);
  for (std::size_t r = 0; r < names.size(); ++r) {
    const float top = l.at.y + l.head + l.row * static_cast<float>(r);
    list->AddText({l.left, top + (l.row - line) / 2}, style.colours.text, names[r].c_str());
  }
}

void draw_table(const Style& style, const Trace& trace, const HangTable& table,
                const BlockRoles& roles, Selection& selection) {
  TableLayout l;
  std::vector<std::string> names;
  for (const HangRow& row : table.rows) {
    names.push_back(name_of(row, trace, roles));
    l.label = std::max(l.label, ImGui::CalcTextSize(names.back().c_str()).x);
  }
  l.label += style.unit(1.5f);
  const float line = ImGui::GetTextLineHeight();
  l.row = line + style.unit(1);
  l.head = 2 * line + style.unit(0.5f);
  const auto columns = static_cast<float>(std::max<std::size_t>(1, table.places.size()));
  const float room = ImGui::GetContentRegionAvail().x - l.label;
  l.cell = std::clamp(room / columns, style.unit(kLeastCellUnits), style.unit(kMostCellUnits));
  const float height = l.head + l.row * static_cast<float>(names.size());
  const bool scrolls = l.cell * columns > room;
  ImGui::BeginChild("places", {0, height + (scrolls ? ImGui::GetStyle().ScrollbarSize : 0)}, 0,
                    ImGuiWindowFlags_HorizontalScrollbar);
  l.at = ImGui::GetCursorScreenPos();
  l.at.x += l.label;
  l.left = ImGui::GetWindowPos().x;
  ImGui::Dummy({l.label + l.cell * columns, height});
  draw_heads(style, table, l, height);
  draw_cells(style, trace, table, l, selection);
  draw_names(style, names, l);
  ImGui::EndChild();
}

std::string circle_text(const HangStory& story) {
  std::string text = "A circle of waits: ";
  for (const int row : story.circle) {
    const WaitingWarps& w = story.waits[static_cast<std::size_t>(row)];
    text += fmt::format("block {} {} (line {}) → ", w.block, warps_text(w.warps), w.position.line);
  }
  const WaitingWarps& first = story.waits[static_cast<std::size_t>(story.circle.front())];
  return text + fmt::format("block {} {}.", first.block, warps_text(first.warps));
}

}  // namespace

void draw_hang_picture(const PanelContext& context, const Trace& trace, const BlockRoles& roles,
                       Selection& selection, float height) {
  const Style& style = context.style;
  const HangStory& story = *trace.hang;
  ImGui::BeginChild("hang", {0, height});
  draw_table(style, trace, hang_table(story), roles, selection);
  ImGui::Dummy({0, style.unit(0.5f)});
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x);
  if (!story.circle.empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, style.colours.warning);
    ImGui::TextUnformatted(circle_text(story).c_str());
    ImGui::PopStyleColor();
  }
  for (const WaitingWarps& wait : story.waits) ImGui::TextUnformatted(wait.sentence.c_str());
  const std::int64_t shown = story.waits.empty() ? 0 : story.waits.back().block;
  if (story.blocks > shown + 1 && story.blocks > 1) {
    ImGui::PushStyleColor(ImGuiCol_Text, style.colours.muted);
    ImGui::Text("%lld blocks never end; these are the first of them.",
                static_cast<long long>(story.blocks));
    ImGui::PopStyleColor();
  }
  ImGui::PopTextWrapPos();
  ImGui::EndChild();
}

void draw_hang_mark(const Style& style, const HangStory& story, const std::string& file, int line) {
  std::string text;
  bool waits = false;
  const auto here = [&](const SourcePosition& p) { return p.line == line && p.file == file; };
  for (const WaitingWarps& wait : story.waits) {
    if (!here(wait.position)) continue;
    waits = true;
    text += fmt::format("{}{} of block {} {}", text.empty() ? "" : "; ", warps_text(wait.warps),
                        wait.block, wait.warps.size() == 1 ? "waits" : "wait");
    constexpr std::size_t kLongest = 80;
    if (text.size() > kLongest) break;
  }
  for (const WaitingWarps& wait : story.waits) {
    for (const AbsentWarps& absent : wait.absent) {
      if (absent.ended && here(absent.position) && text.empty()) text = absent_text(absent);
    }
  }
  if (text.empty()) return;
  ImGui::SameLine(0, style.unit(2));
  ImGui::PushStyleColor(ImGuiCol_Text, waits ? style.colours.warning : style.colours.bad);
  ImGui::TextUnformatted(("◀ " + text).c_str());
  ImGui::PopStyleColor();
}

}  // namespace warpscope
