// workbench/drawing/keys.h: letter and named keys by every version of Dear ImGui from 1.86 on.
#pragma once

#include <imgui.h>

namespace warpscope {

// `letter` is 'A' to 'Z' or '0' to '9'. Before 1.87 ImGui's key numbers were the window system's,
// and GLFW's are the letters' ASCII codes. source: GLFW key tokens.
bool letter_down(char letter);
bool letter_pressed(char letter);
bool key_down(ImGuiKey key);
bool key_pressed(ImGuiKey key);
// Function key 1 to 12.
bool function_key_pressed(int number);
bool menu_key_pressed();
// Keys and buttons of the mouse that are down.
int keys_held();

}  // namespace warpscope
