// tests/workbench/window/window_test.cpp: the real window, driven by mouse and keys on an X
// display.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/folders.h"
#include "tests/recorded_session.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

// Settings and files of one person, who may open several windows one after the other.
class Person {
 public:
  Person()
      : folder_(fs::temp_directory_path() / ("warpscope-window-" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  Person(const Person&) = delete;
  Person& operator=(const Person&) = delete;
  ~Person() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  // Opens the recorded session in a window of 1600 × 900, does what `actions` says with xdotool
  // (the window is $W), ends the window, and returns the state it leaves behind.
  nlohmann::json after(const std::string& actions, const std::string& arguments = "") const {
    const std::string state = (folder_ / "state.json").string();
    const std::string script =
        "cd " + folder_.string() + "\nexport XDG_CONFIG_HOME=" + folder_.string() +
        " LIBGL_ALWAYS_SOFTWARE=1\n" + built_program("warpscope") + " --session " +
        recorded_session("csrmm").string() + " --dump-state " + state + " " + arguments +
        " & P=$!\n" +
        "W=$(timeout 20 xdotool search --sync --onlyvisible --name '^Warpscope$' | head -1)\n"
        "sleep 2\n" +
        actions + "\nkill $P\nwait $P\n";
    std::ofstream(folder_ / "script.sh") << script;
    static_cast<void>(std::system(("timeout 60 bash " + (folder_ / "script.sh").string()).c_str()));
    std::ifstream file(state);
    return nlohmann::json::parse(file, nullptr, false);
  }
  const fs::path& folder() const { return folder_; }

 private:
  fs::path folder_;
};

nlohmann::json state_after(const std::string& actions, const std::string& arguments = "") {
  return Person().after(actions, arguments);
}

// Keys one after the other, each held until a frame has seen it; "ctrl+z" holds both.
std::string keys(std::initializer_list<std::string> names) {
  std::string actions;
  for (const std::string& name : names) {
    const std::size_t plus = name.find('+');
    const std::string with = plus == std::string::npos ? "" : name.substr(0, plus);
    const std::string key = plus == std::string::npos ? name : name.substr(plus + 1);
    const auto turn = [&actions](const char* way, const std::string& one) {
      if (!one.empty())
        actions += "xdotool key" + std::string(way) + " --window $W " + one + "; sleep 0.12\n";
    };
    turn("down", with);
    turn("down", key);
    turn("up", key);
    turn("up", with);
  }
  return actions;
}

class Window : public testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("DISPLAY") == nullptr) GTEST_SKIP() << "there is no display";
    if (std::system("command -v xdotool > /dev/null 2>&1") != 0)
      GTEST_SKIP() << "xdotool is not installed";
  }
};
class SlowWindow : public Window {};

// Opened by its button at the right of the top bar and with Enter; a clicker's keys step it.
TEST_F(SlowWindow, PlaysALessonFromTheListByAClickersKeys) {
  const std::string open =
      "sleep 1.5; xdotool mousemove --window $W 1364 20; sleep 0.5; xdotool click 1; sleep 1.5\n"
      "xdotool key --window $W Return; sleep 2\n";
  const nlohmann::json second = state_after(open + "xdotool key --window $W Next; sleep 1");
  ASSERT_TRUE(second.is_object()) << "the window left no state";
  EXPECT_EQ(second["lesson"], "A sparse product, and what its optimisations were worth");
  EXPECT_EQ(second["lesson_step"], 2);
  EXPECT_EQ(second["scene"], "csrmm");
  const nlohmann::json left = state_after(
      open +
      "for i in 1 2 3; do xdotool key --window $W Next; sleep 0.7; done\n"
      "xdotool key --window $W Prior; sleep 0.7; xdotool key --window $W Escape; sleep 1");
  ASSERT_TRUE(left.is_object()) << "the window left no state";
  EXPECT_EQ(left["lesson"], "");
  EXPECT_EQ(left["lesson_step"], 0);
  EXPECT_EQ(left["variant"], "warp_row_zero_test") << "what was chosen before the lesson";
}

TEST_F(SlowWindow, MaximisesThePanelUnderThePointerAndBringsAllBack) {
  const std::string over = "xdotool mousemove --window $W 1300 300; sleep 0.5\n";
  const nlohmann::json large = state_after(over + "xdotool key --window $W F11; sleep 1");
  ASSERT_TRUE(large.is_object()) << "the window left no state";
  EXPECT_EQ(large["maximised"], "coalescing");
  const nlohmann::json back = state_after(
      over + "xdotool key --window $W F11; sleep 1; xdotool key --window $W Escape; sleep 1");
  ASSERT_TRUE(back.is_object()) << "the window left no state";
  EXPECT_EQ(back["maximised"], "");
}

TEST_F(Window, FollowsTheMouse) {
  const nlohmann::json untouched = state_after(keys({"1"}) + "sleep 0.3");
  ASSERT_TRUE(untouched.is_object()) << "the window left no state";
  EXPECT_EQ(untouched["variant"], "warp_row_zero_test");
  // Roofline to the front, a click on a row of the ladder, two turns of the wheel over the
  // roofline, a drag of the first slider, m, to the right.
  const nlohmann::json after = state_after(
      keys({"1"}) +
      "xdotool mousemove --window $W 100 686; sleep 0.5; xdotool click 1; sleep 1\n"
      "xdotool mousemove --window $W 900 300; sleep 0.5; xdotool click 4; sleep 0.5; xdotool click "
      "4; sleep 0.5\n"
      "xdotool mousemove --window $W 210 147; sleep 0.5; xdotool mousedown 1; sleep 0.5\n"
      "xdotool mousemove --window $W 300 147; sleep 0.5; xdotool mouseup 1; sleep 0.5");
  ASSERT_TRUE(after.is_object()) << "the window left no state";
  EXPECT_NE(after["variant"], untouched["variant"]);
  EXPECT_NE(after["key"], untouched["key"]);
  EXPECT_EQ(after["key"].get<std::string>().rfind("m=", 0), 0u);
  const double before_width =
      untouched["roofline_x"][1].get<double>() / untouched["roofline_x"][0].get<double>();
  const double after_width =
      after["roofline_x"][1].get<double>() / after["roofline_x"][0].get<double>();
  EXPECT_LT(after_width, before_width * 0.8);
}

// The slider m lies where FollowsTheMouse drags it.
constexpr const char* kDrag =
    "xdotool mousemove --window $W 210 147; sleep 0.3; xdotool mousedown 1; sleep 0.3\n"
    "for x in 220 230 240 250 260 270 280 290 300 310 320; do\n"
    "  xdotool mousemove --window $W $x 149; sleep 0.08; done\n"
    "xdotool mouseup 1; sleep 0.5; xdotool mousemove --window $W 800 20; sleep 0.3\n";

TEST_F(SlowWindow, ADragIsTakenBackByOneUndo) {
  const nlohmann::json untouched = state_after("sleep 0.2");
  const nlohmann::json dragged = state_after(kDrag);
  const nlohmann::json undone = state_after(kDrag + keys({"ctrl+z"}));
  ASSERT_TRUE(untouched.is_object() && dragged.is_object() && undone.is_object());
  EXPECT_NE(dragged["key"], untouched["key"]);
  EXPECT_EQ(undone["key"], untouched["key"]);
}

TEST_F(SlowWindow, KeysAloneReachATabAndASlider) {
  // The bar, Axes, Variants, the centre, the diagrams, the lower tabs: one right of the first.
  const nlohmann::json lower = state_after(keys({"F6", "F6", "F6", "F6", "F6", "Right", "space"}));
  ASSERT_TRUE(lower.is_object());
  EXPECT_EQ(lower["tabs"][2], "compare");
  // Presets, reset, the first slider; one press to the right, and Esc hides the focus alone.
  const nlohmann::json untouched = state_after("sleep 0.2");
  const nlohmann::json moved = state_after(keys({"F6", "Tab", "Tab", "Right", "Escape"}));
  EXPECT_NE(moved["key"], untouched["key"]);
  EXPECT_EQ(moved["variant"], untouched["variant"]);
}

TEST_F(SlowWindow, ObeysThemeAndScaleAndKeepsWhatWasChosen) {
  const Person person;
  const nlohmann::json asked = person.after("sleep 0.2", "--theme light --scale 1.25");
  ASSERT_TRUE(asked.is_object()) << "the window left no state";
  EXPECT_EQ(asked["theme"], "light");
  EXPECT_FLOAT_EQ(asked["scale"].get<float>(), 1.25f);
  const nlohmann::json kept = person.after(kDrag + keys({"6", "9", "2"}));
  EXPECT_EQ(kept["theme"], "light");
  const nlohmann::json again = person.after("sleep 0.2");
  EXPECT_EQ(again["key"], kept["key"]);
  EXPECT_EQ(again["tabs"], (nlohmann::json{"sweep", "banks", "source"}));
  const nlohmann::json other = person.after("sleep 0.2", "--theme dark");
  EXPECT_EQ(other["theme"], "dark");
  EXPECT_FLOAT_EQ(other["scale"].get<float>(), 1.25f);
}

TEST_F(SlowWindow, ANoticeTakesNoClick) {
  // Four lines of notices stand over the lower right corner; the tab Engine's log is below them.
  const Person person;
  const std::string notices = keys({"ctrl+s", "ctrl+e", "ctrl+s", "ctrl+e"});
  const std::string click =
      "xdotool mousemove --window $W 1300 852; sleep 0.4; xdotool click 1; sleep 0.4\n";
  const nlohmann::json after = person.after(notices + click + keys({"ctrl+z"}));
  ASSERT_TRUE(after.is_object());
  EXPECT_TRUE(fs::exists(person.folder() / "warpscope-window.png")) << "a notice said so";
  EXPECT_EQ(after["clicked"], "workbench") << "what lies below the notice was clicked";
}

TEST_F(SlowWindow, TakesItsPictureAtEverySizeAndScale) {
  for (const char* look :
       {"--size 1280x720 --scale 1 --theme dark", "--size 1280x720 --scale 2 --theme light",
        "--size 1920x1080 --scale 1.6 --theme dark", "--size 2560x1440 --scale 2 --theme light"}) {
    const Person person;
    const nlohmann::json after = person.after(keys({"ctrl+s"}) + "sleep 1", look);
    ASSERT_TRUE(after.is_object()) << look;
    const fs::path picture = person.folder() / "warpscope-window.png";
    ASSERT_TRUE(fs::exists(picture)) << look;
    EXPECT_GT(fs::file_size(picture), 50000u) << look;
  }
}

// By key the one in focus, by key another one that a click put into focus; a swap, and one undo.
TEST_F(SlowWindow, PinsTwoPoints) {
  // Held for some frames: a press that begins and ends within one is not seen.
  const auto press = [](const std::string& key) {
    return "xdotool keydown ctrl; xdotool keydown " + key + "; sleep 0.4; xdotool keyup " + key +
           "; xdotool keyup ctrl; sleep 0.6\n";
  };
  const std::string pin =
      "xdotool windowfocus $W; sleep 1\n" + press("1") +
      "xdotool mousemove --window $W 100 686; sleep 0.5; xdotool click 1; sleep 0.7\n" + press("2");
  const nlohmann::json pinned = state_after(pin);
  ASSERT_TRUE(pinned.is_object()) << "the window left no state";
  EXPECT_EQ(pinned["pins"][0], "warp_row_zero_test");
  EXPECT_EQ(pinned["pins"][1], pinned["variant"]);
  EXPECT_NE(pinned["pins"][1], "warp_row_zero_test");
  const nlohmann::json swapped = state_after(pin + press("3"));
  EXPECT_EQ(swapped["pins"][1], "warp_row_zero_test");
  const nlohmann::json undone = state_after(pin + press("z"));
  EXPECT_EQ(undone["pins"][0], "warp_row_zero_test");
  EXPECT_EQ(undone["pins"][1], "") << "one undo takes back one pin";
}

}  // namespace
}  // namespace warpscope
