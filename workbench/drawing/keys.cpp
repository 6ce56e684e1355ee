// workbench/drawing/keys.cpp: letter and named keys by every version of Dear ImGui from 1.86 on.
#include "workbench/drawing/keys.h"

namespace warpscope {

#if IMGUI_VERSION_NUM < 18700
bool letter_down(char letter) { return ImGui::IsKeyDown(letter); }
bool letter_pressed(char letter) { return ImGui::IsKeyPressed(letter, false); }
bool key_down(ImGuiKey key) { return ImGui::IsKeyDown(ImGui::GetKeyIndex(key)); }
bool key_pressed(ImGuiKey key) { return ImGui::IsKeyPressed(ImGui::GetKeyIndex(key)); }
bool function_key_pressed(int number) {
  constexpr int kGlfwF1 = 290;  // source: GLFW key tokens
  return ImGui::IsKeyPressed(kGlfwF1 + number - 1, false);
}
bool menu_key_pressed() {
  constexpr int kGlfwMenu = 348;  // source: GLFW key tokens
  return ImGui::IsKeyPressed(kGlfwMenu, false);
}
#else
namespace {
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
bool menu_key_pressed() { return ImGui::IsKeyPressed(ImGuiKey_Menu, false); }
#endif

}  // namespace warpscope
