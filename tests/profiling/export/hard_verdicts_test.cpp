// tests/profiling/export/hard_verdicts_test.cpp: verdicts of hard cases as messages, sentences and
// tables.
#include "profiling/export/hard_verdicts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "profiling/messages/protocol.h"
#include "profiling/points/compare_output.h"
#include "profiling/session/session.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

HardVerdict dropped_weight() {
  HardVerdict verdict;
  verdict.job = 7;
  verdict.point = {"csrmm", "row_cache", "m=33,n=36", "", ""};
  verdict.hard_case = "one_odd_weight";
  verdict.axes.set("n", std::int64_t{36});
  verdict.conditions.toolkit = "13.0";
  verdict.verdict = {
      Outcome::wrong, "12 of 20 elements are beyond the bound", "look", 1e300, 12, 20};
  verdict.finding = true;
  verdict.first_wrong = {"c[0, 3]", "nan", "0.75"};
  return verdict;
}

TEST(HardVerdicts, AreMessagesOfASessionTheNewestOfACase) {
  const Result<Message> read = parse_line(to_line(dropped_weight()));
  ASSERT_TRUE(read) << sentence(read.error());
  Session session;
  session.apply(*read);
  HardVerdict newer = dropped_weight();
  newer.job = 8;
  session.apply(newer);
  HardVerdict other = dropped_weight();
  other.hard_case = "primes";
  session.apply(other);
  const auto kept = session.outcomes().hard_verdicts();
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0]->job, 8);
  EXPECT_EQ(kept[0]->axes.integer("n"), 36);
  EXPECT_TRUE(kept[0]->finding);
  ASSERT_TRUE(kept[0]->first_wrong);
  EXPECT_EQ(kept[0]->first_wrong->found, "nan");
  EXPECT_EQ(kept[0]->verdict.mismatches, 12);
  EXPECT_EQ(kept[1]->hard_case, "primes");
  // It is not a point: the case may have changed the inputs.
  EXPECT_TRUE(session.all_points().empty());
}

TEST(HardVerdicts, AJobNamesItsCase) {
  Job job;
  job.work = VerifyJob{"primes"};
  const Result<Message> read = parse_line(to_line(job));
  ASSERT_TRUE(read);
  EXPECT_EQ(std::get<Job>(*read).as<VerifyJob>()->hard_case, "primes");
  job.work = VerifyJob{};
  EXPECT_EQ(to_line(job).find("hard_case"), std::string::npos);
}

TEST(HardVerdicts, SayWhereWhatAndWhatWasExpected) {
  const HardVerdict wrong = dropped_weight();
  EXPECT_EQ(
      sentence_of(wrong),
      "csrmm/row_cache at one_odd_weight (m=33,n=36): wrong; the first wrong element, c[0, 3], "
      "is nan, 0.75 expected; 12 of 20 elements are beyond the bound");
  const std::string csv = hard_verdicts_csv({&wrong});
  EXPECT_THAT(csv,
              HasSubstr("csrmm,row_cache,one_odd_weight,\"m=33,n=36\",wrong,yes,\"c[0, 3]\",nan,"
                        "0.75,20,12,"));
  EXPECT_THAT(hard_verdicts_json({&wrong}), HasSubstr("\"hard_case\": \"one_odd_weight\""));
}

TEST(HardVerdicts, NameTheFirstElementThatDoesNotPass) {
  const BufferSpec spec{"c", ElementType::f32, 4, BufferRole::output, {2, 2}, "C[2, 2]"};
  const float out[] = {1, 2, 3.5f, std::numeric_limits<float>::quiet_NaN()};
  const std::vector<ReferenceValue> expected = {{1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {4, 4, 4}};
  const auto wrong =
      find_first_wrong(spec, std::as_bytes(std::span(out)), expected, {.magnitude = 1e-3});
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->at, "c[1, 0]");
  EXPECT_EQ(wrong->found, "3.5");
  EXPECT_EQ(wrong->expected, "3");
  const std::vector<ReferenceValue> met = {
      {1, 1, 1}, {2, 2, 2}, {3.5, 3, 3}, {std::numeric_limits<double>::quiet_NaN(), 0, 0}};
  EXPECT_FALSE(find_first_wrong(spec, std::as_bytes(std::span(out)), met, {}));
}

}  // namespace
}  // namespace warpscope
