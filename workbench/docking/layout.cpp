// workbench/docking/layout.cpp: where the places of an arrangement stand in the window, and the
// gaps between them.
#include "workbench/docking/layout.h"

#include <algorithm>
#include <cmath>

#include "workbench/drawing/focus.h"

namespace warpscope {
namespace {

bool is_list(const PanelRow& panel) {
  return panel.region == Region::left_top || panel.region == Region::left_bottom;
}

// The least that a place is usable at, on the grid of 8 pixels.
struct Least {
  float width = 0, height = 0;
};

Least least_of(const PanelRow& panel) {
  switch (panel.region) {
    case Region::left_top:
      return {30, 14};
    case Region::left_bottom:
      return {30, 24};
    case Region::bottom:
      return {34, 16};
    default:
      return {34, 24};
  }
}

// A part of the arrangement as this scene has it: without panels that have nothing to show, and so
// without places that have none.
struct ShownPart {
  DockNode* node = nullptr;
  std::vector<const PanelRow*> panels;
  std::vector<ShownPart> parts;
  Least least;
  bool empty() const { return panels.empty() && parts.empty(); }
};

ShownPart part_of(DockNode& node, const Belongs& belongs) {
  ShownPart part;
  part.node = &node;
  if (!node.is_split()) {
    for (const std::string& name : node.panels) {
      const PanelRow* panel = find_panel(name);
      if (panel == nullptr || !belongs(*panel)) continue;
      part.panels.push_back(panel);
      const Least least = least_of(*panel);
      part.least = {std::max(part.least.width, least.width),
                    std::max(part.least.height, least.height)};
    }
    return part;
  }
  for (DockNode& child : node.parts) {
    if (ShownPart shown = part_of(child, belongs); !shown.empty())
      part.parts.push_back(std::move(shown));
  }
  if (part.parts.size() == 1) {
    ShownPart only = std::move(part.parts.front());
    return only;
  }
  if (part.parts.empty()) return part;
  const Least &a = part.parts[0].least, &b = part.parts[1].least;
  part.least = node.beside ? Least{a.width + b.width, std::max(a.height, b.height)}
                           : Least{std::max(a.width, b.width), a.height + b.height};
  return part;
}

std::size_t leaves_of(const ShownPart& part) {
  std::size_t count = part.panels.empty() ? 0 : 1;
  for (const ShownPart& child : part.parts) count += leaves_of(child);
  return count;
}

// A ratio of `extent` that leaves both sides their least, as far as there is room.
struct Share {
  float low, high;
  float hold(float ratio) const { return std::clamp(ratio, low, high); }
};
Share share_of(float extent, float least_before, float least_behind) {
  const float low = std::clamp(least_before / extent, 0.05f, 0.5f);
  return {low, std::clamp(1 - least_behind / extent, low, 0.95f)};
}

// The two sides of a split, and the gap between them.
struct SplitBoxes {
  Box first, second, gap;
};
SplitBoxes halves_of(const Box& box, bool beside, float own, bool of_second, float gap) {
  const float low = beside ? box.x0 : box.y0, high = beside ? box.x1 : box.y1;
  const float second = of_second ? high - own : low + own + gap, first_end = second - gap;
  if (beside) {
    return {{box.x0, box.y0, first_end, box.y1},
            {second, box.y0, box.x1, box.y1},
            {first_end, box.y0, second, box.y1}};
  }
  return {{box.x0, box.y0, box.x1, first_end},
          {box.x0, second, box.x1, box.y1},
          {box.x0, first_end, box.x1, second}};
}

void add_part(Layout& l, const ShownPart& part, const Box& box, const Style& style) {
  if (part.parts.empty()) {
    const bool titled = part.panels.size() == 1 && is_list(*part.panels.front());
    l.places.push_back({part.node->name, box, part.panels, titled, &part.node->front});
    return;
  }
  DockNode& node = *part.node;
  const ShownPart &first = part.parts[0], &second = part.parts[1];
  const float extent = node.beside ? box.width() : box.height();
  const auto least = [&](const ShownPart& side) {
    return style.unit(node.beside ? side.least.width : side.least.height);
  };
  const Share share = share_of(extent, least(node.of_second ? second : first),
                               least(node.of_second ? first : second));
  const SplitBoxes halves = halves_of(box, node.beside, std::floor(extent * share.hold(node.ratio)),
                                      node.of_second, style.unit(0.75f));
  l.splitters.push_back({node.name, halves.gap, node.beside, &node.ratio, extent, share.low,
                         share.high, node.of_second});
  add_part(l, first, halves.first, style);
  add_part(l, second, halves.second, style);
}

void collect(const ShownPart& part, std::vector<const PanelRow*>& lists,
             std::vector<const PanelRow*>& others) {
  for (const PanelRow* panel : part.panels) (is_list(*panel) ? lists : others).push_back(panel);
  for (const ShownPart& child : part.parts) collect(child, lists, others);
}

void fold(Layout& l, const ShownPart& part, const Style& style, Arrangement& arrangement) {
  constexpr float kLeastLeft = 30, kLeastRight = 34;
  l.folded = true;
  std::vector<const PanelRow*> lists, others;
  collect(part, lists, others);
  for (auto* panels : {&lists, &others}) std::sort(panels->begin(), panels->end());
  if (lists.empty() || others.empty()) {
    l.places = {{lists.empty() ? "right" : "left", l.all, lists.empty() ? others : lists}};
    return;
  }
  DockNode* split = node_named(arrangement, "split-left");
  float& ratio = split != nullptr ? split->ratio : arrangement.folded_ratio;
  const float width = l.all.width();
  const Share left = share_of(width, style.unit(kLeastLeft), style.unit(kLeastRight));
  const SplitBoxes halves =
      halves_of(l.all, true, std::floor(width * left.hold(ratio)), false, style.unit(0.75f));
  l.splitters.push_back(
      {"split-left", halves.gap, true, &ratio, width, left.low, left.high, false});
  l.places = {{"left", halves.first, lists}, {"right", halves.second, others}};
}

}  // namespace

bool is_stacked(ImVec2 display, float scale) {
  constexpr float kWidth = 1200, kHeight = 675;
  return display.x / scale < kWidth || display.y / scale < kHeight;
}

Layout layout_of(const Box& all, bool stacked, const Style& style, Arrangement& arrangement,
                 const Belongs& belongs) {
  Layout l;
  l.all = all;
  const ShownPart part = part_of(arrangement.root, belongs);
  if (part.empty()) return l;
  const bool fits =
      style.unit(part.least.width) <= all.width() && style.unit(part.least.height) <= all.height();
  if (stacked && (leaves_of(part) > 2 || !fits)) {
    fold(l, part, style, arrangement);
  } else {
    add_part(l, part, all, style);
  }
  return l;
}

void give_all(const std::string& panel, Layout& layout) {
  const Place* place = place_of(layout, panel);
  if (place == nullptr) return;
  Place alone = *place;
  alone.box = layout.all;
  layout.places = {std::move(alone)};
  layout.splitters.clear();
}

const Place* place_of(const Layout& layout, const std::string& panel) {
  for (const Place& place : layout.places) {
    for (const PanelRow* row : place.panels) {
      if (panel == row->name) return &place;
    }
  }
  return nullptr;
}

void draw_splitter(const Splitter& s, const Style& style) {
  const ImVec2 low{s.box.x0, s.box.y0}, high{s.box.x1, s.box.y1};
  ImGui::SetCursorScreenPos(low);
  press_area(s.name.c_str(), {s.box.width(), s.box.height()});
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

}  // namespace warpscope
