// workbench/panels/hang_picture.cpp: who waits for what where a launch never ends, as a picture.
#include "workbench/panels/hang_picture.h"

#include <imgui.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "profiling/access/hang_rows.h"
#include "workbench/panels/diagram.h"

namespace warpscope {
namespace {

constexpr float kLeastCellUnits = 10, kMostCellUnits = 18;

std::string name_of(const HangRow& row, const Trace& trace, const BlockRoles& roles) {
  std::string text = "block " + std::to_string(row.block);
  if (!row.warps.empty()) text += " · " + warps_text(row.warps);
  if (row.lanes != 0) text += ", " + std::to_string(std::popcount(row.lanes)) + " lanes";
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
  const auto wait = static_cast<std::size_t>(cell.wait);
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(ImGui::GetFontSize() * 35);
  ImGui::Text("line %d: %s", place.position.line, label_of(cell.state));
  if (cell.wait >= 0 && wait < trace.hang->waits.size())
    ImGui::TextUnformatted(trace.hang->waits[wait].sentence.c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

void draw_table(const Style& style, const Trace& trace, const HangTable& table,
                const BlockRoles& roles, Selection& selection) {
  float label = 0;
  std::vector<std::string> names;
  for (const HangRow& row : table.rows) {
    names.push_back(name_of(row, trace, roles));
    label = std::max(label, ImGui::CalcTextSize(names.back().c_str()).x);
  }
  label += style.unit(1.5f);
  const float line = ImGui::GetTextLineHeight();
  const float height = line + style.unit(1);
  const auto columns = static_cast<float>(std::max<std::size_t>(1, table.places.size()));
  const float room = ImGui::GetContentRegionAvail().x - label;
  const float cell =
      std::clamp(room / columns, style.unit(kLeastCellUnits), style.unit(kMostCellUnits));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float head = 2 * line + style.unit(0.5f);
  const float total = head + height * static_cast<float>(table.rows.size());
  ImGui::Dummy({label + cell * columns, total});
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (std::size_t c = 0; c < table.places.size(); ++c) {
    const float x = at.x + label + cell * static_cast<float>(c);
    const HangPlace& place = table.places[c];
    add_centred(list, {x, at.y, x + cell, at.y + line}, style.colours.muted,
                "line " + std::to_string(place.position.line));
    add_centred(list, {x, at.y + line, x + cell, at.y + 2 * line}, style.colours.muted,
                fitting(place.object, cell - style.unit(0.5f)));
    list->AddLine({x, at.y}, {x, at.y + total}, style.colours.grid);
  }
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const float top = at.y + head + height * static_cast<float>(r);
    list->AddText({at.x, top + (height - line) / 2}, style.colours.text, names[r].c_str());
    for (const HangCell& c : table.rows[r].cells) {
      const float x = at.x + label + cell * static_cast<float>(c.place);
      const float gap = style.unit(0.4f);
      const Box box{x + gap, top + gap / 2, x + cell - gap, top + height - gap / 2};
      draw_cell(style, box, c.state);
      if (ImGui::IsWindowHovered() && box.contains(mouse.x, mouse.y))
        point_at(trace, table.places[c.place], c, selection);
    }
  }
}

std::string circle_text(const HangStory& story) {
  std::string text = "A circle of waits: ";
  for (const int row : story.circle) {
    const WaitingWarps& w = story.waits[static_cast<std::size_t>(row)];
    text += "block " + std::to_string(w.block) + " " + warps_text(w.warps) + " (line " +
            std::to_string(w.position.line) + ") → ";
  }
  const WaitingWarps& first = story.waits[static_cast<std::size_t>(story.circle.front())];
  return text + "block " + std::to_string(first.block) + " " + warps_text(first.warps) + ".";
}

}  // namespace

void draw_hang_picture(const PanelContext& context, const Trace& trace, const BlockRoles& roles,
                       Selection& selection, float height) {
  const Style& style = context.style;
  const HangStory& story = *trace.hang;
  ImGui::BeginChild("hang", {0, height}, false, ImGuiWindowFlags_HorizontalScrollbar);
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
    text += (text.empty() ? "" : "; ") + warps_text(wait.warps) + " of block " +
            std::to_string(wait.block) + (wait.warps.size() == 1 ? " waits" : " wait");
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
