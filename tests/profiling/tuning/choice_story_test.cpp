// tests/profiling/tuning/choice_story_test.cpp: what decides between two candidates, and what is
// expected where nothing was measured.
#include "profiling/tuning/choice_story.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "profiling/tuning/expected_places.h"
#include "scenes/catalogue.h"
#include "tests/profiling/agreement/csrmm_facts.h"

namespace warpscope {
namespace {

using testing::Each;
using testing::Field;
using testing::Gt;
using testing::HasSubstr;
using testing::IsEmpty;

const Scene& csrmm() { return **built_in_catalogue().find("csrmm"); }

// block_row is faster with few columns and slower with many; the rows of C say little.
constexpr const char* kTable =
    "warpscope choice 2\nscene csrmm\ndevice Card A\nrow auto\nfeature n\nfeature output_rows\n"
    "cost row_split 0.3\ncost block_row 0.3\n"
    "tree 0<24 . 0<100 . . : 0 -500 0 -200 0 300\n"
    "tree 1<8000 . . : 0 50 0 0\ntime 10\n";

// With a point at n = 200.
std::string table_with_point() {
  const ChoiceModel model = *parse_choice_model(kTable, "table");
  const Configuration axes =
      *with_values(csrmm().axes, default_configuration(csrmm().axes), {{"n", "200"}});
  const ChoiceFeatures features = (*find_choice_scene("csrmm"))->features(csrmm().axes);
  const std::uint64_t place =
      place_of(feature_values(model.tables[0], features, {axes, facts_of_default_csrmm()}));
  return std::string(kTable) + fmt::format("point {:016x} row_split 21000\n", place);
}

Result<ChoiceStory> story_at(const char* n, const std::string& table = kTable,
                             Facts facts = facts_of_default_csrmm()) {
  static ChoiceModel model;
  model = *parse_choice_model(table, "table");
  const Configuration axes =
      *with_values(csrmm().axes, default_configuration(csrmm().axes), {{"n", n}});
  const ChoiceScene& about = **find_choice_scene("csrmm");
  return choice_story(csrmm(), model, about.features(csrmm().axes), "auto", {axes, facts}, {});
}

TEST(ChoiceStory, NamesTheFeatureThatSeparatesTheTwoFirstRows) {
  for (const auto& [n, first] : {std::pair("16", "block_row"), std::pair("192", "row_split")}) {
    const auto story = story_at(n);
    ASSERT_TRUE(story) << sentence(story.error());
    ASSERT_EQ(story->rows.size(), 2u);
    EXPECT_EQ(story->rows[0].row.variant, first);
    ASSERT_FALSE(story->deciders.empty());
    const Decider& most = story->deciders.front();
    EXPECT_EQ(most.name, "n");
    EXPECT_EQ(most.value, n);
    EXPECT_GT(most.shift, 0) << "it speaks for the first row";
    EXPECT_GT(most.share_ratio, 0.5);
    double sum = 0;
    for (const Decider& each : story->deciders) sum += each.share_ratio;
    EXPECT_NEAR(sum, 1, 1e-9);
  }
}

TEST(ChoiceStory, NamesTheOtherValueThatCostsTheLead) {
  const auto lead = [](const char* n) {
    const auto story = story_at(n);
    EXPECT_TRUE(story);
    double block_row = 0, row_split = 0;
    for (const ExpectedTime& row : story->rows)
      (row.row.variant == "block_row" ? block_row : row_split) = row.ns;
    return std::log(row_split / block_row);
  };
  const auto here = story_at("64");
  ASSERT_TRUE(here);
  const Decider& most = here->deciders.front();
  EXPECT_EQ(most.value, "64");
  EXPECT_EQ(most.other, "128");
  EXPECT_NEAR(most.other_lead, lead("128"), 1e-9);
  EXPECT_LT(most.other_lead, 0) << "there the other row is faster";
  EXPECT_NEAR(most.shift, lead("64") - lead("128"), 1e-9);
}

TEST(ChoiceStory, OfAPointOfTheTableHasNoDeciders) {
  const auto there = story_at("200", table_with_point());
  ASSERT_TRUE(there);
  EXPECT_TRUE(there->rows.front().measured);
  EXPECT_THAT(there->deciders, IsEmpty());
}

TEST(ChoiceStory, SaysSoWhereAFactIsMissing) {
  std::string table = kTable;
  table.replace(table.find("output_rows"), 11, "mean_row");
  const auto story = story_at("16", table, {});
  ASSERT_FALSE(story);
  EXPECT_EQ(story.error().kind, ErrorKind::input);
  EXPECT_THAT(story.error().what, HasSubstr("facts of the inputs"));
}

TEST(ChoiceStory, OfOtherVariantsThereIsNone) {
  EXPECT_FALSE(chooses_by_costs(csrmm(), "block_row"));
  EXPECT_FALSE(chooses_by_costs(csrmm(), "no such variant"));
  EXPECT_FALSE(choice_story(csrmm(), "block_row", {}, {}));
  EXPECT_EQ(variant_by_costs(**built_in_catalogue().find("patterns")), nullptr);
}

TEST(ExpectedPlaces, AreAskedInEverySceneWithCosts) {
  int places = 0;
  for (const ChoiceScene& about : choice_scenes()) {
    const Scene& scene = **built_in_catalogue().find(about.scene);
    const Variant* automatic = variant_by_costs(scene);
    ASSERT_NE(automatic, nullptr) << about.scene;
    EXPECT_TRUE(chooses_by_costs(scene, automatic->name));
    ExpectedPlaces expected(scene, automatic->name, {});
    const Configuration axes = default_configuration(scene.axes);
    const ExpectedPlace place = expected.at(axes);
    ASSERT_FALSE(place.rows.empty()) << about.scene << ": " << place.why;
    EXPECT_THAT(place.rows, Each(Field(&ExpectedTime::ns, Gt(0)))) << about.scene;
    EXPECT_GT(place.rows.size(), 1u) << about.scene;
    // What the automatic row itself takes.
    const auto workload = expected.workload(axes);
    ASSERT_TRUE(workload);
    const Variant* first = find_variant(scene, place.rows.front().row.variant);
    EXPECT_TRUE(automatic->choice(*workload).starts_with(first->label + ": ")) << about.scene;
    ++places;
  }
  EXPECT_EQ(places, 4);
}

TEST(ExpectedPlaces, MakeTheFactsThatMovedAxesNeed) {
  const Scene& scene = csrmm();
  ExpectedPlaces expected(scene, "auto", {});
  for (const char* p : {"0.002", "0.02"}) {
    for (const char* n : {"8", "128"}) {
      const Configuration axes = *with_values(scene.axes, default_configuration(scene.axes),
                                              {{"p", p}, {"n", n}, {"m", "2000"}});
      const auto workload = expected.workload(axes);
      ASSERT_TRUE(workload);
      EXPECT_EQ(workload->text("rows"), "fixed");
      EXPECT_NEAR(workload->fact("mean_row"), std::stod(p) * workload->real("k"), 1);
      EXPECT_FALSE(expected.at(axes).rows.empty());
    }
  }
}

TEST(ExpectedPlaces, SayWhyTheyHaveNoRow) {
  const Scene& scene = csrmm();
  ExpectedPlaces expected(scene, "auto", {});
  const Configuration large =
      *with_values(scene.axes, default_configuration(scene.axes),
                   {{"m", "40000"}, {"p", "0.02"}, {"sorted", "on"}, {"rows", "binomial"}});
  const ExpectedPlace place = expected.at(large);
  EXPECT_THAT(place.rows, IsEmpty());
  EXPECT_THAT(place.why, HasSubstr("too large to be made"));
}

}  // namespace
}  // namespace warpscope
