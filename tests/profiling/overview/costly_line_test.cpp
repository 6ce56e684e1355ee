// tests/profiling/overview/costly_line_test.cpp: the line that most of a kernel's cost stands at,
// counted or emulated.
#include "profiling/overview/costly_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpscope {
namespace {

using testing::HasSubstr;

LineCount counted(int line, std::int64_t sectors, std::int64_t ideal, std::int64_t wavefronts = 0,
                  std::int64_t instructions = 1000, const std::string& file = "csrmm/a.cu") {
  LineCount row;
  row.position = {file, line, 0};
  row.figures[LineMetric::sectors] = sectors;
  row.figures[LineMetric::ideal_sectors] = ideal;
  row.figures[LineMetric::wavefronts] = wavefronts;
  row.figures[LineMetric::ideal_wavefronts] = wavefronts / 2;
  row.figures[LineMetric::instructions] = instructions;
  return row;
}

// Line 31 has most sectors, 40 most passes through the banks, 12 most instructions.
LineCounters counters() {
  LineCounters c;
  c.rows = {counted(12, 0, 0, 0, 5000), counted(31, 6000, 3000), counted(40, 0, 0, 800),
            counted(50, 4000, 4000, 200)};
  return c;
}

Trace trace() {
  Trace t;
  LineTotals quiet, busy;
  quiet.position = {"csrmm/a.cu", 20, 0};
  quiet.global.sectors = quiet.global.ideal_sectors = 10;
  busy.position = {"csrmm/a.cu", 21, 0};
  busy.global.sectors = busy.global.ideal_sectors = 90;
  t.lines = {quiet, busy};
  t.scope.grid = true;
  return t;
}

TEST(CostlyLine, IsTheOneWithMostOfWhatTheBindingRoofIsAskedFor) {
  const LineCounters c = counters();
  EXPECT_EQ(costly_line(figure_behind(Level::l2), nullptr, &c, "csrmm/a.cu").line, 31);
  EXPECT_EQ(costly_line(figure_behind(Level::dram), nullptr, &c, "csrmm/a.cu").line, 31);
  EXPECT_EQ(costly_line(figure_behind(Level::shared), nullptr, &c, "csrmm/a.cu").line, 40);
  EXPECT_EQ(costly_line(figure_behind(Level::pipe), nullptr, &c, "csrmm/a.cu").line, 12);
  EXPECT_EQ(costly_line(figure_behind(Level::issue), nullptr, &c, "csrmm/a.cu").line, 12);
  EXPECT_EQ(figure_behind(std::nullopt), "sectors");
  EXPECT_EQ(figure_behind(Level::l1, 0.2), "sectors") << "L1 passes global loads here";
  EXPECT_EQ(figure_behind(Level::l1, 0.8), "wavefronts") << "L1 passes shared memory here";
}

TEST(CostlyLine, SaysItsShareAndWhatWouldBeEnough) {
  const LineCounters c = counters();
  const CostlyLine line = costly_line("sectors", nullptr, &c, "csrmm/a.cu");
  EXPECT_DOUBLE_EQ(line.share_ratio(), 0.6);
  const std::string text = cause_sentence(line);
  EXPECT_THAT(text, HasSubstr("Line 31 of a.cu requests"));
  EXPECT_THAT(text, HasSubstr("(60.00 %, counted by line on the GPU)."));
  EXPECT_THAT(text, HasSubstr("of the kernel's 10.0 k sectors of 32 bytes from L1"));
  EXPECT_THAT(
      cause_sentence(line, "frame 0"),
      HasSubstr("of the 10.0 k sectors of 32 bytes from L1 in the step “frame 0” (60.00 %, "));
  EXPECT_THAT(text, HasSubstr("sectors: it requests 2 times as many."));
  const std::string passes = cause_sentence(costly_line("wavefronts", nullptr, &c, "csrmm/a.cu"));
  EXPECT_THAT(passes, HasSubstr("(80.00 %, "));
  EXPECT_THAT(passes, HasSubstr("Without bank conflicts, 400 would be enough"));
  const std::string runs = cause_sentence(costly_line("instructions", nullptr, &c, "csrmm/a.cu"));
  EXPECT_THAT(runs, HasSubstr("warp instructions (62.50 %, "));
}

TEST(CostlyLine, PrefersWhatWasCountedToWhatWasEmulated) {
  const Trace t = trace();
  const LineCounters c = counters(), none;
  EXPECT_EQ(costly_line("sectors", &t, &c, "csrmm/a.cu").line, 31);
  const CostlyLine emulated = costly_line("sectors", &t, &none, "csrmm/a.cu");
  EXPECT_EQ(emulated.line, 21);
  EXPECT_EQ(emulated.origin, Origin::modelled);
  EXPECT_DOUBLE_EQ(emulated.share_ratio(), 0.9);
  EXPECT_THAT(cause_sentence(emulated),
              HasSubstr("(90.00 %, emulated). None of these sectors is wasted."));
}

TEST(CostlyLine, PrefersTheKernelsOwnFileToItsHeaders) {
  LineCounters c = counters();
  c.rows.push_back(counted(7, 90000, 90000, 0, 1, "csrmm/parts.cuh"));
  EXPECT_EQ(costly_line("sectors", nullptr, &c, "csrmm/a.cu").line, 31);
  EXPECT_EQ(costly_line("sectors", nullptr, &c, "csrmm/b.cu").file, "csrmm/parts.cuh")
      << "of files that are not the kernel's own the line with most";
}

TEST(CostlyLine, SaysWhyThereIsNone) {
  const CostlyLine none = costly_line("sectors", nullptr, nullptr, "csrmm/a.cu");
  EXPECT_EQ(none.line, 0);
  EXPECT_THAT(none.reason, HasSubstr("it was neither counted by line"));
  EXPECT_THAT(none.remedy, HasSubstr("press trace"));
}

TEST(CostlyLine, IsOfTheStepThatTakesLongest) {
  Measurement m;
  StepRecord prepare, quick, slow, library;
  prepare.phase = Phase::prepare;
  prepare.kind = quick.kind = slow.kind = "kernel";
  library.kind = "library";
  prepare.time_ns = 9e6;
  quick.time_ns = 1e3;
  slow.time_ns = 2e3;
  library.time_ns = 5e3;
  slow.name = "slow";
  m.steps = {prepare, quick, slow, library};
  ASSERT_NE(costly_step(m), nullptr);
  EXPECT_EQ(costly_step(m)->name, "slow");
  m.steps = {library};
  EXPECT_EQ(costly_step(m), nullptr);
}

}  // namespace
}  // namespace warpscope
