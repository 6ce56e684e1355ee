// workbench/drawing/opengl_library.cpp: OpenGL as this machine has it, or a sentence that says what
// is missing.
#include "workbench/drawing/opengl_library.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <imgui.h>
#include <imgui_impl_opengl3.h>
#include <unistd.h>

#include <cstdio>

namespace warpscope {
namespace {

// While it lives nothing reaches stderr: where ImGui finds no library it prints a line of its own,
// which says less than our sentence.
class Silence {
 public:
  Silence() {
    std::fflush(stderr);
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    before_ = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    if (nowhere >= 0 && before_ >= 0) ::dup2(nowhere, STDERR_FILENO);
    if (nowhere >= 0) ::close(nowhere);
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;
  ~Silence() {
    std::fflush(stderr);
    if (before_ < 0) return;
    ::dup2(before_, STDERR_FILENO);
    ::close(before_);
  }

 private:
  int before_ = -1;
};

// What ImGui and GLFW load when they start to draw.
bool has_opengl_library() {
  for (const char* name : {"libGL.so.1", "libGL.so"}) {
    if (void* library = ::dlopen(name, RTLD_LAZY | RTLD_LOCAL); library != nullptr) {
      ::dlclose(library);
      return true;
    }
  }
  return false;
}

Error missing_opengl_library(const char* where) {
  return {ErrorKind::environment, "the OpenGL library libGL.so.1 cannot be loaded", where,
          "install libgl1 and libgl1-mesa-dri, or the OpenGL part of the NVIDIA driver"};
}

}  // namespace

Result<void> start_opengl(const char* where) {
  constexpr const char* kVersion = "#version 330 core";
  bool started = false;
  if (has_opengl_library()) {
    started = ImGui_ImplOpenGL3_Init(kVersion);
  } else {
    const Silence silence;
    started = ImGui_ImplOpenGL3_Init(kVersion);
  }
  if (!started) return tl::unexpected(missing_opengl_library(where));
  return {};
}

Result<void> check_window_opengl(bool has_context) {
  const bool has_library = has_opengl_library();
  if (!has_context && has_library) {
    return failure(ErrorKind::environment, "the display gives no OpenGL 3.3 window", "window",
                   "update the graphics driver");
  }
  if (!has_context) return tl::unexpected(missing_opengl_library("window"));
  if (has_library) return {};
  // GLFW may do without it, on Wayland: whether ImGui does is tried.
  ImGui::CreateContext();
  Result<void> started = start_opengl("window");
  if (started) ImGui_ImplOpenGL3_Shutdown();
  ImGui::DestroyContext();
  return started;
}

}  // namespace warpscope
