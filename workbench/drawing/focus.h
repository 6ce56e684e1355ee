// workbench/drawing/focus.h: the keyboard's focus: what Tab, arrows, Space and Enter reach.
#pragma once

#include <imgui.h>

#include "workbench/drawing/style.h"

// Tab and Shift+Tab go from control to control in the order of drawing, across the borders of child
// windows and tables. Arrow keys go to the nearest control in their direction, F6 and Ctrl+Tab to
// the next region. Space and Enter press the control that has the focus. On a slider, Space makes
// the arrow keys drag it, and Enter opens a box to type in. The control with the focus has a frame;
// moving the pointer hides the frame.
//
//   begin_focus(focus);                         // after ImGui::NewFrame
//   begin_region(focus);                        // at the top of each region
//   ImGui::BeginChild(…, kReached);             // a child whose controls are reached from outside
//   if (ImGui::BeginTable(…)) reach_rows();     // the same of a table that scrolls …
//   reach_headers();                            // … and of its headers, once its columns are named
//   end_focus(focus, style);                    // before ImGui::Render
//
struct ImGuiWindow;

namespace warpscope {

// What has the focus, from frame to frame.
struct Focus {
  ImGuiID id = 0;
  ImGuiWindow* window = nullptr;
  bool alive = false;    // it was drawn in the last frame
  bool tabbing = false;  // Tab leads elsewhere in the next frame
  bool popup = false;    // a popup was open, or text was typed, when the last frame ended: Esc in
  bool typing = false;   // this frame is theirs
  int region = 0;        // where it is, counted as they are drawn
  int wanted_region = -1;
  int regions = 0;  // drawn in this frame
};

void begin_focus(Focus& focus);
void end_focus(Focus& focus, const Style& style);
void begin_region(Focus& focus);

// The next control gets the focus, as if Tab had led there.
void lead_focus_here(Focus& focus);

// For a child window whose controls are reached from the outside.
inline constexpr ImGuiChildFlags kReached = ImGuiChildFlags_NavFlattened;
void reach_rows();
// The same for its headers that do not scroll, which ImGui keeps with menus. Call it before the
// first header.
void reach_headers();
// An area that is pressed by the pointer and by keys; ImGui's own is only for pointers.
bool press_area(const char* name, ImVec2 size, ImGuiButtonFlags flags = 0);

// The window that was clicked last, or that keys led to: "workbench", "Keys"; empty: none.
const char* focused_window(const Focus& focus);
// Whether anything has the frame: Space and Enter are its.
bool focus_is_shown();
// Whether the last item has it.
bool has_focus();
enum class Along { x, y };
// The arrow that the last item takes for itself, where it has the focus and `axis` is the arrow's:
// the focus stays. ImGuiDir_None: none was pressed. Held down it comes again and again.
ImGuiDir take_arrow(Along axis);
// No arrow of this frame moves the focus.
void keep_focus();
// After a text box: where the focus came to it, letters are typed at once.
void type_where_focus_came();
// Whether a number is typed into the slider of this label (Ctrl+click, Enter).
bool types_into(const char* label);
// Whether what has the focus is asked for its menu: the menu key or Shift+F10.
bool menu_asked();

}  // namespace warpscope
