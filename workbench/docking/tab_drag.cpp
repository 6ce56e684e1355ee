// workbench/docking/tab_drag.cpp: tabs that are dragged from place to place.
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <utility>

#include "workbench/docking/docking.h"

namespace warpscope {
namespace {

// The height at the top of a place that its tabs have.
float height_of_tabs() { return ImGui::GetFrameHeight() + 2 * ImGui::GetStyle().WindowPadding.y; }

struct Edge {
  DockSide side;
  float distance;  // as a share of the place's extent
};

Edge nearest_edge(const Box& box, float x, float y) {
  const float across = (x - box.x0) / box.width(), down = (y - box.y0) / box.height();
  return std::min({Edge{DockSide::left, across}, Edge{DockSide::right, 1 - across},
                   Edge{DockSide::above, down}, Edge{DockSide::below, 1 - down}},
                  [](const Edge& a, const Edge& b) { return a.distance < b.distance; });
}

// Whether a place is large enough to be halved.
bool may_split(const Box& box, DockSide side, const Style& style) {
  constexpr float kLeastWidth = 30, kLeastHeight = 14;
  return side == DockSide::left || side == DockSide::right
             ? box.width() >= style.unit(2 * kLeastWidth)
             : box.height() >= style.unit(2 * kLeastHeight);
}

Box half_of(const Box& box, DockSide side) {
  const float x = (box.x0 + box.x1) / 2, y = (box.y0 + box.y1) / 2;
  switch (side) {
    case DockSide::left:
      return {box.x0, box.y0, x, box.y1};
    case DockSide::right:
      return {x, box.y0, box.x1, box.y1};
    case DockSide::above:
      return {box.x0, box.y0, box.x1, y};
    case DockSide::below:
      return {box.x0, y, box.x1, box.y1};
    default:
      return box;
  }
}

void show_target(const TabDrag& drag, const Layout& layout, const Style& style) {
  ImDrawList* list = ImGui::GetForegroundDrawList();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const PanelRow* panel = find_panel(drag.panel);
  for (const Place& place : layout.places) {
    if (place.name != drag.place) continue;
    const Box box = half_of(place.box, drag.side);
    const ImVec4 accent = ImGui::ColorConvertU32ToFloat4(style.colours.accent);
    list->AddRectFilled({box.x0, box.y0}, {box.x1, box.y1},
                        ImGui::GetColorU32({accent.x, accent.y, accent.z, 0.22f}));
    list->AddRect({box.x0, box.y0}, {box.x1, box.y1}, style.colours.accent, 0,
                  std::max(2.0f, style.unit(0.25f)));
  }
  if (panel == nullptr || drag.of_window) return;
  const ImVec2 size = ImGui::CalcTextSize(panel->title), pad = ImGui::GetStyle().FramePadding;
  const ImVec2 low{mouse.x + style.unit(1), mouse.y + style.unit(1)};
  const ImVec2 high{low.x + size.x + 2 * pad.x, low.y + size.y + 2 * pad.y};
  list->AddRectFilled(low, high, style.colours.raised);
  list->AddText({low.x + pad.x, low.y + pad.y}, style.colours.text, panel->title);
}

void drop(Docking& docking, const TabDrag& drag) {
  const ImVec2 mouse = ImGui::GetIO().MousePos, main = ImGui::GetMainViewport()->Pos;
  if (drag.outside && docking.windows_possible && !drag.of_window) {
    tear_off(edit(docking), {drag.panel, mouse.x - main.x, mouse.y - main.y, 0, 0});
  } else if (!drag.place.empty()) {
    dock(edit(docking), drag.panel, drag.place, drag.side);
  } else {
    return;
  }
  docking.shown_panel = drag.panel;
}

}  // namespace

Arrangement& edit(Docking& docking) {
  if (!docking.next) docking.next = docking.present;
  return *docking.next;
}

void choose_layout(Docking& docking, const std::string& name) {
  docking.next = layout_named(docking.book, name);
  docking.book.chosen = name;
  docking.fronts_changed = true;
}

void aim(TabDrag& drag, const Layout& layout, const Style& style, float x, float y) {
  drag.place.clear();
  drag.side = DockSide::inside;
  const ImGuiViewport& main = *ImGui::GetMainViewport();
  drag.outside =
      !Box{main.Pos.x, main.Pos.y, main.Pos.x + main.Size.x, main.Pos.y + main.Size.y}.contains(x,
                                                                                                y);
  if (layout.folded) return;
  for (const Place& place : layout.places) {
    if (!place.box.contains(x, y)) continue;
    constexpr float kEdge = 0.25f, kEdgeOfWindow = 0.1f;
    const bool on_tabs = y < place.box.y0 + height_of_tabs();
    const Edge edge = nearest_edge(place.box, x, y);
    const bool at_edge = !on_tabs && edge.distance < (drag.of_window ? kEdgeOfWindow : kEdge) &&
                         may_split(place.box, edge.side, style);
    if (drag.of_window && !on_tabs && !at_edge) return;
    drag.place = place.name;
    if (at_edge) drag.side = edge.side;
    // It stays where it is: nothing to show.
    const bool here = place_of(layout, drag.panel) == &place;
    if (here && (drag.side == DockSide::inside || place.panels.size() == 1)) drag.place.clear();
    return;
  }
}

void update_drag(Docking& docking, const Layout& layout, const Style& style) {
  TabDrag& drag = docking.drag;
  const bool down = ImGui::IsMouseDown(ImGuiMouseButton_Left);
  if (!drag.armed.empty() && down && ImGui::IsMouseDragging(ImGuiMouseButton_Left))
    drag.panel = std::exchange(drag.armed, {});
  if (!drag.panel.empty() && !drag.cancelled) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    aim(drag, layout, style, mouse.x, mouse.y);
    if (down) {
      show_target(drag, layout, style);
    } else {
      drop(docking, drag);
    }
  }
  if (!down) drag = {};
}

bool is_moved_by_pointer() {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  return g.MovingWindow != nullptr && g.MovingWindow->RootWindow == ImGui::GetCurrentWindow();
}

bool has_windows(const Docking& docking) {
  return docking.windows_possible && !docking.present.windows.empty();
}

}  // namespace warpscope
