// tests/workbench/panels/recorded_mode_test.cpp: a recording shows figures of what is selected, or
// none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <set>

#include "scenes/catalogue.h"
#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

// The focus has a figure at n = 128, the baseline at n = 256 alone.
std::unique_ptr<Workspace> of_two_keys() {
  return sample::recorded({sample::roofs(), sample::correct(sample::focus, 120e3),
                           sample::correct(sample::baseline, 253e3, 256)});
}

std::unique_ptr<Workspace> of_stops(std::initializer_list<std::int64_t> columns) {
  std::vector<Message> messages = {sample::roofs()};
  for (const std::int64_t n : columns) {
    for (const char* variant : {sample::focus, sample::baseline})
      messages.push_back(sample::correct(variant, 1e3 * static_cast<double>(n), n));
  }
  return sample::recorded(messages);
}

void until(Workspace& workspace, const std::function<bool()>& enough) {
  const auto start = std::chrono::steady_clock::now();
  while (!enough() && std::chrono::steady_clock::now() - start < std::chrono::seconds(10)) {
    workspace.wait(0.02);
    workspace.update();
  }
}

// Presses and releases at the pointer, in a panel.
void click(NullWindow& window, Workspace& workspace, const std::string& panel) {
  window.hold_mouse(0, true);
  static_cast<void>(window.panel(workspace, panel));
  window.hold_mouse(0, false);
  static_cast<void>(window.panel(workspace, panel));
  window.move_mouse(-1, -1);
}

TEST(RecordedMode, TheKeyIsThatOfTheSelection) {
  auto workspace = of_stops({128, 256});
  workspace->selection.axes.set("n", std::int64_t{130});
  workspace->update();
  EXPECT_EQ(workspace->view().key(), sample::key_at_n(130));
  EXPECT_EQ(workspace->view().state(sample::focus).point, nullptr);
  EXPECT_EQ(workspace->view().state(sample::focus).freshness, Freshness::nothing);
  EXPECT_EQ(workspace->view().points.not_recorded(), "not recorded at n=130");
  workspace->selection.axes.set("n", std::int64_t{256});
  EXPECT_EQ(workspace->view().points.not_recorded(), "");
  ASSERT_NE(workspace->view().state(sample::focus).point, nullptr);
}

// At n = 1024 the figure of n = 128 beside the baseline of n = 256 was a green ▲2.11×.
TEST(RecordedMode, FiguresOfTwoConfigurationsAreNeverAGain) {
  NullWindow window;
  auto workspace = of_two_keys();
  for (const std::int64_t n : {1024, 256, 128}) {
    static_cast<void>(window.panel(*workspace, "variants"));  // sees what there is, then moves on
    workspace->selection.axes.set("n", n);
    workspace->update();
    for (const char* panel : {"variants", "metrics", "roofline", "timing"}) {
      EXPECT_THAT(window.panel(*workspace, panel),
                  AllOf(Not(HasSubstr("▲")), Not(HasSubstr("▼")), Not(HasSubstr("2.11×"))))
          << panel << " at n = " << n;
    }
  }
  workspace->selection.axes.set("n", std::int64_t{1024});
  workspace->update();
  EXPECT_THAT(window.panel(*workspace, "variants"),
              AllOf(HasSubstr("not recorded at n=1024"), Not(HasSubstr("µs |"))));
  for (const char* panel : {"metrics", "timing", "roofline"})
    EXPECT_THAT(window.panel(*workspace, panel), HasSubstr("not recorded at n=1024")) << panel;
}

// dtype=bf16 showed f32's figures with a tick.
TEST(RecordedMode, AChoiceIsNeverCrossedSilently) {
  NullWindow window;
  auto workspace = of_stops({128, 256});
  EXPECT_THAT(window.panel(*workspace, "variants"), HasSubstr("✔"));
  workspace->selection.axes.set("dtype", std::string("bf16"));
  workspace->update();
  EXPECT_THAT(
      window.panel(*workspace, "variants"),
      AllOf(Not(HasSubstr("✔")), Not(HasSubstr("µs |")), HasSubstr("not recorded at dtype=bf16")));
  EXPECT_THAT(window.panel(*workspace, "axes"),
              AllOf(HasSubstr("not recorded at dtype=bf16"), HasSubstr("dtype=f32")));
}

TEST(RecordedMode, AButtonLeadsToTheNearestStopAndUndoBack) {
  NullWindow window;
  auto workspace = of_stops({64, 128, 256});
  workspace->update();
  workspace->selection.axes.set("n", std::int64_t{70});
  workspace->update();
  ASSERT_THAT(window.panel_under(*workspace, "axes", "The nearest configuration that is recorded"),
              HasSubstr("n: 70 → 64"));
  click(window, *workspace, "axes");
  workspace->update();
  EXPECT_EQ(workspace->selection.axes.integer("n"), 64);
  workspace->undo();
  EXPECT_EQ(workspace->selection.axes.integer("n"), 70);
}

TEST(RecordedMode, AHollowTickMovesTheOtherAxesTooSaysWhichAndIsOneUndo) {
  NullWindow window;
  std::vector<Message> messages;
  for (const auto& [n, p] : {std::pair{128, 0.02}, std::pair{256, 0.02}, std::pair{512, 0.1}}) {
    Measurement m = sample::correct(sample::focus, 120e3, n);
    m.axes.set("p", p);
    m.key =
        configuration_key(built_in_catalogue().find("csrmm").value()->axes, m.axes, sample::focus);
    m.problem.clear();
    messages.push_back(m);
  }
  auto workspace = sample::recorded(messages);
  workspace->update();
  ASSERT_THAT(window.panel_under(*workspace, "axes", "n = 512: recorded with"),
              AllOf(HasSubstr("p: 0.02 → 0.1"), HasSubstr("a click moves those too")));
  click(window, *workspace, "axes");
  workspace->update();
  EXPECT_EQ(workspace->selection.axes.integer("n"), 512);
  EXPECT_EQ(workspace->selection.axes.real("p"), 0.1);
  ASSERT_FALSE(workspace->view().log.notices().empty());
  EXPECT_THAT(workspace->view().log.notices().back(),
              HasSubstr("n = 512 is recorded with p: 0.02 → 0.1"));
  EXPECT_NE(workspace->view().state(sample::focus).point, nullptr);
  workspace->undo();
  EXPECT_EQ(workspace->selection.axes.integer("n"), 128);
  EXPECT_EQ(workspace->selection.axes.real("p"), 0.02);
}

TEST(RecordedMode, AnAxisWithOneRecordedValueSaysSo) {
  NullWindow window;
  auto workspace = of_stops({64, 128});
  EXPECT_THAT(window.panel(*workspace, "axes"),
              AllOf(HasSubstr("only p=0.02 is recorded"), Not(HasSubstr("only n="))));
}

TEST(RecordedMode, AnAxisThatTheRecordingLacksSaysAsWithWhichValue) {
  NullWindow window;
  std::vector<Message> messages;
  for (const std::int64_t n : {64, 128}) {
    Measurement m = sample::correct(sample::focus, 120e3, n);
    Configuration without;
    for (const auto& [name, value] : m.axes.values()) {
      if (name != "zeros") without.set(name, value);
    }
    m.axes = without;
    m.key = "n=" + std::to_string(n);
    messages.push_back(m);
  }
  auto workspace = sample::recorded(messages);
  ASSERT_NE(workspace->view().state(sample::focus).point, nullptr) << "completed with the default";
  window.panels.axes.more["csrmm"] = true;
  EXPECT_THAT(window.panel(*workspace, "axes"),
              HasSubstr("recorded before this axis was there: as with zeros="));
}

TEST(RecordedMode, ADragHoldsAtTicksAndIsOneUndo) {
  NullWindow window(400, 900);
  auto workspace = of_stops({64, 128, 256});
  workspace->update();
  const std::int64_t start = workspace->selection.axes.integer("n");
  // The slider's grab is where a press changes n alone.
  const auto drag_from = [&]() -> std::optional<ImVec2> {
    for (float y = 10; y < 880; y += 6) {
      window.move_mouse(200, y);
      static_cast<void>(window.panel(*workspace, "axes"));
      window.hold_mouse(0, true);
      static_cast<void>(window.panel(*workspace, "axes"));
      const bool moved = workspace->selection.held && workspace->selection.touched_axis == "n";
      if (moved) return ImVec2{200, y};
      window.hold_mouse(0, false);
      static_cast<void>(window.panel(*workspace, "axes"));
      workspace->selection.axes = sample::at_n(start);
      workspace->update();
    }
    return std::nullopt;
  };
  const std::optional<ImVec2> at = drag_from();
  ASSERT_TRUE(at);
  workspace->update();
  std::set<std::int64_t> seen;
  for (float x = 40; x < 380; x += 2) {
    window.move_mouse(x, at->y);
    static_cast<void>(window.panel(*workspace, "axes"));
    workspace->update();
    seen.insert(workspace->selection.axes.integer("n"));
  }
  window.hold_mouse(0, false);
  static_cast<void>(window.panel(*workspace, "axes"));
  workspace->update();
  for (const std::int64_t stop : {64, 128, 256}) EXPECT_EQ(seen.count(stop), 1u) << stop;
  EXPECT_GT(seen.size(), 20u) << "it moves freely between them";
  for (const std::int64_t near : {127, 129, 63, 65}) EXPECT_EQ(seen.count(near), 0u) << near;
  workspace->undo();
  EXPECT_EQ(workspace->selection.axes.integer("n"), start);
}

// While an engine measures, what was seen last stands until a figure comes, in parentheses.

TEST(RecordedMode, AStaleFigureIsNeverAGain) {
  NullWindow window;
  auto workspace = sample::measuring("good");
  until(*workspace, [&] {
    return workspace->view().has_device() && !workspace->view().recorded() &&
           !workspace->view().progress().busy;
  });
  ASSERT_THAT(window.panel(*workspace, "variants"), ContainsRegex("[0-9]×"));
  workspace->selection.live = false;
  workspace->selection.axes.set("n", std::int64_t{256});
  workspace->update();
  const PointState state = workspace->view().state(sample::focus);
  EXPECT_EQ(state.freshness, Freshness::stale);
  EXPECT_EQ(state.apart, "measured at n=128");
  const auto no_gain =
      AllOf(Not(HasSubstr("▲")), Not(HasSubstr("▼")), Not(ContainsRegex("[0-9]×")));
  EXPECT_THAT(window.panel(*workspace, "variants"), no_gain);
  // The baseline is measured there and the focus is not.
  workspace->requests.ask(request::Measure{sample::baseline});
  workspace->update();
  until(*workspace,
        [&] { return workspace->view().state(sample::baseline).freshness == Freshness::fresh; });
  EXPECT_THAT(window.panel(*workspace, "variants"), no_gain);
  EXPECT_THAT(window.panel(*workspace, "metrics"),
              AllOf(HasSubstr("○ measured at n=128"), no_gain));
  EXPECT_THAT(window.panel_under(*workspace, "variants", "not comparable: measured at n=128"),
              HasSubstr("not comparable: measured at n=128"));
  EXPECT_THAT(window.panel(*workspace, "timing"), HasSubstr("The baseline is not overlaid"));
}

TEST(RecordedMode, AFigureOfAnotherDeviceIsSaidToBeMeasuredOnIt) {
  auto workspace = sample::measuring("good");
  until(*workspace,
        [&] { return workspace->view().state(sample::focus).freshness == Freshness::fresh; });
  workspace->selection.live = false;
  workspace->selection.device = "GPU-of-H100";
  workspace->update();
  EXPECT_THAT(workspace->view().state(sample::focus).apart,
              AllOf(HasSubstr("measured on "), HasSubstr("synthetic device")));
  workspace->selection.axes.set("n", std::int64_t{256});
  workspace->update();
  EXPECT_THAT(workspace->view().state(sample::focus).apart, HasSubstr("measured at n=128 on "));
}

// A figure stays at its point when the source changes, and is not compared with anything.

TEST(RecordedMode, AFigureOfAnEarlierSourceIsSaidAndComparedWithNothing) {
  NullWindow window;
  Measurement earlier = sample::correct(sample::focus, 120e3);
  earlier.conditions.code_id = "0123456789abcdef";
  auto workspace =
      sample::recorded({sample::roofs(), earlier, sample::correct(sample::baseline, 240e3)});
  EXPECT_THAT(workspace->view().state(sample::focus).apart,
              HasSubstr("measured with an earlier source: 0123456789ab then"));
  EXPECT_EQ(workspace->view().state(sample::baseline).apart, "") << "its source was not recorded";
  EXPECT_THAT(window.panel(*workspace, "variants"),
              AllOf(HasSubstr("(120.0 µs)"), Not(HasSubstr("▲")), Not(ContainsRegex("[0-9]×"))));
  for (const char* panel : {"metrics", "timing", "roofline"}) {
    EXPECT_THAT(window.panel(*workspace, panel),
                AllOf(HasSubstr("measured with an earlier source"), Not(HasSubstr("▲"))))
        << panel;
  }
}

// Several devices.

Measurement on(const char* device, const std::string& variant, double ns) {
  Measurement m = sample::correct(variant, ns);
  m.conditions.device = device;
  m.conditions.device_uuid = std::string("GPU-of-") + device;
  return m;
}

std::unique_ptr<Workspace> of_two_devices() {
  return sample::recorded({on("H200", sample::focus, 100e3), on("H200", sample::baseline, 300e3),
                           on("H100", sample::focus, 150e3), on("H100", sample::baseline, 300e3)});
}

TEST(RecordedMode, ADeviceIsChosenInTheTopBar) {
  NullWindow window(1600, 900);
  auto workspace = of_two_devices();
  EXPECT_THAT(window.window(*workspace), HasSubstr("of 2 devices"));
  workspace->selection.device = "GPU-of-H100";
  workspace->update();
  EXPECT_THAT(window.window(*workspace), HasSubstr("recorded: H100"));
  EXPECT_THAT(window.panel(*workspace, "variants"),
              AllOf(HasSubstr("150.0 µs"), Not(HasSubstr("100.0 µs")), HasSubstr("▲ 2.00×")));
  workspace->selection.device = "GPU-of-H200";
  workspace->update();
  EXPECT_THAT(window.panel(*workspace, "variants"),
              AllOf(HasSubstr("100.0 µs"), HasSubstr("▲ 3.00×")));
  workspace->undo();
  EXPECT_EQ(workspace->selection.device, "GPU-of-H100");
}

TEST(RecordedMode, TheEngineSaysWhoseFiguresAreShownOfSeveralDevices) {
  NullWindow window(1600, 900);
  Hello hello = sample::hello();
  hello.device->name = "H100";
  hello.device->uuid = "GPU-of-H100";
  auto workspace =
      sample::recorded({on("H200", sample::focus, 100e3), hello, on("H100", sample::focus, 150e3)});
  workspace->selection.device = "GPU-of-H200";
  workspace->update();
  EXPECT_THAT(window.panel(*workspace, "engine"),
              AllOf(HasSubstr("one of the 2 devices"), HasSubstr("shown are those of H200"),
                    Not(HasSubstr("measurements come from this device"))));
  workspace->selection.device = "GPU-of-H100";
  workspace->update();
  EXPECT_THAT(window.panel(*workspace, "engine"), HasSubstr("and the one whose figures are shown"));
}

TEST(RecordedMode, TwoDevicesAreComparedOnPurposeAndNobodyWins) {
  NullWindow window;
  auto workspace = of_two_devices();
  workspace->selection.device = "GPU-of-H200";
  workspace->selection.baseline_device = "GPU-of-H100";
  workspace->update();
  EXPECT_THAT(window.panel(*workspace, "variants"),
              AllOf(HasSubstr("each compared with itself on H100"), HasSubstr("1.50×"),
                    HasSubstr("1.00×"), Not(HasSubstr("▲")), Not(HasSubstr("▼"))));
  EXPECT_THAT(window.panel_under(*workspace, "variants", "this compares devices, not variants"),
              HasSubstr("the speed of H100"));
  EXPECT_THAT(window.panel(*workspace, "metrics"),
              AllOf(HasSubstr("150.0 µs"), HasSubstr("33 % less"), Not(HasSubstr("▲")),
                    Not(HasSubstr("▼"))));
  EXPECT_THAT(window.panel(*workspace, "timing"), HasSubstr("on H100"));
}

TEST(RecordedMode, RowsOfVariantsSayTheirConfigurationAndDevice) {
  NullWindow window;
  auto workspace = of_two_devices();
  workspace->selection.device = "GPU-of-H100";
  workspace->selection.wish = {ExportWish::Kind::rows, "variants", ""};
  static_cast<void>(window.panel(*workspace, "variants"));
  EXPECT_THAT(workspace->selection.wish.text,
              AllOf(HasSubstr("compared with,configuration,device"),
                    HasSubstr("\"" + sample::key_at_n(128) + "\",GPU-of-H100")));
}

}  // namespace
}  // namespace warpscope
