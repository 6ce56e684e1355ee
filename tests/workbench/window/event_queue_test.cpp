// tests/workbench/window/event_queue_test.cpp: a window that draws two frames a second loses no key
// and no modifier; one that is left alone lets go of what nobody looks at.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/folders.h"
#include "tests/recorded_session.h"
#include "tests/workbench/window/real_window.h"
#include "workbench/desktop/rest.h"
#include "workbench/window/window.h"
#include "workbench/workspace/pinned_points.h"
#include "workbench/workspace/selection/pins.h"

namespace warpscope {
namespace {

// What the keys of this test change, each of them something that can be seen.
struct Seen {
  bool cold = false, lessons = false;
  Theme theme = Theme::dark;
  float scale = 1;
  std::string bottom_tab, a;
  bool operator==(const Seen&) const = default;
};

Seen seen_in(const Workspace& workspace, const FrameState& state) {
  const Selection& s = workspace.selection;
  return {s.cache == CacheState::cold,
          state.lessons.open,
          state.theme,
          state.user_scale,
          state.bottom_tab,
          s.pins.a ? s.pins.a->variant : ""};
}

struct Chord {
  const char* keys;  // of xdotool, in the order in which they go down
  void (*act)(Seen&, const std::string& other);
};

#define TAB(keys, tab)                                            \
  {                                                               \
    keys, [](Seen& s, const std::string&) { s.bottom_tab = tab; } \
  }
constexpr Chord kChords[] = {
    {"k", [](Seen& s, const std::string&) { s.cold = !s.cold; }},
    {"t",
     [](Seen& s, const std::string&) {
       s.theme = s.theme == Theme::dark ? Theme::light : Theme::dark;
     }},
    {"ctrl l", [](Seen& s, const std::string&) { s.lessons = !s.lessons; }},
    {"ctrl equal", [](Seen& s, const std::string&) { s.scale *= 1.125f; }},
    {"ctrl minus", [](Seen& s, const std::string&) { s.scale *= 1 / 1.125f; }},
    {"ctrl 3", [](Seen& s, const std::string& other) { s.a = other; }},
    TAB("5", "metrics"),
    TAB("6", "source"),
    TAB("7", "engine"),
    TAB("shift 5", "compare"),
    TAB("shift 6", "occupancy"),
    TAB("shift 7", "steps"),
};
#undef TAB

// The window after each chord, and the lines for xdotool that press them.
struct Typing {
  std::vector<Seen> states;
  std::string script;
};

Typing typing(Seen seen, const std::string& a, const std::string& b, std::size_t count) {
  constexpr float kSmallest = 0.8f, kLargest = 1.2f;  // all five regions have room
  std::mt19937 random(1);
  Typing typed;
  while (typed.states.size() < count) {
    const Chord& chord = kChords[random() % std::size(kChords)];
    Seen next = seen;
    chord.act(next, seen.a == a ? b : a);
    if (next == seen || next.scale < kSmallest || next.scale > kLargest) continue;
    seen = next;
    typed.states.push_back(seen);
    const std::string keys = chord.keys;
    const std::size_t space = keys.find(' ');
    const std::string held = space == std::string::npos ? "" : keys.substr(0, space);
    const std::string key = keys.substr(space + 1);  // after npos: all of it
    // As a hand presses them, or as one command, which lets the modifier go before the key.
    if (!held.empty() && random() % 2 == 0) {
      typed.script += "key --delay 4 " + held + "+" + key + "\n";
      continue;
    }
    if (!held.empty()) typed.script += "keydown --delay 2 " + held + "\n";
    typed.script += "keydown --delay 4 " + key + "\nkeyup --delay 4 " + key + "\n";
    if (!held.empty()) typed.script += "keyup --delay 2 " + held + "\n";
  }
  return typed;
}

// An environment variable for as long as this lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* was = std::getenv(name)) was_ = was;
    ::setenv(name, value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { was_.empty() ? ::unsetenv(name_) : ::setenv(name_, was_.c_str(), 1); }

 private:
  const char* name_;
  std::string was_;
};

// A display and settings that no other program uses, drawn by the processor.
struct OwnDisplay {
  Screen screen;
  Person person;
  Variable display{"DISPLAY", screen.name()};
  Variable settings{"XDG_CONFIG_HOME", person.folder().string()};
  Variable data{"XDG_DATA_HOME", person.folder().string() + "/data"};
  Variable by_processor{"LIBGL_ALWAYS_SOFTWARE", "1"};
};

// As many random chords as `chords`, of a person who types faster than the window draws.
void expect_right_actions(std::size_t chords) {
  using namespace std::chrono_literals;
  const OwnDisplay display;
  if (!display.screen.trouble().empty()) GTEST_SKIP() << display.screen.trouble();
  Workspace workspace({});
  ASSERT_TRUE(workspace.open(recorded_session("csrmm")));
  const std::vector<Variant>& variants = workspace.scene().variants;
  const std::string a = variants[0].name, b = variants[1].name;
  pin_as_a(workspace.selection.pins, pin_here(workspace.view(), a));
  pin_as_b(workspace.selection.pins, pin_here(workspace.view(), b));

  Typing typed;
  std::vector<Seen> seen;
  FrameState* state = nullptr;
  std::atomic<bool> ended = false;
  std::thread person_typing;
  int frames = 0;
  const auto look = [&] {
    if (state == nullptr) return;
    const Seen now = seen_in(workspace, *state);
    if (seen.empty() || !(now == seen.back())) seen.push_back(now);
  };
  const auto start_typing = [&] {
    typed = typing(seen.back(), a, b, chords);
    const std::string script = (display.person.folder() / "chords").string();
    std::ofstream(script) << typed.script;
    person_typing = std::thread([&ended, script] {
      const std::string focus = "xdotool search --onlyvisible --name ^Warpscope$ windowfocus";
      EXPECT_EQ(std::system((focus + " && sleep 1 && xdotool " + script).c_str()), 0);
      // What waits comes by itself; a window that lost a key is closed after a while.
      for (int i = 0; i < 600 && !ended; ++i) std::this_thread::sleep_for(100ms);
      if (!ended) std::raise(SIGTERM);
    });
  };
  WindowOptions options;
  options.recalls = false;
  options.pointer = [&]() -> std::optional<WindowOptions::Pointer> {
    look();
    return std::nullopt;
  };
  auto last = std::chrono::steady_clock::now();
  options.after_frame = [&](FrameState& at_hand, const FrameTimes&) {
    state = &at_hand;
    look();
    constexpr int kWarmUp = 6;
    if (++frames == kWarmUp) start_typing();
    if (frames >= kWarmUp) std::this_thread::sleep_until(last + 500ms);
    last = std::chrono::steady_clock::now();
    at_hand.quit = seen.size() > chords;
    return frames < kWarmUp;
  };
  const Result<void> ran = run_window(workspace, options);
  ended = true;
  if (person_typing.joinable()) person_typing.join();
  ASSERT_TRUE(ran) << sentence(ran.error());
  ASSERT_FALSE(seen.empty());
  seen.erase(seen.begin());  // before the first chord
  EXPECT_EQ(seen.size(), typed.states.size());
  const auto [wrong, right] =
      std::mismatch(seen.begin(), seen.end(), typed.states.begin(), typed.states.end());
  EXPECT_TRUE(right == typed.states.end())
      << "the first " << right - typed.states.begin() << " are right, in " << frames << " frames";
}

TEST(EventQueue, RandomChordsAtTwoFramesASecondAreAsManyRightActions) { expect_right_actions(250); }
TEST(SlowEventQueue, AThousandRandomChordsAtTwoFramesASecondAreAThousandRightActions) {
  expect_right_actions(1000);
}

// Nobody moves anything: only the panel itself asks for the frames that finish it.
TEST(EventQueue, FramesGoOnWithoutInputUntilAPanelIsFinished) {
  using namespace std::chrono_literals;
  const OwnDisplay display;
  if (!display.screen.trouble().empty()) GTEST_SKIP() << display.screen.trouble();
  Workspace workspace({});
  ASSERT_TRUE(workspace.open(recorded_session("csrmm")));
  WindowOptions options;
  options.recalls = false;
  bool unfinished = false;
  int frames = 0;
  options.after_frame = [&](FrameState& state, const FrameTimes&) {
    if (frames++ == 0) state.wanted_tab = "article";
    unfinished = state.budget && state.budget->unfinished;
    constexpr int kSettled = 8, kMost = 500;  // the first frames come of themselves
    state.quit = (frames > kSettled && !unfinished) || frames == kMost;
    return frames <= kSettled;
  };
  std::atomic<bool> ended = false;
  std::thread watch([&ended] {  // a window that stops drawing is closed after a while
    for (int i = 0; i < 300 && !ended; ++i) std::this_thread::sleep_for(100ms);
    if (!ended) std::raise(SIGTERM);
  });
  const Result<void> ran = run_window(workspace, options);
  ended = true;
  watch.join();
  ASSERT_TRUE(ran);
  EXPECT_FALSE(unfinished) << "after " << frames << " frames";
}

// A person walks through ten configurations and goes away.
TEST(LeftAlone, AWindowLetsGoOfTheTracesOfEarlierConfigurations) {
  using namespace std::chrono_literals;
  const OwnDisplay display;
  if (!display.screen.trouble().empty()) GTEST_SKIP() << display.screen.trouble();
  Workspace workspace({}, {built_program("fake_engine"), "traces"});
  WindowOptions options;
  options.recalls = false;
  constexpr std::int64_t kLast = 10;
  std::int64_t n = 0;
  std::atomic<bool> gone = false, over = false;
  options.after_frame = [&](FrameState&, const FrameTimes&) {
    workspace.selection.variant = "float4_columns";
    if (n > 0 && workspace.session().trace(workspace.view().point_id("float4_columns")) == nullptr)
      return true;
    gone = n == kLast;
    if (!gone) workspace.selection.axes.set("n", ++n);
    return !gone;
  };
  std::size_t while_there = 0;
  options.pointer = [&]() -> std::optional<WindowOptions::Pointer> {
    while_there = std::max(while_there, workspace.session().memory().traces.count);
    return std::nullopt;
  };
  std::thread watch([&gone, &over] {
    for (int i = 0; i < 600 && !gone; ++i) std::this_thread::sleep_for(100ms);
    std::this_thread::sleep_for(Rest::kAfter + 2s);
    if (!over) std::raise(SIGTERM);  // the window takes it only while it runs
  });
  const Result<void> ran = run_window(workspace, options);
  over = true;
  watch.join();
  ASSERT_TRUE(ran) << sentence(ran.error());
  ASSERT_EQ(n, kLast);
  EXPECT_GE(while_there, static_cast<std::size_t>(kLast)) << "nothing went while somebody worked";
  EXPECT_EQ(workspace.session().memory().traces.count, 1u) << "what is looked at";
  EXPECT_GE(workspace.view().opened.let_go().traces, static_cast<std::size_t>(kLast - 1));
}

}  // namespace
}  // namespace warpscope
