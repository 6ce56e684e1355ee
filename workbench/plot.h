// workbench/plot.h: a plot on ImGui's draw list: axes, grid, zoom and pan.
#pragma once

#include <imgui.h>

#include <string>

#include "workbench/plot_layout.h"
#include "workbench/style.h"

// Habits: wheel zooms at the pointer, right drag pans, double click fits, Shift and drag zooms to a
// box; with the pointer inside, W A S D and arrows pan, + and - zoom (Ctrl finer, Shift faster).
//
//   PlotArea area = begin_plot("roofline", size, x, y, view, style);
//   area.list->AddLine(area.at(1, 2), area.at(3, 4), colour);
//   end_plot(area);

namespace warpscope {

struct PlotAxisText {
  std::string label, unit;
};

// What a plot remembers between frames.
struct PlotView {
  PlotScale x, y;
  bool fitted = false;   // false: fit to the data at the next chance
  bool by_hand = false;  // the person zoomed or panned: do not refit
  ImVec2 box_start{};
  bool boxing = false;
};

struct PlotArea {
  ImDrawList* list = nullptr;
  ImVec2 low, high;  // the inner rectangle: top left, bottom right
  PlotView* view = nullptr;
  bool hovered = false;
  bool clicked = false;  // a plain click, no drag
  ImVec2 at(double x, double y) const;
  bool inside(ImVec2 p) const;
};

// Fits the view to `x` and `y` unless the person holds it, draws grid and axes, and takes input.
PlotArea begin_plot(const char* name, ImVec2 size, const PlotAxisText& x, const PlotAxisText& y,
                    PlotView& view, const PlotScale& fit_x, const PlotScale& fit_y,
                    const Style& style);
void end_plot(const PlotArea& area);

// A dashed line; dash length in pixels.
void add_dashed_line(ImDrawList* list, ImVec2 a, ImVec2 b, ImU32 colour, float width, float dash);

}  // namespace warpscope
