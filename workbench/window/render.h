// workbench/window/render.h: a panel or the whole window of a session, drawn into a file.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "scenes/host/result.h"
#include "workbench/client/program_catalogue.h"
#include "workbench/drawing/style.h"
#include "workbench/workspace/workspace.h"

namespace warpscope {

// A panel is drawn alone, without its controls, as write_slide has it.
struct RenderOptions {
  std::string session;              // empty: the newest recorded session in assets/
  std::vector<std::string> joined;  // further sessions, shown as one with it
  std::string device;               // UUID or its beginning; empty: see SelectedPoints::device
  std::string panel = "window";
  std::string out;    // .svg: that; else PNG
  std::string scene;  // empty: one that the session holds
  std::string variant, baseline;
  std::vector<std::string> pins;    // variants: A, and B
  std::string layout;               // of the window; empty: the first look
  std::vector<std::string> fronts;  // panels whose tabs are in front, in the window
  std::map<std::string, std::string> axes;
  std::vector<std::string> sweep;  // Sweep's axis, and the second one of a map; empty: as it begins
  std::string devices;  // "lines", "table": of which devices Sweep is; empty: of `device`
  int width = 1600, height = 900;
  int margin = 16;  // pixels around a panel, within that size
  double scale = 1;
  Theme theme = Theme::dark;
  // That the scene was opened in.
  std::shared_ptr<Catalogue> catalogue = program_catalogue();
};

// error: usage (unknown panel or layout: names them), input (the session), environment (no EGL, no
// file).
Result<void> render(const RenderOptions& options);

// The same in two parts, for several pictures of one session, which is read once. The second draws
// `panel` in its size and theme to `out`.
Result<std::unique_ptr<Workspace>> open_to_render(const RenderOptions& options);
Result<void> render(Workspace& workspace, const RenderOptions& options);

}  // namespace warpscope
