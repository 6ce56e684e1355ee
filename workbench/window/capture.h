// workbench/window/capture.h: the dialog that writes a panel or the window as a picture.
#pragma once

#include <filesystem>
#include <string>

#include "workbench/drawing/style.h"
#include "workbench/workspace/workspace.h"

namespace warpscope {

struct FrameState;

// What a picture shows and how; slide.h draws it.
struct SlideOptions {
  std::string panel = "window";  // a panel's name, or window
  int width = 1920, height = 1080;
  int margin = 24;    // pixels around a panel, which `width` and `height` include
  float scale = 1.5;  // of everything that is drawn
  Theme theme = Theme::dark;
  std::filesystem::path out;  // .svg: that; else PNG
};

// The dialog while it is open, and what was chosen in it last.
struct CaptureDialog {
  bool open = false;   // it is wanted …
  bool shown = false;  // … and was drawn in the last frame
  SlideOptions slide;
  bool svg = false;
  std::string name;  // of the file, without its ending …
  std::string made;  // … as the dialog proposed it: it follows what is shown until it is edited
};

// Opens the dialog for the panel under the pointer, else for the window; or closes it.
void toggle_capture(FrameState& state);
// Where the dialog's picture goes: in the folder that Warpscope was started in.
std::filesystem::path capture_path(const CaptureDialog& dialog);
// The dialog, where it is open. “write” puts the picture into `state.slide_wish`.
void draw_capture_dialog(const Style& style, FrameState& state);
// A picture of a panel in the size that it has in the window.
SlideOptions as_shown(const std::string& panel, const Style& style, const FrameState& state);

}  // namespace warpscope
