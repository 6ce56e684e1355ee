// tests/workbench/panels/expert_panels_test.cpp: stall reasons, advice and occupancy curves of
// recorded sessions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/catalogue.h"
#include "tests/profiling/stalls/stalled_kernel.h"
#include "tests/recorded_session.h"
#include "tests/workbench/window/drawn_text.h"
#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::unique_ptr<Workspace> opened(const std::string& scene) {
  auto workspace = std::make_unique<Workspace>(std::vector<std::string>{});
  const Result<void> opened = workspace->open(recorded_session(scene));
  EXPECT_TRUE(opened) << sentence(opened.error());
  workspace->update();
  return workspace;
}

// All 18 reasons were counted for the transposes.
TEST(StallsPanels, NameEachReasonWithItsShare) {
  const auto workspace = opened("patterns");
  Result<Configuration> axes =
      with_values(workspace->scene().axes, default_configuration(workspace->scene().axes),
                  {{"op", "transpose"}});
  if (axes) workspace->selection.axes = *axes;
  workspace->selection.variant = "transpose_tiled";
  workspace->update();
  NullWindow window(1600, 900);
  const std::string words = window.panel(*workspace, "stalls");
  EXPECT_THAT(words, HasSubstr("The longest wait is for “shared memory”: ")) << words;
  EXPECT_THAT(words, HasSubstr("global memory"));
  EXPECT_THAT(words, HasSubstr("Bank conflicts lengthen it"));
  EXPECT_THAT(words, Not(HasSubstr("reasons were not counted")));
}

TEST(StallsPanels, SayWhichReasonsAreMissingAndHowToCountThem) {
  const auto workspace = opened("csrmm");
  NullWindow window(1600, 900);
  const std::string words = window.panel(*workspace, "stalls");
  EXPECT_THAT(words, HasSubstr("The longest wait that was counted is for “"));
  EXPECT_THAT(words, HasSubstr("15 reasons were not counted at this point"));
  EXPECT_THAT(words, HasSubstr("--counters full"));
}

TEST(StallsPanels, InventNothingWithoutCounters) {
  const auto workspace =
      sample::recorded({sample::hello(), sample::correct(sample::focus, 64e3, 128)});
  NullWindow window(1600, 900);
  const std::string words = window.panel(*workspace, "stalls");
  EXPECT_THAT(words, HasSubstr("No stall reason was counted here"));
  EXPECT_THAT(words, Not(HasSubstr("%")));
}

// A point of csrmm with samples, and an emulated run of the same machine code.
TEST(StallsPanels, LeadFromAStallToItsCauseItsLineAndItsAccess) {
  StalledKernel kernel;
  Measurement point = sample::correct(sample::focus, 64e3, 128);
  ASSERT_FALSE(point.steps.empty());
  Trace& trace = kernel.trace;
  trace.scene = point.scene;
  trace.variant = point.variant;
  trace.key = point.key;
  trace.step = point.steps.front().name;
  trace.source = point.steps.front().source;
  const std::uint32_t load = kernel.add("LDG.E R5, desc[UR4][R2.64]", 6);
  const std::uint32_t use = kernel.add("FADD R6, R5, R6", 7, {{load, NeedKind::value, 0}});
  for (MachineRow& row : trace.machine_code->rows) row.position.file = trace.source;
  AccessSite& site = kernel.site(load, Space::global, AccessKind::load, 10);
  site.totals.sectors = site.totals.lines = 320;
  site.totals.ideal_sectors = 40;
  kernel.sample(use, "long_scoreboard", 80);
  kernel.sample(use, "selected", 20);
  point.steps.front().kind = "kernel";
  point.steps.front().samples = kernel.step.samples;
  point.steps.front().text_hash = "";  // not recorded: nothing says that the text is another one
  const auto workspace = sample::recorded({sample::hello(), point, trace});
  NullWindow window(1600, 900);
  EXPECT_THAT(
      window.panel(*workspace, "stalls"),
      AllOf(HasSubstr("for the load in line 6. The load takes 32 sectors per request where 4 "
                      "would do"),
            HasSubstr("uncoalesced access"), HasSubstr("100 samples of 1 run")));
  EXPECT_THAT(window.panel(*workspace, "overview"), HasSubstr("waits in 80.0 % of all samples"));
}

TEST(AdvicePanels, RankByWhatItBuysAndSayWhatThatRestsOn) {
  const auto workspace = opened("csrmm");
  NullWindow window(1600, 1200);
  const std::string words = window.panel(*workspace, "advice");
  EXPECT_THAT(words, AllOf(HasSubstr("× faster · measured"), HasSubstr("measured: both variants at "
                                                                       "this point")))
      << words;
  EXPECT_THAT(words, HasSubstr("modelled: at the"));
  EXPECT_THAT(words, HasSubstr("There is no trace of it here"));
}

TEST(AdvicePanels, SayWhatIsNotKnownWithoutATime) {
  const auto workspace = sample::recorded({sample::hello()});
  NullWindow window(1600, 900);
  const std::string words = window.panel(*workspace, "advice");
  EXPECT_THAT(words, HasSubstr("There is no time of it here"));
  EXPECT_THAT(words, Not(HasSubstr("faster")));
}

TEST(OverviewPanels, LeadToAdviceAndToStallsWhereThoseWereCounted) {
  NullWindow window(1600, 900);
  auto workspace = opened("csrmm");
  EXPECT_THAT(window.panel(*workspace, "overview"),
              AllOf(HasSubstr("show Advice"), HasSubstr("show Stalls")));
  workspace = sample::recorded({sample::hello(), sample::correct(sample::focus, 64e3, 128)});
  EXPECT_THAT(window.panel(*workspace, "overview"),
              AllOf(HasSubstr("show Advice"), Not(HasSubstr("show Stalls"))));
}

TEST(MetricsPanels, LeadToAdviceAndToStallsWhereThoseWereCounted) {
  NullWindow window(1600, 900);
  auto workspace = opened("csrmm");
  EXPECT_THAT(window.panel(*workspace, "metrics"), AllOf(HasSubstr("Advice"), HasSubstr("Stalls")));
  workspace = sample::recorded({sample::hello(), sample::correct(sample::focus, 64e3, 128)});
  EXPECT_THAT(window.panel(*workspace, "metrics"),
              AllOf(HasSubstr("Advice"), Not(HasSubstr("Stalls"))));
}

// Times of two variants at n = 32 and 128: each wins once, by 1.50 and 1.25.
TEST(SweepMaps, NameTheWinnerAtEachPlaceOfASession) {
  std::vector<Message> messages = {sample::hello()};
  const auto add = [&](const std::string& variant, double ns, std::int64_t n, double p) {
    Measurement point = sample::correct(variant, ns, n);
    point.axes.set("p", p);
    point.key =
        configuration_key(built_in_catalogue().find("csrmm").value()->axes, point.axes, variant);
    messages.push_back(point);
  };
  const double p = sample::at_n(128).real("p");
  add(sample::focus, 60e3, 32, p);
  add(sample::baseline, 40e3, 32, p);
  add(sample::focus, 80e3, 128, p);
  add(sample::baseline, 100e3, 128, p);
  add(sample::focus, 90e3, 128, p / 2);
  const auto workspace = sample::recorded(messages);
  workspace->selection.sweep_axis = "n";
  workspace->selection.sweep_second_axis = "p";
  NullWindow window(1600, 900);
  const std::string words = window.panel(*workspace, "sweep");
  EXPECT_THAT(words, HasSubstr("places won, of 3")) << words;
  EXPECT_THAT(words, AllOf(HasSubstr("n = 128"), HasSubstr("(1.25×)"), HasSubstr("wins")));
  EXPECT_THAT(window.panel_under(*workspace, "sweep", "(1.50×)"), HasSubstr("n = 32"));
  EXPECT_THAT(window.panel_under(*workspace, "sweep", "no other variant has a figure here"),
              HasSubstr("no other variant has a figure here"));
}

TEST(SweepMaps, DrawARecordedGridOfTwoAxes) {
  const auto workspace = opened("csrmm");
  workspace->selection.sweep_axis = "n";
  workspace->selection.sweep_second_axis = "p";
  NullWindow window(1600, 900);
  const std::string words = window.panel(*workspace, "sweep");
  EXPECT_THAT(words, HasSubstr("places won, of 41")) << words;
  // The automatic choice took the K-tiled stream there, and was as fast.
  EXPECT_THAT(words,
              HasSubstr("p = 0.02: K-tiled stream 46.26 µs wins; second is cuBLAS dense BF16 "
                        "63.60 µs (1.37×)"));
}

TEST(SweepMaps, SayThatAMetricWithoutABetterSideHasNoWinner) {
  const auto workspace = opened("csrmm");
  workspace->selection.sweep_axis = "n";
  workspace->selection.sweep_second_axis = "p";
  for (const Metric& metric : all_metrics()) {
    if (metric.better == Better::neither) workspace->selection.sweep_metric = metric.id;
  }
  NullWindow window(1600, 900);
  EXPECT_THAT(window.panel(*workspace, "sweep"),
              HasSubstr("neither higher nor lower values are better"));
}

TEST(OccupancyCurves, StandWithTheSentenceOfTheNextBlock) {
  const auto workspace = opened("csrmm");
  NullWindow window(1600, 900);
  const std::string words = window.panel(*workspace, "occupancy");
  EXPECT_THAT(words, HasSubstr("on a multiprocessor at once"));
  EXPECT_THAT(words, AllOf(HasSubstr("threads per block: "), HasSubstr("registers per thread: "),
                           HasSubstr("shared memory per block: ")));
}

// Rows of a table lie below heads that stay: a row that is scrolled to is not half below the edge.
TEST(MetricsPanels, ShowTheLitRowWholeBetweenTheHeadsAndTheEdge) {
  const auto workspace = opened("csrmm");
  const Measurement* point = workspace->view().state(workspace->selection.variant).point;
  ASSERT_NE(point, nullptr);
  for (const float scale : {1.0f, 2.0f}) {
    NullWindow window(1280, 720, scale);
    window.state.bottom_tab = window.state.stacked_tab = "metrics";
    window.step(*workspace);
    int lit = 0;
    constexpr std::size_t kEvery = 5;
    for (std::size_t i = 0; i < point->metrics.size(); i += kEvery) {
      const std::string id = point->metrics[i].id;
      window.state.spotlight = {.metric = id, .fresh = true};
      for (int frame = 0; frame < 4; ++frame) window.step(*workspace);
      const Box box = window.state.spotlight.box;
      if (box.empty()) continue;  // another figure stands for it
      ++lit;
      const float row = ImGui::GetTextLineHeight() + ImGui::GetStyle().ItemSpacing.y;
      EXPECT_GE(box.height(), row - 1) << id << " at scale " << scale;
      const std::vector<DrawnText> texts = drawn_texts();
      const auto head = std::find_if(texts.begin(), texts.end(), [](const DrawnText& text) {
        return text.words == "metric" && text.list->_OwnerName != nullptr &&
               std::string_view(text.list->_OwnerName).find("metrics") != std::string_view::npos;
      });
      ASSERT_NE(head, texts.end());
      EXPECT_GE(box.y0, head->box().y1) << id << " at scale " << scale;
    }
    EXPECT_GE(lit, 8) << "at scale " << scale;
  }
}

}  // namespace
}  // namespace warpscope
