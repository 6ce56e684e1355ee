// tests/workbench/panels/two_devices_test.cpp: of a session of two devices every panel shows the
// one that is chosen.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>

#include "profiling/plans/sweep_state.h"
#include "tests/profiling/plans/swept_plan.h"
#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kH200 = "GPU-aaaa0000-1";
constexpr const char* kH100 = "GPU-bbbb0000-2";

Conditions on(const char* uuid, Conditions conditions) {
  conditions.device = uuid == kH200 ? "NVIDIA H200" : "NVIDIA H100";
  conditions.device_uuid = uuid;
  return conditions;
}

Measurement point(const char* uuid, const std::string& variant, double ns, std::int64_t n = 128) {
  Measurement m = sample::correct(variant, ns, n);
  m.conditions = on(uuid, m.conditions);
  return m;
}

RoofSet roofs(const char* uuid, double l2) {
  RoofSet set = sample::roofs();
  set.conditions = on(uuid, set.conditions);
  set.conditions.date = uuid == kH200 ? "2026-11-20T09:00:00Z" : "2026-11-21T09:00:00Z";
  for (Roof& roof : set.roofs) {
    if (roof.level == Level::l2) roof.value = l2;
  }
  return set;
}

Timeline timeline(const char* uuid, std::int64_t n = 128) {
  Timeline t = sample::timeline(sample::focus, n);
  t.conditions = on(uuid, t.conditions);
  return t;
}

// The H100's roofs are the newer ones, and it measured n = 256 as well.
std::unique_ptr<Workspace> of_two(std::vector<Message> more = {}) {
  more.insert(more.begin(),
              {roofs(kH200, 8e12), roofs(kH100, 5e12), point(kH200, sample::focus, 100e3),
               point(kH200, sample::baseline, 300e3), point(kH100, sample::focus, 150e3),
               point(kH100, sample::baseline, 300e3), point(kH100, sample::focus, 250e3, 256)});
  auto workspace = sample::recorded(more);
  workspace->update();
  return workspace;
}

void choose(Workspace& workspace, const char* uuid) {
  workspace.selection.device = uuid;
  workspace.update();
}

TEST(TwoDevices, OneIsChosenWhenTheSessionIsOpened) {
  NullWindow window(1600, 900);
  auto workspace = of_two();
  const std::string chosen = workspace->selection.device;
  EXPECT_THAT(chosen, testing::AnyOf(kH200, kH100));
  EXPECT_EQ(workspace->view().device(), chosen);
  // It stays wherever the sliders are: another card's figures never take its place.
  choose(*workspace, kH200);
  workspace->selection.axes.set("n", std::int64_t{256});
  workspace->update();
  EXPECT_EQ(workspace->view().device(), kH200);
  EXPECT_EQ(workspace->view().state(sample::focus).point, nullptr);
  EXPECT_THAT(window.window(*workspace),
              AllOf(HasSubstr("recorded: NVIDIA H200 (GPU-aaaa0000), of 2 devices"),
                    Not(HasSubstr("has most of it"))));
}

TEST(TwoDevices, TicksAreOfTheDeviceWhoseFiguresAreShown) {
  NullWindow window;
  auto workspace = of_two();
  for (const auto& [uuid, stops] : {std::pair{kH200, 1u}, std::pair{kH100, 2u}}) {
    choose(*workspace, uuid);
    ASSERT_NE(workspace->view().points.stops(), nullptr);
    for (const AxisStops& axis : workspace->view().points.stops()->axes) {
      if (axis.axis == "n") {
        EXPECT_EQ(axis.stops.size(), stops) << uuid;
      }
    }
  }
  // Nothing is chosen, as before a device was known: ticks and figures are of one device still.
  workspace->selection.device.clear();
  EXPECT_EQ(workspace->view().points.stops()->recorded,
            workspace->view().state(sample::focus).point != nullptr);
}

TEST(TwoDevices, OpeningAnotherSessionForgetsTheOldOnesDevices) {
  auto workspace = of_two();
  workspace->selection.axes.set("n", std::int64_t{256});
  workspace->update();
  ASSERT_TRUE(workspace->open(*recorded_session_of("csrmm")));
  workspace->update();
  EXPECT_EQ(workspace->selection.device, "");
  workspace->undo();
  EXPECT_EQ(workspace->selection.device, "") << "an H100 is not in this session";
}

TEST(TwoDevices, TheArticleIsHeldToTheOneThatIsChosen) {
  NullWindow window(1600, 2400);
  // Removing the test for zero is a gain on the H200 alone.
  auto workspace = of_two(
      {point(kH200, "warp_row_branch_free", 200e3), point(kH100, "warp_row_branch_free", 400e3)});
  const char* said = "Removing the test for zero is a gain.";
  const auto row = [&] {
    const std::string words = window.panel(*workspace, "article");
    const std::size_t at = words.find(said);
    EXPECT_NE(at, std::string::npos) << words;
    return std::pair(words, at == std::string::npos ? "" : words.substr(at, 120));
  };
  for (int twice = 0; twice < 2; ++twice) {
    choose(*workspace, kH200);
    EXPECT_THAT(row().first, HasSubstr("NVIDIA H200 (GPU-aaaa0000) shows"));
    EXPECT_THAT(row().second, AllOf(HasSubstr("✔ holds"), HasSubstr("200.0 µs instead")));
    choose(*workspace, kH100);
    EXPECT_THAT(row().first, HasSubstr("NVIDIA H100 (GPU-bbbb0000) shows"));
    EXPECT_THAT(row().second, AllOf(HasSubstr("✕ does not hold"), HasSubstr("400.0 µs instead")));
  }
}

TEST(TwoDevices, RoofsAreThoseOfTheChosenOneWhereNoPointIsInFocus) {
  NullWindow window;
  auto workspace = of_two();
  for (const auto& [uuid, words] :
       {std::pair{kH200, "roofs measured on NVIDIA H200 (GPU-aaaa0000), 2026-11-20"},
        std::pair{kH100, "roofs measured on NVIDIA H100 (GPU-bbbb0000), 2026-11-21"}}) {
    choose(*workspace, uuid);
    workspace->selection.variant = sample::focus;
    EXPECT_THAT(window.panel(*workspace, "roofline"), HasSubstr(words));
    workspace->selection.variant = "k_tiles";  // not measured
    EXPECT_THAT(window.panel(*workspace, "roofline"), HasSubstr(words));
  }
}

TEST(TwoDevices, NoRoofsAreDrawnThatAreNotOfTheChosenOne) {
  NullWindow window;
  auto workspace = sample::recorded({roofs(kH100, 5e12), point(kH100, sample::baseline, 300e3),
                                     point(kH200, sample::baseline, 300e3)});
  choose(*workspace, kH200);
  // The usual recordings lend those of a card of its model, and the line says whose they are.
  EXPECT_THAT(window.panel(*workspace, "roofline"),
              AllOf(HasSubstr("roofs borrowed from another NVIDIA H200"),
                    Not(HasSubstr("roofs measured on")), Not(HasSubstr("H100"))));
}

TEST(TwoDevices, ATimelineOfAnotherOnePassesForNoneOfTheChosenOne) {
  NullWindow window;
  auto workspace = of_two({timeline(kH100)});
  choose(*workspace, kH100);
  EXPECT_THAT(window.panel(*workspace, "timeline"), HasSubstr("float4 columns at m="));
  choose(*workspace, kH200);
  EXPECT_THAT(window.panel(*workspace, "timeline"),
              AllOf(HasSubstr("The recorded session has no timeline of float4 columns."),
                    Not(HasSubstr("float4 columns at m="))));
  // A timeline of another configuration is not shown either.
  workspace = of_two({timeline(kH100, 128)});
  choose(*workspace, kH100);
  workspace->selection.axes.set("n", std::int64_t{256});
  workspace->update();
  EXPECT_THAT(window.panel(*workspace, "timeline"),
              AllOf(HasSubstr("has no timeline of float4 columns."), HasSubstr("go to n=128"),
                    Not(HasSubstr("stale"))));
}

TEST(TwoDevices, ATimelineOfAnEarlierSourceSaysSo) {
  NullWindow window;
  Timeline earlier = timeline(kH200);
  earlier.conditions.code_id = "0123456789abcdef";
  auto workspace = of_two({earlier});
  choose(*workspace, kH200);
  EXPECT_THAT(window.panel(*workspace, "timeline"),
              HasSubstr("○ measured with an earlier source: 0123456789ab then"));
}

TEST(TwoDevices, ALiveTimelineOfAnotherConfigurationSaysWhichAxesDiffer) {
  NullWindow window;
  auto workspace = sample::measuring("good");
  const auto until = [&](const std::function<bool()>& enough) {
    const auto start = std::chrono::steady_clock::now();
    while (!enough() && std::chrono::steady_clock::now() - start < std::chrono::seconds(20)) {
      workspace->wait(0.02);
      workspace->update();
    }
    return enough();
  };
  ASSERT_TRUE(
      until([&] { return !workspace->view().recorded() && !workspace->view().progress().busy; }));
  workspace->selection.live = false;
  workspace->requests.ask(request::Timeline{sample::focus});
  workspace->update();
  ASSERT_TRUE(until([&] { return !workspace->session().timelines().empty(); }));
  EXPECT_THAT(window.panel(*workspace, "timeline"), Not(HasSubstr("stale")));
  workspace->selection.axes.set("n", std::int64_t{256});
  workspace->update();
  EXPECT_THAT(window.panel(*workspace, "timeline"),
              AllOf(HasSubstr("stale: captured at n=128"), HasSubstr("capture")));
}

TEST(TwoDevices, TimingSaysAsMetricsDoesWhyNothingIsOverlaid) {
  NullWindow window;
  auto workspace = of_two();
  choose(*workspace, kH100);
  workspace->selection.axes.set("n", std::int64_t{256});
  workspace->selection.baseline_device = kH200;
  workspace->update();
  const auto why = HasSubstr("not measured at this configuration on NVIDIA H200 (GPU-aaaa0000)");
  EXPECT_THAT(window.panel(*workspace, "timing"),
              AllOf(HasSubstr("The baseline is not overlaid"), why));
  EXPECT_THAT(window.panel_under(*workspace, "metrics", "not measured at this configuration"), why);
}

TEST(TwoDevices, SweepDrawsALineForEachOfThem) {
  NullWindow window(1600, 900);
  auto workspace = of_two();
  choose(*workspace, kH200);
  workspace->selection.sweep_axis = "n";
  EXPECT_THAT(window.panel(*workspace, "sweep"), HasSubstr("on NVIDIA H200 (GPU-aaaa0000)"));
  workspace->selection.sweep_devices = SweepDevices::lines;
  const std::string words = window.panel(*workspace, "sweep");
  EXPECT_THAT(words, AllOf(HasSubstr("each device: a line"), HasSubstr("float4 columns"),
                           HasSubstr("NVIDIA H200 (GPU-aaaa0000)"),
                           HasSubstr("NVIDIA H100 (GPU-bbbb0000)")));
  // Only the H100 measured n = 256: of the two cards, its dot alone is there.
  EXPECT_THAT(window.panel_under(*workspace, "sweep", "n = 256"),
              AllOf(HasSubstr("NVIDIA H100 (GPU-bbbb0000)\nn = 256"), HasSubstr("250.0 µs")));
}

TEST(TwoDevices, SweepSaysOfWhichOneAPointIsLeftOut) {
  NullWindow window(1600, 900);
  Measurement refused = sample::failed("k_tiles", Outcome::cannot_run,
                                       "needs 227 KiB of shared memory per block", "", 128);
  refused.conditions = on(kH100, refused.conditions);
  auto workspace = of_two({refused, point(kH200, "k_tiles", 80e3)});
  workspace->selection.sweep_axis = "n";
  workspace->selection.variant = "k_tiles";
  workspace->selection.sweep_devices = SweepDevices::lines;
  const std::string words = window.panel(*workspace, "sweep");
  EXPECT_THAT(words, HasSubstr("on NVIDIA H100 (GPU-bbbb0000) at n = 128: cannot run, needs 227 "
                               "KiB of shared memory per block"))
      << words;
  EXPECT_THAT(words, HasSubstr("– NVIDIA H100 (GPU-bbbb"));
}

TEST(PlannedSweeps, AreShownWithEachDeviceBesideTheirSession) {
  NullWindow window(1600, 900);
  const auto folder =
      std::filesystem::temp_directory_path() / ("warpscope-planned-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const auto session = folder / "s.wsj";
  std::ofstream(session) << to_line(sample::hello()) << "\n"
                         << to_line(sample::correct(sample::focus, 100e3)) << "\n";
  auto workspace = sample::recorded({sample::hello()});
  ASSERT_TRUE(workspace->open(session));
  workspace->update();
  EXPECT_THAT(window.panel(*workspace, "sweep"), Not(HasSubstr("sweep of s.wsj")));
  SweepState state = swept_plan(33);
  std::ofstream(sweep_state_file(session)) << to_text(state);
  workspace->update();
  EXPECT_THAT(window.panel(*workspace, "sweep"),
              AllOf(HasSubstr("12 of 400 points, about 33 s left"),
                    HasSubstr("device 0: NVIDIA H200: 7 points, its engine died 1 time  csrmm/auto "
                              "n=64: warm samples"),
                    HasSubstr("device 1: 5 points  no such device"), HasSubstr("cancel"),
                    HasSubstr("show new points")));
  state.ended = "cancelled: what was measured before is kept";
  std::ofstream(sweep_state_file(session)) << to_text(state) << " ";
  workspace->update();
  EXPECT_THAT(window.panel(*workspace, "sweep"),
              AllOf(HasSubstr("ended after 12 of 400 points: cancelled"), HasSubstr("resume"),
                    HasSubstr("copy the command")));
  EXPECT_THAT(window.panel_under(*workspace, "sweep", "only points without an answer"),
              HasSubstr(state.command));
  // A click asks for it; this state names no plan.
  for (const bool down : {true, false}) {
    window.hold_mouse(0, down);
    window.panel(*workspace, "sweep");
  }
  workspace->update();
  EXPECT_THAT(workspace->view().log.notices(),
              testing::Contains(HasSubstr("does not name its plan")));
  std::filesystem::remove_all(folder);
}

TEST(PlannedSweeps, AreAskedForWithDevicesSessionAndPlan) {
  NullWindow window(1600, 900);
  auto workspace = sample::recorded({sample::hello()});
  workspace->update();
  workspace->selection.sweep_axis = "n";
  workspace->selection.sweep_values["n"] = "16,32";
  EXPECT_THAT(window.panel(*workspace, "sweep"), HasSubstr("several devices"));
  EXPECT_THAT(window.panel_under(*workspace, "sweep", "can be cancelled and resumed"),
              HasSubstr("Sweep on several GPUs"));
  for (const bool down : {true, false}) {
    window.hold_mouse(0, down);
    window.panel(*workspace, "sweep");
  }
  EXPECT_TRUE(workspace->selection.planned.open);
  EXPECT_EQ(workspace->selection.planned.session, "csrmm-sweep.wsj");
  workspace->selection.planned.session.clear();
  EXPECT_THAT(window.panel_under(*workspace, "sweep", "Measures all shown variants at 2 places."),
              HasSubstr("begin"));
  for (const bool down : {true, false}) {
    window.hold_mouse(0, down);
    window.panel(*workspace, "sweep");
  }
  EXPECT_FALSE(workspace->selection.planned.open);
  workspace->update();
  EXPECT_THAT(workspace->view().log.notices(),
              testing::Contains(HasSubstr("needs a file for its points")));
}

TEST(TwoDevices, SweepHasATableOfThemBelowEachOnesOwnRoofs) {
  NullWindow window(1600, 900);
  Measurement refused = sample::failed("row_split", Outcome::cannot_run,
                                       "needs 227 KiB of shared memory per block", "", 128);
  refused.conditions = on(kH100, refused.conditions);
  auto workspace = of_two({refused, point(kH200, "row_split", 200e3)});
  choose(*workspace, kH200);
  workspace->selection.sweep_devices = SweepDevices::table;
  const std::string words = window.panel(*workspace, "sweep");
  // 700 MB of L2 in 100 µs of 87.5 µs at 8 TB/s, and in 150 µs of 140 µs at 5 TB/s.
  EXPECT_THAT(words, AllOf(HasSubstr("87.50 % L2"), HasSubstr("93.33 % L2"), HasSubstr("1.50×"),
                           HasSubstr("cannot run")))
      << words;
  EXPECT_THAT(words, HasSubstr("on NVIDIA H100 (GPU-bbbb0000): cannot run: needs 227 KiB of shared "
                               "memory per block"));
  // In a session of one device there is nothing to choose.
  auto one = sample::recorded({roofs(kH200, 8e12), point(kH200, sample::focus, 100e3)});
  one->selection.sweep_devices = SweepDevices::table;
  EXPECT_THAT(window.panel(*one, "sweep"), Not(HasSubstr("each device")));
}

}  // namespace
}  // namespace warpscope
