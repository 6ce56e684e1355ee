// tests/workbench/window/window_test.cpp: the real window, driven by mouse events on an X display.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/folders.h"
#include "tests/recorded_session.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

// Opens the recorded session in a window of 1600 × 900, does what `actions` says with xdotool (the
// window is $W), ends the window, and returns the state it leaves behind.
nlohmann::json state_after(const std::string& actions) {
  const fs::path folder =
      fs::temp_directory_path() / ("warpscope-window-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  const std::string state = (folder / "state.json").string();
  const std::string script =
      "export XDG_CONFIG_HOME=" + folder.string() + " LIBGL_ALWAYS_SOFTWARE=1\n" +
      built_program("warpscope") + " --session " + recorded_session("csrmm").string() +
      " --dump-state " + state + " & P=$!\n" +
      "W=$(timeout 20 xdotool search --sync --onlyvisible --name '^Warpscope$' | head -1)\nsleep "
      "2\n" +
      actions + "\nkill $P\nwait $P\n";
  std::ofstream(folder / "script.sh") << script;
  static_cast<void>(std::system(("timeout 60 bash " + (folder / "script.sh").string()).c_str()));
  std::ifstream file(state);
  const nlohmann::json read = nlohmann::json::parse(file, nullptr, false);
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return read;
}

class Window : public testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("DISPLAY") == nullptr) GTEST_SKIP() << "there is no display";
    if (std::system("command -v xdotool > /dev/null 2>&1") != 0)
      GTEST_SKIP() << "xdotool is not installed";
  }
};

TEST_F(Window, FollowsTheMouse) {
  const nlohmann::json untouched = state_after("sleep 0.2");
  ASSERT_TRUE(untouched.is_object()) << "the window left no state";
  EXPECT_EQ(untouched["variant"], "warp_row_zero_test");
  // A click on a row of the ladder, two turns of the wheel over the roofline, a drag of the first
  // slider, m, to the right.
  const nlohmann::json after = state_after(
      "xdotool mousemove --window $W 100 686; sleep 0.5; xdotool click 1; sleep 1\n"
      "xdotool mousemove --window $W 900 300; sleep 0.5; xdotool click 4; sleep 0.5; xdotool click "
      "4; sleep 0.5\n"
      "xdotool mousemove --window $W 210 118; sleep 0.5; xdotool mousedown 1; sleep 0.5\n"
      "xdotool mousemove --window $W 300 118; sleep 0.5; xdotool mouseup 1; sleep 0.5");
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

}  // namespace
}  // namespace warpscope
