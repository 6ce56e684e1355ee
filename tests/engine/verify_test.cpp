// tests/engine/verify_test.cpp: every kernel of every scene is right on the emulator, no GPU
// needed.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "profiling/engine/run/emulated/emulated_stage.h"
#include "scenes/base/texts/code_id.h"
#include "tests/scenes/small_configurations.h"
#include "tests/scenes/tested_scenes.h"

namespace warpscope {
namespace {

// All variants at all small configurations: outputs equal the reference within the variant's own
// tolerance, and nothing is read or written that must not be.
struct Verified {
  std::string scene;
  Choices choices = Choices::in_pairs;
};
class Verify : public testing::TestWithParam<Verified> {};

// Which variants run at configurations one after another.
class Turns {
 public:
  Turns(const Scene& scene, Choices choices) : scene_(scene), choices_(choices) {}

  // Those that were not run at the same values of their axes. Where choices go one by one and only
  // axes of variants are other than before, the next of them: each value with some variant.
  std::vector<const Variant*> at(const Configuration& axes, const Workload& workload) {
    std::vector<const Variant*> due;
    for (const Variant& variant : scene_.variants) {
      if (variant.applies && !variant.applies(axes)) continue;
      if (unavailable(variant, workload, DeviceLimits{})) continue;
      const std::string key = variant.name + configuration_key(scene_.axes, axes, variant.name);
      if (tried_.insert(key).second) due.push_back(&variant);
    }
    const bool new_problem = problems_.insert(problem_key(scene_.axes, axes)).second;
    if (choices_ == Choices::in_pairs || new_problem || due.empty()) return due;
    return {due[turn_++ % due.size()]};
  }

 private:
  const Scene& scene_;
  Choices choices_;
  std::set<std::string> tried_, problems_;
  std::size_t turn_ = 0;
};

// What was verified of a scene.
struct Seen {
  std::set<std::string> verified, calling;  // calling: a library, which is not emulated
  bool has(const Variant& variant) const {
    return verified.count(variant.name) + calling.count(variant.name) > 0;
  }
};

void verify(const Scene& scene, EmulatedStage& stage, const Configuration& axes,
            const Variant& variant, Seen& seen) {
  const std::string place = scene.name + " at " + problem_key(scene.axes, axes);
  if (calls_library(variant, stage.workload())) seen.calling.insert(variant.name);
  EmulatedStage::View view;
  view.sums = false;
  const Result<EmulatedStage::Run> run = stage.run(variant, view);
  if (!run && sentence(run.error()).find("cannot be emulated") != std::string::npos) return;
  ASSERT_TRUE(run) << place << " " << variant.name << ": " << sentence(run.error());
  const Result<Verdict> verdict = stage.check(variant);
  ASSERT_TRUE(verdict) << place << " " << variant.name << ": " << sentence(verdict.error());
  seen.verified.insert(variant.name);
  if (variant.expected_fault && variant.expected_fault(stage.workload())) {
    EXPECT_EQ(verdict->outcome, Outcome::wrong) << place << " " << variant.name;
    return;
  }
  // If a kernel is wrong on purpose, a race is named even if no output shows it.
  if (!variant.expected_fault) {
    for (const Fault& fault : run->faults)
      ADD_FAILURE() << place << " " << variant.name << ": " << fault.sentence;
  }
  EXPECT_EQ(verdict->outcome, Outcome::correct)
      << place << " " << variant.name << ": " << verdict->sentence;
  EXPECT_GT(verdict->checked_elements, 0);
}

// At each configuration those variants that are due there.
template <typename Due>
void verify_all(const Scene& scene, const std::vector<Configuration>& configurations, Seen& seen,
                const Due& due) {
  EmulatedStage stage;
  for (const Configuration& typed : configurations) {
    Result<Configuration> axes = scene.settle ? scene.settle(typed) : Result<Configuration>(typed);
    if (!axes) continue;
    const Result<void> set = stage.set(scene, *axes);
    ASSERT_TRUE(set) << scene.name << " at " << problem_key(scene.axes, *axes) << ": "
                     << sentence(set.error());
    if (scene.nothing_to_do && scene.nothing_to_do(stage.workload())) continue;
    for (const Variant* variant : due(*axes, stage.workload())) {
      verify(scene, stage, *axes, *variant, seen);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST_P(Verify, EveryVariantOnTheEmulator) {
  if (Result<std::string> version = nvrtc_version(); !version)
    GTEST_SKIP() << sentence(version.error());
  const std::vector<Scene>& scenes = tested_scenes();
  const auto found = std::find_if(scenes.begin(), scenes.end(),
                                  [](const Scene& each) { return each.name == GetParam().scene; });
  ASSERT_NE(found, scenes.end());
  const Scene& scene = *found;
  Seen seen;
  Turns turns(scene, GetParam().choices);
  const auto next = [&](const Configuration& axes, const Workload& workload) {
    return turns.at(axes, workload);
  };
  ASSERT_NO_FATAL_FAILURE(
      verify_all(scene, small_configurations(scene, GetParam().choices), seen, next));
  // A variant that needs two choices other than the defaults: once, where it has them.
  const auto unseen = [&](const Configuration& axes, const Workload& workload) {
    std::vector<const Variant*> due;
    for (const Variant& variant : scene.variants) {
      if (!seen.has(variant) && applies(variant, axes) &&
          !unavailable(variant, workload, DeviceLimits{}))
        due.push_back(&variant);
    }
    return due;
  };
  std::vector<Configuration> pairs = small_configurations(scene, Choices::in_pairs);
  std::erase_if(pairs, [&](const Configuration& axes) {
    return std::ranges::none_of(scene.variants, [&](const Variant& variant) {
      return !seen.has(variant) && applies(variant, axes);
    });
  });
  ASSERT_NO_FATAL_FAILURE(verify_all(scene, pairs, seen, unseen));
  for (const Variant& variant : scene.variants) {
    EXPECT_TRUE(seen.has(variant)) << scene.name << "/" << variant.name << " was verified nowhere";
  }
}

std::vector<Verified> scenes_to_verify() {
  std::vector<Verified> all;
  for (const Scene& scene : tested_scenes()) {
    const bool many = scenes_of_many_pairs().count(scene.name) != 0;
    all.push_back({scene.name, many ? Choices::one_by_one : Choices::in_pairs});
  }
  return all;
}

std::vector<Verified> verified_in_pairs() {
  std::vector<Verified> all;
  for (const std::string& scene : scenes_of_many_pairs()) all.push_back({scene, Choices::in_pairs});
  return all;
}

std::string name_of(const testing::TestParamInfo<Verified>& each) { return each.param.scene; }

INSTANTIATE_TEST_SUITE_P(Scenes, Verify, testing::ValuesIn(scenes_to_verify()), name_of);
INSTANTIATE_TEST_SUITE_P(Slow, Verify, testing::ValuesIn(verified_in_pairs()), name_of);

}  // namespace
}  // namespace warpscope
