// tests/workbench/window/window_test.cpp: the real window, driven by mouse and keys on an X
// display.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/folders.h"
#include "tests/workbench/commands/command_line.h"
#include "tests/workbench/window/real_window.h"
#include "workbench/client/child_process.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using Told = RealWindow::Told;

constexpr const char* kFirst = "warp_row_zero_test";  // in focus in a window that is new

class Window : public testing::Test {
 protected:
  void SetUp() override {
    if (!screen_.trouble().empty()) GTEST_SKIP() << screen_.trouble();
  }
  // Clicks rows of Variants from the lowest one up until another one has the focus.
  static void choose_another(RealWindow& window) {
    const Box variants = window.panel("variants");
    const Told was = window.now()["variant"];
    for (float y = variants.y1 - 8; y > variants.y0 + 0.4f * variants.height(); y -= 8) {
      window.move(variants.x0 + 0.3f * variants.width(), y);
      if (window.now()["pointer"]["over"] == 0) continue;
      window.hold_button();
      window.let_go_button();
      if (window.now()["variant"] != was) return;
    }
    ADD_FAILURE() << "no row of Variants takes a click";
  }
  // The slider of m from here to its right end, in ten steps. Returns the keys that were passed.
  static std::set<std::string> drag_m(RealWindow& window) {
    window.go_to_region("/axes_");
    const Box slider = window.tab_to("/axes_", {"m", "##value"});
    const float y = (slider.y0 + slider.y1) / 2;
    window.move(slider.x0 + 0.4f * slider.width(), y);
    window.hold_button();
    std::set<std::string> passed;
    for (int i = 1; i <= 10; ++i) {
      window.move(slider.x0 + (0.4f + 0.05f * static_cast<float>(i)) * slider.width(), y + 2);
      passed.insert(window.now()["key"].get<std::string>());
    }
    window.let_go_button();
    return passed;
  }

  const Screen screen_;
  const Person person_;
};

TEST_F(Window, OpensWithAnEngineThatFindsNoGpuAndSaysSo) {
  ::setenv("FAKE_ENGINE_MODE", "bare", 1);
  RealWindow window(screen_, person_, "--engine " + fake_engine(), false);
  ::unsetenv("FAKE_ENGINE_MODE");
  EXPECT_TRUE(window.until("a notice says it", [](const Told& told) {
    return told["notices"].dump().find("There is no GPU here: a recorded session is shown") !=
           std::string::npos;
  }));
}

// Opened by its button in the top bar and with Enter; a clicker's keys step it.
TEST_F(Window, PlaysALessonFromTheListByAClickersKeys) {
  RealWindow window(screen_, person_);
  window.click(window.tab_to("workbench", {"###lessons"}));
  window.until("the list is open", [](const Told& told) { return told["open"][0] == "popup"; });
  window.press("Return");
  const auto step = [&window](int wanted) {
    return window.until("the lesson is at this step", [wanted](const Told& told) {
      return told["lesson_step"] == wanted && !told["busy"] && told["rests"];
    });
  };
  ASSERT_TRUE(step(1));
  EXPECT_EQ(window.now()["lesson"], "A sparse product, and what its optimisations were worth");
  EXPECT_EQ(window.now()["scene"], "csrmm");
  const Told at_first = window.now();
  for (const int next : {2, 3, 4, 5}) {
    window.press("Next");
    ASSERT_TRUE(step(next));
  }
  EXPECT_NE(window.now()["variant"], at_first["variant"]);
  window.press("Prior");
  ASSERT_TRUE(step(4));
  window.press("Escape");
  ASSERT_TRUE(step(0));
  EXPECT_EQ(window.now()["lesson"], "");
  EXPECT_EQ(window.now()["variant"], kFirst) << "what was chosen before the lesson";
}

// A laptop's monitor is smaller than the usual window, and so was the one it was closed on.
TEST_F(Window, IsNoLargerThanTheMonitor) {
  const Screen laptop("1280x720");
  if (!laptop.trouble().empty()) GTEST_SKIP() << laptop.trouble();
  const Told size = {1280, 720};
  {
    RealWindow first(laptop, person_, "", false);
    EXPECT_EQ(first.now()["size"], size) << "without a size of its own";
  }
  const Person moved;
  {
    RealWindow large(screen_, moved);
    EXPECT_EQ(large.now()["size"], Told({1600, 900}));
  }
  RealWindow next(laptop, moved);
  EXPECT_EQ(next.now()["size"], size) << "as it was closed on a larger monitor";
}

TEST_F(Window, AFirstStartPlaysTheFirstLookAndTheNextOneDoesNot) {
  {
    RealWindow first(screen_, person_, "", false);
    first.until("the first look plays", [](const RealWindow::Told& told) {
      return told["lesson"].get<std::string>().starts_with("First look") &&
             told["lesson_step"] == 1 && told["scene"] == "patterns";
    });
    first.close();
  }
  RealWindow next(screen_, person_, "", false);
  EXPECT_EQ(next.now()["lesson"], "");
}

TEST_F(Window, MaximisesThePanelUnderThePointerAndBringsAllBack) {
  RealWindow window(screen_, person_);
  const Told before = window.now();
  const Box panel = window.panel("coalescing");
  window.move((panel.x0 + panel.x1) / 2, (panel.y0 + panel.y1) / 2);
  window.press("F11");
  EXPECT_EQ(window.now()["maximised"], "coalescing");
  EXPECT_EQ(window.now()["panels"].size(), 1u);
  EXPECT_GT(window.panel("coalescing").area(), 1600.f * 900 * 0.8f);
  window.press("Escape");
  EXPECT_EQ(window.now()["maximised"], "");
  EXPECT_EQ(window.now()["panels"], before["panels"]);
}

TEST_F(Window, FollowsTheMouse) {
  RealWindow window(screen_, person_);
  window.press("1");
  ASSERT_EQ(window.now()["tabs"]["centre"], "roofline");
  EXPECT_EQ(window.now()["variant"], kFirst);
  const auto width = [](const Told& told) {
    return told["roofline_x"][1].get<double>() / told["roofline_x"][0].get<double>();
  };
  choose_another(window);
  EXPECT_NE(window.now()["variant"], kFirst);
  const double before = width(window.now());
  const Box plot = window.panel("roofline");
  window.move((plot.x0 + plot.x1) / 2, (plot.y0 + plot.y1) / 2);
  window.turn_wheel(2);
  window.until("the plot is nearer", [&](const Told& told) { return width(told) < before * 0.8; });
  const Told key = window.now()["key"];
  drag_m(window);
  EXPECT_NE(window.now()["key"], key);
  EXPECT_EQ(window.now()["key"].get<std::string>().rfind("m=", 0), 0u);
}

TEST_F(Window, ADragIsTakenBackByOneUndo) {
  RealWindow window(screen_, person_);
  const Told before = window.now()["key"];
  const std::set<std::string> passed = drag_m(window);
  EXPECT_GE(passed.size(), 3u) << "of many values";
  EXPECT_NE(window.now()["key"], before);
  window.press("ctrl+z");
  EXPECT_EQ(window.now()["key"], before);
  window.press("ctrl+y");
  EXPECT_NE(window.now()["key"], before);
}

TEST_F(Window, KeysAloneReachATabAndASlider) {
  RealWindow window(screen_, person_);
  const Told before = window.now();
  // The bar, Axes, Variants, the centre, the diagrams, the lower tabs: one right of the first.
  for (const char* key : {"F6", "F6", "F6", "F6", "F6", "Right", "space"}) window.press(key);
  EXPECT_EQ(window.now()["tabs"]["bottom"], "stalls");
  window.go_to_region("/axes_");
  window.tab_to("/axes_", {"m", "##value"});
  EXPECT_TRUE(window.now()["focus"]["shown"]);
  window.press("Right");
  EXPECT_NE(window.now()["key"], before["key"]);
  window.press("Escape");
  EXPECT_FALSE(window.now()["focus"]["shown"]) << "Esc hides the focus alone";
  EXPECT_EQ(window.now()["variant"], before["variant"]);
}

// By key the one in focus, by key another one that a click put into focus; a swap, and one undo.
TEST_F(Window, PinsTwoPoints) {
  RealWindow window(screen_, person_);
  window.press("ctrl+1");
  EXPECT_EQ(window.now()["pins"], (Told{kFirst, ""}));
  choose_another(window);
  const Told other = window.now()["variant"];
  EXPECT_NE(other, kFirst);
  window.press("ctrl+2");
  EXPECT_EQ(window.now()["pins"], (Told{kFirst, other}));
  window.press("ctrl+3");
  EXPECT_EQ(window.now()["pins"], (Told{other, kFirst}));
  window.press("ctrl+z");
  EXPECT_EQ(window.now()["pins"], (Told{kFirst, other}));
  window.press("ctrl+z");
  EXPECT_EQ(window.now()["pins"], (Told{kFirst, ""})) << "one undo takes back one pin";
}

TEST_F(Window, ObeysThemeAndScaleAndKeepsWhatWasChosen) {
  const Told asked = RealWindow(screen_, person_, "--theme light --scale 1.25").close();
  EXPECT_EQ(asked["theme"], "light");
  EXPECT_FLOAT_EQ(asked["scale"].get<float>(), 1.25f);
  Told kept;
  {
    RealWindow window(screen_, person_);
    drag_m(window);
    for (const char* key : {"6", "9", "2"}) window.press(key);
    kept = window.close();
  }
  EXPECT_EQ(kept["theme"], "light");
  const Told again = RealWindow(screen_, person_, "--theme dark").close();
  EXPECT_EQ(again["key"], kept["key"]);
  EXPECT_EQ(again["tabs"]["centre"], "sweep");
  EXPECT_EQ(again["tabs"]["right"], "banks");
  EXPECT_EQ(again["tabs"]["bottom"], "source");
  EXPECT_EQ(again["theme"], "dark");
  EXPECT_FLOAT_EQ(again["scale"].get<float>(), 1.25f);
}

TEST_F(Window, KeepsABaselineWithANameForTheNextStart) {
  {
    RealWindow window(screen_, person_);
    window.press("ctrl+4");
    window.close();
  }
  std::ifstream file(person_.folder() / "data" / "warpscope" / "baselines.wsj");
  std::string line;
  ASSERT_TRUE(std::getline(file, line));
  const Told kept = Told::parse(line);
  EXPECT_EQ(kept["type"], "baseline");
  EXPECT_EQ(kept["measurement"]["variant"], kFirst);
}

TEST_F(Window, ComesBackWhereItStoodAndAsLarge) {
  std::array<int, 4> left{};
  {
    RealWindow window(screen_, person_);
    EXPECT_EQ(window.place()[2], 1600);
    window.tell_xdotool("windowmove W 210 130");
    window.tell_xdotool("windowsize W 1370 810");
    window.until("it is as large", [](const Told& told) {
      return told["size"] == Told{1370, 810};
    });
    left = window.place();
    EXPECT_EQ(left, (std::array{210, 130, 1370, 810}));
  }
  RealWindow again(screen_, person_);
  EXPECT_EQ(again.place(), left);
  EXPECT_EQ(again.now()["size"], (Told{1370, 810}));
  again.close();
  RealWindow sized(screen_, person_, "--size 1280x720");
  EXPECT_EQ(sized.now()["size"], (Told{1280, 720})) << "the command line comes first";
}

TEST_F(Window, TheSizeOfALessonIsNotTheNextWindows) {
  {
    RealWindow window(screen_, person_);
    window.tell_xdotool("windowsize W 1370 810");
    window.until("it is as large", [](const Told& told) {
      return told["size"] == Told{1370, 810};
    });
    window.close();
  }
  const std::string display = "DISPLAY=" + screen_.name();
  const pid_t lesson = start_child({"env", display, "XDG_CONFIG_HOME=" + person_.folder().string(),
                                    "LIBGL_ALWAYS_SOFTWARE=1", built_program("warpscope"), "play",
                                    "first_look", "--size", "900x600"})
                           .process;
  const std::string search = "timeout 60 env " + display +
                             " xdotool search --sync --onlyvisible --name '^Warpscope$' >/dev/null";
  ASSERT_EQ(std::system(search.c_str()), 0) << "the lesson opens no window";
  ASSERT_EQ(::kill(lesson, SIGTERM), 0);
  ASSERT_EQ(::waitpid(lesson, nullptr, 0), lesson);
  RealWindow again(screen_, person_);
  EXPECT_EQ(again.now()["size"], (Told{1370, 810}));
}

// A window so low that notices stand over tabs: what is clicked there is the tab.
TEST_F(Window, ANoticeTakesNoClick) {
  RealWindow window(screen_, person_, "--size 520x240");
  const Box tab = window.tab_to("", {"tabs", "Engine"});
  const Told id = window.now()["focus"]["id"];
  const float x = (tab.x0 + tab.x1) / 2, y = (tab.y0 + tab.y1) / 2;
  const auto is_covered = [&](const Told& told) {
    return box_of(told["notices"]["box"]).contains(x, y);
  };
  window.move(x, y);
  Told pressed;
  // They go after some seconds: on a machine that does much else before the button is down.
  for (int tries = 0; tries < 10 && (pressed.is_null() || !is_covered(pressed)); ++tries) {
    for (int i = 0; i < 2 || (i < 4 && !is_covered(window.now())); ++i) {
      window.press(i % 2 == 0 ? "ctrl+e" : "ctrl+s");
      if (i % 2 == 0) window.press("Return");  // the dialog's name for the table is taken
    }
    EXPECT_EQ(window.now()["tabs"]["stacked"], "metrics") << "its rows were written";
    window.hold_button();
    pressed = window.now();
    window.let_go_button();
    EXPECT_EQ(window.now()["tabs"]["stacked"], "engine");
  }
  EXPECT_TRUE(is_covered(pressed)) << "no notice stands over the tab: " << pressed.dump();
  EXPECT_EQ(pressed["pointer"]["presses"], id);
  EXPECT_EQ(pressed["clicked"], "workbench");
  EXPECT_TRUE(fs::exists(person_.folder() / "warpscope-window.png")) << "a notice said so";
}

// Width and height of a PNG. source: PNG specification, IHDR.
std::array<int, 2> size_of_png(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  unsigned char head[24] = {};
  file.read(reinterpret_cast<char*>(head), sizeof head);
  const auto number = [&head](int at) {
    return head[at] << 24 | head[at + 1] << 16 | head[at + 2] << 8 | head[at + 3];
  };
  return {number(16), number(20)};
}

// The next picture of the window has its size. Its theme is changed before.
void expect_picture(RealWindow& window, const fs::path& picture, std::array<int, 2> size) {
  window.press("t");
  fs::remove(picture);
  window.press("ctrl+s");
  window.until("a picture is there", [&](const Told&) { return fs::exists(picture); });
  EXPECT_EQ(size_of_png(picture), size);
  EXPECT_GT(fs::file_size(picture), 50000u);
}

// At `themes` themes, of which light is the first.
void expect_pictures(RealWindow& window, const fs::path& folder,
                     const std::vector<std::array<int, 2>>& sizes, int themes) {
  for (const std::array<int, 2>& size : sizes) {
    window.tell_xdotool("windowsize W " + std::to_string(size[0]) + " " + std::to_string(size[1]));
    window.until("it is as large", [&](const Told& told) { return told["size"] == Told(size); });
    for (int theme = 0; theme < themes; ++theme) {
      SCOPED_TRACE(std::to_string(size[0]) + ", picture " + std::to_string(theme + 1));
      expect_picture(window, folder / "warpscope-window.png", size);
    }
  }
}

// Each size at one scale and in one theme; both scales have both themes.
TEST_F(Window, TakesItsPictureAtEachSizeScaleAndTheme) {
  {
    RealWindow window(screen_, person_, "--theme dark --scale 1");
    expect_pictures(window, person_.folder(), {{1280, 720}, {1920, 1080}}, 1);
  }
  RealWindow window(screen_, person_, "--theme dark --scale 2");
  expect_pictures(window, person_.folder(), {{1600, 900}, {2560, 1440}}, 1);
}
using SlowWindow = Window;
TEST_F(SlowWindow, TakesItsPictureAtEverySizeScaleAndTheme) {
  for (const char* scale : {"1", "2"}) {
    RealWindow window(screen_, person_, std::string("--theme dark --scale ") + scale);
    expect_pictures(window, person_.folder(),
                    {{1280, 720}, {1600, 900}, {1920, 1080}, {2560, 1440}}, 2);
  }
}

}  // namespace
}  // namespace warpscope
