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
// The key with the plus sign and that with the minus sign, of the letters or of the number pad. The
// plus sign is beside the minus sign on American keyboards, and beside Enter on German ones.
bool plus_pressed();
bool minus_pressed();
// Keys and buttons of the mouse that are down.
int keys_held();

}  // namespace warpscope
