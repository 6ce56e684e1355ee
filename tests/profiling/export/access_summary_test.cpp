// tests/profiling/export/access_summary_test.cpp: accesses are summed by the line they stand in.
#include "profiling/export/access_summary.h"

#include <gtest/gtest.h>

namespace warpscope {
namespace {

// Two loads of one inlined line, and a shared store of another.
Trace sample() {
  Trace trace;
  trace.scene = "s";
  trace.variant = "v";
  trace.step = "multiply";
  trace.buffers = {{"a", "A[m, k]", ElementType::f32, {4, 64}, 256, 1024}};
  const auto site = [&](Space space, AccessKind kind, int inner, std::int64_t requests,
                        std::int64_t sectors, std::int64_t wavefronts) {
    AccessSite s;
    s.space = space;
    s.kind = kind;
    s.position = {"s/k.cu", 10, 1};
    s.inlined_at = {{"s/t.cuh", inner, 3}, {"s/k.cu", 10, 1}};
    s.buffer = space == Space::global ? "a" : "";
    s.totals.requests = requests;
    s.totals.lanes = 32 * requests;
    s.totals.sectors = s.totals.lines = sectors;
    s.totals.wavefronts = wavefronts;
    trace.sites.push_back(s);
  };
  site(Space::global, AccessKind::load, 5, 10, 160, 0);
  site(Space::global, AccessKind::load, 5, 10, 80, 0);
  site(Space::shared, AccessKind::store, 6, 4, 0, 8);
  WarpRequest request;
  request.site = 0;
  request.warp = 1;
  request.active = 0xFFFFFFFF;
  for (std::size_t lane = 0; lane < 32; ++lane) request.addresses[lane] = 256 + 4 * lane;
  trace.requests = {request};
  return trace;
}

LineCounters counters() {
  LineCounters all;
  for (const int column : {1, 2}) {
    LineCount line;
    line.position = {"s/k.cu", 10, 0};
    line.inlined_at = {{"s/t.cuh", 5, column}, {"s/k.cu", 10, 0}};
    line.figures[LineMetric::sectors] = 120;
    all.rows.push_back(line);
  }
  return all;
}

TEST(AccessSummary, AddsUpWhatOneInlinedLineDoes) {
  const LineCounters measured = counters();
  const std::vector<SummedAccess> rows = summed_accesses(sample(), &measured);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].position.line, 5);
  EXPECT_EQ(rows[0].sites, 2);
  EXPECT_EQ(rows[0].emulated.sectors, 240);
  EXPECT_EQ(rows[0].counted[LineMetric::sectors], 240);
  EXPECT_EQ(rows[1].emulated.wavefronts, 8);
  EXPECT_FALSE(rows[1].counted[LineMetric::wavefronts]);
}

TEST(AccessSummary, SaysCostsAndLanesAsTables) {
  const std::vector<ReportTable> tables = access_tables(sample(), nullptr);
  ASSERT_EQ(tables.size(), 2u);
  const std::string costs = markdown_table(tables[0]);
  EXPECT_NE(costs.find(
                "| load of a | s/t.cuh:5 | 2 | 20 | 32.00 | 12.00 | 12.00 | – | 240 sectors | – |"),
            std::string::npos)
      << costs;
  EXPECT_NE(costs.find("| store to shared memory | s/t.cuh:6 | 1 | 4 | 32.00 | – | – | 2.00 |"),
            std::string::npos)
      << costs;
  ASSERT_EQ(tables[1].rows.size(), 4u) << "lanes 0, 1, 30 and 31";
  EXPECT_EQ(tables[1].rows[3],
            (std::vector<std::string>{"load of a", "s/t.cuh:5", "63", "31", "A[0, 31]", "124"}));
  EXPECT_NE(csv_table(tables[1]).find("load of a,s/t.cuh:5,32,0,\"A[0, 0]\",0"), std::string::npos)
      << csv_table(tables[1]);
}

}  // namespace
}  // namespace warpscope
