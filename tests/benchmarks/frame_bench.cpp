// tests/benchmarks/frame_bench.cpp: prints what the window costs: frames, first frame, idle share.
//
//   xvfb-run -a build/bin/warpscope_frame_bench [first recorded measuring flooded training idle]
//   xvfb-run -a -s "-screen 0 1600x900x24" build/bin/warpscope_frame_bench --soak SECONDS
//
// (software rendering where there is no GPU; no word is all six)
// Frame times are from taking in an engine's answers until the buffers are swapped, of the
// product's own window loop; "built" is the part before any pixel, up to the end of the draw lists.
// A frame that changes no pixel is not drawn: such frames are counted apart and not in the times,
// which would only look better. "Processor" is what this process used in a frame, its drawing
// threads included, and "thread" what the window's own thread used: they say more than times on a
// machine that does other work beside. "Measuring"
// runs beside an engine that answers with recorded measurements at the pace of an H200, "flooded"
// beside one that answers with synthetic times at once, thousands in a second, on this processor.
// "Training" runs beside one that lets a small network learn on this processor, whose steps are
// shorter than a device's, so that curves and pictures grow faster than theirs.
// "Soak" clicks and drags anywhere, four times a second, and says what memory the process has; what
// it exports on the way lies in the folder in which it was started.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "profiling/figures/timing.h"
#include "tests/benchmarks/soak.h"
#include "tests/folders.h"
#include "workbench/panels/panels.h"
#include "workbench/window/window.h"

namespace {

using namespace warpscope;
using Clock = std::chrono::steady_clock;

double seconds_of(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
}
double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

struct Times {
  std::vector<double> total, built, processor, drawn, thread, thread_built, thread_between;
  int unchanged = 0;
  void add(const FrameTimes& times) {
    if (times.drawn_ratio == 0) {
      ++unchanged;
      return;
    }
    total.push_back(times.total_ms);
    built.push_back(times.build_ms);
    processor.push_back(times.processor_ms);
    drawn.push_back(times.drawn_ratio);
    thread.push_back(times.thread_ms);
    thread_built.push_back(times.thread_build_ms);
    thread_between.push_back(times.thread_between_ms);
  }
};

std::string quantiles(const std::vector<double>& ms) {
  char words[64];
  std::snprintf(words, sizeof words, "p50 %.2f, p99 %.2f ms", quantile(ms, 0.5),
                quantile(ms, 0.99));
  return words;
}

void print_times(const char* what, const Times& ms) {
  if (ms.total.empty()) {
    std::printf("%s: no frame changed a pixel, %d were made\n", what, ms.unchanged);
    return;
  }
  std::printf(
      "%s: %zu frames drawn, %s, max %.2f ms; built %s; processor %s; thread %s, built %s, between "
      "frames %s; drawn p50 %.0f %%, p99 %.0f %% of the window; %d frames unchanged\n",
      what, ms.total.size(), quantiles(ms.total).c_str(), quantile(ms.total, 1),
      quantiles(ms.built).c_str(), quantiles(ms.processor).c_str(), quantiles(ms.thread).c_str(),
      quantiles(ms.thread_built).c_str(), quantiles(ms.thread_between).c_str(),
      quantile(ms.drawn, 0.5) * 100, quantile(ms.drawn, 0.99) * 100, ms.unchanged);
}

int failed(const Error& error) {
  std::fprintf(stderr, "warpscope_frame_bench: %s\n", sentence(error).c_str());
  return exit_status(error.kind);
}

Result<void> open_recorded(Workspace& workspace) {
  const auto sessions = recorded_sessions();
  return sessions.empty() ? Result<void>{} : workspace.open(sessions.back());
}

// Every panel in turn, three rounds; the first frames of each are its most expensive ones.
Result<void> visit(Workspace& workspace, const char* what, const std::function<void(int)>& act) {
  constexpr int kFramesEach = 12, kRounds = 3;
  Times times;
  std::map<std::string, Times> of_panel;
  std::multimap<double, std::string, std::greater<>> slowest;
  std::string shown;
  int frame = 0;
  constexpr int kWarmUp = 5;  // shaders, fonts, layout
  WindowOptions options;
  options.after_frame = [&](FrameState& state, const FrameTimes& took) {
    if (frame >= kWarmUp) {
      times.add(took);
      of_panel[shown].add(took);
      char line[200];
      std::snprintf(line, sizeof line,
                    "%.2f ms in %s, its frame %d: built %.2f, processor %.2f ms, thread %.2f, "
                    "built %.2f ms, drawn %.0f %%",
                    took.total_ms, shown.c_str(), (frame - 1) % kFramesEach, took.build_ms,
                    took.processor_ms, took.thread_ms, took.thread_build_ms,
                    took.drawn_ratio * 100);
      slowest.emplace(took.thread_ms, line);
    }
    const auto panels = all_panels();
    const auto at = static_cast<std::size_t>(frame / kFramesEach);
    shown = panels[at % panels.size()].name;
    state.wanted_tab = panels[at % panels.size()].name;
    act(frame);
    ++frame;
    if (at >= panels.size() * kRounds) state.quit = true;
    return true;
  };
  Result<void> ran = run_window(workspace, options);
  if (!ran) return ran;
  print_times(what, times);
  for (const auto& [panel, its] : of_panel) print_times(("  " + panel).c_str(), its);
  constexpr int kSlowest = 8;
  int shown_lines = 0;
  for (const auto& [ms, line] : slowest) {
    if (shown_lines++ < kSlowest) std::printf("  slow: %s\n", line.c_str());
  }
  return ran;
}

Result<void> idle(Workspace& workspace) {
  constexpr double kSettleS = 3, kIdleS = 10;
  int frames = 0;
  double cpu_before = 0, cpu_after = 0;
  int frames_before = 0, frames_after = 0;
  WindowOptions options;
  options.after_frame = [&](FrameState&, const FrameTimes&) {
    ++frames;
    return false;
  };
  std::thread watch([&] {
    std::this_thread::sleep_for(std::chrono::duration<double>(kSettleS));
    cpu_before = cpu_seconds();
    frames_before = frames;
    std::this_thread::sleep_for(std::chrono::duration<double>(kIdleS));
    cpu_after = cpu_seconds();
    frames_after = frames;
    std::raise(SIGTERM);
  });
  Result<void> ran = run_window(workspace, options);
  watch.join();
  if (ran) {
    std::printf("idle for %.0f s: %d frames drawn, %.2f %% of a core\n", kIdleS,
                frames_after - frames_before, (cpu_after - cpu_before) / kIdleS * 100);
  }
  return ran;
}

// Runs in a process of its own: from exec to the first frame on the screen.
int first_frame(const char* started_ns) {
  const auto start = Clock::time_point(Clock::duration(std::strtoll(started_ns, nullptr, 10)));
  Workspace workspace({}, emulator_command({}));
  if (Result<void> opened = open_recorded(workspace); !opened) return failed(opened.error());
  WindowOptions options;
  options.after_frame = [&](FrameState& state, const FrameTimes&) {
    std::printf("start to first frame: %.0f ms\n",
                std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    state.quit = true;
    return false;
  };
  const Result<void> ran = run_window(workspace, options);
  return ran ? 0 : failed(ran.error());
}

// Three processes, one after another.
int first_frames(const char* program) {
  for (int run = 0; run < 3; ++run) {
    std::fflush(stdout);
    const std::string now = std::to_string(Clock::now().time_since_epoch().count());
    const pid_t child = ::fork();
    if (child == 0) {
      ::execl("/proc/self/exe", program, "--first-frame", now.c_str(), nullptr);
      ::_exit(127);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return 3;
  }
  return 0;
}

Result<void> with_recorded(const std::function<Result<void>(Workspace&)>& act) {
  Workspace workspace({}, emulator_command({}));
  return open_recorded(workspace).and_then([&] { return act(workspace); });
}

// n moves on every few frames, of 16 ms each where the display shows 60 in a second.
Result<void> dragged(const char* engine_mode, int frames_a_move, const char* what) {
  Workspace workspace({built_program("fake_engine"), engine_mode}, emulator_command({}));
  const auto drag = [&](int frame) {
    workspace.selection.axes.set("n", std::int64_t{32} + frame / frames_a_move % 64 * 4);
  };
  const std::string title = std::string("all panels, ") + what + " while n is dragged";
  Result<void> ran = visit(workspace, title.c_str(), drag);
  std::printf("  %zu jobs were submitted meanwhile\n", workspace.view().jobs.submitted());
  return ran;
}

// Called after the first frame, since a window begins with the scene that it showed last.
Result<void> begin_training(Workspace& workspace) {
  if (Result<void> chosen = workspace.choose_scene("autoencoder"); !chosen) return chosen;
  Selection& selection = workspace.selection;
  const Result<Configuration> small = with_values(
      workspace.scene().axes, selection.axes,
      {{"part", "step"}, {"batch", "2"}, {"channels", "4"}, {"size", "8"}, {"lr", "0.001"}});
  if (!small) return tl::unexpected(small.error());
  selection.axes = *small;
  selection.variant = "cpu_sequential";
  selection.live = false;
  selection.training = {{"samples", "1024"}, {"epochs", "1000"}};
  workspace.requests.ask(request::Train{selection.variant});
  return {};
}

Result<void> trained() {
  Workspace workspace({}, emulator_command({}));
  Result<void> begun;
  Result<void> ran = visit(workspace, "all panels, while it trains", [&](int frame) {
    if (frame == 0) begun = begin_training(workspace);
  });
  if (!begun) return begun;
  double steps = 0;
  for (const Series* series : workspace.session().outcomes().series()) {
    if (series->name == "loss" && !series->x.empty()) steps = series->x.back();
  }
  if (ran && steps == 0)
    return failure(ErrorKind::internal,
                   "nothing was trained: " + workspace.view().training.standing().text);
  std::printf("  %.0f steps were trained meanwhile\n", steps);
  return ran;
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 3 && std::strcmp(arguments[1], "--first-frame") == 0)
    return first_frame(arguments[2]);
  if (count == 3 && std::strcmp(arguments[1], "--soak") == 0) {
    const Result<void> ran = soak(std::strtod(arguments[2], nullptr));
    return ran ? 0 : failed(ran.error());
  }
  if (const auto sessions = recorded_sessions(); !sessions.empty())
    ::setenv("FAKE_ENGINE_SESSION", sessions.back().c_str(), 1);
  const std::pair<const char*, std::function<Result<void>()>> kParts[] = {
      {"recorded",
       [] {
         return with_recorded(
             [](Workspace& w) { return visit(w, "all panels, recorded session", [](int) {}); });
       }},
      {"measuring", [] { return dragged("replays", 3, "measuring"); }},
      {"flooded", [] { return dragged("good", 1, "flooded"); }},
      {"training", trained},
      {"idle", [] { return with_recorded(idle); }},
  };
  const std::vector<std::string> wanted(arguments + 1, arguments + count);
  const auto is_wanted = [&](const char* part) {
    return wanted.empty() || std::find(wanted.begin(), wanted.end(), part) != wanted.end();
  };
  if (is_wanted("first")) {
    if (const int status = first_frames(arguments[0]); status != 0) return status;
  }
  for (const auto& [part, run] : kParts) {
    if (!is_wanted(part)) continue;
    if (Result<void> ran = run(); !ran) return failed(ran.error());
  }
  return 0;
}
