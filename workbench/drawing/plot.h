// workbench/drawing/plot.h: a plot on ImGui's draw list: axes, grid, zoom and pan.
#pragma once

#include <imgui.h>

#include <string>
#include <vector>

#include "workbench/drawing/plot_layout.h"
#include "workbench/drawing/style.h"

// Habits: wheel zooms at the pointer, right drag pans, double click fits, Shift and drag zooms to a
// box; with the pointer inside, A, D and arrows pan and W and S zoom. Ctrl is finer and Shift
// faster, but for W and S, which are commands with Ctrl. Z zooms to what the panel offers as
// selected.
//
//   PlotArea area = begin_plot("roofline", size, x, y, view, style);
//   area.list->AddLine(area.at(1, 2), area.at(3, 4), colour);
//   end_plot(area);

namespace warpscope {

struct PlotAxisText {
  std::string label, unit;  // a y axis without a label has no ticks: its rows are the panel's own
};

// What a key asks of the plots that are open, for one frame.
enum class ViewWish { none, all, selection };

// What a plot remembers between frames.
struct PlotView {
  PlotScale x, y;
  bool fitted = false;   // false: fit to the data at the next chance
  bool by_hand = false;  // the person zoomed or panned: do not refit
  ImVec2 box_start{};
  bool boxing = false;
  ViewWish wish = ViewWish::none;
};

struct PlotArea {
  ImDrawList* list = nullptr;
  ImVec2 low, high;  // the inner rectangle: top left, bottom right
  PlotView* view = nullptr;
  bool hovered = false;
  bool clicked = false;  // a plain click, no drag
  bool menu = false;     // the same with the right button
  ImVec2 at(double x, double y) const;
  bool inside(ImVec2 p) const;
};

// Call before begin_plot: the values of the selected points, which the view shows if it follows the
// selection. The view of an axis without values stays.
void offer_selection(PlotView& view, const std::vector<double>& xs, const std::vector<double>& ys);

// What begin_plot leaves to the left of a plot for the numbers of its axis.
float plot_margin(const Style& style);
// At least ten lines high, whatever `size` says. Fits the view to `x` and `y` unless the person
// holds it, draws grid and axes, and takes input.
PlotArea begin_plot(const char* name, ImVec2 size, const PlotAxisText& x, const PlotAxisText& y,
                    PlotView& view, const PlotScale& fit_x, const PlotScale& fit_y,
                    const Style& style);
void end_plot(const PlotArea& area);

// A dashed line; dash length in pixels.
void add_dashed_line(ImDrawList* list, ImVec2 a, ImVec2 b, ImU32 colour, float width, float dash);

}  // namespace warpscope
