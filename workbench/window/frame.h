// workbench/window/frame.h: one frame of the whole window: top bar, columns with tabs, status,
// help.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "workbench/drawing/box.h"
#include "workbench/drawing/focus.h"
#include "workbench/panels/panels.h"
#include "workbench/window/layout.h"
#include "workbench/window/notices.h"
#include "workbench/window/open_dialog.h"
#include "workbench/workspace/workspace.h"

namespace warpscope {

// What the window keeps between frames; some of it between runs (remembered.h).
struct FrameState {
  Ratios ratios;
  std::string centre_tab = "roofline", right_tab = "coalescing", bottom_tab = "metrics";
  // Where regions are stacked: of the left column, and of all the others in one.
  std::string left_tab = "axes", stacked_tab = "roofline";
  std::string wanted_tab;  // to be brought to the front in this frame
  Theme theme = Theme::dark;
  float user_scale = 1.0f;
  bool help = false;
  bool quit = false;
  std::string screenshot;  // what to capture after this frame: "window" or a panel's name
  std::string lesson_title, lesson_text;  // drawn as a card when not empty
  int lesson_step = 0, lesson_steps = 0;
  int lesson_move = 0;                   // the person asked for the next (1) or the last (-1) step
  OpenDialog open;                       // the dialog that opens files
  std::filesystem::path lesson_to_open;  // asked for by a person; empty: none
  bool style_changed = false;
  Focus focus;
  Notices notices;
  std::map<std::string, Box> boxes;       // of panels drawn in this frame
  std::map<std::string, Box> last_boxes;  // … and in the one before
};

// Words above the status line for some seconds.
void toast(FrameState& state, std::string words);
// Writes a file and says so, or why not.
void export_to(FrameState& state, const char* path, const std::string& text);

// Everything that a mouse can do, with its key: drives keys and the help.
struct Command {
  const char* name;
  const char* keys;  // as shown in the help
  const char* sentence;
  bool (*pressed)();  // whether its keys went down in this frame
  void (*act)(Workspace&, PanelStates&, FrameState&);
};
std::span<const Command> all_commands();

// What Esc closes: of those that are open the first one; where none is it cancels what is measured.
// Popups and text boxes come before them: ImGui closes those.
struct Closable {
  const char* name;
  bool (*open)(const FrameState&);
  void (*close)(FrameState&);
};
std::span<const Closable> all_closables();

void draw_workbench(Workspace& workspace, PanelStates& panels, const Style& style,
                    FrameState& state);

}  // namespace warpscope
