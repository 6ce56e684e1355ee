// tests/workbench/window/window_keys_test.cpp: Tab in the real window reaches the controls that it
// reaches where a test holds the keys.
#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/recorded_session.h"
#include "tests/workbench/window/null_window.h"
#include "tests/workbench/window/real_window.h"

namespace warpscope {
namespace {

using Told = RealWindow::Told;

// Controls by their ids, with where they are.
using Reached = std::map<unsigned, std::string>;

constexpr int kMost = 300, kSurely = 40;  // presses: at most, and before it comes round
constexpr std::size_t kLeast = 60;        // of a front with three panels

std::string words_of(const char* window, const Box& box) {
  return std::string(window) + " at " + std::to_string(static_cast<int>(box.x0)) + ", " +
         std::to_string(static_cast<int>(box.y0));
}

// Tabs that stand in front, and the keys that bring them there.
struct Front {
  const char *centre, *right, *bottom;
  std::vector<const char*> keys;
};
const Front kFirst = {"overview", "coalescing", "metrics", {}};
const Front kSecond = {"roofline", "banks", "source", {"1", "9", "6"}};

// What Tab reaches without a display, at the same size with the same session.
Reached reached_without_display(const Front& front) {
  std::vector<std::string> emulator = {built_program("warpscope-engine"), "--role", "emulate"};
  Workspace workspace({}, std::move(emulator));
  const Result<void> opened = workspace.open(recorded_session("csrmm"));
  EXPECT_TRUE(opened) << sentence(opened.error());
  NullWindow window(1600, 900);
  window.state.centre_tab = front.centre;
  window.state.right_tab = front.right;
  window.state.bottom_tab = front.bottom;
  const auto start = std::chrono::steady_clock::now();
  const auto is_busy = [&] {
    for (int i = 0; i < 4; ++i) window.step(workspace);
    return workspace.view().progress().busy;
  };
  while (is_busy() && std::chrono::steady_clock::now() - start < std::chrono::seconds(60))
    workspace.wait(0.02);
  Reached reached;
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  for (int i = 0; i < kMost; ++i) {
    window.press(workspace, ImGuiKey_Tab);
    if (g.ActiveId != 0) window.press(workspace, ImGuiKey_Escape);  // a text box
    if (g.NavWindow == nullptr) continue;
    const ImRect box = ImGui::WindowRectRelToAbs(g.NavWindow, g.NavWindow->NavRectRel[g.NavLayer]);
    const std::string words =
        words_of(g.NavWindow->Name, {box.Min.x, box.Min.y, box.Max.x, box.Max.y});
    if (!reached.emplace(g.NavId, words).second && i > kSurely) break;
  }
  return reached;
}

void expect_the_same_reached(const Front& front) {
  const Screen screen;
  if (!screen.trouble().empty()) GTEST_SKIP() << screen.trouble();
  const Reached expected = reached_without_display(front);
  ASSERT_GT(expected.size(), kLeast);
  const Person person;
  RealWindow window(screen, person);
  for (const char* key : front.keys) window.press(key);
  window.until("its pictures have come", [](const Told& told) { return !told["busy"]; });
  Reached reached;
  for (int i = 0; i < kMost; ++i) {
    window.press("Tab");
    const Told& open = window.now()["open"];
    if (std::find(open.begin(), open.end(), "text box") != open.end()) window.press("Escape");
    const Told focus = window.now()["focus"];
    const std::string words =
        words_of(focus["window"].get<std::string>().c_str(), box_of(focus["box"]));
    if (!reached.emplace(focus["id"].get<unsigned>(), words).second && i > kSurely) break;
  }
  for (const auto& [id, where] : expected)
    EXPECT_TRUE(reached.contains(id)) << "Tab does not reach what is in " << where;
  for (const auto& [id, where] : reached)
    EXPECT_TRUE(expected.contains(id)) << "Tab alone in a real window reaches " << where;
}

TEST(WindowKeys, TabReachesEveryControlOfTheFirstFront) { expect_the_same_reached(kFirst); }
TEST(WindowKeys, TabReachesEveryControlOfAnotherFront) { expect_the_same_reached(kSecond); }

}  // namespace
}  // namespace warpscope
