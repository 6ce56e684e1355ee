// tests/profiling/access/line_requests_test.cpp: the requests of a source line by their waste, and
// what the device counted by line and instruction beside them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/profiling/access/synthetic_trace.h"

namespace warpscope {
namespace {

using namespace traced_by_hand;
using testing::HasSubstr;

LineCount counted_line(int line, std::int64_t sectors, std::int64_t wavefronts) {
  LineCount row;
  row.position = {"csrmm/float4_columns.cu", line, 0};
  row.figures[LineMetric::sectors] = sectors;
  row.figures[LineMetric::wavefronts] = wavefronts;
  return row;
}

InstructionCount counted_instruction(std::uint32_t instruction, std::int64_t sectors,
                                     std::int64_t executed) {
  InstructionCount count;
  count.offset = 16 * static_cast<std::uint64_t>(instruction);
  count.figures[LineMetric::sectors] = sectors;
  count.figures[LineMetric::instructions] = executed;
  return count;
}

std::vector<SiteFigures> figures_with(const Trace& trace, const LineCounters* lines) {
  std::vector<SiteFigures> figures = site_figures(trace, {});
  add_line_counts(figures, trace, lines);
  return figures;
}

TEST(LineRequests, AreThoseOfTheLineWithMostWasteFirst) {
  const Trace t = synthetic_trace();
  const auto costs = request_costs(t);
  const SourcePosition line = t.sites[gather_b].position;
  const LineRequests found = requests_of_line(t, line, RequestFamily::global, costs);
  // Both loads of line 31, of all warps.
  ASSERT_EQ(found.requests.size(), static_cast<std::size_t>(2 * warps * entries));
  std::int32_t before = costs[found.requests.front()].cost - costs[found.requests.front()].ideal;
  EXPECT_GT(before, 0) << "one entry in three begins a word late";
  std::int32_t lines = 0;  // a request that begins a word late touches one more
  for (const std::size_t i : found.requests) {
    const std::int32_t waste = costs[i].cost - costs[i].ideal;
    EXPECT_LE(waste, before);
    before = waste;
    const WarpRequest& request = t.requests[i];
    std::set<std::uint64_t> touched;
    for (std::size_t lane = 0; lane < 32; ++lane) {
      if ((request.active >> lane & 1) == 0) continue;
      const std::uint64_t last = request.addresses[lane] +
                                 static_cast<std::uint64_t>(t.sites[request.site].width_bytes) - 1;
      touched.insert({request.addresses[lane] / 128, last / 128});
    }
    lines = std::max(lines, static_cast<std::int32_t>(touched.size()));
    EXPECT_EQ(t.sites[t.requests[i].site].position.line, line.line);
  }
  EXPECT_EQ(found.most_rows, lines);
  EXPECT_TRUE(requests_of_line(t, line, RequestFamily::shared, costs).requests.empty());
  EXPECT_TRUE(
      requests_of_line(t, {"no/such.cu", 31, 0}, RequestFamily::global, costs).requests.empty());
}

// What is beyond the ideal, of all sectors, or of all wavefronts.
TEST(LineRequests, WasteIsThePartOfTheShareBeyondTheIdeal) {
  const Trace t = synthetic_trace();
  const std::vector<SiteFigures> figures = site_figures(t, {});
  EXPECT_EQ(figures[store_c].waste_ratio, 0);
  const AccessTotals& totals = t.sites[unstage].totals;
  std::int64_t all = 0;
  for (const AccessSite& site : t.sites) all += site.totals.wavefronts;
  EXPECT_NEAR(
      figures[unstage].waste_ratio,
      static_cast<double>(totals.wavefronts - totals.ideal_wavefronts) / static_cast<double>(all),
      1e-12);
}

TEST(LineRequests, OfPtxALineOfSeveralInstructionsHasNoFigureOfOne) {
  const Trace t = synthetic_trace();
  LineCounters lines;
  lines.rows = {counted_line(31, 960, 0), counted_line(35, 0, 96), counted_line(40, 128, 0)};
  const std::vector<SiteFigures> figures = figures_with(t, &lines);
  // 2 loads × 8 warps × 6 entries at line 31.
  for (const auto site : {gather_b, load_index}) {
    EXPECT_FALSE(figures[site].measured);
    EXPECT_TRUE(figures[site].summed);
    EXPECT_THAT(figures[site].missing, HasSubstr("counted 10.00 sectors/request"));
    EXPECT_THAT(figures[site].missing, HasSubstr("for its 2 instructions together"));
  }
  EXPECT_EQ(figures[unstage].measured, 96.0 / 48);
  EXPECT_EQ(figures[store_c].measured, 128.0 / 8);
  EXPECT_THAT(figures[store_c].counted, HasSubstr("at this source line by"));
  EXPECT_FALSE(figures[stage].measured) << "line 33 was not counted";
  EXPECT_FALSE(figures[stage].missing.empty());
}

TEST(LineRequests, OfOneBlockNothingIsComparedWithCountsOfTheGrid) {
  Trace t = synthetic_trace();
  t.scope.grid = false;
  LineCounters lines;
  lines.rows = {counted_line(31, 960, 0)};
  EXPECT_FALSE(figures_with(t, &lines)[gather_b].measured);
}

TEST(LineRequests, OfSassEachInstructionHasItsOwnCount) {
  Trace t = synthetic_trace();
  t.machine_code.emplace().rows.resize(20);
  LineCounters lines;
  lines.rows = {counted_line(31, 960, 0)};
  lines.instructions = {counted_instruction(t.sites[load_index].instruction, 48, 48),
                        counted_instruction(t.sites[gather_b].instruction, 480, 48)};
  const std::vector<SiteFigures> figures = figures_with(t, &lines);
  EXPECT_EQ(figures[load_index].measured, 1.0);
  EXPECT_EQ(figures[gather_b].measured, 10.0);
  EXPECT_THAT(figures[gather_b].counted, HasSubstr("this SASS instruction"));
  // The requests of a sample are estimated: the device says how often it executed them.
  t.sample.emplace();
  t.scope.grid = false;
  lines.instructions[1].figures[LineMetric::instructions] = 60;
  EXPECT_EQ(figures_with(t, &lines)[gather_b].measured, 8.0);
  // Counts of other code are of no instruction here: then the line's are shown.
  lines.instructions.push_back(counted_instruction(500, 1, 1));
  t = synthetic_trace();
  t.machine_code.emplace().rows.resize(20);
  EXPECT_THAT(figures_with(t, &lines)[gather_b].missing, HasSubstr("for its 2 instructions"));
}

TEST(LineRequests, AGroupsOwnCounterComesFirst) {
  const Trace t = synthetic_trace();
  LineCounters lines;
  lines.rows = {counted_line(40, 128, 0)};
  std::vector<SiteFigures> figures =
      site_figures(t, {{"l1.sectors_store", 1600.0, Origin::measured, "", ""},
                       {"l1.requests_store", 200.0, Origin::measured, "", ""}});
  add_line_counts(figures, t, &lines);
  EXPECT_EQ(figures[store_c].measured, 8.0);
  EXPECT_EQ(figures[store_c].counted, "");
}

}  // namespace
}  // namespace warpscope
