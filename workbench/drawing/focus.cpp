// workbench/drawing/focus.cpp: the keyboard's focus: what Tab, arrows, Space and Enter reach.
#include "workbench/drawing/focus.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "workbench/drawing/keys.h"

namespace warpscope {
namespace {

// Where Tab led, ImGui types into sliders and presses nothing else; here the focus only stands.
void stand_where_tab_led(ImGuiContext& g) {
  if ((g.NavActivateFlags & ImGuiActivateFlags_TryToPreserveState) != 0)
    g.NavActivateId = g.NavActivateDownId = g.NavActivatePressedId = 0;
  if (g.NavId != 0) g.NavCursorVisible = true;
}

// Tab begins at what has the focus, seen or not.
void tab_from_here(ImGuiContext& g, Focus& focus) {
  const ImGuiNavMoveFlags kind = g.NavMoveFlags;
  if (!g.NavMoveSubmitted || (kind & ImGuiNavMoveFlags_IsTabbing) == 0 ||
      (kind & ImGuiNavMoveFlags_FocusApi) != 0)
    return;
  focus.tabbing = true;
  if (g.NavTabbingDir == 0 && focus.alive && g.NavId == focus.id) g.NavTabbingDir = 1;
}

// Esc hides the frame; ImGui moves it to the window around, which is not a control of ours.
void stay_behind_escape(ImGuiContext& g, const Focus& focus) {
  if (!key_pressed(ImGuiKey_Escape) || focus.popup || focus.typing || focus.window == nullptr)
    return;
  g.NavWindow = focus.window;
  g.NavId = focus.id;
  g.NavCursorVisible = false;
}

// The regions before and after, all round.
void turn_to_region(ImGuiContext& g, Focus& focus) {
  const bool control_tab = g.IO.KeyCtrl && key_pressed(ImGuiKey_Tab);
  if (!(control_tab || function_key_pressed(6)) || focus.popup) return;
  const int count = std::max(1, focus.regions);
  focus.wanted_region = (focus.region + (g.IO.KeyShift ? count - 1 : 1)) % count;
}

}  // namespace

void begin_focus(Focus& focus) {
  ImGuiContext& g = *ImGui::GetCurrentContext();
  g.IO.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
  g.ConfigNavWindowingKeyNext = g.ConfigNavWindowingKeyPrev = 0;  // Ctrl+Tab goes to regions
  // The pointer goes on pointing while keys move the focus.
  g.NavHighlightItemUnderNav = false;
  constexpr float kMoved = 3;  // pixels: a hand on a mouse is never quite still
  if (std::abs(g.IO.MouseDelta.x) + std::abs(g.IO.MouseDelta.y) > kMoved)
    g.NavCursorVisible = false;
  if (focus.tabbing) stand_where_tab_led(g);
  focus.tabbing = false;
  stay_behind_escape(g, focus);
  turn_to_region(g, focus);
  tab_from_here(g, focus);
  // These keys are commands.
  for (const ImGuiKey key : {ImGuiKey_PageUp, ImGuiKey_PageDown, ImGuiKey_Home}) {
    if (!focus.popup && key_down(key)) ImGui::NavMoveRequestCancel();
  }
  focus.regions = 0;
}

void end_focus(Focus& focus, const Style& style) {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  focus.id = g.NavId;
  focus.window = g.NavWindow;
  focus.alive = g.NavIdIsAlive;
  focus.popup = g.OpenPopupStack.Size > 0;
  focus.typing = g.IO.WantTextInput;
  focus.wanted_region = -1;
  if (!focus_is_shown() || !focus.alive || g.NavWindow == nullptr) return;
  ImRect frame = ImGui::WindowRectRelToAbs(g.NavWindow, g.NavWindow->NavRectRel[g.NavLayer]);
  frame.Expand(style.unit(0.25f));
  ImRect around = g.NavWindow->OuterRectClipped;
  around.Expand(style.unit(0.25f));
  frame.ClipWith(around);
  if (frame.GetWidth() <= 0 || frame.GetHeight() <= 0) return;
  ImGui::GetForegroundDrawList(g.NavWindow->Viewport)
      ->AddRect(frame.Min, frame.Max, style.colours.accent, ImGui::GetStyle().FrameRounding,
                std::max(2.0f, style.unit(0.25f)));
}

void begin_region(Focus& focus) {
  const int here = focus.regions++;
  if (ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows)) focus.region = here;
  if (focus.wanted_region == here) lead_focus_here(focus);
}

void lead_focus_here(Focus& focus) {
  // What had the focus would call it back where it is drawn in this frame.
  ImGui::GetCurrentContext()->NavId = 0;
  ImGui::SetKeyboardFocusHere();
  focus.tabbing = true;
}

void reach_rows() {
  ImGuiWindow* rows = ImGui::GetCurrentWindow();
  if ((rows->Flags & ImGuiWindowFlags_ChildWindow) == 0 || rows->ParentWindow == nullptr) return;
  rows->ChildFlags |= kReached;
  rows->RootWindowForNav = rows->ParentWindow->RootWindowForNav;
  // Tab stays within a scope: the rows' is that of the window around.
  ImGuiContext& g = *ImGui::GetCurrentContext();
  const ImGuiID scope = rows->ParentWindow->NavRootFocusScopeId;
  rows->NavRootFocusScopeId = g.CurrentFocusScopeId = g.FocusScopeStack.back().ID = scope;
}

void reach_headers() {
  ImGuiTable* const table = ImGui::GetCurrentContext()->CurrentTable;
  if (!table->IsLayoutLocked) ImGui::TableUpdateLayout(table);
  for (int column = 0; column < table->ColumnsCount; ++column)
    table->Columns[column].NavLayerCurrent = table->NavLayer;
}

bool press_area(const char* name, ImVec2 size, ImGuiButtonFlags flags) {
  return ImGui::InvisibleButton(name, size, flags | ImGuiButtonFlags_EnableNav);
}

const char* focused_window(const Focus& focus) {
  return focus.window != nullptr ? focus.window->RootWindow->Name : "";
}

bool focus_is_shown() { return ImGui::GetIO().NavVisible; }

bool has_focus() { return focus_is_shown() && ImGui::IsItemFocused(); }

ImGuiDir take_arrow(Along axis) {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  if (!has_focus() || !g.NavMoveSubmitted) return ImGuiDir_None;
  const ImGuiDir arrow = g.NavMoveDir;
  const bool along = axis == Along::x ? arrow == ImGuiDir_Left || arrow == ImGuiDir_Right
                                      : arrow == ImGuiDir_Up || arrow == ImGuiDir_Down;
  if (!along) return ImGuiDir_None;
  ImGui::NavMoveRequestCancel();
  return arrow;
}

void keep_focus() {
  if (ImGui::GetCurrentContext()->NavMoveDir != ImGuiDir_None) ImGui::NavMoveRequestCancel();
}

void type_where_focus_came() {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  // A window that opens has its first control in focus, though no key led there.
  if (g.NavCursorVisible && g.NavJustMovedToId != 0 && ImGui::GetItemID() == g.NavJustMovedToId)
    ImGui::SetKeyboardFocusHere(-1);
}

bool types_into(const char* label) { return ImGui::TempInputIsActive(ImGui::GetID(label)); }

bool menu_asked() {
  return has_focus() &&
         (menu_key_pressed() || (ImGui::GetIO().KeyShift && function_key_pressed(10)));
}

}  // namespace warpscope
