// workbench/docking/layout.h: where the places of an arrangement stand in the window, and the gaps
// between them.
#pragma once

#include <imgui.h>

#include <functional>
#include <string>
#include <vector>

#include "workbench/docking/arrangement.h"
#include "workbench/drawing/box.h"
#include "workbench/drawing/style.h"

namespace warpscope {

// A place, and which panels are its tabs.
struct Place {
  std::string name;
  Box box;
  std::vector<const PanelRow*> panels;
  bool titled = false;           // one list with a title in place of tabs
  std::string* front = nullptr;  // in the arrangement; null: it is folded
};

// A gap that is dragged, or moved with arrows.
struct Splitter {
  std::string name;
  Box box;
  bool vertical = true;
  float* ratio = nullptr;
  float extent = 1;         // pixels that the ratio is of
  float low = 0, high = 1;  // what keeps both sides usable
  bool reversed = false;    // the ratio is of the second part
};

struct Layout {
  Box all;  // of the places
  // Below an effective 1200 × 675 (pixels at scale 1), where the arrangement does not fit, there is
  // a place on each side: Axes and Variants are tabs of the left one, all other panels of the right
  // one. The arrangement itself stays as it is.
  bool folded = false;
  std::vector<Place> places;
  std::vector<Splitter> splitters;
};

// Whether a panel has anything to show in this scene.
using Belongs = std::function<bool(const PanelRow&)>;

bool is_stacked(ImVec2 display, float scale);
// `all`: what the top bar and the status line leave. Writes to `arrangement` only through
// splitters and fronts.
Layout layout_of(const Box& all, bool stacked, const Style& style, Arrangement& arrangement,
                 const Belongs& belongs);
// Only the place with this panel stays, and has all the room.
void give_all(const std::string& panel, Layout& layout);
const Place* place_of(const Layout& layout, const std::string& panel);

// Draws the gap and moves it.
void draw_splitter(const Splitter& splitter, const Style& style);

}  // namespace warpscope
