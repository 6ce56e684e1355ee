// tests/profiling/session/source_standing_test.cpp: whether figures are of today's source, and what
// is said.
#include "profiling/session/source_standing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "scenes/base/texts/text_hash.h"
#include "scenes/catalogue.h"
#include "scenes/choice_scenes.h"
#include "tests/scenes/small_configurations.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

// A point of a small configuration with the facts of its inputs.
Measurement point_of(const Scene& scene, const Variant& variant) {
  Measurement m;
  m.scene = scene.name;
  m.variant = variant.name;
  m.axes = small_configurations(scene).front();
  m.key = configuration_key(scene.axes, m.axes, variant.name);
  Inputs inputs;
  EXPECT_TRUE(regenerate_inputs(scene, nullptr, m.axes, inputs, m.facts));
  return m;
}

const Scene& csrmm() { return **built_in_catalogue().find("csrmm"); }

TEST(SourceStanding, TellsTodaysSourceFromAnEarlierOne) {
  const Variant& variant = *find_variant(csrmm(), "float4_columns");
  Measurement m = point_of(csrmm(), variant);
  SourceStandings standings(built_in_catalogue());
  m.conditions.code_id =
      standings.current_code_id(csrmm(), variant, {m.axes, m.facts}).value_or("");
  EXPECT_EQ(m.conditions.code_id.size(), 32u);
  EXPECT_EQ(standings.of(m).state, SourceState::same);
  m.conditions.code_id = "0123456789abcdef0123456789abcdef";
  const SourceStanding earlier = standings.of(m);
  EXPECT_EQ(earlier.state, SourceState::changed);
  EXPECT_THAT(earlier.sentence, HasSubstr("earlier source: 0123456789ab then"));
}

TEST(SourceStanding, OfARowThatWasPickedByTimesIsThatOfThePickedRow) {
  const Variant& row = *find_variant(csrmm(), "block_row_narrow");
  Measurement m = point_of(csrmm(), *find_variant(csrmm(), "auto"));
  SourceStandings standings(built_in_catalogue());
  m.conditions.code_id =
      standings
          .current_code_id(csrmm(), row,
                           workload_of(csrmm().axes, {m.axes, m.facts}, {row.name, {}}))
          .value_or("");
  ASSERT_EQ(m.conditions.code_id.size(), 32u);
  EXPECT_EQ(standings.of(m).state, SourceState::changed) << "the table takes another row";
  PickedRow picked{{row.name, {}}, PickReason::remembered, {}};
  m.picked = std::make_shared<const PickedRow>(picked);
  EXPECT_EQ(standings.of(m).state, SourceState::same);
  picked.reason = PickReason::table;
  m.picked = std::make_shared<const PickedRow>(picked);
  EXPECT_EQ(standings.of(m).state, SourceState::changed);
}

TEST(SourceStanding, DoesNotInventWhatCannotBeTold) {
  const Variant& variant = *find_variant(csrmm(), "cusparse_default");
  Measurement m = point_of(csrmm(), variant);
  m.conditions.code_id = "0123456789abcdef0123456789abcdef";
  m.steps.emplace_back();
  m.steps.back().kind = "library";
  SourceStandings standings(built_in_catalogue());
  EXPECT_EQ(standings.of(m).state, SourceState::unknown);
  EXPECT_THAT(standings.of(m).sentence, HasSubstr("library"));
  Hello hello;
  hello.capabilities = {{"cusparse", true, "12.6.3"}};
  standings.hear(hello);
  EXPECT_EQ(standings.of(m).state, SourceState::changed);
  m.conditions.code_id = *standings.current_code_id(csrmm(), variant, {m.axes, m.facts});
  EXPECT_EQ(standings.of(m).state, SourceState::same);
  hello.capabilities[0].version = "12.7.0";
  standings.hear(hello);
  EXPECT_EQ(standings.of(m).state, SourceState::changed);
  m.variant = "gone";
  EXPECT_EQ(standings.of(m).state, SourceState::unknown);
  Measurement lacking = point_of(csrmm(), *find_variant(csrmm(), "float4_columns"));
  lacking.conditions.code_id = "0";
  lacking.facts.clear();
  lacking.axes = {};
  EXPECT_EQ(standings.of(lacking).state, SourceState::unknown);
}

TEST(SourceStanding, OfAnOldRecordingIsWhatItsTextsSay) {
  Measurement m = point_of(csrmm(), *find_variant(csrmm(), "float4_columns"));
  SourceStandings standings(built_in_catalogue());
  EXPECT_EQ(standings.of(m).state, SourceState::unrecorded);
  EXPECT_EQ(standings.of(m).sentence, "its source was not recorded");
  m.steps.emplace_back();
  m.steps.back().kind = "kernel";
  m.steps.back().source = "csrmm/float4_columns.cu";
  m.steps.back().text_hash = text_hash_of(*sources_on_disk()("csrmm/float4_columns.cu"));
  EXPECT_EQ(standings.of(m).state, SourceState::unrecorded);
  EXPECT_THAT(standings.of(m).sentence, HasSubstr("which have not changed"));
  m.steps.back().text_hash = text_hashes_of(*sources_on_disk()("csrmm/float4_columns.cu")).of_text;
  EXPECT_THAT(standings.of(m).sentence, HasSubstr("which have not changed"))
      << "with comments, as earlier versions recorded it";
  m.steps.back().text_hash = "0123456789abcdef";
  EXPECT_THAT(standings.of(m).sentence, HasSubstr("has changed since"));
  m.steps.back().source = "csrmm/gone.cu";
  EXPECT_THAT(standings.of(m).sentence, HasSubstr("no longer there"));
}

TEST(SourceStanding, ReadsAFileOnceForAllPointsThatAreOfIt) {
  int reads = 0;
  std::string added;
  SourceStandings standings(built_in_catalogue(), [&](const std::string& path) {
    ++reads;
    Result<std::vector<KernelSource>> texts = sources_on_disk()(path);
    if (texts) texts->front() = kernel_source(path, texts->front().text + added);
    return texts;
  });
  const Variant& variant = *find_variant(csrmm(), "float4_columns");
  Measurement m = point_of(csrmm(), variant);
  const auto id_at = [&](std::int64_t n) {
    m.axes.set("n", n);
    return standings.current_code_id(csrmm(), variant, {m.axes, m.facts}).value_or("");
  };
  const std::string id = id_at(32);
  const int files = reads;
  EXPECT_GT(files, 0);
  for (std::int64_t n = 32; n < 512; n += 4) EXPECT_EQ(id_at(n), id);
  EXPECT_LE(reads, 2 * files) << "in 120 points, where a quarter of a second may pass once";
  // A save is seen at the next reading; a comment changes nothing.
  const auto read_again = [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    return id_at(64);
  };
  added = "// a comment\n";
  EXPECT_EQ(read_again(), id);
  added = "__device__ int another;\n";
  EXPECT_NE(read_again(), id);
  added.clear();
  EXPECT_EQ(read_again(), id);
}

TEST(SourceStanding, FactsThatComeLaterAreHeard) {
  SourceStandings standings(built_in_catalogue());
  const Variant& variant = *find_variant(csrmm(), "float4_columns");
  const Measurement m = point_of(csrmm(), variant);
  const auto lacking = standings.current_code_id(csrmm(), variant, {m.axes, {}});
  const auto known = standings.current_code_id(csrmm(), variant, {m.axes, m.facts});
  EXPECT_TRUE(known);
  EXPECT_EQ(standings.current_code_id(csrmm(), variant, {m.axes, {}}), lacking);
}

TEST(SourceStanding, ListsThePointsOfASessionThatAreNotKnownToBeTodays) {
  const Variant& variant = *find_variant(csrmm(), "float4_columns");
  Session session;
  Measurement same = point_of(csrmm(), variant), changed = same, unrecorded = same;
  SourceStandings standings(built_in_catalogue());
  same.conditions.code_id =
      standings.current_code_id(csrmm(), variant, {same.axes, same.facts}).value_or("");
  changed.conditions.code_id = "0";
  changed.key += ",other=1";
  unrecorded.key += ",other=2";
  for (const Measurement& m : {same, changed, unrecorded}) session.apply(m);
  const auto findings = earlier_sources(session);
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].standing.state, SourceState::changed);
  EXPECT_EQ(findings[0].point->key, changed.key);
  EXPECT_EQ(findings[1].standing.state, SourceState::unrecorded);
  for (const SourceState state :
       {SourceState::same, SourceState::changed, SourceState::unrecorded, SourceState::unknown})
    EXPECT_STRNE(to_text(state), "");
}

}  // namespace
}  // namespace warpscope
