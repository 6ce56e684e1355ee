// tests/workbench/panels/first_panels_test.cpp: Axes to Engine in each of their states, by their
// words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <chrono>

#include "tests/folders.h"
#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// A session without a point, of the scene csrmm.
std::unique_ptr<Workspace> empty_session() {
  return sample::recorded({LogLine{"info", "recorded for a test", 0}});
}

// The focus is measured at n = 128, the baseline at n = 256; the slider went there.
std::unique_ptr<Workspace> moved_on(std::vector<Message> more = {}) {
  more.insert(more.end(), {sample::roofs(), sample::correct(sample::focus, 120e3),
                           sample::correct(sample::baseline, 240e3, 256)});
  auto workspace = sample::recorded(more);
  static_cast<void>(workspace->view().state(sample::focus));
  workspace->selection.axes.set("n", std::int64_t{256});
  workspace->update();
  return workspace;
}

std::unique_ptr<Workspace> fresh() {
  return sample::recorded({sample::hello(), sample::roofs(),
                           sample::correct(sample::baseline, 240e3),
                           sample::correct(sample::focus, 120e3), sample::timeline(sample::focus)});
}

struct Failure {
  Outcome outcome;
  const char* sentence;
  const char* remedy;
};
constexpr Failure kFailures[] = {
    {Outcome::wrong, "largest error 3.1 of the bound at c[17, 3]", "compare with the reference"},
    {Outcome::launch_failed, "too many resources requested for launch", "use a smaller block"},
    {Outcome::cannot_run, "n must be a multiple of 4, and is 127", "choose n = 128"},
};

std::unique_ptr<Workspace> broken(const Failure& failure) {
  return sample::recorded(
      {sample::roofs(), sample::correct(sample::baseline, 240e3),
       sample::failed(sample::focus, failure.outcome, failure.sentence, failure.remedy)});
}

// Nothing is selected.

TEST(FirstPanels, SayThatNothingIsSelected) {
  NullWindow window;
  auto workspace = fresh();
  workspace->selection.variant = "";
  for (const char* panel : {"roofline", "timing", "timeline", "metrics", "source"})
    EXPECT_THAT(window.panel(*workspace, panel), HasSubstr("Nothing is selected")) << panel;
  for (const Variant& variant : workspace->scene().variants)
    workspace->selection.hidden[variant.name] = true;
  EXPECT_THAT(window.panel(*workspace, "sweep"), HasSubstr("Nothing is selected"));
}

// Nothing is recorded.

TEST(FirstPanels, SayThatNothingIsRecordedAndWhatToDo) {
  NullWindow window;
  auto workspace = empty_session();
  EXPECT_THAT(window.panel(*workspace, "axes"),
              HasSubstr("Nothing of this scene is recorded: the sliders move the diagrams alone"));
  EXPECT_THAT(window.panel(*workspace, "variants"), HasSubstr("nothing of this scene is recorded"));
  EXPECT_THAT(window.panel(*workspace, "roofline"), HasSubstr("This session has no roofs"));
  EXPECT_THAT(window.panel(*workspace, "sweep"),
              HasSubstr("The recorded session has no points along this axis"));
  for (const char* panel : {"timing", "metrics"}) {
    EXPECT_THAT(window.panel(*workspace, panel), HasSubstr("nothing of this scene is recorded"))
        << panel;
  }
  EXPECT_THAT(window.panel(*workspace, "timeline"),
              HasSubstr("The recorded session has no timeline of float4 columns"));
  EXPECT_THAT(window.panel(*workspace, "source"), HasSubstr("has not run yet"));
  EXPECT_THAT(window.panel(*workspace, "engine"),
              HasSubstr("No engine: a recorded session is shown"));
}

TEST(FirstPanels, ASentenceThatIsRepeatedInTheLogStandsOnce) {
  NullWindow window;
  auto workspace = empty_session();
  for (const char* text :
       {"samples were left out", "samples were left out", "another one", "samples were left out"})
    workspace->log.add({"info", text, 0});
  EXPECT_THAT(window.panel(*workspace, "engine"),
              AllOf(HasSubstr("samples were left out (3 times)"), HasSubstr("another one"),
                    Not(HasSubstr("another one ("))));
}

TEST(FirstPanels, SayWhereLiveIsTurnedOn) {
  NullWindow window;
  Workspace workspace({built_program("fake_engine"), "good"});
  const auto start = std::chrono::steady_clock::now();
  while (workspace.view().recorded() &&
         std::chrono::steady_clock::now() - start < std::chrono::seconds(20)) {
    workspace.wait(0.02);
    workspace.update();
  }
  EXPECT_THAT(window.panel(workspace, "axes"), HasSubstr("measured as sliders move"));
  workspace.selection.live = false;
  EXPECT_THAT(window.panel(workspace, "axes"),
              AllOf(HasSubstr("live is off: L turns it on"), HasSubstr("turn live on")));
}

TEST(FirstPanels, DashesSayWhyThereIsNoFigure) {
  NullWindow window;
  auto workspace = empty_session();
  const char* why = "nothing of this scene is recorded";
  EXPECT_THAT(window.panel_under(*workspace, "variants", why), HasSubstr(why));
  workspace = fresh();
  workspace->selection.baseline = "warp_row_shuffle";  // applies, and is not measured
  EXPECT_THAT(window.panel_under(*workspace, "variants", "the baseline has no time"),
              HasSubstr("the baseline has no time: the recorded session has no measurement"));
  EXPECT_THAT(window.panel(*workspace, "metrics"), HasSubstr("–"));
  EXPECT_THAT(window.panel_under(*workspace, "metrics", "run the engine as root"),
              AllOf(HasSubstr("the driver lets only root read counters"),
                    HasSubstr("run the engine as root")));
  EXPECT_THAT(window.panel_under(*workspace, "metrics", "the baseline: "),
              HasSubstr("the baseline: the recorded session has no measurement of it"));
}

// Failed, with a reason.

TEST(FirstPanels, SayWhyAVariantHasNoFigures) {
  NullWindow window;
  for (const Failure& failure : kFailures) {
    auto workspace = broken(failure);
    const std::string words = verdict_text(failure.outcome);
    for (const char* panel : {"roofline", "timing", "metrics"}) {
      EXPECT_THAT(window.panel(*workspace, panel),
                  AllOf(HasSubstr(words), HasSubstr(failure.sentence), HasSubstr(failure.remedy)))
          << panel;
    }
    EXPECT_THAT(window.panel(*workspace, "variants"), HasSubstr(to_text(failure.outcome)));
    EXPECT_THAT(window.panel_under(*workspace, "variants", failure.sentence),
                HasSubstr(failure.sentence));
    EXPECT_THAT(window.panel(*workspace, "metrics"), HasSubstr("There are no metrics"));
    EXPECT_THAT(window.panel(*workspace, "sweep"),
                AllOf(HasSubstr("✕ 1 point without a correct output left out"),
                      HasSubstr(failure.sentence)));
    window.move_mouse(-1, -1);
  }
}

TEST(FirstPanels, AVariantThatFailedHasNoTimeAndNoDot) {
  NullWindow window;
  const std::string good = window.panel(*fresh(), "variants");
  EXPECT_THAT(good, HasSubstr("120.0 µs"));
  auto workspace = broken(kFailures[0]);
  EXPECT_THAT(window.panel(*workspace, "variants"), Not(HasSubstr("120.0 µs")));
  EXPECT_THAT(window.panel(*workspace, "roofline"), Not(HasSubstr("of the L2 roof")));
}

TEST(FirstPanels, AxesSayThatAConfigurationCannotBeMeasured) {
  NullWindow window;
  auto workspace = fresh();
  EXPECT_THAT(window.panel(*workspace, "axes"), Not(HasSubstr("cannot be measured")));
  workspace->selection.axes.set("m", std::int64_t{10000000});
  workspace->selection.axes.set("k", std::int64_t{10000000});
  workspace->selection.axes.set("p", 1e-6);
  workspace->selection.axes.set("n", std::int64_t{1024});
  EXPECT_THAT(window.panel(*workspace, "axes"), HasSubstr("✕ cannot be measured: "));
}

TEST(FirstPanels, TheTimelineSaysWhyACaptureFailed) {
  NullWindow window;
  Done failed{41, DoneStatus::failed,
              Error{ErrorKind::environment, "CUPTI gives no activity records", "timeline",
                    "close other profilers"},
              false};
  const Job job = sample::job(41, JobKind::timeline, sample::focus);
  auto workspace = sample::recorded({sample::correct(sample::focus, 120e3), job, failed});
  EXPECT_THAT(window.panel(*workspace, "timeline"),
              AllOf(HasSubstr("The capture of float4 columns failed"),
                    HasSubstr("CUPTI gives no activity records; close other profilers")));
  workspace = sample::recorded(
      {sample::correct(sample::focus, 120e3), sample::timeline(sample::focus), job, failed});
  EXPECT_THAT(window.panel(*workspace, "timeline"), HasSubstr("✕ the last capture failed"));
}

TEST(FirstPanels, SourceShowsTheCompilersWordsOfWhatDidNotCompile) {
  NullWindow window;
  Measurement m = sample::failed(sample::focus, Outcome::compile_failed,
                                 "float4_columns.cu:12: expected a ;", "correct the line");
  StepRecord step;
  step.name = "multiply";
  step.kind = "kernel";
  step.source = "csrmm/float4_columns.cu";
  step.compile_log = "float4_columns.cu(12): error: expected a ;";
  m.steps = {step};
  auto workspace = sample::recorded({m});
  window.panels.source.view = SourceView::compile_log;
  EXPECT_THAT(window.panel(*workspace, "source"), HasSubstr("(12): error: expected a ;"));
}

TEST(FirstPanels, TheEngineSaysWhyItDoesNotRun) {
  NullWindow window;
  Workspace workspace({"/nowhere/warpscope-engine"});
  const auto start = std::chrono::steady_clock::now();
  while (!workspace.view().engines.trouble() &&
         std::chrono::steady_clock::now() - start < std::chrono::seconds(20)) {
    workspace.wait(0.02);
    workspace.update();
  }
  ASSERT_TRUE(workspace.view().engines.trouble());
  const std::string why = sentence(*workspace.view().engines.trouble());
  EXPECT_THAT(window.panel(workspace, "engine"), HasSubstr(why));
  EXPECT_THAT(window.panel(workspace, "roofline"), HasSubstr("There are no roofs: " + why));
}

// Pending.

TEST(FirstPanels, SayThatAFirstMeasurementIsOnItsWay) {
  NullWindow window;
  auto workspace = sample::measuring("hangs");
  ASSERT_TRUE(workspace->view().has_device());
  workspace->update();
  for (const char* panel : {"timing", "metrics"})
    EXPECT_THAT(window.panel(*workspace, panel), HasSubstr("is being measured …")) << panel;
  EXPECT_THAT(window.panel(*workspace, "variants"), HasSubstr("Nothing is measured yet"));
  EXPECT_THAT(window.panel_under(*workspace, "variants", "being measured"),
              HasSubstr("being measured"));
  EXPECT_THAT(window.panel(*workspace, "roofline"),
              HasSubstr("they follow once the selected variant has its time"));
  EXPECT_THAT(window.panel(*workspace, "engine"), HasSubstr("synthetic device"));
}

TEST(FirstPanels, SayThatTheEngineIsStarting) {
  NullWindow window;
  Workspace workspace({built_program("fake_engine"), "mute"});
  workspace.update();
  EXPECT_THAT(window.panel(workspace, "engine"), HasSubstr("The engine is starting"));
  EXPECT_THAT(window.panel(workspace, "roofline"), HasSubstr("The engine is starting"));
}

TEST(FirstPanels, SayThatANewerMeasurementIsOnItsWay) {
  NullWindow window;
  Measurement first = sample::correct(sample::focus, 120e3);
  first.partial = true;
  first.cold.reset();
  auto workspace = sample::recorded({sample::roofs(), first});
  for (const char* panel : {"timing", "metrics", "roofline"}) {
    EXPECT_THAT(window.panel(*workspace, panel), HasSubstr("a newer measurement is on its way"))
        << panel;
  }
  EXPECT_THAT(window.panel(*workspace, "timing"),
              HasSubstr("cold: no cold samples yet: they are being taken"));
  EXPECT_THAT(window.panel_under(*workspace, "variants", "a newer measurement is on its way"),
              HasSubstr("a newer measurement is on its way"));
  workspace->selection.cache = CacheState::cold;
  EXPECT_THAT(window.panel(*workspace, "roofline"),
              HasSubstr("No dot: no cold samples yet: they are being taken"));
}

TEST(FirstPanels, TheTimelineSaysThatACaptureIsOnItsWay) {
  NullWindow window;
  auto workspace = sample::measuring("hangs");
  workspace->requests.take();
  workspace->requests.ask(request::Timeline{sample::focus});
  workspace->update();
  EXPECT_THAT(window.panel(*workspace, "timeline"),
              HasSubstr("A run of float4 columns is being captured"));
}

TEST(FirstPanels, TheTimelineOfARecordedSessionWaitsForNothing) {
  NullWindow window;
  const Job job = sample::job(41, JobKind::timeline, sample::focus);
  auto workspace = sample::recorded({sample::correct(sample::focus, 120e3), job});
  EXPECT_THAT(window.panel(*workspace, "timeline"),
              HasSubstr("was begun, and the session ends before it did"));
  workspace = sample::recorded(
      {sample::correct(sample::focus, 120e3), sample::timeline(sample::focus), job});
  EXPECT_THAT(window.panel(*workspace, "timeline"),
              HasSubstr("a later capture was begun and never ended"));
}

TEST(FirstPanels, TheSweepSaysHowFarItIs) {
  NullWindow window;
  auto workspace = sample::measuring("hangs");
  workspace->update();
  workspace->selection.sweep_axis = "n";
  workspace->requests.ask(request::Sweep{});
  workspace->update();
  const SweepProgress sweep = workspace->view().jobs.sweep_progress();
  ASSERT_TRUE(sweep.running());
  EXPECT_EQ(sweep.done, 0u);
  EXPECT_THAT(window.panel(*workspace, "sweep"),
              AllOf(HasSubstr("cancel sweep"),
                    HasSubstr("sweeping n: 0 of " + std::to_string(sweep.of) + " measured")));
}

TEST(FirstPanels, ACancelledSweepEndsAndTheRestGoesOn) {
  auto workspace = sample::measuring("slow");
  workspace->update();
  workspace->selection.sweep_axis = "n";
  workspace->requests.ask(request::Sweep{});
  workspace->update();
  ASSERT_TRUE(workspace->view().jobs.sweep_progress().running());
  workspace->requests.ask(request::CancelSweep{});
  const auto start = std::chrono::steady_clock::now();
  do {
    workspace->wait(0.02);
    workspace->update();
  } while (workspace->view().jobs.sweep_progress().running() &&
           std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
  EXPECT_FALSE(workspace->view().jobs.sweep_progress().running());
  EXPECT_TRUE(workspace->view().progress().busy) << "a job outside the sweep goes on";
}

// Stale.

TEST(FirstPanels, HaveNoFigureOfAnotherConfiguration) {
  NullWindow window;
  auto workspace = moved_on({sample::timeline(sample::focus)});
  for (const char* panel : {"timing", "metrics", "roofline"}) {
    EXPECT_THAT(window.panel(*workspace, panel),
                AllOf(HasSubstr("has no measurement at this configuration in the recorded session"),
                      Not(HasSubstr("120.0 µs"))))
        << panel;
  }
  EXPECT_THAT(window.panel(*workspace, "timeline"),
              AllOf(HasSubstr("The recorded session has no timeline of float4 columns."),
                    HasSubstr("go to n=128"), Not(HasSubstr("stale"))));
  EXPECT_THAT(window.panel(*workspace, "variants"), Not(HasSubstr("120.0 µs")));
}

TEST(FirstPanels, WarningsOfARecordingAreNotTodays) {
  NullWindow window(1600, 900);
  auto workspace = sample::recorded({LogLine{"warning", "the clock was low", 0}});
  EXPECT_THAT(window.panel(*workspace, "engine"),
              HasSubstr("in the recording: warning: the clock was low"));
}

TEST(FirstPanels, AxesSayWhatIsNotRecordedAndNameTheNearestStop) {
  NullWindow window;
  auto workspace = fresh();
  EXPECT_THAT(window.panel(*workspace, "axes"), Not(HasSubstr("not recorded")));
  workspace->selection.axes.set("n", std::int64_t{130});
  EXPECT_THAT(window.panel(*workspace, "axes"),
              AllOf(HasSubstr("not recorded at n=130: there are no figures of it"),
                    HasSubstr("go to the nearest stop: n=128")));
}

TEST(FirstPanels, TheSweepMarksPointsOfAnOlderKernel) {
  NullWindow window;
  Measurement older = sample::correct(sample::focus, 120e3, 64);
  older.conditions.code_id = "0123456789abcdef";
  Measurement newer = sample::correct(sample::focus, 120e3, 128);
  newer.job = 7;
  auto workspace = sample::recorded({older, newer});
  EXPECT_THAT(window.panel(*workspace, "sweep"), HasSubstr("○ 1 hollow"));
  // Other options make another kernel of the same text.
  Measurement other = sample::correct(sample::focus, 120e3, 64);
  other.conditions.source_hash = "of other options";
  workspace = sample::recorded({newer, other});
  EXPECT_THAT(window.panel(*workspace, "sweep"), Not(HasSubstr("stale")));
}

TEST(FirstPanels, TheSweepSaysWhichPointsLackTheMetric) {
  NullWindow window;
  auto workspace = fresh();
  workspace->selection.sweep_metric = "l2.hit_ratio";
  EXPECT_THAT(window.panel(*workspace, "sweep"),
              AllOf(HasSubstr("– 2 points without this metric left out"),
                    HasSubstr("the driver lets only root read counters; run the engine as root")));
  workspace->selection.sweep_axis = "op";
  EXPECT_THAT(window.panel(*workspace, "sweep"), HasSubstr("op is a choice, not a number"));
}

// Fresh.

TEST(FirstPanels, ShowFreshFiguresWithoutAWarning) {
  NullWindow window;
  auto workspace = fresh();
  for (const PanelRow& panel : all_panels()) {
    if (panel.region == Region::right) continue;
    const std::string words = window.panel(*workspace, panel.name);
    EXPECT_THAT(words, AllOf(Not(HasSubstr("stale: ")), Not(HasSubstr("on its way"))))
        << panel.name;
    // The article's claims may fail to hold, however fresh the figures are.
    if (std::string(panel.name) == "article") continue;
    EXPECT_THAT(words, Not(HasSubstr("✕"))) << panel.name;
  }
  EXPECT_THAT(window.panel(*workspace, "axes"), HasSubstr("columns of B"));
  EXPECT_THAT(
      window.panel(*workspace, "variants"),
      AllOf(HasSubstr("120.0 µs"), HasSubstr("144.0 µs"), HasSubstr("▲ 2.00×"), HasSubstr("base")));
  // 700 MB at 8 TB/s are 87.5 µs of 120 µs.
  EXPECT_THAT(window.panel(*workspace, "roofline"),
              AllOf(HasSubstr("72.92 % of the L2 roof"), HasSubstr("at the roof 87.50 µs"),
                    HasSubstr("measured on synthetic device, 2026-11-21")));
  EXPECT_THAT(window.panel(*workspace, "sweep"), HasSubstr("float4 columns"));
  EXPECT_THAT(window.panel(*workspace, "timing"),
              AllOf(HasSubstr("120.0 µs, quartiles"), HasSubstr("60 samples"),
                    HasSubstr("stopped: noise under 0.5 %")));
  EXPECT_THAT(window.panel(*workspace, "timeline"),
              HasSubstr("float4 columns at " + sample::key_at_n(128)));
  EXPECT_THAT(window.panel(*workspace, "metrics"),
              AllOf(HasSubstr("time, warm"), HasSubstr("120.0 µs"), HasSubstr("240.0 µs"),
                    HasSubstr("50 % less · better"), HasSubstr("counters standard, 11 passes")));
  EXPECT_THAT(window.panel(*workspace, "source"), HasSubstr("kernels/csrmm/float4_columns.cu"));
  EXPECT_THAT(window.panel(*workspace, "engine"),
              AllOf(HasSubstr("synthetic device"), HasSubstr("libcudnn.so.9 is not here")));
}

// Points above a roof are errors until explained.

TEST(FirstPanels, TheRooflineSaysWhyAPointCannotBeAboveItsRoof) {
  NullWindow window;
  Measurement impossible = sample::correct(sample::focus, 120e3);
  set_value(impossible.metrics, {"l2.bytes", 2e9, Origin::measured, "", ""});
  auto workspace = sample::recorded({sample::roofs(), impossible});
  EXPECT_THAT(window.panel(*workspace, "roofline"),
              AllOf(HasSubstr("✕ float4 columns is above the L2 roof"),
                    HasSubstr("the roof is 8.00 TB/s")));
  EXPECT_THAT(window.panel(*fresh(), "roofline"), Not(HasSubstr("above the")));
}

TEST(FirstPanels, TheRooflineNamesTheMixOfThePointInFocus) {
  NullWindow window;
  Measurement point = sample::correct(sample::focus, 120e3);
  set_value(point.metrics, {"dram.bytes_read", 400e6, Origin::measured, "", ""});
  set_value(point.metrics, {"dram.bytes_write", 100e6, Origin::measured, "", ""});
  auto workspace = sample::recorded({sample::roofs(), point});
  // Three fifths of the way from reading (4.6 TB/s) to the triad (4.3).
  EXPECT_THAT(window.panel(*workspace, "roofline"),
              AllOf(HasSubstr("94.37 % of the DRAM roof at 20 % writes"), Not(HasSubstr("✕"))));
}

TEST(FirstPanels, TheRooflineNamesNoRoofFromCompulsoryBytes) {
  NullWindow window;
  Measurement point = sample::correct(sample::focus, 120e3);
  std::erase_if(point.metrics, [](const MetricValue& v) { return v.id.starts_with("dram."); });
  set_value(point.metrics, {"model.dram_bytes", 20e6, Origin::modelled, "", ""});
  auto workspace = sample::recorded({sample::roofs(), point});
  EXPECT_THAT(window.panel(*workspace, "roofline"),
              AllOf(HasSubstr("the bytes of DRAM were neither counted nor emulated"),
                    HasSubstr("will tell"), Not(HasSubstr("which limits it"))));
}

TEST(FirstPanels, TheRooflineHoldsNoPointToTheRoofsOfAnotherDevice) {
  NullWindow window;
  RoofSet others = sample::roofs();
  others.conditions.device = "another device";
  auto workspace = sample::recorded({others, sample::correct(sample::focus, 120e3)});
  EXPECT_THAT(window.panel(*workspace, "roofline"),
              AllOf(HasSubstr("no roofs of this device in the session (synthetic device)"),
                    HasSubstr("warpscope roofs --session"), Not(HasSubstr("% of the"))));
}

TEST(FirstPanels, TheRooflineKeepsModelledPointsApartFromMeasuredOnes) {
  Measurement point = sample::correct(sample::focus, 120e3);
  std::erase_if(point.metrics, [](const MetricValue& v) { return v.id == "l1.wavefronts"; });
  // The same bytes, emulated.
  set_value(point.metrics, {"emulated.l1.sectors_load", 1100e6 / 32, Origin::modelled, "", ""});
  set_value(point.metrics, {"emulated.l1.sectors_store", 0, Origin::modelled, "", ""});
  const auto vertices = [](const Measurement& m) {
    NullWindow window;
    auto workspace = sample::recorded({sample::roofs(), m});
    static_cast<void>(window.panel(*workspace, "roofline"));
    return ImGui::GetDrawData()->TotalVtxCount;
  };
  const int modelled = vertices(point);
  set_value(point.metrics, {"l1.bytes", 1100e6, Origin::measured, "", ""});
  EXPECT_GT(modelled, vertices(point)) << "no dashes around the modelled point";
}

// What the window itself has to say.

TEST(FirstPanels, TheLogKeepsTheWindowsOwnWordsOverSessions) {
  NullWindow window;
  auto workspace = fresh();
  workspace->log.add({"warning", "layout.json: the window's layout is not JSON", 0});
  EXPECT_THAT(window.panel(*workspace, "engine"),
              HasSubstr("warning: layout.json: the window's layout is not JSON"));
  std::snprintf(window.panels.engine.filter.text, sizeof window.panels.engine.filter.text, "%s",
                "no such word");
  EXPECT_THAT(window.panel(*workspace, "engine"), HasSubstr("No line of the log passes"));
}

TEST(FirstPanels, AreDrawnAtEverySizeInBothThemesInEveryState) {
  struct Look {
    int width, height;
    float scale;
    Theme theme;
  };
  for (const Look look : {Look{1280, 720, 1, Theme::light}, Look{1600, 900, 1, Theme::dark},
                          Look{3200, 1800, 2, Theme::dark}}) {
    NullWindow window(look.width, look.height, look.scale, look.theme);
    for (const auto& workspace : {fresh(), empty_session(), moved_on(), broken(kFailures[0])}) {
      for (const PanelRow& panel : all_panels()) {
        EXPECT_NE(window.panel(*workspace, panel.name), "") << panel.name;
      }
    }
  }
}

// A configuration is longer than a window: its tooltip is wrapped, not cut off.
TEST(FittingText, ShowsAllOfALongTextInATooltipWithinTheWindow) {
  NullWindow window(800, 600);
  window.move_mouse(20, 10);
  ImVec2 tooltip{0, 0};
  for (int frame = 0; frame < 4; ++frame) {
    window.frame([&] {
      ImGui::SetNextWindowPos({0, 0});
      ImGui::Begin("words", nullptr, ImGuiWindowFlags_NoDecoration);
      draw_fitting_text(std::string(400, 'w'), 300);
      ImGui::End();
    });
    for (const ImGuiWindow* shown : ImGui::GetCurrentContext()->Windows) {
      if ((shown->Flags & ImGuiWindowFlags_Tooltip) != 0 && shown->Active) tooltip = shown->Size;
    }
  }
  EXPECT_GT(tooltip.x, 300) << "it is shown";
  EXPECT_LE(tooltip.x, 800);
  EXPECT_GT(tooltip.y, 60) << "in several lines";
}

}  // namespace
}  // namespace warpscope
