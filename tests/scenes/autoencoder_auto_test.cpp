// tests/scenes/autoencoder_auto_test.cpp: rows that pick another row of their league.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "scenes/autoencoder/autoencoder.h"
#include "scenes/autoencoder/automatic.h"

namespace warpscope {
namespace {

using autoencoder::automatic_candidates;
using autoencoder::Part;
using autoencoder::PickedLeague;

struct AutomaticRow {
  const char* name;
  PickedLeague league;
  Part part;
};
constexpr AutomaticRow kRows[] = {
    {"auto", PickedLeague::f32, Part::conv},
    {"auto_fp32_tensor", PickedLeague::f32_class, Part::conv},
    {"auto_tf32", PickedLeague::tf32, Part::conv},
    {"auto_bf16", PickedLeague::bf16, Part::conv},
    {"step_auto", PickedLeague::f32, Part::step},
    {"step_auto_fp32_tensor", PickedLeague::f32_class, Part::step},
    {"step_auto_tf32", PickedLeague::tf32, Part::step},
    {"step_auto_bf16", PickedLeague::bf16, Part::step},
};

Workload workload_at(const Scene& scene, const std::map<std::string, std::string>& changes) {
  const auto axes = with_values(scene.axes, default_configuration(scene.axes), changes);
  EXPECT_TRUE(axes) << sentence(axes.error());
  return {*axes, {}};
}

std::vector<std::string> names_of(const std::vector<Step>& steps) {
  std::vector<std::string> names;
  for (const Step& step : steps) names.push_back(step.name);
  return names;
}

// "label: row should take 12 µs on an H200, row 34 µs"
struct Said {
  std::string row;
  double first_us = 0, second_us = 0;  // 0: there is no second
};
Said said_of(const std::string& choice) {
  const std::regex form("(\\w+) should take (\\d+) µs on an H200(?:, \\w+ (\\d+) µs)?$");
  std::smatch found;
  EXPECT_TRUE(std::regex_search(choice, found, form)) << choice;
  if (found.empty()) return {};
  return {found[1], std::stod(found[2]), found[3].matched ? std::stod(found[3]) : 0};
}

template <typename Check>
void at_every_point(Check check) {
  const Scene scene = autoencoder_scene();
  for (const AutomaticRow& row : kRows) {
    for (const char* batch : {"1", "16", "64", "256", "1024"}) {
      if (row.part == Part::step) {
        check(scene, row, workload_at(scene, {{"part", "step"}, {"batch", batch}}));
        continue;
      }
      for (const char* layer : {"Conv1", "Conv2", "Conv3", "Conv4", "Conv5"}) {
        for (const char* direction : {"forward", "dgrad", "wgrad"})
          check(scene, row,
                workload_at(scene, {{"layer", layer}, {"direction", direction}, {"batch", batch}}));
      }
    }
  }
}

TEST(AutoencoderAuto, PicksARowThatAppliesAndRunsItsSteps) {
  at_every_point([](const Scene& scene, const AutomaticRow& row, const Workload& w) {
    const Variant& choice = *find_variant(scene, row.name);
    ASSERT_TRUE(applies(choice, w.axes)) << row.name;
    const Said said = said_of(choice.choice(w));
    const auto candidates = automatic_candidates(row.league, row.part);
    EXPECT_EQ(std::ranges::count(candidates, said.row), 1) << said.row;
    const Variant* picked = find_variant(scene, said.row);
    ASSERT_TRUE(picked != nullptr) << said.row;
    EXPECT_TRUE(applies(*picked, w.axes)) << said.row;
    const Workload own = {for_variant(scene.axes, w.axes, said.row), {}};
    EXPECT_FALSE(unavailable(*picked, own, {})) << said.row;
    EXPECT_EQ(names_of(choice.steps(w)), names_of(picked->steps(own)));
  });
}

TEST(AutoencoderAuto, TakesTheRowThatIsExpectedToBeTheShortest) {
  int seconds = 0;
  at_every_point([&](const Scene& scene, const AutomaticRow& row, const Workload& w) {
    const Said said = said_of(find_variant(scene, row.name)->choice(w));
    if (said.second_us == 0) return;
    ++seconds;
    EXPECT_LE(said.first_us, said.second_us) << row.name;
  });
  EXPECT_GT(seconds, 200);
}

// Outputs have the layout of the picked row, and so has their reference.
TEST(AutoencoderAuto, IsHeldToTheLayoutOfWhatItPicks) {
  int innermost = 0, outermost = 0;
  at_every_point([&](const Scene& scene, const AutomaticRow& row, const Workload& w) {
    if (row.part == Part::step) return;
    const Variant& choice = *find_variant(scene, row.name);
    const Variant& picked = *find_variant(scene, said_of(choice.choice(w)).row);
    const bool nhwc = picked.reference == "direct_nhwc";
    ++(nhwc ? innermost : outermost);
    EXPECT_EQ(autoencoder::picks_nhwc(row.league, w.axes), nhwc) << row.name;
    if (choice.reference == "direct" || choice.reference == "direct_nhwc") {
      EXPECT_EQ(choice.reference, picked.reference) << row.name;
    }
  });
  EXPECT_GT(innermost, 0);
  EXPECT_GT(outermost, 0);
}

// A row has no stricter bound than the rows that it picks.
TEST(AutoencoderAuto, IsHeldToNoStricterBoundThanItsCandidates) {
  at_every_point([](const Scene& scene, const AutomaticRow& row, const Workload& w) {
    const Variant& choice = *find_variant(scene, row.name);
    const auto tolerance = [&](const Variant& v) {
      return v.tolerance_at ? v.tolerance_at(w.axes) : v.tolerance;
    };
    for (const std::string& name : automatic_candidates(row.league, row.part)) {
      const Variant& candidate = *find_variant(scene, name);
      if (!applies(candidate, w.axes)) continue;
      EXPECT_GE(tolerance(choice).magnitude, tolerance(candidate).magnitude) << name;
      EXPECT_GE(tolerance(choice).accumulation, tolerance(candidate).accumulation) << name;
    }
  });
}

TEST(AutoencoderAuto, DependsOnNoInput) {
  const Scene scene = autoencoder_scene();
  for (const AutomaticRow& row : kRows) {
    const char* part = row.part == Part::step ? "step" : "conv";
    const Variant& choice = *find_variant(scene, row.name);
    EXPECT_EQ(choice.choice(workload_at(scene, {{"part", part}, {"seed", "1"}})),
              choice.choice(workload_at(scene, {{"part", part}, {"seed", "2"}})))
        << row.name;
  }
}

TEST(AutoencoderAuto, AStepIsSubmittedAsWhatItPicksIs) {
  const Scene scene = autoencoder_scene();
  const Workload w = workload_at(scene, {{"part", "step"}});
  for (const AutomaticRow& row : kRows) {
    if (row.part != Part::step) continue;
    const Variant& choice = *find_variant(scene, row.name);
    const Variant& picked = *find_variant(scene, said_of(choice.choice(w)).row);
    EXPECT_EQ(choice.submission(w.axes),
              picked.submission ? picked.submission(w.axes) : Submission::stream)
        << row.name;
  }
}

}  // namespace
}  // namespace warpscope
