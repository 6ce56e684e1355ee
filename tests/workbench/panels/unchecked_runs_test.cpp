// tests/workbench/panels/unchecked_runs_test.cpp: a run that nothing checked has figures. They are
// compared with the roofs and with no other run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"
#include "workbench/panels/panels.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Measurement unchecked(const std::string& variant, double warm_ns) {
  Measurement m = sample::correct(variant, warm_ns);
  m.verdict = {Outcome::no_reference,
               "it ran, but the scene has no reference to compare its outputs with",
               "add [reference] and [tolerance] to the scene's description"};
  return m;
}

// Two variants, the second twice as quick, neither of which was checked.
class UncheckedRuns : public testing::Test {
 protected:
  UncheckedRuns() {
    workspace_->selection.baseline = "cusparse_alg3";
    workspace_->update();
  }
  std::unique_ptr<Workspace> workspace_ = sample::recorded(
      {sample::roofs(), unchecked("cusparse_alg3", 240e3), unchecked(sample::focus, 120e3)});
  NullWindow window_{1600, 900};
};

TEST_F(UncheckedRuns, AreTimedInTheListAndWinNothing) {
  const std::string words = window_.panel(*workspace_, "variants");
  EXPECT_THAT(words, AllOf(HasSubstr("120"), HasSubstr("240")));
  EXPECT_THAT(words, AllOf(Not(HasSubstr("▲")), Not(HasSubstr("2.00×")), Not(HasSubstr("✔"))));
  EXPECT_THAT(window_.panel_under(*workspace_, "variants", "no reference"),
              HasSubstr("· no reference"));
}

TEST_F(UncheckedRuns, HaveMetricsWithoutADifference) {
  const std::string words = window_.panel(*workspace_, "metrics");
  EXPECT_THAT(words, AllOf(HasSubstr("no reference"), HasSubstr("90.00 MB")));
  EXPECT_THAT(words, AllOf(Not(HasSubstr("−50")), Not(HasSubstr("-50"))));
}

// Their bytes and their time are what they are; Overview says beside them that nothing checks.
TEST_F(UncheckedRuns, StandOnTheRooflineAsCheckedOnesDo) {
  auto checked = sample::recorded({sample::roofs(), sample::correct(sample::focus, 120e3)});
  const std::string share = "72.92 %";  // of L2's roof, at 120 µs
  for (const auto& workspace : {&*workspace_, &*checked})
    EXPECT_THAT(window_.panel(*workspace, "roofline"), HasSubstr(share));
  EXPECT_THAT(window_.panel(*workspace_, "overview"),
              AllOf(HasSubstr(share), HasSubstr("no reference")));
}

// A checked and an unchecked run are as little compared as two unchecked ones.
TEST_F(UncheckedRuns, AreNotComparedWithCheckedOnes) {
  auto mixed = sample::recorded(
      {sample::roofs(), sample::correct("cusparse_alg3", 240e3), unchecked(sample::focus, 120e3)});
  mixed->selection.baseline = "cusparse_alg3";
  mixed->update();
  EXPECT_THAT(window_.panel(*mixed, "variants"), Not(HasSubstr("2.00×")));
}

TEST_F(UncheckedRuns, AreDrawnInEveryPanel) {
  for (const PanelRow& panel : all_panels())
    EXPECT_FALSE(window_.panel(*workspace_, panel.name).empty()) << panel.name;
}

}  // namespace
}  // namespace warpscope
