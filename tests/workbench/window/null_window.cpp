// tests/workbench/window/null_window.cpp: panels and frames on ImGui's null back end, and the words
// drawn.
#include "tests/workbench/window/null_window.h"

namespace warpscope {
NullWindow::NullWindow(int width, int height, float scale, Theme theme)
    : width_(width), height_(height) {
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
  style = make_style(theme, scale);
  load_fonts(style);
  apply_style(style);
  textures_.emplace();
  move_mouse(-1, -1);
}

NullWindow::~NullWindow() { ImGui::DestroyContext(); }

void NullWindow::render() {
  ImGui::Render();
  textures_->take(*ImGui::GetDrawData());
}

std::string NullWindow::frame(const std::function<void()>& draw) {
  ImGui::GetIO().DeltaTime = 1.0f / 60;
  ImGui::NewFrame();
  ImGui::SetClipboardText("");
  ImGui::LogToClipboard();
  draw();
  ImGui::LogFinish();
  render();
  return ImGui::GetClipboardText();
}

std::string NullWindow::draw_alone(Workspace& workspace, const PanelRow& row) {
  std::string words;
  ImGui::GetIO().DeltaTime = 1.0f / 60;
  ImGui::NewFrame();
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize({static_cast<float>(width_), static_cast<float>(height_)});
  ImGui::Begin("alone", nullptr, ImGuiWindowFlags_NoDecoration);
  ImGui::SetClipboardText("");
  ImGui::LogToClipboard();
  row.draw({workspace.view(), style, workspace.requests}, workspace.selection, panels);
  ImGui::LogFinish();
  words = ImGui::GetClipboardText();
  ImGui::End();
  render();
  return words;
}

std::string NullWindow::panel(Workspace& workspace, const std::string& name) {
  const PanelRow* row = find_panel(name);
  std::string words;
  constexpr int kFrames = 3;  // layout settles in a few frames
  for (int i = 0; i < kFrames; ++i) words = draw_alone(workspace, *row);
  return words;
}

std::string NullWindow::panel_under(Workspace& workspace, const std::string& name,
                                    const std::string& part) {
  const PanelRow* row = find_panel(name);
  std::string words;
  for (int y = 6; y < height_; y += 9) {
    for (int x = 6; x < width_; x += 7) {
      move_mouse(static_cast<float>(x), static_cast<float>(y));
      words = draw_alone(workspace, *row);
      if (words.find(part) == std::string::npos) continue;
      // The window under the pointer is known a frame later.
      words = draw_alone(workspace, *row);
      if (words.find(part) != std::string::npos) return words;
    }
  }
  move_mouse(-1, -1);
  return words;
}

std::string NullWindow::window(Workspace& workspace) {
  std::string words;
  constexpr int kFrames = 4;
  for (int i = 0; i < kFrames; ++i)
    words = frame([&] { draw_workbench(workspace, panels, style, state); });
  return words;
}

void NullWindow::step(Workspace& workspace) {
  workspace.update();
  ImGui::GetIO().DeltaTime = 1.0f / 60;
  ImGui::NewFrame();
  draw_workbench(workspace, panels, style, state);
  render();
}

void NullWindow::press(Workspace& workspace, ImGuiKey key) {
  hold_named(key, true);
  step(workspace);
  hold_named(key, false);
  step(workspace);
}

void NullWindow::move_mouse(float x, float y) { ImGui::GetIO().AddMousePosEvent(x, y); }
void NullWindow::hold_mouse(int button, bool down) {
  ImGui::GetIO().AddMouseButtonEvent(button, down);
}

void NullWindow::hold(char letter, bool down) {
  const int key = letter >= 'A' ? ImGuiKey_A + (letter - 'A') : ImGuiKey_0 + (letter - '0');
  ImGui::GetIO().AddKeyEvent(static_cast<ImGuiKey>(key), down);
}
void NullWindow::hold_named(ImGuiKey key, bool down) { ImGui::GetIO().AddKeyEvent(key, down); }
void NullWindow::hold_function(int number, bool down) {
  ImGui::GetIO().AddKeyEvent(static_cast<ImGuiKey>(ImGuiKey_F1 + number - 1), down);
}
void NullWindow::hold_control(bool down) { ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, down); }
void NullWindow::hold_shift(bool down) { ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, down); }

}  // namespace warpscope
