// tests/scenes/random_configuration_test.cpp: what is drawn is valid, in range and the same again.
#include "scenes/random_configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/scenes/tested_scenes.h"

namespace warpscope {
namespace {

class RandomConfigurations : public testing::TestWithParam<const Scene*> {
 protected:
  const Scene& scene() const { return *GetParam(); }
  std::vector<RandomConfiguration> draw(const RandomDraw& how, int count) const {
    Result<std::vector<RandomConfiguration>> drawn = random_configurations(scene(), how, count);
    EXPECT_TRUE(drawn) << sentence(drawn.error());
    return drawn ? std::move(*drawn) : std::vector<RandomConfiguration>{};
  }
};

constexpr int kMany = 40;

TEST_P(RandomConfigurations, AreWhatTheSceneAdmitsAndWithinTheBounds) {
  const RandomDraw how{3, 32LL << 20, 1e7, {}};
  const std::vector<RandomConfiguration> some = draw(how, kMany);
  ASSERT_EQ(some.size(), static_cast<std::size_t>(kMany));
  for (const RandomConfiguration& at : some) {
    SCOPED_TRACE(problem_key(scene().axes, at.axes));
    EXPECT_TRUE(scene().admit(at.axes));
    EXPECT_LE(scene().estimate_bytes(at.axes), how.most_bytes);
    if (scene().nothing_to_do) {
      EXPECT_FALSE(scene().nothing_to_do({at.axes, at.facts}));
    }
    for (const Axis& axis : scene().axes) {
      if (axis.kind != AxisKind::integer && axis.kind != AxisKind::real) continue;
      // One of a variant is not set where it means nothing.
      if (!at.axes.has(axis.name) && !applies(axis, at.axes)) continue;
      EXPECT_GE(at.axes.real(axis.name), axis.typed_minimum) << axis.name;
      EXPECT_LE(at.axes.real(axis.name), axis.typed_maximum) << axis.name;
    }
    const Result<Configuration> typed = with_values(
        scene().axes, default_configuration(scene().axes), changes_of(scene(), at.axes));
    ASSERT_TRUE(typed) << sentence(typed.error());
    EXPECT_EQ(*typed, at.axes) << "a job carries it as text";
  }
}

TEST_P(RandomConfigurations, AreTheSameAgainHoweverManyAreAskedFor) {
  const std::vector<RandomConfiguration> three = draw({11}, 3), five = draw({11}, 5),
                                         other = draw({12}, 3);
  ASSERT_EQ(three.size(), 3u);
  ASSERT_EQ(five.size(), 5u);
  for (std::size_t i = 0; i < three.size(); ++i) EXPECT_EQ(three[i].axes, five[i].axes) << i;
  EXPECT_FALSE(three[0].axes == other[0].axes && three[1].axes == other[1].axes);
  EXPECT_FALSE(five[0].axes == five[1].axes);
}

// Every choice that needs no file comes up, with every main operation of the scene: mostly among
// the first 150 configurations.
TEST_P(RandomConfigurations, ReachEveryChoiceThatNeedsNoFile) {
  const std::set<std::string> of_files = {"file", "files", "raw files"};
  std::vector<std::string> wrong;
  for (const int count : {150, 1000}) {
    std::map<std::string, std::set<std::string>> reached;
    for (const RandomConfiguration& at : draw({1, 2 << 20, 1e6, {}}, count)) {
      for (const Axis& axis : scene().axes) {
        if (axis.kind == AxisKind::choice && applies(axis, at.axes))
          reached[axis.name].insert(at.axes.text(axis.name));
      }
    }
    wrong.clear();
    for (const Axis& axis : scene().axes) {
      if (axis.kind != AxisKind::choice || axis.name == "complex_as" || axis.name == "fit" ||
          axis.name == "pad")
        continue;
      for (const std::string& choice : axis.choices) {
        if (reached[axis.name].count(choice) != (of_files.count(choice) != 0 ? 0u : 1u))
          wrong.push_back(axis.name + "=" + choice);
      }
    }
    if (wrong.empty()) break;
  }
  EXPECT_THAT(wrong, testing::IsEmpty());
}

TEST_P(RandomConfigurations, KeepWhatIsFixed) {
  RandomDraw how{5};
  if (find_axis(scene().axes, "seed") != nullptr) {
    how.fixed = {{"seed", "7"}};
    for (const RandomConfiguration& at : draw(how, 5)) EXPECT_EQ(at.axes.integer("seed"), 7);
  }
  how.fixed = {{"no such axis", "7"}};
  const auto refused = random_configurations(scene(), how, 1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::usage);
  how.fixed = {};
  how.most_bytes = 0;  // nothing is that small
  const auto none = random_configurations(scene(), how, 1);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().what.find("draws in a row"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(All, RandomConfigurations, testing::ValuesIn(each_tested_scene()),
                         by_scene_name);

// The first ones with random seed 1, as a program in another language draws them by the same rules.
TEST(RandomConfigurationsOfPatterns, AreTheSameOnEveryMachine) {
  const auto drawn = random_configurations(**built_in_catalogue().find("patterns"), {1}, 2);
  ASSERT_TRUE(drawn) << sentence(drawn.error());
  const Scene& scene = **built_in_catalogue().find("patterns");
  EXPECT_EQ(problem_key(scene.axes, (*drawn)[0].axes), "op=structures,n=181,fields=4,seed=0");
  EXPECT_EQ(problem_key(scene.axes, (*drawn)[1].axes), "op=reduction,n=570,seed=66707");
}

}  // namespace
}  // namespace warpscope
