// tests/workbench/window/null_window.h: panels and frames on ImGui's null back end, and the words
// drawn.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "workbench/drawing/null_textures.h"
#include "workbench/window/frame.h"

//   NullWindow window;
//   std::string words = window.panel(*workspace, "metrics");
//   std::string tooltip = window.panel_under(*workspace, "metrics", "why there is none");
//
// Words are those that ImGui logs: items and tooltips, not what goes straight to a draw list.

namespace warpscope {

class NullWindow {
 public:
  explicit NullWindow(int width = 1280, int height = 720, float scale = 1,
                      Theme theme = Theme::dark);
  NullWindow(const NullWindow&) = delete;
  NullWindow& operator=(const NullWindow&) = delete;
  ~NullWindow();

  // One frame; the words that it drew, up to and with the first tooltip.
  std::string frame(const std::function<void()>& draw);
  // A panel alone in the whole window, after a few frames.
  std::string panel(Workspace& workspace, const std::string& name);
  // Moves the pointer over the panel until the words hold `part`, and leaves it there. Returns the
  // words then; without `part` in them when no place has it.
  std::string panel_under(Workspace& workspace, const std::string& name, const std::string& part);
  // The whole window, after a few frames.
  std::string window(Workspace& workspace);
  // One frame of it, after the workspace has taken in what was chosen.
  void step(Workspace& workspace);
  // A key goes down for a frame and up for the next one.
  void press(Workspace& workspace, ImGuiKey key);

  void move_mouse(float x, float y);
  void hold_mouse(int button, bool down);
  // A key by its letter or digit, for the next frames.
  void hold(char letter, bool down);
  void hold_named(ImGuiKey key, bool down);
  void hold_function(int number, bool down);  // F1 to F12
  void hold_control(bool down);
  void hold_shift(bool down);

  PanelStates panels;
  FrameState state;
  Style style;

 private:
  std::string draw_alone(Workspace& workspace, const PanelRow& row);
  void render();
  std::optional<NullTextures> textures_;
  int width_, height_;
};

}  // namespace warpscope
