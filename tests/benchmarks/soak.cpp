// tests/benchmarks/soak.cpp: the window under random clicks and drags for a long time.
#include "tests/benchmarks/soak.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <utility>

#include "workbench/client/process_memory.h"
#include "workbench/desktop/rest.h"
#include "workbench/window/window.h"

namespace warpscope {
namespace {

using Clock = std::chrono::steady_clock;

// Presses at a place, moves to another (a click: the same), lets go, and rests.
class Person {
 public:
  Person(int width, int height) : x_(2, width - 2.0), y_(2, height - 2.0) { choose(); }

  WindowOptions::Pointer act() {
    const double at_s = std::chrono::duration<double>(Clock::now() - since_).count();
    if (at_s >= kEventS) choose();
    const double moved = std::clamp((at_s - kPressS) / (kReleaseS - kPressS), 0.0, 1.0);
    return {static_cast<float>(from_x_ + (to_x_ - from_x_) * moved),
            static_cast<float>(from_y_ + (to_y_ - from_y_) * moved),
            at_s >= kPressS && at_s < kReleaseS};
  }
  std::size_t events() const { return events_; }

 private:
  static constexpr double kEventS = 0.25, kPressS = 0.05, kReleaseS = 0.2;
  void choose() {
    since_ = Clock::now();
    ++events_;
    from_x_ = to_x_ = x_(random_);
    from_y_ = to_y_ = y_(random_);
    constexpr int kClicksOfTen = 6;
    if (static_cast<int>(random_() % 10) < kClicksOfTen) return;
    to_x_ = x_(random_);
    if (random_() % 2 == 0) to_y_ = y_(random_);  // the other half are drags of sliders
  }

  std::mt19937 random_{42};
  std::uniform_real_distribution<double> x_, y_;
  Clock::time_point since_;
  double from_x_ = 0, from_y_ = 0, to_x_ = 0, to_y_ = 0;
  std::size_t events_ = 0;
};

double mega(std::int64_t bytes) { return static_cast<double>(bytes) / 1e6; }

// Resident bytes that are this process's own, without pages of files such as libraries. source:
// proc(5): RssAnon, in kB.
double own_mega() {
  std::ifstream file("/proc/self/status");
  for (std::string word; file >> word;) {
    double kilo = 0;
    if (word == "RssAnon:" && file >> kilo) return kilo * 1024 / 1e6;
  }
  return 0;
}

void print_memory(double at_s, std::size_t events, const Workspace& workspace) {
  const Session& session = workspace.session();
  const Session::Memory kept = session.memory();
  const HeapBytes heap = heap_bytes().value_or(HeapBytes{});
  std::printf(
      "%5.0f s, %zu events: resident %.0f MB, %.0f of it no file's; heap used %.0f, free %.0f MB; "
      "opened %zu of %.0f MB, "
      "%zu traces of %.0f MB (%zu let go of), %zu measurements in order of %.0f MB, %zu jobs of "
      "%.1f MB; emulator %.0f MB\n",
      at_s, events, mega(resident_bytes().value_or(0)), own_mega(), mega(heap.used),
      mega(heap.free), kept.opened.count, mega(kept.opened.bytes), kept.traces.count,
      mega(kept.traces.bytes), workspace.view().opened.let_go().traces, kept.history.count,
      mega(kept.history.bytes), kept.jobs.count, mega(kept.jobs.bytes),
      mega(workspace.view().engines.emulator_memory().value_or(0)));
  std::fflush(stdout);
}

}  // namespace

Result<void> soak(double seconds) {
  Workspace workspace({}, emulator_command({}));
  const auto sessions = recorded_sessions();
  std::printf("before a session is opened: resident %.0f MB\n", mega(resident_bytes().value_or(0)));
  if (!sessions.empty()) {
    if (Result<void> opened = workspace.open(sessions.back()); !opened) return opened;
  }
  std::printf("with it, before there is a window: resident %.0f MB\n",
              mega(resident_bytes().value_or(0)));
  WindowOptions options;
  Person person(options.width, options.height);
  const auto start = Clock::now();
  constexpr double kRestS = 10, kPrintS = 30;  // at rest first
  double printed_s = kRestS - kPrintS;
  const auto at_s = [start] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  options.pointer = [&]() -> std::optional<WindowOptions::Pointer> {
    if (at_s() <= kRestS || at_s() > kRestS + seconds) return std::nullopt;
    return person.act();
  };
  int most_calls = 0;
  bool cancelled = false;
  // Then nobody touches anything: a thread of its own looks, for an idle window makes no frame.
  constexpr std::chrono::seconds kAlone = Rest::kAfter + std::chrono::seconds(10);
  std::atomic<bool> over = false;
  std::thread watch([&] {
    std::this_thread::sleep_for(std::chrono::duration<double>(kRestS + seconds) + kAlone);
    if (over) return;  // the window did not open, or was closed
    std::printf("left alone for %d s:\n", static_cast<int>(kAlone.count()));
    print_memory(at_s(), person.events(), workspace);
    std::raise(SIGTERM);
  });
  options.after_frame = [&](FrameState& state, const FrameTimes& took) {
    most_calls = std::max(most_calls, took.draw_calls);
    // What was begun goes no further: an emulation of a whole grid takes minutes.
    if (at_s() > kRestS + seconds && !std::exchange(cancelled, true))
      workspace.requests.ask(request::Cancel{});
    if (at_s() >= printed_s + kPrintS) {
      printed_s = at_s();
      print_memory(printed_s, person.events(), workspace);
      std::printf("         at most %d draw calls in a frame; %s beside %s, over %s\n",
                  std::exchange(most_calls, 0), state.centre_tab.c_str(), state.right_tab.c_str(),
                  state.bottom_tab.c_str());
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(15));  // no faster than a person's hand
    return at_s() <= kRestS + seconds;
  };
  Result<void> ran = run_window(workspace, options);
  over = true;
  watch.join();
  return ran;
}

}  // namespace warpscope
