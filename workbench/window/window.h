// workbench/window/window.h: the desktop window.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "scenes/host/result.h"
#include "workbench/lessons/lesson.h"
#include "workbench/window/frame.h"
#include "workbench/window/tell.h"
#include "workbench/workspace/workspace.h"

namespace warpscope {

// What a frame took: all of it, from taking in an engine's answers until its buffers are swapped,
// and of that what comes before any pixel, to the end of its draw lists.
struct FrameTimes {
  double total_ms = 0, build_ms = 0;
  double processor_ms = 0;  // of all threads, those that draw included
  double drawn_ratio = 0;   // of the window's pixels; 0: none changed, and nothing was drawn
  int draw_calls = 0;       // of OpenGL
  // What the window's own thread used of a processor, whatever else the machine does: in all, and
  // of that what comes before any pixel.
  double thread_ms = 0, thread_build_ms = 0;
  // Time of the same thread between the last frame and this one, in which answers are taken in and
  // jobs are sent. `total_ms` includes how much later this frame began because of it.
  double thread_between_ms = 0;
};

struct WindowOptions {
  int width = 1600, height = 900;
  bool sized = false;          // by the command line: where the window stood last does not count
  std::optional<Theme> theme;  // no value: as it was last …
  std::optional<float> scale;  // … and so this
  bool recalls = true;         // the scene, its axes and its variant as well
  std::string scene;           // to turn to, whatever was shown last; empty: none
  const Lesson* lesson = nullptr;  // played in the window
  std::filesystem::path tour;      // a lesson to begin with; empty: none
  Teller* teller = nullptr;        // told after every frame what is shown
  // Called before every frame; what it gives stands in for the display's own pointer.
  struct Pointer {
    float x = 0, y = 0;
    bool pressed = false;  // its left button
  };
  std::function<std::optional<Pointer>()> pointer;
  // Called after every frame with what it took; true asks for another one.
  std::function<bool(FrameState& state, const FrameTimes& times)> after_frame;
};

// Opens the window and runs until it is closed. Draws only when something happened: input, a
// message of the engine, or an animation; and then only the pixels that changed. error: environment
// (no display, no OpenGL 3.3).
Result<void> run_window(Workspace& workspace, const WindowOptions& options);

}  // namespace warpscope
