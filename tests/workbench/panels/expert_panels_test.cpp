// tests/workbench/panels/expert_panels_test.cpp: stall reasons, advice and occupancy curves of
// recorded sessions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/recorded_session.h"
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
  EXPECT_THAT(words, HasSubstr("Most often, a warp waits for: shared memory")) << words;
  EXPECT_THAT(words, HasSubstr("global memory"));
  EXPECT_THAT(words, HasSubstr("Bank conflicts lengthen it"));
  EXPECT_THAT(words, Not(HasSubstr("reasons were not counted")));
}

TEST(StallsPanels, SayWhichReasonsAreMissingAndHowToCountThem) {
  const auto workspace = opened("csrmm");
  NullWindow window(1600, 900);
  const std::string words = window.panel(*workspace, "stalls");
  EXPECT_THAT(words, HasSubstr("Among the reasons that were counted, a warp waits most often for"));
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

TEST(OccupancyCurves, StandWithTheSentenceOfTheNextBlock) {
  const auto workspace = opened("csrmm");
  NullWindow window(1600, 900);
  const std::string words = window.panel(*workspace, "occupancy");
  EXPECT_THAT(words, HasSubstr("on a multiprocessor at once"));
  EXPECT_THAT(words, AllOf(HasSubstr("threads per block: "), HasSubstr("registers per thread: "),
                           HasSubstr("shared memory per block: ")));
}

}  // namespace
}  // namespace warpscope
