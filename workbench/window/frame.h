// workbench/window/frame.h: one frame of the whole window: top bar, columns with tabs, status,
// help.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "workbench/drawing/box.h"
#include "workbench/panels/panels.h"
#include "workbench/workspace/workspace.h"

namespace warpscope {

// What the window remembers between frames and between runs.
struct FrameState {
  float left_ratio = 0.29f, bottom_ratio = 0.34f, axes_ratio = 0.40f;
  float right_ratio = 0.48f;  // of what is right of the left column
  std::string centre_tab = "roofline", right_tab = "coalescing", bottom_tab = "metrics";
  std::string wanted_tab;  // to be brought to the front in this frame
  Theme theme = Theme::dark;
  float user_scale = 1.0f;
  bool help = false;
  bool quit = false;
  std::string screenshot;  // what to capture after this frame: "window" or a panel's name
  std::string lesson_title, lesson_text;  // drawn as a card when not empty
  int lesson_step = 0, lesson_steps = 0;
  int lesson_move = 0;  // the person asked for the next (1) or the last (-1) step
  bool style_changed = false;
  std::map<std::string, Box> boxes;                    // of panels drawn in this frame
  std::map<std::string, Box> last_boxes;               // … and in the one before
  std::vector<std::pair<double, std::string>> toasts;  // until when, words
};

// Words at the top of the window for some seconds.
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

void draw_workbench(Workspace& workspace, PanelStates& panels, const Style& style,
                    FrameState& state);

// $XDG_CONFIG_HOME/warpscope/layout.json: splitters, tabs, theme, scale. A file that is not there
// is no error. error: input, where the file is broken (all of it is ignored) or holds fields of the
// wrong type or range (those are).
Result<void> load_layout(FrameState& state);
Result<void> save_layout(const FrameState& state);

}  // namespace warpscope
