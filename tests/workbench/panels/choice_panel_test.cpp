// tests/workbench/panels/choice_panel_test.cpp: what an automatic choice ran, what decided it, and
// where its costs expect which winner.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "profiling/tuning/expected_places.h"
#include "scenes/catalogue.h"
#include "scenes/choice_scenes.h"
#include "tests/recorded_session.h"
#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"
#include "workbench/panels/panels.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

const Scene& scene_of_csrmm() { return **built_in_catalogue().find("csrmm"); }
std::string label(const char* variant) { return find_variant(scene_of_csrmm(), variant)->label; }

// What the panel says in a window of its own: a panel keeps what it knows of one workspace.
std::string said(Workspace& workspace) {
  NullWindow window(1600, 900);
  return window.panel(workspace, "choice");
}

// The automatic choice in focus, with a point that picked this; other points beside it.
std::unique_ptr<Workspace> picking(const PickedRow& picked, std::vector<Message> others = {}) {
  Measurement point = sample::correct("auto", 50e3, 128);
  point.picked = std::make_shared<const PickedRow>(picked);
  std::vector<Message> messages = {sample::hello(), point};
  messages.insert(messages.end(), others.begin(), others.end());
  auto workspace = sample::recorded(messages);
  workspace->selection.variant = "auto";
  workspace->update();
  return workspace;
}

TEST(ChoicePanels, SayWhatRanWhyAndHowLongTheCandidatesTook) {
  const PickedRow picked{{"block_row", {}},
                         PickReason::measured,
                         {{{"block_row", {}}, 60e3, 50.25e3, ""},
                          {{"row_split", {}}, 70e3, std::nullopt, "wrong: 3 elements"}}};
  auto workspace = picking(picked);
  std::string words = said(*workspace);
  EXPECT_THAT(words, HasSubstr("ran " + label("block_row") +
                               ": it was the fastest of the candidates, which were timed for this"))
      << words;
  EXPECT_THAT(words, AllOf(HasSubstr("50.25 µs"), HasSubstr("taken"),
                           HasSubstr("left out: wrong: 3 elements")));
  workspace = picking({{"block_row", {}}, PickReason::remembered, {}});
  words = said(*workspace);
  EXPECT_THAT(words, HasSubstr("when they were timed on such a device")) << words;
}

TEST(ChoicePanels, ShowTheRecordedTimeBesideThePredictedOne) {
  const auto workspace = picking({{"block_row", {}}, PickReason::table, {}},
                                 {sample::correct("k_tiles", 43.5e3, 128)});
  NullWindow window(1600, 900);
  const std::string words = window.panel(*workspace, "choice");
  EXPECT_THAT(words, HasSubstr("43.50 µs")) << words;
  EXPECT_THAT(words, HasSubstr("its table predicts the shortest time"));
  EXPECT_THAT(words, HasSubstr("times are of an NVIDIA H200, fitted to "));
}

TEST(ChoicePanels, SayWhereTodaysTableTakesAnother) {
  const Configuration axes = for_variant(scene_of_csrmm().axes, sample::at_n(128), "auto");
  ExpectedPlaces places(scene_of_csrmm(), "auto", {});
  const ExpectedPlace rows = places.at(axes);
  ASSERT_FALSE(rows.rows.empty()) << rows.why;
  const std::string first = label(rows.rows.front().row.variant.c_str());
  auto workspace = picking({{"warp_row_shuffle", {}}, PickReason::table, {}});
  EXPECT_THAT(said(*workspace), HasSubstr("Today's table takes " + first));
  workspace = picking({rows.rows.front().row, PickReason::table, {}});
  EXPECT_THAT(said(*workspace), Not(HasSubstr("Today's table")));
}

TEST(ChoicePanels, SayWhatWouldBeTakenAndWhatDecidesInEverySceneWithCosts) {
  for (const ChoiceScene& about : choice_scenes()) {
    Workspace workspace(std::vector<std::string>{});
    ASSERT_TRUE(workspace.open(recorded_session(about.scene)));
    workspace.update();
    ASSERT_TRUE(find_panel("choice")->belongs(workspace.view()));
    NullWindow window(1600, 900);
    const std::string words = window.panel(workspace, "choice");
    EXPECT_THAT(words, AnyOf(HasSubstr("By its table, "), HasSubstr(" ran "),
                             HasSubstr("When it first runs here")))
        << about.scene;
    EXPECT_THAT(words, AnyOf(HasSubstr("What decides between "),
                             HasSubstr("fitted to times of this configuration")))
        << about.scene << words;
  }
}

TEST(ChoicePanels, SayThatCandidatesWillBeTimedWhereTheTableHasNoTime) {
  auto workspace = sample::recorded({sample::hello(), sample::correct("block_row", 50e3, 128)});
  workspace->selection.variant = "auto";
  workspace->selection.axes.set("n", std::int64_t{77});
  workspace->update();
  const std::string words = said(*workspace);
  EXPECT_THAT(words, AllOf(HasSubstr("times the 6 candidates with the shortest predicted times"),
                           HasSubstr("would be timed")))
      << words;
}

// Facts of inputs are kept while axes move.
TEST(ChoicePanels, SayTheSameAfterAxesMovedAsWhenOpenedThere) {
  auto workspace = sample::recorded({sample::hello(), sample::correct("block_row", 50e3, 128)});
  workspace->selection.variant = "auto";
  const std::vector<std::pair<std::string, std::int64_t>> moves = {{"n", 77}, {"n", 9}, {"m", 700}};
  const auto move = [&workspace](const auto& to) {
    workspace->selection.axes.set(to.first, to.second);
    workspace->update();
  };
  const Configuration begin = workspace->selection.axes;
  std::vector<std::string> moved;
  {
    NullWindow window(1600, 900);
    for (const auto& to : moves) {
      move(to);
      moved.push_back(window.panel(*workspace, "choice"));
    }
  }
  workspace->selection.axes = begin;
  for (std::size_t n = 0; n < moves.size(); ++n) {
    move(moves[n]);
    EXPECT_EQ(moved[n], said(*workspace)) << moves[n].first;
    EXPECT_TRUE(n == 0 || moved[n] != moved[n - 1]);
  }
}

TEST(ChoicePanels, AreNotInScenesWithoutCosts) {
  Workspace workspace(std::vector<std::string>{});
  ASSERT_TRUE(workspace.open(recorded_session("patterns")));
  EXPECT_FALSE(find_panel("choice")->belongs(workspace.view()));
}

// Points of two variants at two of the places; the others are predicted.
std::unique_ptr<Workspace> with_a_map(const std::string& focus) {
  const auto at = [](const std::string& variant, double ns, std::int64_t n) {
    return sample::correct(variant, ns, n);
  };
  auto workspace =
      sample::recorded({sample::hello(), at("float4_columns", 60e3, 32), at("block_row", 40e3, 32),
                        at("float4_columns", 80e3, 128), at("block_row", 100e3, 128)});
  workspace->selection.variant = focus;
  workspace->selection.sweep_axis = "n";
  workspace->selection.sweep_second_axis = "weights";
  workspace->selection.sweep_values = {{"n", "32,64,128"}};
  workspace->update();
  return workspace;
}

TEST(PredictedMaps, FillWhatWasNotMeasuredAndSaySo) {
  const auto workspace = with_a_map("auto");
  NullWindow window(1600, 900);
  std::string words;
  for (int frame = 0; frame < 20; ++frame) words = window.panel(*workspace, "sweep");
  EXPECT_THAT(words, HasSubstr("measured: 2")) << words;
  EXPECT_THAT(words, HasSubstr("predicted by the table, on an NVIDIA H200: 4"));
  EXPECT_THAT(words, HasSubstr("places won, measured + predicted"));
  EXPECT_THAT(words, HasSubstr("n = 128, weights = "));
  EXPECT_THAT(words, HasSubstr(" wins; second is ")) << "measured at the selection";
  const std::string tooltip = window.panel_under(*workspace, "sweep", "not measured here");
  EXPECT_THAT(tooltip, HasSubstr("by the fitted costs of automatic choice, on an NVIDIA H200"));
  EXPECT_THAT(tooltip, HasSubstr("\n2. "));
}

TEST(PredictedMaps, AreOffWhereNoAutomaticChoiceIsInFocus) {
  const auto workspace = with_a_map("float4_columns");
  NullWindow window(1600, 900);
  const std::string words = window.panel(*workspace, "sweep");
  EXPECT_THAT(words, HasSubstr("places won, of 2")) << words;
  EXPECT_THAT(words, AllOf(HasSubstr("predict the rest"), Not(HasSubstr("predicted by"))));
}

TEST(PredictedMaps, PredictNoMetricButTheTimeOfTheCosts) {
  const auto workspace = with_a_map("auto");
  workspace->selection.sweep_metric = "time.cold";
  NullWindow window(1600, 900);
  EXPECT_THAT(window.panel(*workspace, "sweep"),
              HasSubstr("Places without a measurement are predicted only for the "));
}

}  // namespace
}  // namespace warpscope
