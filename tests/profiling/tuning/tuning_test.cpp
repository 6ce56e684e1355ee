// tests/profiling/tuning/tuning_test.cpp: what a search tries, leaves out, and when it ends.
#include "profiling/tuning/tuning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "profiling/points/point.h"
#include "scenes/folder/scene_text.h"
#include "tests/scenes/folder_parts.h"

namespace warpscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The doubling scene with two axes of its own, of which one has a constraint.
Scene tuned_scene() {
  SceneText text = doubling_text("tuned");
  text.description = replaced(
      text.description, "[buffers]",
      "[axes.threads]\nrange = [32, 1024]\ndefault = 128\nstops = [32, 64, 128, 256, 512, 1024]\n"
      "binds = \"launch_shape\"\nof_variants = [\"twice\"]\n[axes.UNROLL]\nrange = [1, "
      "64]\ndefault "
      "= 1\nbinds = \"compile_time\"\nof_variants = [\"twice\"]\n\n[buffers]");
  text.description = replaced(
      text.description, "block = 128\n",
      "block = \"threads\"\nconstraints = [{ holds = \"threads * UNROLL <= 4096\", sentence = \"at "
      "most 4096 in flight\" }]\n");
  const Result<Scene> scene = scene_of(text);
  EXPECT_TRUE(scene) << sentence(scene.error());
  return *scene;
}

Measurement timed(const Scene& scene, const std::map<std::string, std::string>& axes, double ns) {
  Measurement m;
  m.scene = scene.name;
  m.variant = "twice";
  m.axes = *configured(scene, "twice", axes);
  m.key = configuration_key(scene.axes, m.axes, "twice");
  m.problem = problem_key(scene.axes, m.axes);
  m.verdict.outcome = Outcome::correct;
  m.conditions.device_uuid = "GPU-1";
  m.warm = Timing{CacheState::warm, {ns, ns * 1.001, ns * 1.002}};
  summarise(*m.warm);
  return m;
}

TEST(Tuning, TriesStopsAndRangesAndSaysWhatItLeavesOut) {
  const Scene scene = tuned_scene();
  const auto all = candidates_of(scene, scene.variants[0], {{"n", "500"}}, {{"UNROLL", "1,2,8"}});
  ASSERT_TRUE(all) << sentence(all.error());
  EXPECT_THAT(all->searched, ElementsAre("threads", "UNROLL"));
  EXPECT_EQ(all->points.size(), 17u) << "six stops by three values, but for one";
  ASSERT_EQ(all->skipped.size(), 1u);
  EXPECT_EQ(all->skipped[0].axes.at("threads"), "1024");
  EXPECT_THAT(all->skipped[0].reason, HasSubstr("at most 4096 in flight"));
  EXPECT_EQ(all->points.front().at("threads"), "128") << "its defaults come first";
  EXPECT_EQ(all->points.front().at("n"), "500");
}

TEST(Tuning, TriesEachCandidateOnceAndFindsTheFastest) {
  const Scene scene = tuned_scene();
  Tuning tuning(*candidates_of(scene, scene.variants[0], {}, {{"UNROLL", "1,2,4"}}), {});
  std::set<std::string> keys;
  int count = 0;
  while (const auto axes = tuning.next(0)) {
    const double threads = std::stod(axes->at("threads")), unroll = std::stod(axes->at("UNROLL"));
    const Measurement m =
        timed(scene, *axes, 1000 + std::abs(threads - 256) + 100 * std::abs(unroll - 2));
    keys.insert(m.key);
    EXPECT_TRUE(++count > 1 || axes->at("threads") == "128") << "its defaults come first";
    tuning.tell(m);
  }
  EXPECT_EQ(keys.size(), static_cast<std::size_t>(count));
  EXPECT_EQ(count, static_cast<int>(tuning.candidates().points.size()));
  ASSERT_NE(tuning.best(), nullptr);
  EXPECT_EQ(tuning.best()->axes.integer("threads"), 256);
  EXPECT_EQ(tuning.best()->axes.integer("UNROLL"), 2);
  EXPECT_EQ(tuning.why_it_ended(), "all 18 candidates were tried");
}

TEST(Tuning, StopsWhereTheNoiseSaysThatNothingBetterIsLikely) {
  const Scene scene = tuned_scene();
  const auto all = candidates_of(scene, scene.variants[0], {}, {{"UNROLL", "1:32:32"}});
  ASSERT_GT(all->points.size(), 100u);
  Tuning same(*all, {});
  while (const auto axes = same.next(0)) same.tell(timed(scene, *axes, 1000));
  EXPECT_EQ(same.tried(), 1 + kInARow) << "all are alike: none is faster than the first";
  EXPECT_THAT(same.why_it_ended(), HasSubstr("59 in a row were not faster"));
  // A faster one begins the row anew.
  Tuning late(*all, {});
  while (const auto axes = late.next(0))
    late.tell(timed(scene, *axes, late.tried() <= 30 ? 1000 : 500));
  EXPECT_EQ(late.tried(), 31 + kInARow);
  EXPECT_DOUBLE_EQ(late.best()->warm->samples_ns.front(), 500);
}

TEST(Tuning, KeepsToItsBudget) {
  const Scene scene = tuned_scene();
  const auto all = candidates_of(scene, scene.variants[0], {}, {});
  Tuning points(*all, {5, 100, 1});
  while (const auto axes = points.next(0)) points.tell(timed(scene, *axes, 1000));
  EXPECT_EQ(points.tried(), 5);
  EXPECT_THAT(points.why_it_ended(), HasSubstr("the budget of 5 points is spent"));
  Tuning seconds(*all, {100, 7, 1});
  while (const auto axes = seconds.next(seconds.tried() * 3.0))
    seconds.tell(timed(scene, *axes, 1000));
  EXPECT_EQ(seconds.tried(), 3);
  EXPECT_THAT(seconds.why_it_ended(), HasSubstr("the budget of 7 s is spent"));
}

TEST(Tuning, AWrongOutputIsNeverTheBest) {
  const Scene scene = tuned_scene();
  Tuning tuning(*candidates_of(scene, scene.variants[0], {}, {{"UNROLL", "1"}}), {});
  while (const auto axes = tuning.next(0)) {
    Measurement m = timed(scene, *axes, tuning.tried() == 3 ? 1 : 1000);
    if (tuning.tried() == 3) {
      m.verdict.outcome = Outcome::wrong;
      m.warm.reset();
    }
    tuning.tell(m);
  }
  EXPECT_EQ(tuning.wrong(), 1);
  EXPECT_GE(tuning.best()->warm->median_ns, 1000);
}

TEST(Tuning, SaysWhyThereIsNothingToSearch) {
  const Result<Scene> plain = scene_of(doubling_text("plain"));
  const auto none = candidates_of(*plain, plain->variants[0], {}, {});
  ASSERT_FALSE(none);
  EXPECT_THAT(sentence(none.error()), HasSubstr("no compile-time or launch axis"));
  const Scene scene = tuned_scene();
  const auto problem = candidates_of(scene, scene.variants[0], {}, {{"n", "1,2"}});
  ASSERT_FALSE(problem);
  EXPECT_THAT(sentence(problem.error()), HasSubstr("search threads, UNROLL"));
  EXPECT_FALSE(candidates_of(scene, scene.variants[0], {}, {{"threads", "7,x"}}));
}

}  // namespace
}  // namespace warpscope
