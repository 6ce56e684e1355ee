// tests/engine/hard_cases_test.cpp: every variant is right at the hard cases that its scene states.
#include <algorithm>
#include <set>

#include "tests/engine/hard_answers.h"

namespace warpscope {
namespace {

struct CaseOfScene {
  std::string scene, name;
};
class HardCases : public testing::TestWithParam<CaseOfScene> {};

const Scene& scene_named(const std::string& name) {
  const std::vector<Scene>& all = tested_scenes();
  return *std::find_if(all.begin(), all.end(), [&](const Scene& s) { return s.name == name; });
}

TEST_P(HardCases, EveryVariantIsRight) {
  if (Result<std::string> version = nvrtc_version(); !version)
    GTEST_SKIP() << sentence(version.error());
  const Scene& scene = scene_named(GetParam().scene);
  const Result<HardCase> hard = find_hard_case(scene, GetParam().name);
  ASSERT_TRUE(hard) << sentence(hard.error());
  std::vector<const Variant*> variants;
  for (const Variant& variant : scene.variants) variants.push_back(&variant);
  const Result<std::vector<HardRun>> runs = hard_runs(scene, {*hard}, variants);
  ASSERT_TRUE(runs) << sentence(runs.error());
  const Result<std::vector<KernelSource>> sources = sources_of_scene(scene.name);
  ASSERT_TRUE(sources) << sentence(sources.error());
  HardAnswers answers;
  int right = 0;
  for (const HardRun& run : *runs) {
    const HardVerdict verdict = answers.of(scene, run, *sources);
    EXPECT_FALSE(verdict.finding) << sentence_of(verdict);
    if (verdict.verdict.outcome != Outcome::correct) continue;
    ++right;
    EXPECT_GT(verdict.verdict.checked_elements, 0) << sentence_of(verdict);
  }
  EXPECT_GT(right, 0) << "no variant runs at this case";
}

std::vector<CaseOfScene> all_cases() {
  std::vector<CaseOfScene> all;
  for (const Scene& scene : tested_scenes()) {
    for (const HardCase& hard : hard_cases_of(scene)) all.push_back({scene.name, hard.name});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Scenes, HardCases, testing::ValuesIn(all_cases()),
                         [](const auto& info) { return info.param.scene + "_" + info.param.name; });

}  // namespace
}  // namespace warpscope
