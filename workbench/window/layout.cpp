// workbench/window/layout.cpp: where the regions of the window stand, the gaps that part them, and
// one panel in the place of all.
#include "workbench/window/layout.h"

#include <algorithm>
#include <cmath>

#include "workbench/window/frame.h"

namespace warpscope {
namespace {

// The least that a region is usable at, on the grid of 8 pixels.
constexpr float kLeastLeft = 30, kLeastRight = 34, kLeastAxes = 14, kLeastUpper = 24,
                kLeastLower = 16;

// A ratio of `extent` that leaves both sides their least, as far as there is room.
struct Share {
  float low, high;
  float hold(float ratio) const { return std::clamp(ratio, low, high); }
};
Share share_of(float extent, float least_before, float least_behind) {
  const float low = std::clamp(least_before / extent, 0.05f, 0.5f);
  return {low, std::clamp(1 - least_behind / extent, low, 0.95f)};
}

// All five beside and above each other, and the gaps between them.
void add_regions(Layout& l, float left_end, float right_x, const Style& style, Ratios& ratios) {
  const Box& all = l.all;
  const float gap = right_x - left_end, height = all.height();
  const Share axes = share_of(height, style.unit(kLeastAxes), style.unit(kLeastUpper));
  const float axes_end = all.y0 + std::floor(height * axes.hold(ratios.axes));
  const float right_width = all.x1 - right_x;
  const Share right = share_of(right_width, style.unit(kLeastRight), style.unit(kLeastRight));
  const float diagrams = std::floor(right_width * right.hold(ratios.right)),
              diagrams_x = all.x1 - diagrams;
  const Share bottom = share_of(height, style.unit(kLeastLower), style.unit(kLeastUpper));
  const float lower_y = all.y1 - std::floor(height * bottom.hold(ratios.bottom)),
              upper_end = lower_y - gap;
  l.places = {{"axes", {all.x0, all.y0, left_end, axes_end}, {Region::left_top}, true},
              {"variants", {all.x0, axes_end + gap, left_end, all.y1}, {Region::left_bottom}, true},
              {"centre", {right_x, all.y0, diagrams_x - gap, upper_end}, {Region::centre}},
              {"right", {diagrams_x, all.y0, all.x1, upper_end}, {Region::right}},
              {"bottom", {right_x, lower_y, all.x1, all.y1}, {Region::bottom}}};
  l.splitters.push_back({"split-axes",
                         {all.x0, axes_end, left_end, axes_end + gap},
                         false,
                         &ratios.axes,
                         height,
                         axes.low,
                         axes.high});
  l.splitters.push_back({"split-right",
                         {diagrams_x - gap, all.y0, diagrams_x, upper_end},
                         true,
                         &ratios.right,
                         right_width,
                         right.low,
                         right.high,
                         true});
  l.splitters.push_back({"split-bottom",
                         {right_x, upper_end, all.x1, lower_y},
                         false,
                         &ratios.bottom,
                         height,
                         bottom.low,
                         bottom.high,
                         true});
}

}  // namespace

bool is_stacked(ImVec2 display, float scale) {
  constexpr float kWidth = 1200, kHeight = 675;
  return display.x / scale < kWidth || display.y / scale < kHeight;
}

Layout layout_of(const Box& all, bool stacked, const Style& style, Ratios& ratios) {
  Layout l;
  l.all = all;
  l.stacked = stacked;
  const float gap = style.unit(0.75f), width = all.width();
  const Share left =
      share_of(width, style.unit(kLeastLeft), style.unit(stacked ? kLeastRight : 2 * kLeastRight));
  const float left_end = all.x0 + std::floor(width * left.hold(ratios.left)),
              right_x = left_end + gap;
  l.splitters.push_back({"split-left",
                         {left_end, all.y0, right_x, all.y1},
                         true,
                         &ratios.left,
                         width,
                         left.low,
                         left.high});
  if (stacked) {
    l.places = {
        {"left", {all.x0, all.y0, left_end, all.y1}, {Region::left_top, Region::left_bottom}},
        {"right",
         {right_x, all.y0, all.x1, all.y1},
         {Region::centre, Region::right, Region::bottom}}};
    return l;
  }
  add_regions(l, left_end, right_x, style, ratios);
  return l;
}

void draw_splitter(const Splitter& s, const Style& style) {
  const ImVec2 low{s.box.x0, s.box.y0}, high{s.box.x1, s.box.y1};
  ImGui::SetCursorScreenPos(low);
  press_area(s.name, {s.box.width(), s.box.height()});
  float move = 0;  // pixels
  if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 0)) {
    const ImVec2 delta = ImGui::GetIO().MouseDelta;
    move = s.vertical ? delta.x : delta.y;
  }
  const bool focused = has_focus();
  constexpr float kStep = 2;  // on the grid of 8 pixels
  const ImGuiDir arrow = take_arrow(s.vertical ? Along::x : Along::y);
  if (arrow != ImGuiDir_None)
    move = arrow == ImGuiDir_Left || arrow == ImGuiDir_Up ? -style.unit(kStep) : style.unit(kStep);
  if (move != 0) {
    const float by = (s.reversed ? -move : move) / s.extent;
    *s.ratio = std::clamp(std::clamp(*s.ratio, s.low, s.high) + by, s.low, s.high);
  }
  if (ImGui::IsItemHovered() || ImGui::IsItemActive() || focused) {
    if (!focused)
      ImGui::SetMouseCursor(s.vertical ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
    ImGui::GetWindowDrawList()->AddRectFilled(low, high, style.colours.border);
  }
}

void toggle_maximised(FrameState& state) {
  if (!state.maximised.empty()) return state.maximised.clear();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  state.maximised = state.centre_tab;
  for (const auto& [name, box] : state.last_boxes) {
    if (box.contains(mouse.x, mouse.y)) state.maximised = name;
  }
}

void maximise_by_click(const Tab* twice, const std::string& large, FrameState& state) {
  if (!large.empty()) {
    state.maximised = large;
    ImGui::SameLine();
    if (ImGui::Button("all panels")) state.maximised.clear();
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("Back to all panels (F11, Esc, or a double click on the tab).");
  }
  if (twice != nullptr) state.maximised = large.empty() ? twice->name : "";
}

void give_all(Region region, Layout& layout) {
  std::erase_if(layout.places, [region](const Place& place) {
    return std::find(place.regions.begin(), place.regions.end(), region) == place.regions.end();
  });
  for (Place& place : layout.places) place.box = layout.all;
  layout.splitters.clear();
}

const PanelRow* maximised_panel(FrameState& state) {
  const PanelRow* panel = find_panel(state.maximised);
  const PanelRow* wanted = find_panel(state.wanted_tab);
  if (panel != nullptr && wanted != nullptr) {
    state.maximised = wanted->name;
    return wanted;
  }
  return panel;
}

}  // namespace warpscope
