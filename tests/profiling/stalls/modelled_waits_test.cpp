// tests/profiling/stalls/modelled_waits_test.cpp: modelled waits against cycles that were added up
// by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiling/stalls/stall_report.h"
#include "tests/profiling/stalls/stalled_kernel.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

double cycles(const KernelWaits& waits, std::uint32_t row, const std::string& reason) {
  for (const WaitPart& part : waits.rows.at(row).parts) {
    if (part.reason == reason) return part.weight;
  }
  return 0;
}

double latency(const std::string& what) {
  for (const ModelledLatency& row : modelled_latencies()) {
    if (row.what == what) return row.cycles;
  }
  ADD_FAILURE() << "no latency of " << what;
  return 0;
}

// The load is issued in cycle 0, what needs it 4 cycles later at the earliest.
TEST(ModelledWaits, OfALoadAreItsLatencyWithoutTheCyclesThatPassAnyway) {
  StalledKernel kernel;
  const std::uint32_t load = kernel.add("LDG.E R5, desc[UR4][R2.64]", 6, {}, 4);
  const std::uint32_t use = kernel.add("FADD R6, R5, R6", 7, {{load, NeedKind::value, 0}}, 5);
  const std::uint32_t end = kernel.add("EXIT", 8, {}, 1);
  kernel.site(load, Space::global, AccessKind::load, 1).totals.sectors = 4;
  kernel.warp({load, use, end});
  const KernelWaits waits = modelled_waits(kernel.trace);
  const double global = latency("an access to global memory that L2 answers");
  EXPECT_TRUE(waits.modelled);
  EXPECT_DOUBLE_EQ(cycles(waits, use, "long_scoreboard"), global + 3 - 4);  // three more sectors
  EXPECT_DOUBLE_EQ(cycles(waits, use, "wait"), 3);
  EXPECT_DOUBLE_EQ(cycles(waits, end, "wait"), 4);
  EXPECT_DOUBLE_EQ(waits.all, global + 3 - 4 + 3 + 4 + 3);  // and three that issue
}

TEST(ModelledWaits, AtABarrierAreForTheLastWarp) {
  StalledKernel kernel;
  const std::uint32_t work = kernel.add("FADD R6, R5, R6", 4, {}, 10);
  const std::uint32_t barrier = kernel.add("BAR.SYNC.DEFER_BLOCKING 0x0", 5, {}, 1);
  const std::uint32_t end = kernel.add("EXIT", 6, {}, 1);
  kernel.warp({work, work, work, barrier, end});
  kernel.warp({work, barrier, end});
  const KernelWaits waits = modelled_waits(kernel.trace);
  EXPECT_DOUBLE_EQ(cycles(waits, barrier, "barrier"), 20);
}

TEST(ModelledWaits, GrowWithBankConflicts) {
  const auto wait = [](std::int64_t wavefronts) {
    StalledKernel kernel;
    const std::uint32_t load = kernel.add("LDS R5, [R2]", 6);
    const std::uint32_t use = kernel.add("FADD R6, R5, R6", 7, {{load, NeedKind::value, 0}});
    AccessSite& site = kernel.site(load, Space::shared, AccessKind::load, 1);
    site.totals.wavefronts = wavefronts;
    site.totals.ideal_wavefronts = 1;
    kernel.warp({load, use});
    return cycles(modelled_waits(kernel.trace), use, "short_scoreboard");
  };
  EXPECT_DOUBLE_EQ(wait(32) - wait(1), 31);
}

TEST(ModelledWaits, AreLabelledInTheReportWithEveryLatencysSource) {
  StalledKernel kernel;
  const std::uint32_t load = kernel.add("LDG.E R5, desc[UR4][R2.64]", 6);
  const std::uint32_t use = kernel.add("FADD R6, R5, R6", 7, {{load, NeedKind::value, 0}});
  kernel.warp({load, use});
  const Result<StallReport> report = stall_report({kernel.trace});
  ASSERT_TRUE(report) << sentence(report.error());
  EXPECT_TRUE(report->modelled);
  EXPECT_THAT(report->basis, testing::StartsWith("modelled: "));
  EXPECT_THAT(report->findings.front().sentence, HasSubstr("of the modelled cycles"));
  for (const ModelledLatency& row : modelled_latencies())
    EXPECT_THAT(report->assumptions, testing::Contains(HasSubstr(row.source)));
}

TEST(ModelledWaits, OfATraceWithoutDependenciesAreNotMadeUp) {
  StalledKernel kernel;
  kernel.add("EXIT", 3);
  kernel.warp({0});
  kernel.row(0).issue_cycles = -1;
  EXPECT_TRUE(modelled_waits(kernel.trace).rows.empty());
  EXPECT_FALSE(stall_report({kernel.trace}));
}

}  // namespace
}  // namespace warpscope
