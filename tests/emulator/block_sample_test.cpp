// tests/emulator/block_sample_test.cpp: a part of the blocks stands for the grid, within its
// interval.
#include "profiling/emulator/run/block_sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "profiling/agreement/trace_metrics.h"
#include "scenes/host/random.h"
#include "tests/emulator/fixture.h"

namespace warpscope {
namespace {

using testing::HasSubstr;
using Work = std::function<std::int64_t(const Dim3&)>;

// A grid whose blocks issue so many instructions and load a sector with each fourth.
struct Estimate {
  double value = 0, spread = 0, truth = 0;
  std::int64_t blocks = 0;
  std::vector<std::int64_t> order;
  bool whole = false;
};

Estimate sample_of(const Launch& launch, const Work& work, std::int64_t budget,
                   const std::function<double(const Dim3&)>& told = nullptr) {
  BlockSample sample(launch, 0, budget, told);
  Estimate made;
  std::map<std::int64_t, LaunchSums> ran;
  for (auto blocks = sample.next(); !blocks.empty(); blocks = sample.next()) {
    for (const std::int64_t block : blocks) {
      LaunchSums sums;
      sums.instructions = work(block_at(launch, block));
      sums.load.sectors = sums.instructions / 4;
      EXPECT_TRUE(ran.emplace(block, sums).second) << "block " << block << " ran twice";
      sample.ran(block, sums);
      made.order.push_back(block);
    }
  }
  for (const auto& [block, sums] : ran)
    made.value += sample.weight(sample.stratum_of(block)) * static_cast<double>(sums.instructions);
  for (std::int64_t b = 0; b < block_count(launch); ++b)
    made.truth += static_cast<double>(work(block_at(launch, b)));
  made.whole = sample.whole();
  const TraceSample result = sample.result();
  made.blocks = result.blocks;
  made.spread = result.spreads.at("inst.executed");
  EXPECT_EQ(made.blocks, static_cast<std::int64_t>(ran.size()));
  return made;
}

Launch grid_of(std::int64_t x, std::int64_t y = 1, std::int64_t z = 1) {
  Launch launch = launch_of(x, 32);
  launch.grid = {x, y, z};
  return launch;
}

TEST(BlockSample, OfAUniformGridIsItsSumAndSure) {
  const Estimate s = sample_of(
      grid_of(10000), [](const Dim3&) { return 1000; }, 200000);
  EXPECT_DOUBLE_EQ(s.value, s.truth);
  EXPECT_EQ(s.spread, 0);
  EXPECT_LT(s.blocks, 200);
}

TEST(BlockSample, FindsTheEdgesOfAGrid) {
  // The last strip has a third of the work, the last row a tenth.
  const auto work = [](const Dim3& b) { return b.y == 9 ? 30 : b.x == 499 ? 9 : 90; };
  const Estimate s = sample_of(grid_of(500, 10), work, 20000);
  EXPECT_DOUBLE_EQ(s.value, s.truth);
  EXPECT_EQ(s.spread, 0);
}

TEST(BlockSample, FindsTheLastBlocksWithFewBlocksToo) {
  // Tiles reach over the end of both dimensions.
  const auto work = [](const Dim3& b) { return b.y == 46 || b.x == 31 ? 700 : 1500; };
  const Estimate s = sample_of(grid_of(32, 47), work, 30000);
  EXPECT_DOUBLE_EQ(s.value, s.truth);
  EXPECT_LT(s.blocks, 40);
}

TEST(BlockSample, OfASkewedGridHoldsTheSumAndIsNearerThanOneBlock) {
  const auto slope = [](const Dim3& b) { return b.x + 1; };
  const Launch launch = grid_of(4096);
  const Estimate s = sample_of(launch, slope, 500000);
  EXPECT_FALSE(s.whole);
  EXPECT_GT(s.spread, 0);
  EXPECT_LE(std::abs(s.value - s.truth), s.spread);
  EXPECT_LT(s.spread, 0.1 * s.truth);
  // Block 0, and one a quarter in, taken for all.
  for (const double one : {1.0, 1025.0})
    EXPECT_LT(std::abs(s.value - s.truth), 0.1 * std::abs(one * 4096 - s.truth));
}

TEST(BlockSample, HoldsTheSumOfManyGrids) {
  int grids = 0, held = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const RandomStream random(seed, 9);
    const Launch launch = seed % 3 == 0   ? grid_of(3000)
                          : seed % 3 == 1 ? grid_of(70, 50)
                                          : grid_of(30, 20, 8);
    const auto work = [&](const Dim3& b) {
      const auto at = static_cast<std::uint64_t>(linear_block(launch, b));
      const double u = random.uniform(at);
      return static_cast<std::int64_t>(seed % 2 == 0 ? 50 + 100 * u : 30 / (0.02 + u));
    };
    const Estimate s = sample_of(launch, work, 60000);
    ++grids;
    held += std::abs(s.value - s.truth) <= s.spread ? 1 : 0;
    EXPECT_LT(std::abs(s.value - s.truth), 0.3 * s.truth) << seed;
  }
  // 99 of a hundred are meant, and 96 are held where few blocks have much of the work.
  EXPECT_GE(held, grids * 95 / 100);
}

TEST(BlockSample, ByWorkRunsTheFewLongBlocksThatPositionMisses) {
  // One block in five hundred has a thousand times the work of the others.
  const auto work = [](const Dim3& b) { return b.x % 509 == 77 ? 100000 : 100; };
  const auto told = [&](const Dim3& b) { return static_cast<double>(work(b)); };
  const Launch launch = grid_of(5000);
  const Estimate s = sample_of(launch, work, 1500000, told);
  EXPECT_LE(std::abs(s.value - s.truth), s.spread + 1e-6);  // sums of doubles
  EXPECT_FALSE(s.whole) << s.blocks;
}

TEST(BlockSample, ToldTheWrongWorkIsLessSureAndNotFalse) {
  const auto work = [](const Dim3& b) { return 100 + b.x % 37; };
  const auto told = [](const Dim3& b) { return b.x % 5 == 0 ? 1000.0 : 0.0; };
  const Estimate s = sample_of(grid_of(6000), work, 40000, told);
  EXPECT_LE(std::abs(s.value - s.truth), s.spread);
  EXPECT_LT(s.spread, 0.1 * s.truth);
}

TEST(BlockSample, RunsAllWhereThatFitsTheBudget) {
  const auto work = [](const Dim3& b) { return 1 + b.x; };
  const Estimate s = sample_of(grid_of(300), work, 1000000);
  EXPECT_TRUE(s.whole);
  EXPECT_EQ(s.spread, 0);
  EXPECT_DOUBLE_EQ(s.value, s.truth);
  EXPECT_TRUE(sample_of(grid_of(1), work, 1).whole);
  EXPECT_TRUE(sample_of(grid_of(2), work, 1).whole);
}

TEST(BlockSample, IsTheSameEveryTime) {
  const auto work = [](const Dim3& b) { return 100 + b.x % 31; };
  EXPECT_EQ(sample_of(grid_of(7000), work, 50000).order,
            sample_of(grid_of(7000), work, 50000).order);
}

TEST(BlockSample, OfLongBlocksStaysNearItsBudget) {
  const auto work = [](const Dim3& b) { return 1000000 + b.x; };
  const Estimate s = sample_of(grid_of(100, 100), work, 16000000);
  EXPECT_LE(s.blocks, 20);
  EXPECT_GE(s.blocks, 3);
  EXPECT_LE(std::abs(s.value - s.truth), s.spread);
}

// Block i goes round i + 1 times and loads a float each; the last of a grid stores twice.
const std::string kRounds = ptx_entry(2, R"(
  ld.param.u64 %l1, [p0]; ld.param.u64 %l2, [p1];
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mov.u32 %r3, 0;
  mov.f32 %f1, 0f00000000;
round:
  mad.lo.u32 %r4, %r3, 32, %r2; mul.wide.u32 %l3, %r4, 4; add.u64 %l4, %l1, %l3;
  ld.global.f32 %f2, [%l4]; add.f32 %f1, %f1, %f2;
  add.u32 %r3, %r3, 1; setp.le.u32 %p1, %r3, %r1; @%p1 bra round;
  mad.lo.u32 %r5, %r1, 32, %r2; mul.wide.u32 %l5, %r5, 4; add.u64 %l6, %l2, %l5;
  st.global.f32 [%l6], %f1;
  ret;)");

Trace rounds(std::int64_t blocks, std::int64_t budget, int threads = 1) {
  std::vector<float> in(static_cast<std::size_t>(blocks * 32), 1), out(in.size());
  Bench bench;
  bench.add("in", in);
  bench.add("out", out, false);
  bench.pass(std::int32_t{0});
  bench.options.sample_instructions = budget;
  bench.options.threads = threads;
  return bench.run(kRounds, launch_of(blocks, 32));
}

TEST(SampledRun, ScalesEveryFigureToTheGridWithinItsInterval) {
  const Trace whole = rounds(1000, 0);
  for (const int threads : {1, 3}) {
    const Trace part = rounds(1000, 400000, threads);
    ASSERT_TRUE(part.sample);
    EXPECT_EQ(part.sample->unfit, "");
    EXPECT_LT(part.sample->blocks, 400);
    EXPECT_FALSE(part.scope.grid);
    EXPECT_TRUE(covers_grid(part));
    const std::vector<MetricValue> exact = emulated_metrics(whole), scaled = emulated_metrics(part);
    for (const MetricValue& value : scaled) {
      const double truth = value_of(exact, value.id).value_or(-1);
      if (!value.value) continue;
      ASSERT_TRUE(value.sampled) << value.id;
      EXPECT_EQ(value.sampled->of_blocks, 1000);
      if (!value.sampled->spread) {
        EXPECT_LE(*value.value, truth) << value.id;  // a lower end
        continue;
      }
      // Sums of sites are rounded to whole requests.
      EXPECT_LE(std::abs(*value.value - truth), *value.sampled->spread + 4) << value.id;
      EXPECT_LE(*value.sampled->spread, 0.1 * truth) << value.id;
    }
    // Stores are alike in all blocks: their sum is exact and sure.
    EXPECT_EQ(value_of(scaled, "emulated.l1.sectors_store"), 4000);
    EXPECT_EQ(find_value(scaled, "emulated.l1.sectors_store")->sampled->spread, 0);
    // One block, taken for all: further away by far.
    const double truth = *value_of(exact, "emulated.l1.sectors_load");
    EXPECT_LT(std::abs(*value_of(scaled, "emulated.l1.sectors_load") - truth),
              0.1 * std::abs(4 * 1000.0 - truth));
    EXPECT_THAT(sampled_text(*find_value(scaled, "emulated.l1.sectors_load")),
                HasSubstr(" of 1,000 blocks, chosen by position and work; ±"));
  }
}

TEST(SampledRun, IsTheSameWithAnyNumberOfThreads) {
  const Trace one = rounds(800, 200000, 1), three = rounds(800, 200000, 3);
  EXPECT_EQ(one.warp_instructions, three.warp_instructions);
  EXPECT_EQ(one.sample, three.sample);
  ASSERT_EQ(one.sites.size(), three.sites.size());
  for (std::size_t s = 0; s < one.sites.size(); ++s)
    EXPECT_EQ(one.sites[s].totals, three.sites[s].totals);
}

TEST(SampledRun, OfASmallGridIsTheWholeGrid) {
  const Trace whole = rounds(50, 0), all = rounds(50, 10000000);
  EXPECT_FALSE(all.sample);
  EXPECT_TRUE(all.scope.grid);
  EXPECT_EQ(all.warp_instructions, whole.warp_instructions);
  for (std::size_t s = 0; s < all.sites.size(); ++s)
    EXPECT_EQ(all.sites[s].totals, whole.sites[s].totals);
}

TEST(SampledRun, HasNoFiguresWhereBlocksTakeWorkFromOneAnother) {
  // Each block takes tickets until 1000 are gone.
  const std::string queue = ptx_entry(1, R"(
    ld.param.u64 %l1, [p0]; mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 0; @%p1 ret;
  again:
    atom.global.add.u32 %r2, [%l1], 1; setp.lt.u32 %p2, %r2, 1000; @%p2 bra again;
    ret;)");
  std::vector<std::uint32_t> ticket(1, 0);
  Bench bench;
  bench.add("ticket", ticket);
  bench.pass(std::int32_t{0});
  bench.options.sample_instructions = 500;
  const Trace trace = bench.run(queue, launch_of(500, 32));
  ASSERT_TRUE(trace.sample);
  EXPECT_THAT(trace.sample->unfit, HasSubstr("take work from each other"));
  EXPECT_FALSE(covers_grid(trace));
  for (const MetricValue& value : emulated_metrics(trace)) {
    EXPECT_FALSE(value.value) << value.id;
    EXPECT_THAT(value.reason, HasSubstr("do not represent the rest"));
    EXPECT_THAT(value.remedy, HasSubstr("--grid"));
  }
}

TEST(SampledRun, HasNoFiguresWhereBlocksWaitForOneAnother) {
  // Block i waits until block i − 1 has set its flag.
  const std::string chain = ptx_entry(1, R"(
    ld.param.u64 %l1, [p0]; mov.u32 %r1, %ctaid.x; mul.wide.u32 %l2, %r1, 4; add.u64 %l3, %l1, %l2;
    setp.eq.u32 %p1, %r1, 0; @%p1 bra go;
  wait:
    ld.acquire.gpu.global.u32 %r2, [%l3+-4]; setp.eq.u32 %p2, %r2, 0; @%p2 bra wait;
  go:
    mov.u32 %r3, 1; st.release.gpu.global.u32 [%l3], %r3;
    ret;)");
  std::vector<std::uint32_t> flags(2000, 0);
  Bench bench;
  bench.add("flags", flags);
  bench.pass(std::int32_t{0});
  bench.options.sample_instructions = 3000;
  const Trace trace = bench.run(chain, launch_of(2000, 32));
  ASSERT_TRUE(trace.sample);
  EXPECT_THAT(trace.sample->unfit, HasSubstr("wait for each other"));
}

// Block i waits until block i − 1 has set its flag.
const char* const kChain = R"(
    ld.param.u64 %l1, [p0]; mov.u32 %r1, %ctaid.x; mul.wide.u32 %l2, %r1, 4; add.u64 %l3, %l1, %l2;
    setp.eq.u32 %p1, %r1, 0; @%p1 bra go;
  wait:
    ld.acquire.gpu.global.u32 %r2, [%l3+-4]; setp.eq.u32 %p2, %r2, 0; @%p2 bra wait;
  go:
    mov.u32 %r3, 1; st.release.gpu.global.u32 [%l3], %r3;
    ret;)";

TEST(SampledRun, RunsAllBlocksWhereTheyWaitForOneAnotherAndTakeNoMoreThanAFewSamples) {
  std::vector<std::uint32_t> flags(300, 0);
  Bench bench;
  bench.add("flags", flags);
  bench.pass(std::int32_t{0});
  bench.options.sample_instructions = 3000;
  const Trace trace = bench.run(ptx_entry(1, kChain), launch_of(300, 32));
  EXPECT_FALSE(trace.sample);
  EXPECT_TRUE(trace.scope.grid);
  EXPECT_EQ(faults_text(trace), "");
  EXPECT_FALSE(trace.hang);
  EXPECT_EQ(flags, std::vector<std::uint32_t>(300, 1));
}

TEST(SampledRun, OfBlocksThatWaitHasNoHangWhereAllOfThemTakeTooMuch) {
  std::vector<std::uint32_t> flags(5000, 0);
  Bench bench;
  bench.add("flags", flags);
  bench.pass(std::int32_t{0});
  bench.options.sample_instructions = 3000;
  const Trace trace = bench.run(ptx_entry(1, kChain), launch_of(5000, 32));
  ASSERT_TRUE(trace.sample);
  EXPECT_EQ(faults_text(trace), "");
  EXPECT_FALSE(trace.hang);
}

// The block that counts last adds up what all have stored: the sample alone would never have one.
TEST(SampledRun, RunsTheLastBlockOfAllOnMemoryAsItWas) {
  const std::string total = ptx_entry(2, R"(
    ld.param.u64 %l1, [p0]; ld.param.u64 %l4, [p1]; mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 0;
    @%p1 ret;
    atom.global.add.u32 %r2, [%l1], 1; mov.u32 %r3, %nctaid.x; sub.u32 %r3, %r3, 1;
    setp.ne.u32 %p2, %r2, %r3; @%p2 ret;
    ld.global.u32 %r4, [%l1]; st.global.u32 [%l4], %r4;
    ret;)");
  std::vector<std::uint32_t> count(1, 0), result(1, 0);
  Bench bench;
  bench.add("count", count);
  bench.add("result", result, false);
  bench.pass(std::int32_t{0});
  bench.options.sample_instructions = 20000;
  const Trace trace = bench.run(total, launch_of(2000, 32));
  EXPECT_FALSE(trace.sample);
  EXPECT_EQ(count[0], 2000u);
  EXPECT_EQ(result[0], 2000u);
}

}  // namespace
}  // namespace warpscope
