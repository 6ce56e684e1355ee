// workbench/window/window.cpp: the desktop window.
#include "workbench/window/window.h"

#include <GL/gl.h>
#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>
#include <imgui_internal.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "scenes/host/clock.h"
#include "scenes/host/write_file.h"
#include "workbench/client/end_signals.h"
#include "workbench/desktop/chords.h"
#include "workbench/desktop/displays.h"
#include "workbench/desktop/rest.h"
#include "workbench/drawing/canvas.h"
#include "workbench/drawing/notices.h"
#include "workbench/drawing/opengl_library.h"
#include "workbench/window/files/exercise.h"
#include "workbench/window/frame.h"
#include "workbench/window/offscreen.h"
#include "workbench/window/presenter.h"
#include "workbench/window/remembered.h"
#include "workbench/window/slide.h"
#include "workbench/workspace/jobs/job_scheduler.h"
#include "workbench/workspace/session/user_baselines.h"

namespace warpscope {
namespace {

// What GLFW's plain callbacks can reach.
struct WindowContext {
  Workspace* workspace = nullptr;
  FrameState* state = nullptr;
  bool changed = true;
  bool exposed = true;   // the display lost what the window showed
  bool pointed = false;  // WindowOptions::pointer stood in for a person
};

// Any input asks for frames. ImGui's back end calls these on, after its own.
void wake(GLFWwindow* window) {
  static_cast<WindowContext*>(glfwGetWindowUserPointer(window))->changed = true;
}
void watch_input(GLFWwindow* window) {
  glfwSetMouseButtonCallback(window, [](GLFWwindow* w, int, int, int) { wake(w); });
  glfwSetCursorPosCallback(window, [](GLFWwindow* w, double, double) { wake(w); });
  glfwSetScrollCallback(window, [](GLFWwindow* w, double, double) { wake(w); });
  glfwSetKeyCallback(window, [](GLFWwindow* w, int, int, int, int) { wake(w); });
  glfwSetCharCallback(window, [](GLFWwindow* w, unsigned) { wake(w); });
  glfwSetWindowContentScaleCallback(window, [](GLFWwindow* w, float, float) { wake(w); });
  glfwSetFramebufferSizeCallback(window, [](GLFWwindow* w, int, int) { wake(w); });
  glfwSetWindowRefreshCallback(window, [](GLFWwindow* w) {
    wake(w);
    static_cast<WindowContext*>(glfwGetWindowUserPointer(w))->exposed = true;
  });
}

void on_drop(GLFWwindow* window, int count, const char** paths) {
  auto* context = static_cast<WindowContext*>(glfwGetWindowUserPointer(window));
  for (int i = 0; i < count; ++i) open_file(*context->workspace, *context->state, paths[i]);
  context->changed = true;
}

// The window's own pixels, as they stand in its back buffer.
void take_screenshot(FrameState& state, Workspace& workspace, int width, int height) {
  std::vector<unsigned char> pixels(static_cast<std::size_t>(width) *
                                    static_cast<std::size_t>(height) * 4);
  glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
  const std::string path = unused_path("warpscope-" + state.screenshot + ".png").string();
  const Result<void> saved = write_png(path, pixels.data(), width, height, 0, 0, width, height);
  workspace.log.notify(saved ? wrote_words(path) : sentence(saved.error()));
  state.screenshot.clear();
}

double processor_ms(clockid_t whose) {
  timespec used{};
  ::clock_gettime(whose, &used);
  return static_cast<double>(used.tv_sec) * 1e3 + static_cast<double>(used.tv_nsec) * 1e-6;
}

using Clock = std::chrono::steady_clock;

constexpr double kNewsS = 1.0 / 30;  // how often answers of an engine make a frame
constexpr double kDelayS = 0.5;      // how often a person sees how long nothing has come
constexpr double kCatchUpS = 0.25;   // for what was typed during a frame
constexpr double kHeldS = 0.4;       // how long news wait for the counters in hand
constexpr double kIdleS = 0.1;       // how often its pipe is looked at, and a cursor blinks
constexpr double kFolderS = 0.05;    // how often a scene's folder is, for a save
constexpr double kSpareS =
    0.004;  // to the next frame, at least, for answers to be taken in before it
constexpr std::chrono::milliseconds kPanelTime{3};  // of a frame, beyond which rows wait
constexpr float kDrawnKeptS = 2;  // what a panel drew that is hidden now: up to 2 MB each
constexpr int kSettling = 4;      // a change needs a few frames: hover, layout, then rest

// The window while it is open: it waits for what makes a frame, builds it and shows it.
class WindowLoop {
 public:
  WindowLoop(GLFWwindow* window, Workspace& workspace, const WindowOptions& options);
  // Until it is closed, by hand or from outside.
  void run();

 private:
  struct Shown {
    double pixels = 0, pixels_of_all = 1;
    bool anything = false;
  };
  void restyle();
  void wait_for_events();
  // Waits until the next frame is due in `rest_s`. Meanwhile it takes in the engines' answers and
  // sends jobs, so that the frame itself is not longer.
  void wait_for_frame(double rest_s, double period_s);
  double spare_s(double rest_s) const;
  // Whether a frame is due, which then counts as drawn.
  bool is_due(double period_s);
  void build_frame();
  // Call in every turn. After some seconds without input, forgets what is not shown and can be made
  // again.
  void rest(bool touched);
  // Takes in all input that waits, in frames that are built and not drawn: a key that went down and
  // up since the last frame needs two. A display that is slow then delays it by one frame.
  void catch_up();
  Shown show_frame();
  // What the last run left, and what the command line says instead.
  void recall_last();
  // Draws the picture that was asked for, with an OpenGL context of its own.
  void write_picture();
  // Saves the layout and ends the window with what it drew with.
  void close();
  WindowPlace place() const;

  GLFWwindow* window_;
  Workspace& workspace_;
  const WindowOptions& options_;
  WindowContext context_;
  std::function<void(const Box&)> show_box_;  // null: buffers are swapped
  std::optional<Canvas> canvas_;
  FrameState state_;
  PanelStates panels_;
  Remembered remembered_;
  FolderWatch watch_;
  std::unique_ptr<PictureTextures> textures_;  // ends before its OpenGL does
  float content_scale_ = 1;                    // of the monitor that the window is on
  Style style_;
  Presenter presenter_;
  std::uint64_t seen_ = 0;
  bool settling_ = false;  // what was new in the last frame may change the layout of the next
  int frames_due_ = kSettling;
  int shown_width_ = 0, shown_height_ = 0;
  Clock::time_point frame_start_{};
  // Since the last frame: whether the workspace was updated, what that took of this thread, and by
  // how much it made the next frame late.
  struct Between {
    bool updated = false;
    double thread_ms = 0, late_ms = 0;
  } between_;
  double began_with_s_ = 0;  // what the last frame took to take answers in, if nothing had before
  Rest rest_;
};

WindowLoop::WindowLoop(GLFWwindow* window, Workspace& workspace, const WindowOptions& options)
    : window_(window), workspace_(workspace), options_(options), context_{&workspace, &state_} {
  glfwMakeContextCurrent(window);
  glfwSwapInterval(1);
  glfwSetWindowUserPointer(window, &context_);
  glfwSetDropCallback(window, on_drop);
  watch_input(window);
  ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;
  ImGui::GetIO().ConfigMemoryCompactTimer = kDrawnKeptS;
  ImGui_ImplGlfw_InitForOpenGL(window, true);
  ImGui_ImplOpenGL3_Init("#version 330 core");
  show_box_ = box_shower();
  canvas_.emplace(static_cast<bool>(show_box_));
  textures_ = std::make_unique<PictureTextures>();
  panels_.pictures.textures = textures_.get();
  recall_last();
  state_.docks.windows_possible = may_have_windows();
  content_scale_ = content_scale(window);
  restyle();
  if (options.lesson != nullptr) presenter_.start(*options.lesson, workspace, state_);
}

void WindowLoop::recall_last() {
  const auto say = [this](const Result<void>& done) {
    if (done) return;
    workspace_.log.add({"warning", sentence(done.error()), 0});
    workspace_.log.notify(sentence(done.error()));
  };
  state_.attended = true;
  state_.lesson_wish = options_.tour;
  say(load_layout(state_, remembered_));
  say(load_layouts(state_.docks.book, state_.docks.present));
  workspace_.requests.ask(request::KeepBaselines{user_baselines_path().string()});
  if (options_.theme) state_.theme = *options_.theme;
  if (options_.scale) state_.user_scale = *options_.scale;
  for (const auto& [scene, folded] : remembered_.folded) panels_.axes.more[scene] = !folded;
  panels_.metrics.starred.insert(remembered_.starred.begin(), remembered_.starred.end());
  if (options_.recalls) say(recall(remembered_, workspace_));
  if (!options_.scene.empty()) {
    say(workspace_.begin_at(options_.scene));
    if (find_panel("launch")->belongs(workspace_.view()))
      workspace_.selection.wanted_panel = "launch";
  }
  const std::optional<WindowPlace>& was = remembered_.place;
  if (options_.sized) return;
  WindowPlace wanted = was.value_or(WindowPlace{});
  if (!was) {
    glfwGetWindowPos(window_, &wanted.x, &wanted.y);
    glfwGetWindowSize(window_, &wanted.width, &wanted.height);
  }
  const WindowPlace area = work_area(wanted);
  const bool reached = on_a_monitor(wanted);
  if (area.width > 0) wanted = fitted(wanted, area);
  glfwSetWindowSize(window_, wanted.width, wanted.height);
  if (was && reached) glfwSetWindowPos(window_, wanted.x, wanted.y);
  if (wanted.maximised) glfwMaximizeWindow(window_);
}

// A maximised window comes back to the size that it had before.
WindowPlace WindowLoop::place() const {
  WindowPlace place = remembered_.place.value_or(WindowPlace{});
  place.maximised = glfwGetWindowAttrib(window_, GLFW_MAXIMIZED) == GLFW_TRUE;
  if (place.maximised && place.width > 0) return place;
  glfwGetWindowPos(window_, &place.x, &place.y);
  glfwGetWindowSize(window_, &place.width, &place.height);
  return place;
}

void WindowLoop::restyle() {
  style_ = make_style(state_.theme, content_scale_ * state_.user_scale);
  load_fonts(style_);
  apply_style(style_);
  state_.style_changed = false;
}

void WindowLoop::wait_for_events() {
  if (frames_due_ > 0) return glfwPollEvents();
  const bool busy = workspace_.view().progress().busy || !workspace_.requests.empty();
  const ShownScene& shown = workspace_.view().shown;
  const bool followed = !shown.folder().empty() || !shown.catalogue().file_of(shown.name()).empty();
  const double idle_s = followed ? kFolderS : kIdleS;
  glfwWaitEventsTimeout(busy || settling_ ? kNewsS / 2 : idle_s);
}

// A frame that took answers in itself has no time left, and neither would the next one: every
// frame would show its input that much later, for as long as answers come. So this time counts as
// spare once: the next frame is late, and those after it begin with the input.
double WindowLoop::spare_s(double rest_s) const { return rest_s + began_with_s_; }

void WindowLoop::wait_for_frame(double rest_s, double period_s) {
  const bool busy = workspace_.view().progress().busy || !workspace_.requests.empty();
  const double spare = spare_s(rest_s);
  began_with_s_ = 0;
  if (spare < kSpareS || (between_.updated && !busy))
    return glfwWaitEventsTimeout(std::max(rest_s, 1e-6));
  const std::uint64_t revision = workspace_.session().revision();
  const double thread_ms = processor_ms(CLOCK_THREAD_CPUTIME_ID);
  workspace_.update();
  between_.updated = true;
  between_.thread_ms += processor_ms(CLOCK_THREAD_CPUTIME_ID) - thread_ms;
  between_.late_ms = std::max(0.0, seconds_since(frame_start_) - period_s) * 1e3;
  // More may wait where something came.
  if (rest_s > 0 && workspace_.session().revision() == revision)
    glfwWaitEventsTimeout(std::min(rest_s, kSpareS / 2));
}

bool WindowLoop::is_due(double period_s) {
  const double pause = seconds_since(frame_start_);
  const bool news =
      workspace_.session().revision() != seen_ || !workspace_.view().log.notices().empty();
  const bool blinks = !state_.notices.shown.empty() || ImGui::GetIO().WantTextInput ||
                      is_watching(state_.open.program) || is_grading(panels_.exercise) ||
                      workspace_.view().sweeps.any_runs();
  const bool delayed = pause >= kDelayS && workspace_.view().engines.delay().has_value();
  if (((news || settling_) && pause >= kNewsS) || (blinks && pause >= kIdleS) || delayed ||
      workspace_.selection.trace.playing)
    frames_due_ = std::max(frames_due_, 1);
  if (frames_due_ == 0 || pause < period_s) return false;
  // Nobody has moved anything: what is new waits for the counters (window_pace.h).
  if (frames_due_ == 1 && (news || settling_) && pause < kHeldS &&
      workspace_.view().jobs.counts_first())
    return false;
  --frames_due_;
  settling_ = news;
  seen_ = workspace_.session().revision();
  return true;
}

void WindowLoop::build_frame() {
  const float scale = followed_scale(content_scale_, content_scale(window_), state_.user_scale);
  if (std::exchange(content_scale_, scale) != scale) state_.style_changed = true;
  if (state_.style_changed) restyle();
  let_have_windows(has_windows(state_.docks) || (may_have_windows() && state_.strip.notes.shown()));
  presenter_.update(workspace_, state_);
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
  if (const auto pointer = options_.pointer ? options_.pointer() : std::nullopt) {
    context_.pointed = true;
    ImGui::GetIO().AddMousePosEvent(pointer->x, pointer->y);
    ImGui::GetIO().AddMouseButtonEvent(ImGuiMouseButton_Left, pointer->pressed);
  }
  {
    const LaterChords later;
    ImGui::NewFrame();
  }
  state_.budget = FrameBudget{Clock::now() + kPanelTime};
  draw_workbench(workspace_, panels_, style_, state_);
  settling_ = settling_ || state_.budget->unfinished;
  ImGui::Render();
  drop_cut_letters(*ImGui::GetDrawData());
  count_from_corner(*ImGui::GetDrawData());
  update_windows();
}

void WindowLoop::rest(bool touched) {
  const bool works = workspace_.view().progress().busy || !workspace_.requests.empty() ||
                     workspace_.selection.trace.playing;
  if (!rest_.begins(touched, works, Clock::now())) return;
  forget_hidden(panels_, [this](const char* panel) { return state_.boxes.count(panel) != 0; });
  workspace_.requests.ask(request::Release{});
  workspace_.update();
}

void WindowLoop::catch_up() {
  const auto start = Clock::now();
  while (input_waits() && seconds_since(start) < kCatchUpS && !state_.quit && !state_.slide_wish &&
         state_.screenshot.empty()) {
    workspace_.update();
    build_frame();
  }
  if (input_waits()) frames_due_ = std::max(frames_due_, 1);
}

void WindowLoop::write_picture() {
  const SlideOptions slide = *std::exchange(state_.slide_wish, std::nullopt);
  glfwMakeContextCurrent(nullptr);
  const Result<void> written = write_slide(slide, workspace_, panels_, state_);
  glfwMakeContextCurrent(window_);
  workspace_.log.notify(written ? wrote_words(slide.out) : sentence(written.error()));
}

WindowLoop::Shown WindowLoop::show_frame() {
  int width = 0, height = 0;
  glfwGetFramebufferSize(window_, &width, &height);
  // The back buffer takes on the window's size when it is swapped, and only then.
  if (show_box_ && (width != shown_width_ || height != shown_height_)) glfwSwapBuffers(window_);
  shown_width_ = width, shown_height_ = height;
  // A back buffer that was swapped has nothing to show again or to read.
  if (!show_box_ && (std::exchange(context_.exposed, false) || !state_.screenshot.empty()))
    canvas_->forget();
  std::vector<Box> drawn = canvas_->draw(*ImGui::GetDrawData(), width, height, clear_colour());
  if (!state_.screenshot.empty()) take_screenshot(state_, workspace_, width, height);
  Shown shown{0, std::max(1.0, 1.0 * width * height), false};
  for (const Box& box : drawn) shown.pixels += static_cast<double>(box.area());
  if (show_box_) {
    if (std::exchange(context_.exposed, false))
      drawn = {{0, 0, static_cast<float>(width), static_cast<float>(height)}};
    for (const Box& box : drawn) show_box_(box);
  } else if (!drawn.empty()) {
    glfwSwapBuffers(window_);
  }
  shown.anything = !drawn.empty();
  return shown;
}

void WindowLoop::run() {
  // Asked to end from outside, the window closes as by hand, with its layout saved.
  const EndSignals asked_to_end;
  const double period_s = frame_period_s();
  while (glfwWindowShouldClose(window_) == GLFW_FALSE && !state_.quit &&
         asked_to_end.count() == 0) {
    if (const double rest = period_s - seconds_since(frame_start_);
        frames_due_ > 0 && (rest > 0 || spare_s(rest) >= kSpareS)) {
      wait_for_frame(rest, period_s);
      continue;
    }
    wait_for_events();
    // Before the engine is heard: a signal to the whole group has ended that as well.
    if (asked_to_end.count() != 0) break;
    const bool touched = std::exchange(context_.changed, false) || input_waits();
    if (touched) frames_due_ = kSettling;
    rest(touched || std::exchange(context_.pointed, false));
    const auto start = Clock::now();
    const double used_ms = processor_ms(CLOCK_PROCESS_CPUTIME_ID);
    const double thread_ms = processor_ms(CLOCK_THREAD_CPUTIME_ID);
    follow_folder(watch_, workspace_);
    began_with_s_ = 0;
    if (!std::exchange(between_.updated, false)) {
      workspace_.update();
      began_with_s_ = seconds_since(start);
    }
    if (!is_due(period_s)) {
      // A frame that is held back does not spin beside the job that it waits for.
      if (frames_due_ > 0) glfwWaitEventsTimeout(kSpareS / 2);
      continue;
    }
    const Between between = std::exchange(between_, {});
    frame_start_ = start;
    build_frame();
    catch_up();
    const auto built = Clock::now();
    const double thread_built_ms = processor_ms(CLOCK_THREAD_CPUTIME_ID);
    const Shown shown = show_frame();
    show_windows(window_);
    if (state_.slide_wish) write_picture();
    if (options_.after_frame) {
      using Milliseconds = std::chrono::duration<double, std::milli>;
      const FrameTimes times = {between.late_ms + Milliseconds(Clock::now() - frame_start_).count(),
                                Milliseconds(built - frame_start_).count(),
                                processor_ms(CLOCK_PROCESS_CPUTIME_ID) - used_ms,
                                shown.pixels / shown.pixels_of_all,
                                shown.anything ? canvas_->draw_calls() : 0,
                                processor_ms(CLOCK_THREAD_CPUTIME_ID) - thread_ms,
                                thread_built_ms - thread_ms,
                                between.thread_ms};
      if (options_.after_frame(state_, times)) frames_due_ = std::max(frames_due_, 1);
    }
    if (options_.teller != nullptr)
      options_.teller->tell(workspace_, panels_, state_, frames_due_ == 0 && !settling_);
  }
  close();
}

void WindowLoop::close() {
  state_.lesson_leave = presenter_.plays();  // what the person had chosen is kept
  presenter_.update(workspace_, state_);
  // A lesson's window of a named size does not become the person's choice for the next one.
  if (!options_.sized || options_.recalls) remembered_.place = place();
  for (const auto& [scene, more] : panels_.axes.more) remembered_.folded[scene] = !more;
  remembered_.starred.assign(panels_.metrics.starred.begin(), panels_.metrics.starred.end());
  if (options_.recalls) remember(workspace_, remembered_);
  if (Result<void> saved = save_layout(state_, remembered_); !saved)
    workspace_.log.notify(sentence(saved.error()));
  if (auto next = std::exchange(state_.docks.next, std::nullopt)) state_.docks.present = *next;
  if (Result<void> saved = save_layouts(state_.docks.book, state_.docks.present); !saved)
    workspace_.log.notify(sentence(saved.error()));
  panels_.pictures.textures = nullptr;
  textures_.reset();
  ImGui_ImplOpenGL3_Shutdown();
  ImGui_ImplGlfw_Shutdown();
  ImGui::DestroyContext();
  glfwDestroyWindow(window_);
  glfwTerminate();
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
  // Two-dimensional: llvmpipe paints faster where there is no depth.
  glfwWindowHint(GLFW_DEPTH_BITS, 0);
  glfwWindowHint(GLFW_STENCIL_BITS, 0);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  GLFWwindow* window =
      glfwCreateWindow(options.width, options.height, "Warpscope", nullptr, nullptr);
  if (window != nullptr) glfwMakeContextCurrent(window);
  if (Result<void> usable = check_window_opengl(window != nullptr); !usable) {
    glfwTerminate();
    return usable;
  }
  WindowLoop loop(window, workspace, options);
  loop.run();
  return {};
}

}  // namespace warpscope
