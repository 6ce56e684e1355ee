// tests/profiling/overview/occupancy_change_test.cpp: curves of occupancy, and what one more block
// per multiprocessor needs, against counts by hand of sm_90: 65 536 registers, 64 warps, 32 blocks
// and 228 KiB of shared memory.
#include "profiling/overview/occupancy_change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace warpscope {
namespace {

using testing::HasSubstr;

KernelResources resources_of(int registers, std::int64_t static_shared = 0) {
  KernelResources r;
  r.registers_per_thread = registers;
  r.static_shared_bytes = static_shared;
  return r;
}
Launch launch_of(std::int64_t threads, std::int64_t dynamic_shared = 0) {
  Launch launch;
  launch.block.x = threads;
  launch.dynamic_shared_bytes = dynamic_shared;
  return launch;
}
const DeviceLimits kH200 = limits_of_architecture(90);

// 64 registers are 2048 per warp: a quarter's 16384 hold 8 warps, so 32 warps, or 4 blocks of 8.
TEST(NextBlock, NeedsFewerRegistersWhereTheyLimit) {
  const auto next = next_block(resources_of(64), launch_of(256), kH200);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->blocks, 5);
  ASSERT_EQ(next->needs.size(), 1u);
  EXPECT_EQ(next->needs[0].axis, OccupancyAxis::registers);
  // Five blocks are 40 warps, 10 per quarter: 1638 registers per warp, of which 1536 are allocated
  // in units of 256: 48 per lane.
  EXPECT_EQ(next->needs[0].at_most, 48);
  EXPECT_EQ(next->needs[0].now, 64);
  EXPECT_DOUBLE_EQ(next->ratio, 40.0 / 64);
  EXPECT_EQ(occupancy_sentence(resources_of(64), launch_of(256), kH200),
            "4 blocks of 256 threads fit on a multiprocessor at once: 32 of 64 warps (50.00 %). "
            "Registers are the limit. One more block needs at most 48 registers per thread (16 "
            "fewer): occupancy is then 62.50 %.");
}

// 228 KiB = 233472 bytes. A block takes its bytes and 1 KiB: with 100 000 bytes two blocks fit. For
// three, each may have 77 824 bytes, of which 1024 are the system's: 76 800.
TEST(NextBlock, NeedsLessSharedMemoryWhereThatLimits) {
  for (const std::int64_t fixed : {0, 40'000}) {
    const auto next = next_block(resources_of(32, fixed), launch_of(128, 100'000 - fixed), kH200);
    ASSERT_TRUE(next);
    EXPECT_EQ(next->blocks, 3);
    ASSERT_EQ(next->needs.size(), 1u);
    EXPECT_EQ(next->needs[0].axis, OccupancyAxis::shared_memory);
    EXPECT_EQ(next->needs[0].at_most, 76'800);
    EXPECT_EQ(next->needs[0].now, 100'000);
  }
}

TEST(NextBlock, NeedsBothWhereBothLimit) {
  // 128 registers hold 16 warps: two blocks of 8; so does the shared memory above.
  const auto next = next_block(resources_of(128), launch_of(256, 100'000), kH200);
  ASSERT_TRUE(next);
  ASSERT_EQ(next->needs.size(), 2u);
  // Three blocks are 24 warps, 6 per quarter: 2730 registers, allocated 2560: 80 per lane.
  EXPECT_EQ(next->needs[0].at_most, 80);
  EXPECT_EQ(next->needs[1].at_most, 76'800);
}

TEST(NextBlock, NeedsSmallerBlocksWhereWarpsLimit) {
  // One block of 33 warps does not exist; 768 threads are 24 warps: two blocks. Three blocks of 64
  // warps have 21 each: 672 threads.
  const auto next = next_block(resources_of(16), launch_of(768), kH200);
  ASSERT_TRUE(next);
  ASSERT_EQ(next->needs.size(), 1u);
  EXPECT_EQ(next->needs[0].axis, OccupancyAxis::block_size);
  EXPECT_EQ(next->needs[0].at_most, 672);
}

TEST(NextBlock, IsNeverThereBeyond32Blocks) {
  const auto next = next_block(resources_of(16), launch_of(32), kH200);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->blocks, 33);
  EXPECT_TRUE(next->needs.empty());
  EXPECT_THAT(occupancy_sentence(resources_of(16), launch_of(32), kH200),
              HasSubstr("A multiprocessor never holds more than 32 blocks. With blocks of 64 "
                        "threads, 64 warps fit (100.0 %)."));
}

TEST(NextBlock, SaysWhereOccupancyIsCompleteAndNothingOfALaunchThatFails) {
  EXPECT_THAT(occupancy_sentence(resources_of(32), launch_of(256), kH200),
              HasSubstr("64 of 64 warps (100.0 %). No more warps fit"));
  EXPECT_EQ(occupancy_sentence(resources_of(255), launch_of(512), kH200), "");
  EXPECT_FALSE(next_block(resources_of(255), launch_of(512), kH200));
  EXPECT_FALSE(next_block(resources_of(32), launch_of(256), limits_of_architecture(35)));
}

// Each need is exact: with it the block fits, with one unit more it does not.
TEST(NextBlock, IsTheLeastChange) {
  for (const int registers : {24, 40, 63, 80, 96, 128, 168, 255}) {
    for (const std::int64_t threads : {32, 96, 128, 256, 384, 512, 1024}) {
      for (const std::int64_t shared : {0, 5'000, 33'000, 60'000, 120'000}) {
        const auto now = occupancy_of(resources_of(registers), launch_of(threads, shared), kH200);
        if (!now) continue;
        const auto next = next_block(resources_of(registers), launch_of(threads, shared), kH200);
        ASSERT_TRUE(next);
        if (next->needs.size() != 1) continue;
        const OccupancyNeed& need = next->needs[0];
        const auto blocks = [&](std::int64_t value) {
          const bool r = need.axis == OccupancyAxis::registers,
                     s = need.axis == OccupancyAxis::shared_memory;
          const auto found =
              occupancy_of(resources_of(r ? static_cast<int>(value) : registers),
                           launch_of(!r && !s ? value : threads, s ? value : shared), kH200);
          return found ? found->blocks : 0;
        };
        EXPECT_GE(blocks(need.at_most), next->blocks)
            << registers << " " << threads << " " << shared;
        EXPECT_LT(blocks(need.at_most + 1), next->blocks)
            << registers << " " << threads << " " << shared;
      }
    }
  }
}

TEST(OccupancyCurve, GoesThroughTheLaunchAsItIs) {
  const auto launch = launch_of(256, 4'096);
  const auto resources = resources_of(40, 1'024);
  for (int i = 0; i < kOccupancyAxes; ++i) {
    const auto curve = occupancy_curve(resources, launch, kH200, static_cast<OccupancyAxis>(i));
    ASSERT_TRUE(curve);
    const auto at = std::find_if(curve->points.begin(), curve->points.end(),
                                 [&](const OccupancyPoint& p) { return p.at == curve->here.at; });
    ASSERT_NE(at, curve->points.end()) << i;
    EXPECT_EQ(at->blocks, curve->here.blocks) << i;
    EXPECT_EQ(curve->most_warps, 64);
  }
}

TEST(OccupancyCurve, FallsWithRegistersAndSharedMemoryAndEndsWhereTheLaunchFails) {
  const auto registers =
      occupancy_curve(resources_of(40), launch_of(512), kH200, OccupancyAxis::registers);
  ASSERT_TRUE(registers);
  // 16 warps of 128 registers per lane take all 65 536; 129 are allocated as 136.
  EXPECT_EQ(registers->points.back().at, 128);
  for (std::size_t i = 1; i < registers->points.size(); ++i)
    EXPECT_LE(registers->points[i].blocks, registers->points[i - 1].blocks);
  const auto shared =
      occupancy_curve(resources_of(32), launch_of(256), kH200, OccupancyAxis::shared_memory);
  ASSERT_TRUE(shared);
  EXPECT_EQ(shared->points.back().at, 227 * 1024);
  EXPECT_EQ(shared->points.back().blocks, 1);
  const auto sizes =
      occupancy_curve(resources_of(32), launch_of(256), kH200, OccupancyAxis::block_size);
  ASSERT_TRUE(sizes);
  EXPECT_EQ(sizes->points.size(), 32u);
  EXPECT_EQ(sizes->points.front().warps, 32);  // 32 blocks of a warp
}

// Two launches as of a published kernel: the longer one fills a quarter of the warps, the other
// one nearly all.
Measurement two_launches() {
  Measurement m;
  m.verdict.outcome = Outcome::correct;
  const auto step = [](const char* name, double ns, double percent, double theory) {
    StepRecord made;
    made.name = name;
    made.kind = "kernel";
    made.time_ns = ns;
    made.metrics = {{"occupancy.achieved", percent, Origin::measured, "", ""}};
    made.resources = KernelResources{};
    made.resources->blocks_per_multiprocessor = 4;
    made.resources->theoretical_occupancy_ratio = theory;
    return made;
  };
  m.steps = {step("gather", 100, 90, 1), step("multiply", 300, 24, 0.25)};
  // The mean, weighted by time: (90 · 1 + 24 · 3) / 4.
  m.metrics = {{"occupancy.achieved", 40.5, Origin::derived, "", ""}};
  return m;
}

TEST(AchievedOccupancy, StandsBesideTheTheoryOfTheSameLaunch) {
  Measurement m = two_launches();
  EXPECT_EQ(achieved_sentence(m),
            "achieved 24.00 %, counted; 25.00 % in theory, of its longest step, “multiply”");
  EXPECT_EQ(achieved_occupancy(m, "gather"), 0.9);
  EXPECT_EQ(achieved_occupancy(m, "none"), std::nullopt);
  // Where the longest has no counters, the mean of the others is called one, without a theory.
  m.steps[1].metrics.clear();
  m.steps.push_back(m.steps.front());
  m.metrics.front().value = 90;
  EXPECT_EQ(achieved_sentence(m), "achieved 90.00 %, mean of 2 steps, weighted by their time");
}

TEST(AchievedOccupancy, OfOneLaunchIsThatOfTheRun) {
  Measurement m = two_launches();
  m.steps.erase(m.steps.begin());
  m.steps.front().metrics.clear();
  m.metrics = {{"occupancy.achieved", 24, Origin::measured, "", ""}};
  // What only prepares is not part of the run.
  m.steps.push_back(m.steps.front());
  m.steps.back().name = "sort";
  m.steps.back().phase = Phase::prepare;
  EXPECT_EQ(achieved_sentence(m), "achieved 24.00 %, counted; 25.00 % in theory");
  EXPECT_EQ(achieved_occupancy(m, "sort"), std::nullopt);
  m.metrics.clear();
  EXPECT_EQ(achieved_sentence(m), "achieved –: collect the counters “standard”; 25.00 % in theory");
  m.verdict.outcome = Outcome::wrong;
  EXPECT_EQ(achieved_sentence(m), "");
}

}  // namespace
}  // namespace warpscope
