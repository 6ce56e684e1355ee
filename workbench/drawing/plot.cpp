// workbench/drawing/plot.cpp: a plot on ImGui's draw list: axes, grid, zoom and pan.
#include "workbench/drawing/plot.h"

#include <algorithm>
#include <cmath>

#include "workbench/drawing/focus.h"
#include "workbench/drawing/keys.h"

namespace warpscope {
namespace {

// Ctrl and Shift make a step a quarter or four times as long.
double pace_of(const ImGuiIO& io) { return io.KeyCtrl ? 0.25 : io.KeyShift ? 4 : 1; }

// Zoom and pan by wheel and drag.
void take_input(PlotArea& area) {
  PlotView& view = *area.view;
  const ImGuiIO& io = ImGui::GetIO();
  const float width = area.high.x - area.low.x, height = area.high.y - area.low.y;
  const double px = (io.MousePos.x - area.low.x) / width,
               py = (area.high.y - io.MousePos.y) / height;
  const auto zoom = [&](double factor) {
    view.x.zoom(px, factor);
    view.y.zoom(py, factor);
    view.by_hand = true;
  };
  const double pace = pace_of(io);
  if (area.hovered && io.MouseWheel != 0) zoom(std::pow(0.85, io.MouseWheel * pace));
  if (area.hovered && ImGui::IsMouseDragging(ImGuiMouseButton_Right, 2)) {
    view.x.pan(-io.MouseDelta.x / width);
    view.y.pan(io.MouseDelta.y / height);
    view.by_hand = true;
  }
  if (area.hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    view.by_hand = view.fitted = false;
  }
  if (area.hovered && io.KeyShift && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    view.boxing = true;
    view.box_start = io.MousePos;
  }
  if (view.boxing) {
    area.list->AddRect(view.box_start, io.MousePos, ImGui::GetColorU32(ImGuiCol_CheckMark));
    if (ImGui::IsMouseReleased(ImGuiMouseButton_Left)) {
      view.boxing = false;
      const auto [x0, x1] = std::minmax(view.box_start.x, io.MousePos.x);
      const auto [y0, y1] = std::minmax(view.box_start.y, io.MousePos.y);
      if (x1 - x0 > 4 && y1 - y0 > 4) {
        const PlotScale x = view.x, y = view.y;
        view.x.low = x.value((x0 - area.low.x) / width);
        view.x.high = x.value((x1 - area.low.x) / width);
        view.y.low = y.value((area.high.y - y1) / height);
        view.y.high = y.value((area.high.y - y0) / height);
        view.by_hand = true;
      }
    }
  }
}

// Pans and zooms by keys, which are those of the plot that has the focus, else of the one under the
// pointer.
void take_keys(PlotArea& area) {
  PlotView& view = *area.view;
  const ImGuiIO& io = ImGui::GetIO();
  const bool focused = has_focus();
  if (io.WantTextInput || (!focused && (!area.hovered || focus_is_shown()))) return;
  keep_focus();
  // The pointer, or the middle where keys alone are at work.
  const double px = area.hovered ? (io.MousePos.x - area.low.x) / (area.high.x - area.low.x) : 0.5,
               py = area.hovered ? (area.high.y - io.MousePos.y) / (area.high.y - area.low.y) : 0.5;
  const auto zoom = [&](double factor) {
    view.x.zoom(px, factor);
    view.y.zoom(py, factor);
    view.by_hand = true;
  };
  const bool letters = !io.KeyCtrl;
  const double pace = pace_of(io), step = 0.02 * pace;
  double dx = 0, dy = 0;
  if (key_down(ImGuiKey_LeftArrow) || letter_down('A')) dx = -step;
  if (key_down(ImGuiKey_RightArrow) || letter_down('D')) dx = step;
  if (key_down(ImGuiKey_UpArrow)) dy = step;
  if (key_down(ImGuiKey_DownArrow)) dy = -step;
  if (letters && letter_down('W')) zoom(std::pow(0.95, pace));
  if (letters && letter_down('S')) zoom(std::pow(0.95, -pace));
  if (dx != 0 || dy != 0) {
    view.x.pan(dx);
    view.y.pan(dy);
    view.by_hand = true;
  }
}

// Fits the view unless the person holds it.
void fit_view(PlotView& view, const PlotScale& fit_x, const PlotScale& fit_y) {
  if (view.wish == ViewWish::all) view.by_hand = view.fitted = false;
  if (view.fitted && (view.by_hand || ImGui::IsMouseDown(ImGuiMouseButton_Left))) return;
  // Grows at once when a point would leave, and shrinks only on a new fit: axes hold still.
  const bool fresh = !view.fitted || view.x.log != fit_x.log || view.y.log != fit_y.log;
  const auto grow = [fresh](PlotScale& scale, const PlotScale& fit) {
    const bool far = fit.high > scale.high || fit.low < scale.low;
    if (fresh || far) scale = fit;
  };
  grow(view.x, fit_x);
  grow(view.y, fit_y);
  view.fitted = true;
}

// Where neighbouring labels collide every second one, third … is left, so that those that are left
// are as far from each other as their values.
void keep_labels_apart(std::vector<Tick>& all, const PlotArea& area, float right,
                       const Style& style) {
  std::vector<Tick*> labelled;
  const auto find_labelled = [&] {
    labelled.clear();
    for (Tick& tick : all) {
      if (!tick.label.empty()) labelled.push_back(&tick);
    }
  };
  find_labelled();
  const auto start_of = [&](const Tick& tick) {
    const float width = ImGui::CalcTextSize(tick.label.c_str()).x;
    return std::min(area.at(tick.value, area.view->y.low).x - width / 2, right - width);
  };
  const auto collide = [&](std::size_t every) {
    for (std::size_t i = every; i < labelled.size(); i += every) {
      const Tick& before = *labelled[i - every];
      if (start_of(*labelled[i]) <
          start_of(before) + ImGui::CalcTextSize(before.label.c_str()).x + style.unit(1))
        return true;
    }
    return false;
  };
  const PlotScale& scale = area.view->x;
  if (scale.log && !scale.binary && scale.high > 100 * scale.low && collide(1)) {
    // Keeps only the powers of ten among 1, 2, 5, 10 …
    for (Tick* tick : labelled) {
      const double power = std::log10(tick->value);
      if (std::abs(power - std::round(power)) > 1e-6) tick->label.clear();
    }
    find_labelled();
  }
  std::size_t every = 1;
  while (every < labelled.size() && collide(every)) ++every;
  for (std::size_t i = 0; i < labelled.size(); ++i) {
    if (i % every != 0) labelled[i]->label.clear();
  }
}

// The lines of the x axis's ticks, and below them their labels where they do not collide.
void draw_columns(const PlotArea& area, const PlotAxisText& x, float right, const Style& style) {
  const Palette& p = style.colours;
  const float column = ImGui::CalcTextSize(x.unit == "1" ? "00000" : "000.0 TFLOP/s").x;
  std::vector<Tick> all =
      ticks(area.view->x, x.unit, static_cast<int>((area.high.x - area.low.x) / (column * 0.8f)));
  keep_labels_apart(all, area, right, style);
  for (const Tick& tick : all) {
    const float at = area.at(tick.value, area.view->y.low).x;
    area.list->AddLine({at, area.low.y}, {at, area.high.y},
                       tick.label.empty() ? faded(p.grid, 0.45f) : p.grid);
    if (tick.label.empty()) continue;
    const ImVec2 extent = ImGui::CalcTextSize(tick.label.c_str());
    const float start = std::min(at - extent.x / 2, right - extent.x);
    area.list->AddText({start, area.high.y + style.unit(0.5f)}, p.muted, tick.label.c_str());
  }
}

// The lines of the y axis's ticks with their labels to the left; none of an axis without a name,
// whose rows are the panel's own.
void draw_rows(const PlotArea& area, const PlotAxisText& y, const Style& style) {
  if (y.label.empty()) return;
  const Palette& p = style.colours;
  const float line = ImGui::GetTextLineHeight();
  for (const Tick& tick :
       ticks(area.view->y, y.unit, static_cast<int>((area.high.y - area.low.y) / (line * 2.2f)))) {
    const float at = area.at(area.view->x.low, tick.value).y;
    area.list->AddLine({area.low.x, at}, {area.high.x, at},
                       tick.label.empty() ? faded(p.grid, 0.45f) : p.grid);
    if (tick.label.empty()) continue;
    const ImVec2 extent = ImGui::CalcTextSize(tick.label.c_str());
    area.list->AddText({area.low.x - extent.x - style.unit(0.75f), at - extent.y / 2}, p.muted,
                       tick.label.c_str());
  }
}

}  // namespace

ImVec2 PlotArea::at(double x, double y) const {
  const auto px = static_cast<float>(std::clamp(view->x.position(x), -50.0, 50.0));
  const auto py = static_cast<float>(std::clamp(view->y.position(y), -50.0, 50.0));
  return {low.x + px * (high.x - low.x), high.y - py * (high.y - low.y)};
}

bool PlotArea::inside(ImVec2 p) const {
  return p.x >= low.x && p.x <= high.x && p.y >= low.y && p.y <= high.y;
}

void offer_selection(PlotView& view, const std::vector<double>& xs, const std::vector<double>& ys) {
  if (view.wish != ViewWish::selection || !view.fitted) return;
  constexpr double kMargin = 0.25;
  if (!xs.empty()) view.x = fitted(xs, view.x.log, kMargin);
  if (!ys.empty()) view.y = fitted(ys, view.y.log, kMargin);
  view.by_hand = view.by_hand || !xs.empty() || !ys.empty();
}

float plot_margin(const Style& style) {
  return ImGui::CalcTextSize("500 GFLOP/s ").x + style.unit(0.75f);
}

PlotArea begin_plot(const char* name, ImVec2 size, const PlotAxisText& x, const PlotAxisText& y,
                    PlotView& view, const PlotScale& fit_x, const PlotScale& fit_y,
                    const Style& style) {
  fit_view(view, fit_x, fit_y);
  PlotArea area;
  area.list = ImGui::GetWindowDrawList();
  area.view = &view;
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  // Below this height what is written at the axes stands on itself: the panel is scrolled instead.
  constexpr float kLeastLines = 10;
  size.y = std::max(size.y, kLeastLines * ImGui::GetTextLineHeight());
  press_area(name, ImVec2(std::max(size.x, 32.0f), size.y),
             ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight);
  const float line = ImGui::GetTextLineHeight();
  area.low = {origin.x + plot_margin(style), origin.y + line * 1.4f};
  area.high = {origin.x + size.x - style.unit(1.5f), origin.y + size.y - line * 2.6f};
  area.high.x = std::max(area.high.x, area.low.x + 8);
  area.high.y = std::max(area.high.y, area.low.y + 8);
  area.hovered = ImGui::IsItemHovered();
  area.clicked = area.hovered && ImGui::IsMouseReleased(ImGuiMouseButton_Left) &&
                 !ImGui::GetIO().KeyShift && ImGui::GetMouseDragDelta(ImGuiMouseButton_Left).x == 0;
  const ImVec2 panned = ImGui::GetMouseDragDelta(ImGuiMouseButton_Right);
  area.menu = area.hovered && ImGui::IsMouseReleased(ImGuiMouseButton_Right) && panned.x == 0 &&
              panned.y == 0;
  take_input(area);
  take_keys(area);
  draw_columns(area, x, origin.x + size.x, style);
  draw_rows(area, y, style);
  const Palette& p = style.colours;
  ImDrawList* list = area.list;
  list->AddLine({area.low.x, area.high.y}, area.high, p.axis);
  list->AddLine({area.low.x, area.low.y}, {area.low.x, area.high.y}, p.axis);
  const ImVec2 title = ImGui::CalcTextSize(x.label.c_str());
  list->AddText({area.high.x - title.x, area.high.y + line * 1.35f}, p.text, x.label.c_str());
  list->AddText({origin.x + style.unit(0.5f), origin.y}, p.text, y.label.c_str());
  list->PushClipRect(area.low, area.high, true);
  return area;
}

void end_plot(const PlotArea& area) { area.list->PopClipRect(); }

void add_dashed_line(ImDrawList* list, ImVec2 a, ImVec2 b, ImU32 colour, float width, float dash) {
  const float length = std::hypot(b.x - a.x, b.y - a.y);
  const int pieces = std::min(400, static_cast<int>(length / dash));
  for (int i = 0; i < pieces; i += 2) {
    const float s = static_cast<float>(i) / static_cast<float>(pieces);
    const float e = std::min(1.0f, static_cast<float>(i + 1) / static_cast<float>(pieces));
    list->AddLine({a.x + (b.x - a.x) * s, a.y + (b.y - a.y) * s},
                  {a.x + (b.x - a.x) * e, a.y + (b.y - a.y) * e}, colour, width);
  }
}

}  // namespace warpscope
