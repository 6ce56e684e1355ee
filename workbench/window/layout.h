// workbench/window/layout.h: where the regions of the window stand, the gaps that part them, and
// one panel in the place of all.
#pragma once

#include <imgui.h>

#include <string>
#include <vector>

#include "workbench/drawing/box.h"
#include "workbench/drawing/focus.h"
#include "workbench/drawing/style.h"
#include "workbench/drawing/tabs.h"
#include "workbench/panels/panels.h"

namespace warpscope {

struct FrameState;

// The parts of the window, as splitters left them.
struct Ratios {
  float left = 0.29f;    // the left column, of the whole width
  float axes = 0.46f;    // Axes, of the left column's height
  float right = 0.48f;   // the diagrams, of what is right of the left column
  float bottom = 0.34f;  // the lower tabs, of that one's height
};

// A region, and which panels are its tabs.
struct Place {
  const char* name;
  Box box;
  std::vector<Region> regions;
  bool titled = false;  // one panel with a title in place of tabs
};

// A gap that is dragged, or moved with arrows.
struct Splitter {
  const char* name;
  Box box;
  bool vertical = true;
  float* ratio = nullptr;
  float extent = 1;         // pixels that the ratio is of
  float low = 0, high = 1;  // what keeps both sides usable
  bool reversed = false;    // the ratio is of what lies behind the gap
};

struct Layout {
  Box all;  // of the regions
  // Below an effective 1200 × 675 (pixels at scale 1) a region each side: all panels of the right
  // in one row of tabs, and Axes and Variants as tabs of the left.
  bool stacked = false;
  std::vector<Place> places;
  std::vector<Splitter> splitters;
};

bool is_stacked(ImVec2 display, float scale);
// `all`: what the top bar and the status line leave. Writes nothing to `ratios` but through
// splitters.
Layout layout_of(const Box& all, bool stacked, const Style& style, Ratios& ratios);

// Draws the gap and moves it.
void draw_splitter(const Splitter& splitter, const Style& style);

// Of a maximised panel back to all; else the panel under the pointer, or that in the centre, takes
// the place of all.
void toggle_maximised(FrameState& state);
// Behind a strip of tabs: the same where one of them was clicked twice, and the button that brings
// back all. `large` is the maximised panel among them; empty: none is.
void maximise_by_click(const Tab* twice, const std::string& large, FrameState& state);
// Leaves of the regions this one, in the place of all.
void give_all(Region region, Layout& layout);
// The panel in the place of all; null: all have theirs. A tab that is wanted elsewhere takes its
// place.
const PanelRow* maximised_panel(FrameState& state);

}  // namespace warpscope
