// workbench/drawing/keys.cpp: whether letter and named keys are down.
#include "workbench/drawing/keys.h"

#include <algorithm>
#include <iterator>

namespace warpscope {

namespace {
int letters_and_named_held() {
  int held = 0;
  // Those of a keyboard, of which Ctrl and Shift are some.
  for (int key = ImGuiKey_NamedKey_BEGIN; key < ImGuiKey_GamepadStart; ++key)
    held += ImGui::IsKeyDown(static_cast<ImGuiKey>(key)) ? 1 : 0;
  return held;
}
ImGuiKey named(char letter) {
  return static_cast<ImGuiKey>(letter >= 'A' ? ImGuiKey_A + (letter - 'A')
                                             : ImGuiKey_0 + (letter - '0'));
}
}  // namespace
bool letter_down(char letter) { return ImGui::IsKeyDown(named(letter)); }
bool letter_pressed(char letter) { return ImGui::IsKeyPressed(named(letter), false); }
bool key_down(ImGuiKey key) { return ImGui::IsKeyDown(key); }
bool key_pressed(ImGuiKey key) { return ImGui::IsKeyPressed(key); }
bool function_key_pressed(int number) {
  return ImGui::IsKeyPressed(static_cast<ImGuiKey>(ImGuiKey_F1 + number - 1), false);
}
bool plus_pressed() {
  return key_pressed(ImGuiKey_Equal) || key_pressed(ImGuiKey_KeypadAdd) ||
         key_pressed(ImGuiKey_RightBracket);
}
bool minus_pressed() { return key_pressed(ImGuiKey_Minus) || key_pressed(ImGuiKey_KeypadSubtract); }
bool menu_key_pressed() { return ImGui::IsKeyPressed(ImGuiKey_Menu, false); }

int keys_held() {
  const ImGuiIO& io = ImGui::GetIO();
  return letters_and_named_held() +
         static_cast<int>(std::count(std::begin(io.MouseDown), std::end(io.MouseDown), true));
}

}  // namespace warpscope
