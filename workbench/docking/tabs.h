// workbench/docking/tabs.h: a strip of tabs that goes on in a second line where one is too narrow.
#pragma once

#include <span>
#include <string>

#include "workbench/drawing/style.h"

namespace warpscope {

struct Tab {
  const char* name;   // "warp_map"
  const char* title;  // "Warp map"
};

// What was done to a tab in this frame, beside choosing it; null: to none.
struct TabEvents {
  const Tab* twice = nullptr;    // clicked twice
  const Tab* dragged = nullptr;  // pressed, and the pointer has moved since
  const Tab* menu = nullptr;     // right click, or the menu key while it has the focus
  const Tab* closed = nullptr;   // middle click
};

// Draws the strip in the width that there is; a click, or Space on a focused tab, makes its tab the
// active one. No title is ever shortened.
TabEvents draw_tabs(std::span<const Tab> tabs, std::string& active, const Style& style);

}  // namespace warpscope
