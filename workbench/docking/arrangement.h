// workbench/docking/arrangement.h: which panels are open, and where: a tree of splits whose leaves
// hold panels as tabs, and windows of their own.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "workbench/panels/panels.h"

//   Arrangement a = first_look();
//   dock(a, "source", "right", DockSide::below);   // a place of its own under the diagrams
//   close_panel(a, "engine");
//   open_panel(a, "engine");                   // back at the tabs where it is at home

namespace warpscope {

struct DockNode {
  std::string name;  // "centre", "split-left": of its child window, and of its splitter
  // A leaf's: its tabs in order, and the one in front. An empty leaf stands for nothing at all.
  std::vector<std::string> panels;
  std::string front;
  // A split's: two parts, beside each other or one above the other.
  std::vector<DockNode> parts;
  bool beside = true;
  float ratio = 0.5f;      // of the first part …
  bool of_second = false;  // … or of the second one
  bool is_split() const { return parts.size() == 2; }
};

// A panel in a window of its own. Its place is in units of the display, from the main window's
// corner.
struct PanelWindow {
  std::string panel;
  float x = 0, y = 0, width = 0, height = 0;
};

struct Arrangement {
  DockNode root;
  std::vector<PanelWindow> windows;
  float folded_ratio = 0.29f;  // of the left column, where a small window folds the arrangement
};

// Where a panel comes in relation to a place: among its tabs, or beside it.
enum class DockSide { inside, left, right, above, below };

// The arrangement that the window first has. Old sessions, lessons and pictures show it.
Arrangement first_look();
// The leaf of these regions' panels, in the order of their rows.
DockNode leaf_of_regions(std::string name, const std::vector<Region>& regions);
DockNode split_of(std::string name, bool beside, float ratio, bool of_second, DockNode first,
                  DockNode second);

// Null where there is none.
DockNode* leaf_with(Arrangement& arrangement, const std::string& panel);
DockNode* node_named(Arrangement& arrangement, const std::string& name);
PanelWindow* window_of(Arrangement& arrangement, const std::string& panel);
bool is_open(const Arrangement& arrangement, const std::string& panel);
void for_each_leaf(DockNode& node, const std::function<void(DockNode&)>& act);
void for_each_leaf(const DockNode& node, const std::function<void(const DockNode&)>& act);

// Puts a panel, open or closed, at a place. Nothing happens where it stands there alone already, or
// where the place does not exist.
void dock(Arrangement& arrangement, const std::string& panel, const std::string& place,
          DockSide side);
void close_panel(Arrangement& arrangement, const std::string& panel);
// A panel that is closed comes back at the place that has most panels of its region, in front.
void open_panel(Arrangement& arrangement, const std::string& panel);
void tear_off(Arrangement& arrangement, PanelWindow window);

}  // namespace warpscope
