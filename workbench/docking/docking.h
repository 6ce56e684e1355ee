// workbench/docking/docking.h: what the window keeps of its places: the arrangement, the layouts by
// name, the tab that is being dragged, and the menu of panels.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "workbench/docking/arrangement.h"
#include "workbench/docking/layout.h"
#include "workbench/docking/layouts.h"
#include "workbench/drawing/box.h"

namespace warpscope {

// A tab, a title or a window of a panel that the pointer drags.
struct TabDrag {
  std::string panel;       // empty: none is dragged
  std::string armed;       // its title is pressed, the pointer has not moved yet
  bool of_window = false;  // it is in a window of its own
  bool cancelled = false;  // Esc; until the button is released
  std::string place;       // where it would come …
  DockSide side = DockSide::inside;
  bool outside = false;  // … or outside of the window
};

struct PanelsMenu {
  bool wanted = false;          // it opens in this frame
  std::string name;             // typed into the box: a layout's to be
  std::string tab, tab_wanted;  // the panel whose tab has its menu open; it opens in this frame
};

struct Docking {
  Arrangement present = first_look();
  std::optional<Arrangement> next;  // what follows it in the next frame: places are being drawn
  LayoutBook book;
  TabDrag drag;
  PanelsMenu menu;
  // Whether the display lets panels have windows outside of the main one.
  bool windows_possible = false;
  std::string shown_panel;      // was opened or moved: comes to the front in the next frame
  bool fronts_changed = false;  // a layout was chosen: its own tabs come to the front
};

// The arrangement of the next frame, to be changed.
Arrangement& edit(Docking& docking);
// A layout by its name, for the next frame.
void choose_layout(Docking& docking, const std::string& name);

// After places are drawn: shows where the dragged tab would come, and puts it there when the button
// is released.
void update_drag(Docking& docking, const Layout& layout, const Style& style);
// The place and the side of it that the pointer is at. A window of a panel is docked only at edges
// and on tabs: elsewhere it just moves.
void aim(TabDrag& drag, const Layout& layout, const Style& style, float x, float y);

// The menu of layouts and panels, as a popup of the window at hand. error sentences go to `say`.
void draw_panels_menu(Docking& docking, const Belongs& belongs, const Style& style,
                      const std::function<void(const std::string&)>& say);
// The menu of one tab: close, a window of its own, or another place.
void draw_tab_menu(Docking& docking, const Layout& layout, std::string& maximised);

// Whether the pointer moves the window at hand.
bool is_moved_by_pointer();

// Where another window of this process may stand: what is drawn is in units of the display then.
bool has_windows(const Docking& docking);

}  // namespace warpscope
