// tests/profiling/access/line_counters_test.cpp: counts of machine instructions become figures of
// lines.
#include "profiling/access/line_counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <set>

#include "profiling/session/session.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

const std::string kMain = "csrmm/warp_row.cu";
const SourcePosition kLoad{kMain, 48, 0}, kTail{kMain, 74, 0};
const SourcePosition kHeader{"csrmm/rows_of_b.cuh", 10, 0};

InstructionCount counted(std::uint64_t offset, std::int64_t sectors, std::int64_t instructions) {
  InstructionCount count{offset, {}};
  count.figures[LineMetric::sectors] = sectors;
  count.figures[LineMetric::instructions] = instructions;
  return count;
}

// The chain at an offset by a table; an offset without a row is the compiler's own.
std::vector<LineCount> summed(const std::vector<InstructionCount>& counts,
                              const std::map<std::uint64_t, CallChain>& chains) {
  return sum_by_line(
      counts,
      [&](std::uint64_t offset) {
        const auto found = chains.find(offset);
        return found == chains.end() ? CallChain{} : found->second;
      },
      kMain);
}

TEST(LineCounters, AddAllInstructionsOfALineAndKeepLinesApart) {
  const std::vector<LineCount> rows =
      summed({counted(0x20, 128, 32), counted(0x40, 512, 32), counted(0x10, 7, 1)},
             {{0x10, {kTail}}, {0x20, {kLoad}}, {0x40, {kLoad}}});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].position, kLoad);
  EXPECT_EQ(rows[0].machine_instructions, 2);
  EXPECT_EQ(rows[0].figures[LineMetric::sectors], 640);
  EXPECT_EQ(rows[0].figures[LineMetric::instructions], 64);
  EXPECT_TRUE(rows[0].inlined_at.empty());
  EXPECT_EQ(rows[1].position, kTail);
  EXPECT_EQ(rows[1].figures[LineMetric::sectors], 7);
}

TEST(LineCounters, LeaveAFigureThatWasNotCollectedWithoutAValue) {
  const std::vector<LineCount> rows = summed({counted(0, 0, 3)}, {{0, {kLoad}}});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].figures[LineMetric::sectors], 0);
  EXPECT_FALSE(rows[0].figures[LineMetric::wavefronts]);
}

TEST(LineCounters, PutInlinedInstructionsAtTheCallInThePersonsOwnText) {
  const LineCounters counters{
      summed(
          {counted(0, 4, 1), counted(16, 8, 1), counted(32, 16, 1), counted(48, 1, 1)},
          {{0, {kHeader, kLoad}}, {16, {kHeader, kTail}}, {32, {kHeader, kLoad}}, {48, {kLoad}}}),
      {},
      1,
      {}};
  ASSERT_EQ(counters.rows.size(), 3u);  // two chains at the load's line, one at the tail's
  EXPECT_EQ(figures_at(counters, kMain, 48)[LineMetric::sectors], 4 + 16 + 1);
  EXPECT_EQ(figures_at(counters, kMain, 74)[LineMetric::sectors], 8);
  EXPECT_FALSE(figures_at(counters, kHeader.file, kHeader.line)[LineMetric::sectors]);
  EXPECT_EQ(figures_of_all(counters)[LineMetric::sectors], 29);
  for (const LineCount& row : counters.rows) {
    if (row.position == kTail) {
      EXPECT_EQ(row.inlined_at, (CallChain{kHeader, kTail}));
    }
  }
}

TEST(LineCounters, KeepALineOfAFileNobodyInlinedFromTheOwnText) {
  const std::vector<LineCount> rows = summed({counted(0, 4, 1)}, {{0, {kHeader}}});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].position, kHeader);
}

TEST(LineCounters, KeepWhatTheCompilerNamesNoLineForAtLine0) {
  const std::vector<LineCount> rows = summed({counted(0, 4, 1)}, {});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].position.line, 0);
  EXPECT_EQ(rows[0].figures[LineMetric::sectors], 4);
}

TEST(LineMetrics, StandInTheOrderOfTheirEnumeratorsWithIdsAndSentencesOfTheirOwn) {
  std::set<std::string_view> ids, names;
  int index = 0;
  for (const LineMetricRow& row : line_metrics()) {
    EXPECT_EQ(static_cast<int>(row.metric), index++);
    EXPECT_TRUE(ids.insert(row.id).second) << row.id;
    EXPECT_TRUE(names.insert(row.cupti_name).second) << row.cupti_name;
    EXPECT_TRUE(row.cupti_name.starts_with("smsp__sass_")) << row.id;
    EXPECT_TRUE(row.sentence.ends_with(".")) << row.id;
    EXPECT_FALSE(row.label.empty()) << row.id;
  }
}

TEST(LineCounterSet, IsAskedForAloneOrInAList) {
  for (const char* asking : {"lines", "standard,lines", "lines,dram.bytes_read", "a,lines,b"})
    EXPECT_TRUE(asks_for_lines(asking)) << asking;
  for (const char* not_asking : {"", "none", "standard", "line", "lines2", "xlines,a"})
    EXPECT_FALSE(asks_for_lines(not_asking)) << not_asking;
}

TEST(LineCounterSet, AddsNothingToTheOtherCountersOfAList) {
  EXPECT_TRUE(parse_counters("lines").value().empty());
  EXPECT_EQ(parse_counters("lines,dram.bytes_read").value(),
            std::vector<std::string>{"dram.bytes_read"});
  EXPECT_EQ(parse_counters("standard,lines").value(), parse_counters("standard").value());
  EXPECT_EQ(brief_counters("standard"), "standard");
  EXPECT_EQ(brief_counters("standard,lines"), "standard and lines");
  EXPECT_EQ(brief_counters("standard,lines,dram.bytes_read"), "standard and 2 more");
  // A set and one of its members: once.
  const std::vector<std::string> live = parse_counters("live").value();
  EXPECT_EQ(parse_counters("live," + live.front()).value(), live);
  const auto wrong = parse_counters("lines,linse");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().remedy, HasSubstr("lines"));
}

// A measurement with counters by line, as the engine sends it.
Measurement with_lines() {
  Measurement m;
  m.scene = "csrmm";
  m.variant = "warp_row";
  m.key = "n=128";
  m.verdict.outcome = Outcome::correct;
  m.conditions.source_hash = "abc";
  StepRecord step;
  step.name = "multiply";
  step.kind = "kernel";
  step.lines.passes = 2;
  LineCount row{kLoad, {kHeader, kLoad}, 4, {}};
  row.figures[LineMetric::sectors] = std::numeric_limits<std::int64_t>::max();
  row.figures[LineMetric::ideal_sectors] = 0;
  step.lines.rows = {row, {kTail, {}, 1, {}}};
  step.lines.missing = {{"tags", std::nullopt, Origin::measured, "GH100 does not count it", ""}};
  m.steps = {step};
  return m;
}

TEST(LineCountersInSessions, ComeBackAsTheyWere) {
  const Measurement before = with_lines();
  const Result<Message> message = parse_line(to_line(before));
  ASSERT_TRUE(message) << sentence(message.error());
  const LineCounters& lines = std::get<Measurement>(*message).steps.at(0).lines;
  EXPECT_EQ(lines.rows, before.steps[0].lines.rows);
  EXPECT_EQ(lines.passes, 2);
  ASSERT_EQ(lines.missing.size(), 1u);
  EXPECT_EQ(lines.missing[0].id, "tags");
  EXPECT_EQ(lines.missing[0].reason, "GH100 does not count it");
  EXPECT_FALSE(lines.missing[0].value);
}

TEST(LineCountersInSessions, AreAbsentFromALineWrittenBeforeThereWereAny) {
  const Result<Message> message =
      parse_line(R"({"type":"measurement","scene":"csrmm","variant":"warp_row","key":"n=128",)"
                 R"("steps":[{"name":"multiply","kind":"kernel","source":"csrmm/warp_row.cu"}]})");
  ASSERT_TRUE(message) << sentence(message.error());
  const StepRecord& step = std::get<Measurement>(*message).steps.at(0);
  EXPECT_TRUE(step.lines.rows.empty());
  EXPECT_EQ(to_line(*message).find("\"lines\""), std::string::npos);
}

TEST(LineCountersInSessions, OfAWrongTypeAreRefusedInOneSentence) {
  for (const char* lines :
       {R"({"rows":[{"at":["a"]}]})", R"({"rows":[{"figures":{"tags":"x"}}]})"}) {
    const Result<Message> message = parse_line(
        std::string(R"({"type":"measurement","steps":[{"name":"a","lines":)") + lines + "}]}");
    ASSERT_FALSE(message) << lines;
    EXPECT_EQ(message.error().kind, ErrorKind::input) << lines;
  }
}

TEST(LineCountersInSessions, StayWhenANewerTimingOfTheSameSourceHasNone) {
  Session session;
  const Measurement counted = with_lines();
  session.apply(counted);
  Measurement timed = counted;
  timed.steps[0].lines = {};
  session.apply(timed);
  const Measurement* latest = session.points_at("csrmm", "warp_row", "n=128").at(0);
  ASSERT_NE(latest, nullptr);
  EXPECT_EQ(latest->steps.at(0).lines.rows, counted.steps[0].lines.rows);
  timed.conditions.source_hash = "other";
  session.apply(timed);
  EXPECT_TRUE(
      session.points_at("csrmm", "warp_row", "n=128").at(0)->steps.at(0).lines.rows.empty());
}

}  // namespace
}  // namespace warpscope
