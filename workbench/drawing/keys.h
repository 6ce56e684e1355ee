// workbench/drawing/keys.h: whether letter and named keys are down.
#pragma once

#include <imgui.h>

namespace warpscope {

// `letter` is 'A' to 'Z' or '0' to '9'.
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
