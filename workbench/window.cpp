// workbench/window.cpp: the desktop window; the only file that knows GLFW.
#include "workbench/window.h"

#include <GL/gl.h>
#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <vector>

#include "profiling/export.h"
#include "workbench/frame.h"
#include "workbench/lesson_player.h"
#include "workbench/offscreen.h"

namespace warpscope {
namespace {

// What GLFW's plain callbacks can reach.
struct WindowContext {
  Workspace* workspace = nullptr;
  bool changed = true;
};

// Asked to end from outside: the window closes as by hand, with its layout saved.
volatile std::sig_atomic_t asked_to_end = 0;
void on_signal(int) { asked_to_end = 1; }

// Any input asks for frames. ImGui's back end calls these on, behind its own.
void wake(GLFWwindow* window) {
  static_cast<WindowContext*>(glfwGetWindowUserPointer(window))->changed = true;
}
void watch_input(GLFWwindow* window) {
  glfwSetMouseButtonCallback(window, [](GLFWwindow* w, int, int, int) { wake(w); });
  glfwSetCursorPosCallback(window, [](GLFWwindow* w, double, double) { wake(w); });
  glfwSetScrollCallback(window, [](GLFWwindow* w, double, double) { wake(w); });
  glfwSetKeyCallback(window, [](GLFWwindow* w, int, int, int, int) { wake(w); });
  glfwSetCharCallback(window, [](GLFWwindow* w, unsigned) { wake(w); });
  glfwSetFramebufferSizeCallback(window, [](GLFWwindow* w, int, int) { wake(w); });
  glfwSetWindowRefreshCallback(window, [](GLFWwindow* w) { wake(w); });
}

void on_drop(GLFWwindow* window, int count, const char** paths) {
  auto* context = static_cast<WindowContext*>(glfwGetWindowUserPointer(window));
  for (int i = 0; i < count; ++i) {
    if (Result<void> opened = context->workspace->open(paths[i]); !opened)
      context->workspace->notify(sentence(opened.error()));
  }
}

std::string screenshot_name(const std::string& what) { return "warpscope-" + what + ".png"; }

void take_screenshot(FrameState& state, Workspace& workspace, int width, int height,
                     float pixel_ratio) {
  std::vector<unsigned char> pixels(static_cast<std::size_t>(width) *
                                    static_cast<std::size_t>(height) * 4);
  glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
  FrameState::Rectangle r{0, 0, static_cast<float>(width), static_cast<float>(height)};
  if (const auto found = state.rectangles.find(state.screenshot); found != state.rectangles.end()) {
    r = found->second;
    r.x *= pixel_ratio, r.y *= pixel_ratio, r.width *= pixel_ratio, r.height *= pixel_ratio;
  }
  const std::string path = screenshot_name(state.screenshot);
  const Result<void> saved =
      write_png(path, pixels.data(), width, height, static_cast<int>(r.x), static_cast<int>(r.y),
                static_cast<int>(r.width), static_cast<int>(r.height));
  workspace.notify(saved ? "wrote " + path : sentence(saved.error()));
  state.screenshot.clear();
}

void write_state(const Workspace& workspace, const PanelStates& panels, const std::string& path) {
  const nlohmann::json state = {
      {"scene", workspace.selection.scene},
      {"variant", workspace.selection.variant},
      {"baseline", workspace.selection.baseline},
      {"key", configuration_key(workspace.scene().axes, workspace.selection.axes)},
      {"roofline_x", {panels.roofline.view.x.low, panels.roofline.view.x.high}}};
  static_cast<void>(write_file(path, state.dump(2) + "\n"));
}

}  // namespace

Result<void> run_window(Workspace& workspace, const WindowOptions& options) {
  glfwSetErrorCallback([](int, const char*) {});
  if (glfwInit() != GLFW_TRUE) {
    return failure(ErrorKind::environment, "there is no display to open a window on", "window",
                   "set DISPLAY, or use `warpscope play … --offscreen` and `warpscope render`");
  }
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  GLFWwindow* window =
      glfwCreateWindow(options.width, options.height, "Warpscope", nullptr, nullptr);
  if (window == nullptr) {
    glfwTerminate();
    return failure(ErrorKind::environment, "the display gives no OpenGL 3.3 window", "window",
                   "update the graphics driver");
  }
  WindowContext context{&workspace, true};
  glfwMakeContextCurrent(window);
  glfwSwapInterval(1);
  glfwSetWindowUserPointer(window, &context);
  glfwSetDropCallback(window, on_drop);
  watch_input(window);
  ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;
  ImGui_ImplGlfw_InitForOpenGL(window, true);
  ImGui_ImplOpenGL3_Init("#version 330 core");
  FrameState state;
  PanelStates panels;
  if (const Result<void> loaded = load_layout(state); !loaded)
    workspace.log({"warning", sentence(loaded.error()), 0});
  float content_scale = 1;
  glfwGetWindowContentScale(window, &content_scale, nullptr);
  Style style;
  const auto restyle = [&] {
    style = make_style(state.theme, content_scale * state.user_scale);
    load_fonts(style);
    apply_style(style);
    ImGui_ImplOpenGL3_DestroyFontsTexture();
    ImGui_ImplOpenGL3_CreateFontsTexture();
    state.style_changed = false;
  };
  restyle();
  std::unique_ptr<LessonPlayer> player;
  if (options.lesson != nullptr)
    player = std::make_unique<LessonPlayer>(*options.lesson, workspace);
  std::signal(SIGTERM, on_signal);
  std::signal(SIGINT, on_signal);
  std::uint64_t seen = 0;
  int frames_due = 4;  // a change needs a few frames: hover, layout, then rest
  while (glfwWindowShouldClose(window) == GLFW_FALSE && !state.quit && asked_to_end == 0) {
    // Idle: waits for input, and looks at the engine's pipe ten times a second.
    const bool busy = workspace.progress().busy || !workspace.selection.requests.empty();
    if (frames_due > 0) {
      glfwPollEvents();
    } else {
      glfwWaitEventsTimeout(busy ? 0.016 : 0.1);
    }
    if (context.changed) {
      context.changed = false;
      frames_due = 4;
    }
    workspace.update();
    if (workspace.session().revision() != seen || !workspace.notices().empty()) {
      seen = workspace.session().revision();
      frames_due = std::max(frames_due, 2);
    }
    if (!state.toasts.empty() || ImGui::GetIO().WantTextInput || workspace.selection.trace.playing)
      frames_due = std::max(frames_due, 1);
    if (frames_due == 0) continue;
    --frames_due;
    const auto frame_start = std::chrono::steady_clock::now();
    if (state.style_changed) restyle();
    if (player) player->update(state);
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    ImGui::NewFrame();
    draw_workbench(workspace, panels, style, state);
    ImGui::Render();
    const auto built = std::chrono::steady_clock::now();
    int width = 0, height = 0, logical = 0;
    glfwGetFramebufferSize(window, &width, &height);
    glfwGetWindowSize(window, &logical, nullptr);
    glViewport(0, 0, width, height);
    const ImVec4 ground = clear_colour();
    glClearColor(ground.x, ground.y, ground.z, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    if (!state.screenshot.empty()) {
      take_screenshot(state, workspace, width, height,
                      logical > 0 ? static_cast<float>(width) / static_cast<float>(logical) : 1);
    }
    glfwSwapBuffers(window);
    if (options.after_frame) {
      using Milliseconds = std::chrono::duration<double, std::milli>;
      const FrameTimes times = {
          Milliseconds(std::chrono::steady_clock::now() - frame_start).count(),
          Milliseconds(built - frame_start).count()};
      if (options.after_frame(state, times)) frames_due = std::max(frames_due, 1);
    }
  }
  if (Result<void> saved = save_layout(state); !saved) workspace.notify(sentence(saved.error()));
  if (!options.state_file.empty()) write_state(workspace, panels, options.state_file);
  ImGui_ImplOpenGL3_Shutdown();
  ImGui_ImplGlfw_Shutdown();
  ImGui::DestroyContext();
  glfwDestroyWindow(window);
  glfwTerminate();
  return {};
}

}  // namespace warpscope
