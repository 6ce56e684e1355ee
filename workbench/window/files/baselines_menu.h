// workbench/window/files/baselines_menu.h: the list of named baselines: chosen, kept, renamed,
// removed, taken from a session and saved.
#pragma once

#include <string>

#include "workbench/drawing/style.h"
#include "workbench/workspace/workspace.h"

namespace warpscope {

struct FrameState;

// The list while it is open.
struct BaselinesMenu {
  bool wanted = false;      // opens in this frame
  std::string typed;        // the name of the chosen one, as it is typed …
  std::string of, renamed;  // … of this id, whose name this is
  std::string trouble;      // why it cannot have that name
};

// "baseline: before tiling": what the button of the top bar says.
std::string baseline_words(const Selection& selection, bool brief);
// The list below the last item, where it is open.
void draw_baselines_menu(Workspace& workspace, const Style& style, FrameState& state);

}  // namespace warpscope
