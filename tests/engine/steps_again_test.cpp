// tests/engine/steps_again_test.cpp: a step that is timed alone runs again and again on what it
// left, and touches nothing then that it must not.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "profiling/engine/run/emulated/emulated_stage.h"
#include "tests/engine/compiling_test.h"
#include "tests/scenes/small_configurations.h"
#include "tests/scenes/tested_scenes.h"

namespace warpscope {
namespace {

// Enough sums of sums that 32 bits overflow: for 100 numbers they reach C(112, 12).
constexpr int kAgain = 12;

bool is_timed_kernel(const Step& step) {
  return step.phase == Phase::run && std::holds_alternative<KernelLaunch>(step.action);
}

std::vector<Step> each_again(const std::vector<Step>& steps) {
  std::vector<Step> all;
  for (const Step& step : steps) {
    for (int i = 0; i < (is_timed_kernel(step) ? kAgain : 1); ++i) all.push_back(step);
  }
  return all;
}

// A first level with cells enough to sum over.
Configuration with_many_cells(Configuration axes) {
  for (const auto& [axis, size] : {std::pair("height0", 92), {"width0", 160}}) {
    if (axes.has(axis)) axes.set(axis, std::int64_t{size});
  }
  return axes;
}

class StepsAgain : public testing::TestWithParam<std::string> {};

TEST_P(StepsAgain, TouchNothingThatTheyMustNot) {
  if (Result<std::string> version = nvrtc_version(); !version)
    GTEST_SKIP() << sentence(version.error());
  const Scene& scene = **built_in_catalogue().find(GetParam());
  const std::vector<Configuration> all = small_configurations(scene, Choices::one_by_one);
  ASSERT_FALSE(all.empty());
  EmulatedStage stage;
  std::set<std::string> ran;
  for (const Configuration& small : all) {
    const Configuration typed = with_many_cells(small);
    const Result<Configuration> axes =
        scene.settle ? scene.settle(typed) : Result<Configuration>(typed);
    if (!axes) continue;
    ASSERT_TRUE(stage.set(scene, *axes));
    if (scene.nothing_to_do && scene.nothing_to_do(stage.workload())) continue;
    for (const Variant& variant : scene.variants) {
      if (ran.count(variant.name) != 0 || (variant.applies && !variant.applies(*axes))) continue;
      const Workload& w = stage.workload();
      if (unavailable(variant, w, DeviceLimits{}) || variant.expected_fault) continue;
      const std::vector<Step> steps = variant.steps(w);
      if (std::count_if(steps.begin(), steps.end(), is_timed_kernel) < 2) continue;
      EmulatedStage::View view;
      view.sums = false;
      if (!stage.run(variant, view)) continue;  // a library that is not emulated
      ran.insert(variant.name);
      const Result<EmulatedStage::Run> again = stage.go_on(variant, each_again(steps), view);
      ASSERT_TRUE(again) << variant.name << ": " << sentence(again.error());
      for (const Fault& fault : again->faults) {
        // Places that nothing clears grow, and queries of one block come to have one place.
        if (variant.name.starts_with("sorted_") && fault.kind == FaultKind::global_race) continue;
        ADD_FAILURE() << variant.name << ": " << fault.sentence;
      }
    }
  }
  EXPECT_FALSE(ran.empty());
}

INSTANTIATE_TEST_SUITE_P(Scenes, StepsAgain,
                         testing::Values("csrmm", "led", "esmm", "deform", "deform_backward"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace warpscope
