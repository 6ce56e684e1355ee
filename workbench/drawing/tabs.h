// workbench/drawing/tabs.h: a strip of tabs that goes on in a second line where one is too narrow.
#pragma once

#include <span>
#include <string>

#include "workbench/drawing/style.h"

namespace warpscope {

struct Tab {
  const char* name;   // "warp_map"
  const char* title;  // "Warp map"
};

// Draws the strip in the width that there is; a click, or Space on a focused tab, makes its tab the
// active one. No title is ever shortened. Returns the tab that was clicked twice; null: none.
const Tab* draw_tabs(std::span<const Tab> tabs, std::string& active, const Style& style);

}  // namespace warpscope
