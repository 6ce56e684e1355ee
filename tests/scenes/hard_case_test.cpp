// tests/scenes/hard_case_test.cpp: every scene states hard cases, and they are what they say.
#include "scenes/base/hard_case.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "scenes/base/half.h"
#include "tests/scenes/tested_scenes.h"

namespace warpscope {
namespace {

class HardCasesOf : public testing::TestWithParam<const Scene*> {};
INSTANTIATE_TEST_SUITE_P(All, HardCasesOf, testing::ValuesIn(each_tested_scene()), by_scene_name);

TEST_P(HardCasesOf, AreStatedWithNamesAndSentences) {
  const std::vector<HardCase> cases = hard_cases_of(*GetParam());
  EXPECT_FALSE(cases.empty()) << GetParam()->name << " states no hard case";
  std::set<std::string> names;
  for (const HardCase& hard : cases) {
    EXPECT_TRUE(names.insert(hard.name).second) << hard.name << " stands twice";
    EXPECT_FALSE(hard.sentence.empty()) << hard.name;
    EXPECT_FALSE(hard.values.empty()) << hard.name;
    EXPECT_TRUE(hard.blocks.empty() || hard.elements) << hard.name;
    for (const auto& [variant, why] : hard.left_out) EXPECT_FALSE(why.empty()) << variant;
  }
}

TEST_P(HardCasesOf, RunAtAxesAndVariantsThatAreThere) {
  const Scene& scene = *GetParam();
  std::vector<const Variant*> variants;
  for (const Variant& variant : scene.variants) variants.push_back(&variant);
  const Result<std::vector<HardRun>> runs = hard_runs(scene, hard_cases_of(scene), variants);
  ASSERT_TRUE(runs) << sentence(runs.error());
  std::set<std::string> met;
  for (const HardRun& run : *runs) {
    met.insert(run.variant->name);
    const Result<Configuration> axes = configured(scene, run.variant->name, run.axes);
    ASSERT_TRUE(axes) << run.hard_case << ": " << sentence(axes.error());
    EXPECT_TRUE(applies(*run.variant, *axes)) << run.variant->name << " at " << run.hard_case;
  }
  for (const Variant& variant : scene.variants)
    EXPECT_TRUE(met.count(variant.name)) << variant.name << " meets no hard case";
}

TEST(HardCase, PokesAnElementOfEveryTypeAndNoOther) {
  for (const ElementType type :
       {ElementType::f16, ElementType::bf16, ElementType::f32, ElementType::f64, ElementType::u8,
        ElementType::i8, ElementType::u16, ElementType::i32, ElementType::u32, ElementType::i64}) {
    HostArray array(type, 3);
    poke(array, 1, 2);
    EXPECT_THROW(poke(array, 3, 2), std::out_of_range);
    const std::span<const std::byte> bytes = std::as_const(array).bytes();
    const std::size_t size = bytes.size() / 3;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (i / size == 1) continue;
      EXPECT_EQ(bytes[i], std::byte{0}) << to_text(type);
    }
  }
  HostArray halves(ElementType::f16, 1), singles(ElementType::f32, 1);
  poke(halves, 0, kInfinity);
  EXPECT_EQ(from_f16(halves.as<std::uint16_t>()[0]), std::numeric_limits<float>::infinity());
  poke(singles, 0, kNotANumber);
  EXPECT_TRUE(std::isnan(singles.as<float>()[0]));
}

TEST(HardCase, OfAnUnknownNameIsRefusedWithTheNamesThereAre) {
  const Scene scene = template_scene();
  const Result<HardCase> none = find_hard_case(scene, "hardest");
  ASSERT_FALSE(none);
  EXPECT_NE(sentence(none.error()).find("below, above, not_finite"), std::string::npos);
  Scene without = scene;
  without.hard_cases = nullptr;
  EXPECT_TRUE(hard_cases_of(without).empty());
  EXPECT_FALSE(find_hard_case(without, "below"));
}

TEST(HardCase, OfAVariantThatIsNotThereIsRefused) {
  const Scene scene = template_scene();
  HardCase hard{"case", "A case.", {{"n", "3"}}};
  hard.left_out = {{"nobody", "It is not there."}};
  EXPECT_FALSE(hard_runs(scene, {hard}, {&scene.variants.front()}));
  hard.left_out = {{scene.variants.front().name, "It is left out."}};
  const auto runs = hard_runs(scene, {hard}, {&scene.variants.front()});
  ASSERT_TRUE(runs);
  EXPECT_TRUE(runs->empty());
}

}  // namespace
}  // namespace warpscope
