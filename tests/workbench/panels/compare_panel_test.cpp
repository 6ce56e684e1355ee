// tests/workbench/panels/compare_panel_test.cpp: two points are pinned, compared, undone, and
// unpinned where they are gone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/recorded_session.h"
#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"
#include "workbench/workspace/pinned_points.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

std::unique_ptr<Workspace> two_points() {
  Measurement other = sample::correct(sample::baseline, 150e3);
  for (StepRecord& step : other.steps) step.source = "csrmm/warp_row.cu";
  return sample::recorded(
      {sample::correct(sample::focus, 100e3), other, sample::correct(sample::focus, 300e3, 256)});
}

void pin_both(Workspace& workspace) {
  pin_as_a(workspace.selection.pins, pin_here(workspace.view(), sample::baseline));
  pin_as_b(workspace.selection.pins, pin_here(workspace.view(), sample::focus));
}

TEST(ComparePanel, SaysHowToPinWhereNothingIsPinned) {
  NullWindow window;
  auto workspace = two_points();
  EXPECT_THAT(window.panel(*workspace, "compare"), HasSubstr("Pin two points"));
  pin_as_a(workspace->selection.pins, pin_here(workspace->view(), sample::focus));
  EXPECT_THAT(window.panel(*workspace, "compare"),
              AllOf(HasSubstr("Pin one more point"), HasSubstr("unpin")));
}

TEST(ComparePanel, StandsBothBesideEachOther) {
  NullWindow window(1600, 700);
  auto workspace = two_points();
  pin_both(*workspace);
  const std::string words = window.panel(*workspace, "compare");
  EXPECT_THAT(words, HasSubstr("faster"));
  EXPECT_THAT(words, HasSubstr("launch_bounds none | – (its own)")) << "an axis of one of them";
  EXPECT_THAT(words, HasSubstr("better"));
  EXPECT_THAT(words, HasSubstr("csrmm/float4_columns.cu"));
  EXPECT_THAT(words, HasSubstr("only in A"));
}

// A count that was 0 has no ratio: words say so in its place.
TEST(ComparePanel, SaysThatThereWereNoneBefore) {
  NullWindow window(1600, 700);
  Measurement none = sample::correct(sample::baseline, 150e3),
              some = sample::correct(sample::focus, 100e3);
  set_value(none.metrics, {"shared.bank_conflicts", 0.0, Origin::measured, "", ""});
  set_value(some.metrics, {"shared.bank_conflicts", 284.0, Origin::measured, "", ""});
  auto workspace = sample::recorded({none, some});
  pin_both(*workspace);
  EXPECT_THAT(window.panel(*workspace, "compare"), HasSubstr("none before · worse"));
}

TEST(ComparePanel, ShowsDifferencesOfTwoProblemsAndCallsNeitherBetter) {
  NullWindow window(1600, 700);
  auto workspace = two_points();
  Pins& pins = workspace->selection.pins;
  pin_as_a(pins, pin_here(workspace->view(), sample::focus));
  pin_as_b(pins, pin_at(workspace->view(), sample::focus, sample::at_n(256)));
  const std::string words = window.panel(*workspace, "compare");
  EXPECT_THAT(words, HasSubstr("neither is better or worse: "));
  EXPECT_THAT(words, HasSubstr("% more"));
  EXPECT_THAT(words, HasSubstr("n 128 | 256"));
  EXPECT_THAT(words, Not(AnyOf(HasSubstr("· better"), HasSubstr("· worse"), HasSubstr("faster"))));
  EXPECT_THAT(words, HasSubstr("one text"));
}

TEST(Pins, AreShownInVariantsSwappedAndUndone) {
  NullWindow window(1600, 900);
  auto workspace = two_points();
  EXPECT_THAT(window.panel(*workspace, "variants"), Not(HasSubstr("unpin")));
  pin_as_a(workspace->selection.pins, pin_here(workspace->view(), sample::baseline));
  workspace->update();
  pin_as_b(workspace->selection.pins, pin_here(workspace->view(), sample::focus));
  workspace->update();
  EXPECT_THAT(window.panel(*workspace, "variants"), AllOf(HasSubstr("swap"), HasSubstr("unpin")));
  std::swap(workspace->selection.pins.a, workspace->selection.pins.b);
  workspace->update();
  EXPECT_EQ(workspace->selection.pins.a->variant, sample::focus);
  workspace->undo();
  EXPECT_EQ(workspace->selection.pins.a->variant, sample::baseline);
  workspace->undo();
  EXPECT_FALSE(workspace->selection.pins.b);
  workspace->redo();
  EXPECT_TRUE(workspace->selection.pins.both());
}

TEST(Pins, OfOnePointAreOnePin) {
  auto workspace = two_points();
  Pins& pins = workspace->selection.pins;
  pin_both(*workspace);
  pin_as_a(pins, pin_here(workspace->view(), sample::focus));
  EXPECT_EQ(pins.a->variant, sample::focus);
  EXPECT_FALSE(pins.b) << "it changed sides";
}

TEST(Pins, SayWhereTheyAre) {
  auto workspace = two_points();
  const PinnedPoint here = pin_here(workspace->view(), sample::focus),
                    there = pin_at(workspace->view(), sample::focus, sample::at_n(256));
  EXPECT_EQ(place_of(workspace->view(), here), "here");
  EXPECT_EQ(place_of(workspace->view(), there), "n=256");
  workspace->selection.axes = sample::at_n(256);
  EXPECT_EQ(place_of(workspace->view(), here), "n=128");
}

TEST(Pins, OutliveTheSelectionAndGoWithASentenceWhereTheSessionLacksThem) {
  auto workspace = two_points();
  pin_both(*workspace);
  workspace->update();
  workspace->selection.axes = sample::at_n(256);
  workspace->update();
  EXPECT_TRUE(workspace->selection.pins.both());
  workspace->log.clear_notices();
  ASSERT_TRUE(workspace->open(recorded_session("led")));
  EXPECT_FALSE(workspace->selection.pins.any());
  std::string all;
  for (const std::string& notice : workspace->view().log.notices()) all += notice + "\n";
  EXPECT_THAT(all, AllOf(HasSubstr("A is unpinned"), HasSubstr("B is unpinned"),
                         HasSubstr("csrmm/float4_columns")));
}

TEST(Pins, HaveKeys) {
  NullWindow window(1600, 900);
  auto workspace = two_points();
  window.window(*workspace);
  const auto press = [&](char key) {
    window.hold_control(true);
    window.hold(key, true);
    window.window(*workspace);
    window.hold(key, false);
    window.hold_control(false);
    window.window(*workspace);
  };
  press('1');
  workspace->selection.variant = sample::baseline;
  press('2');
  ASSERT_TRUE(workspace->selection.pins.both());
  EXPECT_EQ(workspace->selection.pins.a->variant, sample::focus);
  EXPECT_EQ(workspace->selection.pins.b->variant, sample::baseline);
  press('3');
  EXPECT_EQ(workspace->selection.pins.b->variant, sample::focus);
}

}  // namespace
}  // namespace warpscope
