// tests/profiling/agreement/line_comparison_test.cpp: lines of the emulator and of the device stand
// side by side.
#include "profiling/agreement/line_comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "profiling/agreement/trace_metrics.h"
namespace warpscope {
namespace {

using testing::HasSubstr;

const std::string kFile = "csrmm/warp_row.cu";

LineTotals modelled_line(int line, std::int64_t sectors, std::int64_t wavefronts = 0,
                         std::int64_t ideal = 0) {
  LineTotals totals;
  totals.position = {kFile, line, 7};
  totals.instructions = 100;
  totals.global.requests = 10;
  totals.global.sectors = sectors;
  totals.shared.wavefronts = wavefronts;
  totals.shared.ideal_wavefronts = ideal;
  return totals;
}

LineCount measured_line(int line, std::optional<std::int64_t> sectors,
                        std::optional<std::int64_t> wavefronts = {},
                        std::optional<std::int64_t> ideal = {}) {
  LineCount row;
  row.position = {kFile, line, 0};
  row.machine_instructions = 3;
  row.figures[LineMetric::sectors] = sectors;
  row.figures[LineMetric::wavefronts] = wavefronts;
  row.figures[LineMetric::ideal_wavefronts] = ideal;
  row.figures[LineMetric::instructions] = 80;
  return row;
}

Trace grid_trace() {
  Trace trace;
  trace.scene = "csrmm";
  trace.variant = "warp_row";
  trace.key = "m=64";
  trace.step = "multiply";
  trace.scope.grid = true;
  trace.lines = {modelled_line(48, 640), modelled_line(52, 0, 40, 10), modelled_line(74, 128)};
  return trace;
}

LineCounters counters() {
  LineCounters c;
  c.passes = 1;
  c.rows = {measured_line(48, 640, 0, 0), measured_line(52, 0, 44, 10),
            measured_line(90, 16, 0, 0)};
  return c;
}

ComparedFigure figure(const LineComparison& comparison, int line, std::string_view id) {
  const LineFigureRow* row = find_line_figure(id);
  EXPECT_NE(row, nullptr) << id;
  return compare_figure(comparison, line_at(comparison, kFile, line), *row);
}

TEST(LineComparison, JoinsByFileAndLineWithLinesThatOneSideLacks) {
  const Trace trace = grid_trace();
  const LineCounters measured = counters();
  const LineComparison c = compare_lines(&trace, &measured);
  ASSERT_EQ(c.lines.size(), 4u);
  EXPECT_EQ(c.lines[0].line, 48);
  EXPECT_EQ(c.lines[3].line, 90);
  EXPECT_TRUE(c.reason.empty());

  const ComparedFigure same = figure(c, 48, "sectors");
  EXPECT_EQ(same.modelled, 640);
  EXPECT_EQ(same.measured, 640);
  EXPECT_EQ(same.difference, 0);
  EXPECT_EQ(difference_text(same), "= same");

  const ComparedFigure more = figure(c, 52, "wavefronts");
  EXPECT_EQ(more.difference, 4);
  EXPECT_EQ(difference_text(more), "+10.0 %");
  EXPECT_EQ(figure(c, 52, "bank_conflicts").modelled, 30);
  EXPECT_EQ(figure(c, 52, "bank_conflicts").measured, 34);

  const ComparedFigure not_measured = figure(c, 74, "sectors");
  EXPECT_EQ(not_measured.modelled, 128);
  EXPECT_FALSE(not_measured.measured);
  EXPECT_THAT(not_measured.no_measured, HasSubstr("no executed SASS instruction"));
  EXPECT_EQ(difference_text(not_measured), "–");

  const ComparedFigure not_modelled = figure(c, 90, "sectors");
  EXPECT_FALSE(not_modelled.modelled);
  EXPECT_THAT(not_modelled.no_modelled, HasSubstr("the emulator executed no instruction"));
  EXPECT_EQ(not_modelled.measured, 16);
}

TEST(LineComparison, AddsColumnsAndChainsOfOneLine) {
  Trace trace = grid_trace();
  trace.lines.push_back(modelled_line(48, 60));
  trace.lines.back().position.column = 20;
  LineCounters measured = counters();
  measured.rows.push_back(measured_line(48, 60, 0, 0));
  measured.rows.back().inlined_at = {{"csrmm/rows_of_b.cuh", 9, 0}, {kFile, 48, 0}};
  const LineComparison c = compare_lines(&trace, &measured);
  EXPECT_EQ(c.lines.size(), 4u);
  EXPECT_EQ(figure(c, 48, "sectors").modelled, 700);
  EXPECT_EQ(figure(c, 48, "sectors").measured, 700);
  EXPECT_EQ(line_at(c, kFile, 48).machine_instructions, 6);
}

TEST(LineComparison, KeepsLinesOfOneNumberInTwoFilesApart) {
  Trace trace = grid_trace();
  trace.lines.push_back(modelled_line(48, 5));
  trace.lines.back().position.file = "csrmm/a.cuh";
  const LineComparison c = compare_lines(&trace, nullptr);
  EXPECT_EQ(line_at(c, "csrmm/a.cuh", 48).modelled->global.sectors, 5);
  EXPECT_EQ(line_at(c, kFile, 48).modelled->global.sectors, 640);
  EXPECT_FALSE(line_at(c, kFile, 49).modelled);
}

TEST(LineComparison, SaysWithARemedyThatNothingWasCountedYet) {
  const Trace trace = grid_trace();
  const LineCounters nothing;
  for (const LineCounters* none : {static_cast<const LineCounters*>(nullptr), &nothing}) {
    const LineComparison c = compare_lines(&trace, none);
    EXPECT_EQ(figure(c, 48, "sectors").no_measured,
              "no per-line counters yet: choose the counters “lines” and run");
    EXPECT_EQ(figure(c, 48, "sectors").modelled, 640);
  }
}

TEST(LineComparison, KeepsTheDevicesOwnReason) {
  const Trace trace = grid_trace();
  LineCounters refused;
  refused.missing = {{"lines", std::nullopt, Origin::measured, "counters need permission",
                      "ask an administrator"}};
  EXPECT_EQ(figure(compare_lines(&trace, &refused), 48, "sectors").no_measured,
            "counters need permission: ask an administrator");
  // A chip that lacks one metric has the others.
  LineCounters partly = counters();
  for (LineCount& row : partly.rows) row.figures[LineMetric::wavefronts] = std::nullopt;
  partly.missing = {
      {"wavefronts", std::nullopt, Origin::measured, "the chip has no such counter", ""}};
  const LineComparison c = compare_lines(&trace, &partly);
  EXPECT_EQ(figure(c, 52, "wavefronts").no_measured, "the chip has no such counter");
  EXPECT_EQ(figure(c, 48, "sectors").measured, 640);
}

TEST(LineComparison, ComparesOneBlockWithNothing) {
  Trace trace = grid_trace();
  trace.scope = {false, 3, -1};
  const LineCounters measured = counters();
  const ComparedFigure f = figure(compare_lines(&trace, &measured), 48, "sectors");
  EXPECT_TRUE(f.modelled && f.measured);
  EXPECT_FALSE(f.difference);
  EXPECT_THAT(f.no_difference, HasSubstr("block 3"));
}

TEST(LineComparison, ComparesNoInstructionsOfPtxWithMachineCode) {
  const Trace trace = grid_trace();
  const LineCounters measured = counters();
  const ComparedFigure f = figure(compare_lines(&trace, &measured), 48, "instructions");
  EXPECT_EQ(f.modelled, 100);
  EXPECT_EQ(f.measured, 80);
  EXPECT_FALSE(f.difference);
  EXPECT_THAT(f.no_difference, HasSubstr("SASS"));
  EXPECT_THAT(figure(compare_lines(&trace, &measured), 48, "requests").no_measured,
              HasSubstr("no counter"));
}

TEST(LineComparison, SumsAllLines) {
  const Trace trace = grid_trace();
  const LineCounters measured = counters();
  const ComparedFigure all =
      compare_all(compare_lines(&trace, &measured), *find_line_figure("sectors"));
  EXPECT_EQ(all.modelled, 768);
  EXPECT_EQ(all.measured, 656);
  EXPECT_EQ(all.difference, -112);
  EXPECT_EQ(difference_text(all), "-14.6 %");
}

TEST(LineComparison, StandsWithoutATrace) {
  const LineCounters measured = counters();
  const ComparedFigure f = figure(compare_lines(nullptr, &measured), 48, "sectors");
  EXPECT_EQ(f.measured, 640);
  EXPECT_THAT(f.no_modelled, HasSubstr("nothing is emulated here yet"));
}

TEST(LineComparison, TakesTheCountersOfTheTracesStepAtItsPoint) {
  Measurement point;
  point.scene = "csrmm";
  point.variant = "warp_row";
  point.key = "m=64";
  point.steps.resize(2);
  for (StepRecord& step : point.steps) step.kind = "kernel";
  point.steps[0].name = "transpose";
  point.steps[1].name = "multiply";
  point.steps[1].lines = counters();
  Session session;
  session.apply(point);
  Trace trace = grid_trace();
  ASSERT_NE(measured_lines(point_of(session, trace, ""), trace), nullptr);
  EXPECT_EQ(measured_lines(point_of(session, trace, ""), trace)->rows.size(), 3u);
  trace.step = "transpose";
  EXPECT_TRUE(measured_lines(point_of(session, trace, ""), trace)->rows.empty());
  trace.step = "absent";
  EXPECT_EQ(measured_lines(point_of(session, trace, ""), trace), nullptr);
  trace = grid_trace();
  trace.key = "m=65";
  EXPECT_EQ(measured_lines(point_of(session, trace, ""), trace), nullptr);
}

TEST(LineComparison, IsOneLineOfJsonWithFiguresAndReasons) {
  const Trace trace = grid_trace();
  const LineCounters measured = counters();
  const std::string text = line_comparison_json(trace, compare_lines(&trace, &measured));
  EXPECT_EQ(text.find('\n'), std::string::npos);
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json.at("type"), "line_comparison");
  EXPECT_EQ(json.at("lines").size(), 4u);
  const auto& first = json.at("lines")[0];
  EXPECT_EQ(first.at("line"), 48);
  EXPECT_EQ(first.at("figures").at("sectors").at("measured"), 640);
  EXPECT_EQ(first.at("figures").at("sectors").at("difference"), 0);
  const auto& lacking = json.at("lines")[3].at("figures").at("sectors");
  EXPECT_FALSE(lacking.contains("modelled"));
  EXPECT_THAT(lacking.at("no_modelled").get<std::string>(), HasSubstr("emulator"));
  EXPECT_EQ(json.at("all").at("sectors").at("modelled"), 768);
  EXPECT_FALSE(json.contains("missing"));
  const auto bare =
      nlohmann::json::parse(line_comparison_json(trace, compare_lines(&trace, nullptr)));
  EXPECT_EQ(bare.at("missing").at("remedy"), "choose the counters “lines” and run");
}

TEST(LineComparison, KnowsTheHotLine) {
  Trace trace;
  for (const auto& [line, sectors] : {std::pair(5, 10), std::pair(7, 40), std::pair(9, 40)}) {
    LineTotals totals;
    totals.position = {"a.cu", line, 0};
    totals.global.sectors = sectors;
    trace.lines.push_back(totals);
  }
  LineTotals elsewhere;
  elsewhere.position = {"b.cuh", 3, 0};
  elsewhere.global.sectors = 1000;
  trace.lines.push_back(elsewhere);
  const LineFigureRow& row = *find_line_figure("sectors");
  EXPECT_EQ(hottest_line(compare_lines(&trace, nullptr), row, "a.cu"), 7);
  EXPECT_EQ(hottest_line(compare_lines(&trace, nullptr), row, "b.cuh"), 3);
  EXPECT_EQ(hottest_line(compare_lines(&trace, nullptr), row, "c.cu"), 0);
  EXPECT_EQ(hottest_line(compare_lines(&trace, nullptr), *find_line_figure("wavefronts"), "a.cu"),
            0);
  // What was counted comes before what was modelled.
  LineCounters counted;
  LineCount first;
  first.position = {"a.cu", 5, 0};
  first.figures[LineMetric::sectors] = 12;
  counted.rows = {first};
  EXPECT_EQ(hottest_line(compare_lines(&trace, &counted), row, "a.cu"), 5);
}

TEST(LineFigures, HaveIdsAndSentencesOfTheirOwn) {
  std::set<std::string_view> ids;
  for (const LineFigureRow& row : line_figures()) {
    EXPECT_TRUE(ids.insert(row.id).second) << row.id;
    EXPECT_TRUE(row.sentence.ends_with(".")) << row.id;
    EXPECT_FALSE(row.label.empty() || row.unit.empty()) << row.id;
    EXPECT_EQ(find_line_figure(row.id), &row);
  }
  EXPECT_EQ(line_figures()[0].id, "sectors");
  EXPECT_EQ(find_line_figure("absent"), nullptr);
}

}  // namespace
}  // namespace warpscope
