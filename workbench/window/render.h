// workbench/window/render.h: a panel or the whole window of a session, drawn into a PNG.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "scenes/host/result.h"
#include "workbench/drawing/style.h"

namespace warpscope {

struct RenderOptions {
  std::string session;              // empty: the newest recorded session in assets/
  std::vector<std::string> joined;  // further sessions, shown as one with it
  std::string device;               // UUID or its beginning; empty: see Workspace::device
  std::string panel = "window";
  std::string out;
  std::string scene;  // empty: one that the session holds
  std::string variant, baseline;
  std::map<std::string, std::string> axes;
  int width = 1600, height = 900;
  double scale = 1;
  Theme theme = Theme::dark;
};

// error: usage (unknown panel: names them), input (the session), environment (no EGL, no file).
Result<void> render(const RenderOptions& options);

}  // namespace warpscope
