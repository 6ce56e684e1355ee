// tests/engine/timeline_capture_test.cpp: captured ranges and kernels, their times and their depth.
#include "profiling/engine/measure/timeline_capture.h"

#include <algorithm>
#include <cmath>

#include "profiling/engine/measure/timer.h"
#include "tests/engine/gpu_fixture.h"

namespace warpscope {
namespace {

TEST(Arranged, CountsTimesFromTheFirstRecordOfEitherKind) {
  Timeline timeline;
  timeline.ranges = {{"run", 1000, 5000}};
  timeline.activities = {{"kernel", "late", 3000, 4000}, {"memset", "first", 900, 950}};
  timeline = arranged(timeline);
  EXPECT_EQ(timeline.ranges[0].start_ns, 100);
  EXPECT_EQ(timeline.ranges[0].end_ns, 4100);
  EXPECT_EQ(timeline.activities[0].name, "first");
  EXPECT_EQ(timeline.activities[0].start_ns, 0);
  EXPECT_EQ(timeline.activities[1].end_ns, 3100);
}

TEST(TimelineTimes, AreExactThoughTheyCountFrom1970) {
  constexpr std::uint64_t k2026 = 1'795'000'000'000'000'001;
  EXPECT_EQ(ns_between(k2026, k2026 + 33), 33);
  EXPECT_EQ(ns_between(k2026 + 33, k2026), -33);
}

TEST(Arranged, GivesNestedRangesTheirDepthAndSiblingsTheSame) {
  Timeline timeline;  // an inner range ends, and arrives, before its outer one
  timeline.ranges = {
      {"inner", 10, 20}, {"deep", 12, 14}, {"second", 20, 30}, {"outer", 0, 40}, {"after", 40, 50}};
  timeline = arranged(timeline);
  ASSERT_EQ(timeline.ranges.size(), 5u);
  const char* names[] = {"outer", "inner", "deep", "second", "after"};
  const int depths[] = {0, 1, 2, 1, 0};
  for (std::size_t i = 0; i < timeline.ranges.size(); ++i) {
    EXPECT_EQ(timeline.ranges[i].name, names[i]);
    EXPECT_EQ(timeline.ranges[i].depth, depths[i]) << names[i];
  }
}

TEST(Arranged, PutsTheLongerOfTwoRangesThatBeginTogetherOutside) {
  Timeline timeline;
  timeline.ranges = {{"short", 0, 10}, {"long", 0, 20}};
  timeline = arranged(timeline);
  EXPECT_EQ(timeline.ranges[0].name, "long");
  EXPECT_EQ(timeline.ranges[1].depth, 1);
}

TEST(Arranged, LeavesAnEmptyTimelineEmpty) { EXPECT_TRUE(arranged(Timeline{}).activities.empty()); }

TEST(TimelineCapability, IsAbsentWithAReasonWhenAnotherProfilerIsToWork) {
  for (const Capability& capability : timeline_capabilities(true)) {
    if (capability.name != "timeline") continue;
    EXPECT_FALSE(capability.available);
    EXPECT_NE(capability.reason, "");
    EXPECT_NE(capability.remedy, "");
  }
}

using GpuTimeline = GpuTest;

TEST_F(GpuTimeline, HoldsTheKernelWithItsShapeAndTheRangesAroundIt) {
  constexpr std::int64_t kBlocks = 4096;
  Result<BoundStep> step = copy_of(kBlocks);
  ASSERT_TRUE(step) << sentence(step.error());
  const Result<Timeline> timeline = capture_timeline([&] {
    const NvtxRange outer("outer");
    const NvtxRange inner("inner");
    return run(*step);
  });
  ASSERT_TRUE(timeline) << sentence(timeline.error());
  ASSERT_EQ(timeline->activities.size(), 1u);
  const TimelineActivity& kernel = timeline->activities[0];
  EXPECT_EQ(kernel.kind, "kernel");
  EXPECT_EQ(kernel.name, "selftest_copy");
  EXPECT_EQ(kernel.launch.grid.x, kBlocks);
  EXPECT_EQ(kernel.launch.block.x, kThreads);
  // The record has what the hardware allocates: the compiler's number rounded up to a multiple
  // of 8.
  EXPECT_EQ(kernel.registers_per_thread,
            (step->kernel().resources.registers_per_thread + 7) / 8 * 8);
  EXPECT_GT(kernel.end_ns, kernel.start_ns);
  ASSERT_EQ(timeline->ranges.size(), 2u);
  EXPECT_EQ(timeline->ranges[0].name, "outer");
  EXPECT_EQ(timeline->ranges[1].name, "inner");
  EXPECT_EQ(timeline->ranges[1].depth, 1);
  EXPECT_LE(timeline->ranges[0].start_ns, kernel.start_ns);
  EXPECT_GE(timeline->ranges[0].end_ns, kernel.end_ns);
}

TEST_F(GpuTimeline, TellsTimesApartThatAreCloserThan256Nanoseconds) {
  Result<BoundStep> step = copy_of(64);
  ASSERT_TRUE(step) << sentence(step.error());
  const Result<Timeline> timeline = capture_timeline([&] {
    Result<void> ran;
    for (int i = 0; i < 32 && ran; ++i) ran = run(*step);
    return ran;
  });
  ASSERT_TRUE(timeline) << sentence(timeline.error());
  ASSERT_EQ(timeline->activities.size(), 32u);
  EXPECT_TRUE(
      std::any_of(timeline->activities.begin(), timeline->activities.end(),
                  [](const auto& a) { return std::fmod(a.end_ns - a.start_ns, 256) != 0; }));
}

TEST_F(GpuTimeline, HoldsNothingOfWhatRanBeforeIt) {
  Result<BoundStep> step = copy_of(64);
  ASSERT_TRUE(step) << sentence(step.error());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(run(*step));
  const Result<Timeline> timeline = capture_timeline([] { return Result<void>{}; });
  ASSERT_TRUE(timeline) << sentence(timeline.error());
  EXPECT_TRUE(timeline->activities.empty());
}

TEST_F(GpuTimeline, AgreesWithEventTimingWithin2PercentOr1Microsecond) {
  Result<BoundStep> step = copy_of(1 << 19);  // 512 MiB each way: some 300 µs
  ASSERT_TRUE(step) << sentence(step.error());
  Result<std::unique_ptr<Timer>> timer = Timer::create(*device_, *kernels_, nullptr);
  ASSERT_TRUE(timer) << sentence(timer.error());
  std::vector<double> kernels_ns;
  // The same runs seen twice: by events around them and by CUPTI's records of them.
  std::optional<Timing> cold;
  const Result<Timeline> timeline = capture_timeline([&]() -> Result<void> {
    Result<Timing> sampled = (*timer)->sample(
        CacheState::cold, [&](CUstream stream) { return step->run(stream); }, {},
        [] { return false; });
    if (!sampled) return tl::unexpected(sampled.error());
    cold = std::move(*sampled);
    return {};
  });
  ASSERT_TRUE(timeline) << sentence(timeline.error());
  for (const TimelineActivity& a : timeline->activities) {
    if (a.name == "selftest_copy") kernels_ns.push_back(a.end_ns - a.start_ns);
  }
  const std::size_t samples = cold->samples_ns.size();
  ASSERT_GE(kernels_ns.size(), samples);
  // Runs that only warm up come first and are not among the samples.
  kernels_ns.erase(kernels_ns.begin(), kernels_ns.end() - static_cast<std::ptrdiff_t>(samples));
  const double recorded = quantile(kernels_ns, 0.5);
  EXPECT_NEAR(cold->median_ns, recorded, std::max(1000.0, 0.02 * recorded));
}

}  // namespace
}  // namespace warpscope
