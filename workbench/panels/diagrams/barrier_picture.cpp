// workbench/panels/diagrams/barrier_picture.cpp: arrivals and waits at barriers, in program order.
#include "workbench/panels/diagrams/barrier_picture.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "workbench/panels/diagrams/diagram.h"

namespace warpscope {
namespace {

constexpr std::size_t kMostNamed = 8;  // barriers that have a colour of their own
constexpr float kLeastCellUnits = 2.25f, kMostCellUnits = 5, kMostRowUnits = 3.5f;

// Where rows and columns lie.
struct Lattice {
  ImVec2 at;
  float label = 0, cell = 0, row = 0;
  Box box(const TimelineMark& mark, float gap) const {
    const float x = at.x + label + cell * static_cast<float>(mark.column);
    const float y = at.y + row * static_cast<float>(mark.warp);
    return {x + gap, y + gap, x + cell - gap, y + row - gap};
  }
};

ImU32 colour_of(const Style& style, std::uint32_t barrier) {
  return variant_colour(style, static_cast<int>(barrier % kMostNamed));
}

// An arrival is filled, a wait is a frame; a copy has a point in the corner.
void draw_mark(const Style& style, const Box& box, const TimelineMark& mark) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImU32 colour = colour_of(style, mark.barrier);
  const float frame = std::max(1.0f, style.unit(0.25f));
  const bool filled = mark.arrives || mark.copies;
  if (filled && mark.waits) {
    add_box(list, {box.x0, (box.y0 + box.y1) / 2, box.x1, box.y1}, colour);
  } else if (filled) {
    add_box(list, box, colour);
  }
  if (mark.waits) add_outline(list, box, colour, frame);
  if (mark.copies) {
    const float size = std::min(box.width(), box.height()) * 0.4f;
    list->AddTriangleFilled({box.x1, box.y0}, {box.x1 - size, box.y0}, {box.x1, box.y0 + size},
                            style.colours.text);
  }
  if (filled && mark.waits) return;
  add_centred(list, box, filled ? ink_on(colour) : style.colours.text, std::to_string(mark.phase));
}

std::string words_of_mark(const Trace& trace, const BlockRoles& roles, const TimelineMark& mark) {
  std::string deed = mark.copies ? "asks for copies" : "";
  if (mark.arrives) deed += std::string(deed.empty() ? "" : " and ") + "arrives";
  if (mark.waits) deed += std::string(deed.empty() ? "" : " and ") + "waits";
  const std::string events = mark.events > 1 ? fmt::format(", {} instructions", mark.events) : "";
  return fmt::format("warp {}{}\n{}: {}, phase {}\nline {}{}", mark.warp,
                     roles.suffix(static_cast<int>(mark.warp)), deed,
                     trace.barriers[mark.barrier].name, mark.phase, mark.line, events);
}

// From the last arrival of a phase to the warps that wait for it.
void draw_link(const Style& style, const BarrierTimeline& timeline, const Lattice& lattice,
               const TimelineMark& mark) {
  if (mark.after < 0) return;
  const Box from = lattice.box(timeline.marks[static_cast<std::size_t>(mark.after)], 0);
  const Box to = lattice.box(mark, 0);
  // From edge to edge: between neighbouring columns it crosses no number.
  ImGui::GetWindowDrawList()->AddLine({from.x1, (from.y0 + from.y1) / 2},
                                      {to.x0, (to.y0 + to.y1) / 2}, style.colours.text,
                                      std::max(1.0f, style.unit(0.2f)));
}

void draw_rows(const Style& style, const Trace& trace, const BlockRoles& roles,
               const BarrierTimeline& timeline, const Lattice& lattice, Selection& selection) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  TraceSelection& t = selection.trace;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const TimelineMark* hovered = nullptr;
  const ImVec2 low = list->GetClipRectMin(), high = list->GetClipRectMax();
  for (const TimelineMark& mark : timeline.marks) {
    const Box box = lattice.box(mark, std::max(1.0f, style.unit(0.2f)));
    if (box.x1 < low.x || box.x0 > high.x || box.y1 < low.y || box.y0 > high.y) continue;
    draw_mark(style, box, mark);
    const bool under = ImGui::IsWindowHovered() && box.contains(mouse.x, mouse.y);
    if (under) hovered = &mark;
  }
  for (const TimelineMark& mark : timeline.marks) {
    const bool shown = hovered != nullptr ? &mark == hovered : mark.warp == t.warp;
    if (shown) draw_link(style, timeline, lattice, mark);
  }
  const float line = ImGui::GetTextLineHeight();
  float label_end = -1e9f;
  // Names stay where they are when marks are scrolled.
  const float left = ImGui::GetWindowPos().x;
  add_box(list,
          {left, lattice.at.y, left + lattice.label,
           lattice.at.y + lattice.row * static_cast<float>(trace.issued.size())},
          style.colours.panel);
  for (std::size_t w = 0; w < trace.issued.size(); ++w) {
    const float top = lattice.at.y + lattice.row * static_cast<float>(w);
    if (top < label_end) continue;
    const std::string name = fmt::format("warp {}{}", w, roles.suffix(static_cast<int>(w)));
    list->AddText({left, top + std::max(0.0f, (lattice.row - line) / 2)},
                  w == t.warp ? style.colours.text : style.colours.muted, name.c_str());
    label_end = top + line;
  }
  if (hovered == nullptr) return;
  t.hovering.warp = static_cast<int>(hovered->warp);
  t.hovering.line = hovered->line;
  t.hovering.file = trace.source;
  ImGui::SetTooltip("%s", words_of_mark(trace, roles, *hovered).c_str());
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) t.warp = hovered->warp;
}

void draw_legend(const Style& style, const Trace& trace) {
  ImGui::TextDisabled("%s", "■ arrives  □ waits  ◥ copies report  · number: phase");
  for (std::size_t b = 0; b < std::min(kMostNamed, trace.barriers.size()); ++b) {
    const std::string name = "■ " + trace.barriers[b].name;
    flow(ImGui::CalcTextSize(name.c_str()).x + style.unit(1));
    ImGui::PushStyleColor(ImGuiCol_Text, colour_of(style, static_cast<std::uint32_t>(b)));
    ImGui::TextUnformatted(name.c_str());
    ImGui::PopStyleColor();
  }
  if (trace.barriers.size() <= kMostNamed) return;
  const std::string more = fmt::format("and {} more", trace.barriers.size() - kMostNamed);
  flow(ImGui::CalcTextSize(more.c_str()).x + style.unit(1));
  ImGui::TextDisabled("%s", more.c_str());
}

}  // namespace

void draw_barrier_picture(const PanelContext& context, const Trace& trace, const BlockRoles& roles,
                          const BarrierTimeline& timeline, Selection& selection, float height) {
  const Style& style = context.style;
  const float line = ImGui::GetTextLineHeightWithSpacing();
  const float bottom = ImGui::GetCursorPosY() + height;
  const std::string caption =
      "In program order, not in time: a wait is drawn to the right of the arrivals that it needs." +
      std::string(timeline.cut ? " Only the first marks were kept." : "");
  const float room = ImGui::GetContentRegionAvail().x;
  draw_note(style, caption);
  draw_legend(style, trace);
  const float area = std::max(bottom - ImGui::GetCursorPosY() - line * 0.5f, 3 * line);
  Lattice lattice;
  for (std::size_t w = 0; w < trace.issued.size(); ++w) {
    const std::string name = fmt::format("warp {}{} ", w, roles.suffix(static_cast<int>(w)));
    lattice.label = std::max(lattice.label, ImGui::CalcTextSize(name.c_str()).x);
  }
  const float scrollbar = ImGui::GetStyle().ScrollbarSize;
  const auto rows = static_cast<float>(std::max<std::size_t>(1, trace.issued.size()));
  lattice.row = std::clamp((area - scrollbar) / rows, style.unit(1.25f), style.unit(kMostRowUnits));
  lattice.cell = std::clamp(
      (room - lattice.label - scrollbar) / static_cast<float>(std::max(1, timeline.columns)),
      style.unit(kLeastCellUnits), style.unit(kMostCellUnits));
  ImGui::BeginChild("barriers", {0, area}, 0, ImGuiWindowFlags_HorizontalScrollbar);
  lattice.at = ImGui::GetCursorScreenPos();
  ImGui::Dummy(
      {lattice.label + lattice.cell * static_cast<float>(timeline.columns), lattice.row * rows});
  draw_rows(style, trace, roles, timeline, lattice, selection);
  ImGui::EndChild();
}

}  // namespace warpscope
