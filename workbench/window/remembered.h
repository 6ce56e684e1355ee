// workbench/window/remembered.h: what the window keeps from one run to the next, in a file.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scenes/folder_watch.h"
#include "scenes/host/result.h"
#include "workbench/desktop/displays.h"
#include "workbench/window/frame.h"
#include "workbench/workspace/workspace.h"

// $XDG_CONFIG_HOME/warpscope/layout.json: tabs in front, theme, scale, the window's place, the
// scene, each scene's axes and variant, starred metrics, what the command palette did last, and the
// session that was opened by hand. Which panels are
// open, and where, is in layouts.json beside it (docking/layouts.h).

namespace warpscope {

// What a person had chosen in a scene, as texts: a file may be older than its scenes.
struct RememberedScene {
  std::string variant, baseline;
  std::map<std::string, std::string> axes;
};

struct Remembered {
  std::optional<WindowPlace> place;
  std::string scene;
  std::string session;  // path of the file; empty: none was chosen
  std::map<std::string, RememberedScene> scenes;
  std::map<std::string, bool> folded;  // of Axes' second group, by scene
  std::vector<std::string> starred;    // ids of metrics
};

// Whether nothing was kept yet: the window opens for the first time. Where nothing can be kept,
// no start is the first.
bool is_first_start();
// A file that is not there is no error. error: input, where the file is broken (all of it is
// ignored) or holds fields of the wrong type or range (those are).
Result<void> load_layout(FrameState& state, Remembered& remembered);
Result<void> save_layout(const FrameState& state, const Remembered& remembered);

// Turns a workspace to what was chosen, and back into what is to be kept. What the scenes of today
// do not know is left out. error: input, naming what was.
Result<void> recall(const Remembered& remembered, Workspace& workspace);
void remember(const Workspace& workspace, Remembered& remembered);

// Where something was saved in the folder of the scene that is shown: the scene as it is now, its
// axes as far as they can still stand where they stood; diagrams follow, and where an engine
// measures all variants are measured again. A description that is wrong is said, and the last good
// one stays; a kernel that does not compile says so at its line, as any kernel does.
void follow_folder(FolderWatch& watch, Workspace& workspace);

}  // namespace warpscope
