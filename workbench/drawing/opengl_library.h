// workbench/drawing/opengl_library.h: OpenGL as this machine has it, or a sentence that says what
// is missing.
#pragma once

#include "scenes/host/result.h"

namespace warpscope {

// Starts ImGui's OpenGL back end. An OpenGL context and an ImGui context are current. `where`:
// "offscreen rendering". error: environment: libGL cannot be loaded; nothing is started.
Result<void> start_opengl(const char* where);

// Whether a window can be drawn in; `has_context`: GLFW made one with OpenGL 3.3, which is current.
// error: environment: the display or the library is at fault.
Result<void> check_window_opengl(bool has_context);

}  // namespace warpscope
