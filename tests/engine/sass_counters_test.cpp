// tests/engine/sass_counters_test.cpp: counters by source line of a kernel whose work is known.
#include "profiling/engine/measure/sass_counters.h"

#include <gmock/gmock.h>

#include <sstream>

#include "profiling/engine/measure/measurer.h"
#include "profiling/engine/measure/timer.h"
#include "scenes/base/device_units.h"
#include "scenes/catalogue.h"
#include "scenes/host/paths.h"
#include "tests/engine/gpu_fixture.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kBlocks = 1 << 12;
const std::string kSource = "engine/selftest.cu", kEntry = "selftest_copy";

TEST(SassCounters, WithoutADriverGiveAnEnvironmentErrorWithARemedy) {
  if (load_cuda_driver()) GTEST_SKIP() << "this machine has a driver";
  const Result<std::unique_ptr<SassCounters>> counters = SassCounters::create(nullptr, 0);
  ASSERT_FALSE(counters);
  EXPECT_EQ(counters.error().kind, ErrorKind::environment);
  const Capability capability = sass_capability(counters);
  EXPECT_EQ(capability.name, "sass_metrics");
  EXPECT_FALSE(capability.available);
  EXPECT_NE(capability.reason, "");
  EXPECT_NE(capability.remedy, "");
}

class GpuSass : public GpuTest {
 protected:
  static constexpr std::int64_t kWarps = kBlocks * kThreads / kWarpLanes;
  static constexpr std::int64_t kSectors = 4;  // of a warp's 32 adjacent floats

  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    open_counters();
    if (IsSkipped()) return;
    Result<std::unique_ptr<SassCounters>> sass = SassCounters::create(device_->context(), 0);
    if (!sass) GTEST_SKIP() << sentence(sass.error());
    sass_ = std::move(*sass);
  }

  // The line of the self-test's source that holds `words`.
  static int line_with(const std::string& words) {
    std::istringstream text(read_kernel_source(kSource).value());
    int number = 0;
    for (std::string line; std::getline(text, line);) {
      ++number;
      if (line.find(words) != std::string::npos) return number;
    }
    return 0;
  }

  Result<LineCounters> lines_of(const BoundStep& step) {
    SassCounters::Runs runs;
    runs.run = [&] { return run(step); };
    return sass_->collect(step.kernel(), kSource, kEntry, runs);
  }

  // What range counters must say of a copy of kBlocks blocks.
  void expect_range_counters(const BoundStep& step) {
    const Result<CounterPlan> plan = counters_->plan({"l1.sectors_load", "inst.ffma"});
    ASSERT_TRUE(plan) << sentence(plan.error());
    const auto ranges = counters_->collect(*plan, 1, pass_of(step), [](int, int) { return true; });
    ASSERT_TRUE(counters_->release());  // before lines are counted
    ASSERT_TRUE(ranges) << sentence(ranges.error());
    EXPECT_EQ(value_of(ranges->at(0).values, "l1.sectors_load"), kSectors * kWarps);
    EXPECT_EQ(value_of(ranges->at(0).values, "inst.ffma"), kBlocks * kThreads * kFmas);
  }

  static void expect_known_lines(const LineCounters& lines) {
    EXPECT_GE(lines.passes, 1);
    for (const MetricValue& missing : lines.missing) ADD_FAILURE() << missing.reason;
    for (const char* words : {"from[i]", "to[i] ="}) {
      const int line = line_with(words);
      const LineFigures f = figures_at(lines, kSource, line);
      EXPECT_EQ(f[LineMetric::sectors], kSectors * kWarps) << line;
      EXPECT_EQ(f[LineMetric::ideal_sectors], kSectors * kWarps) << line;
      EXPECT_EQ(f[LineMetric::tags], kWarps) << line;  // 32 floats from a multiple of 128 bytes
      EXPECT_EQ(f[LineMetric::wavefronts], 0) << line;
      EXPECT_EQ(f[LineMetric::ideal_wavefronts], 0) << line;
      // Straight-line code: each of the line's instructions once a warp.
      std::int64_t machine_instructions = 0;
      for (const LineCount& row : lines.rows) {
        if (row.position.line == line) machine_instructions += row.machine_instructions;
      }
      EXPECT_GE(machine_instructions, 1) << line;
      EXPECT_EQ(f[LineMetric::instructions], machine_instructions * kWarps) << line;
      EXPECT_GE(f[LineMetric::threads], kWarps * kWarpLanes) << line;  // the access itself
    }
    // The loop's multiply-adds, and no access to memory.
    const LineFigures loop = figures_at(lines, kSource, line_with("fmaf("));
    EXPECT_GE(loop[LineMetric::instructions], kWarps * kFmas);
    EXPECT_GE(loop[LineMetric::threads], kWarps * kWarpLanes * kFmas);
    EXPECT_EQ(loop[LineMetric::sectors], 0);
    EXPECT_EQ(figures_of_all(lines)[LineMetric::sectors], 2 * kSectors * kWarps);
  }

  std::unique_ptr<SassCounters> sass_;
};

TEST_F(GpuSass, CountsSectorsAndInstructionsOfTheLoadsLineAndTheStoresLineExactly) {
  Result<BoundStep> step = copy_of(kBlocks);
  ASSERT_TRUE(step) << sentence(step.error());
  const Result<LineCounters> lines = lines_of(*step);
  ASSERT_TRUE(lines) << sentence(lines.error());
  expect_known_lines(*lines);
}

// Each warp passes two branches with its predicate off: the one around the loop, and the last one
// back to the loop's begin.
TEST_F(GpuSass, TellsLanesWhosePredicateHoldsFromActiveOnes) {
  Result<BoundStep> step = copy_of(kBlocks);
  ASSERT_TRUE(step) << sentence(step.error());
  const Result<LineCounters> lines = lines_of(*step);
  ASSERT_TRUE(lines) << sentence(lines.error());
  const LineFigures all = figures_of_all(*lines);
  ASSERT_TRUE(all[LineMetric::threads] && all[LineMetric::threads_on]);
  EXPECT_EQ(*all[LineMetric::threads] - *all[LineMetric::threads_on], 2 * kWarpLanes * kWarps);
}

TEST_F(GpuSass, SaysTheSameEachTimeAndNotTheSumOfAllTimes) {
  Result<BoundStep> step = copy_of(kBlocks);
  ASSERT_TRUE(step) << sentence(step.error());
  for (int i = 0; i < 3; ++i) {
    const Result<LineCounters> lines = lines_of(*step);
    ASSERT_TRUE(lines) << i << ": " << sentence(lines.error());
    expect_known_lines(*lines);
  }
}

TEST_F(GpuSass, LeavesTheRangeCountersAsTheyWere) {
  Result<BoundStep> step = copy_of(kBlocks);
  ASSERT_TRUE(step) << sentence(step.error());
  for (int i = 0; i < 2; ++i) {
    expect_range_counters(*step);
    const Result<LineCounters> lines = lines_of(*step);
    ASSERT_TRUE(lines) << i << ": " << sentence(lines.error());
    expect_known_lines(*lines);
  }
  expect_range_counters(*step);
}

TEST_F(GpuSass, LeavesTheKernelsTimeAsItWasWithin2PercentOr1Microsecond) {
  Result<BoundStep> step = copy_of(1 << 19);  // 512 MiB each way: some 300 µs
  ASSERT_TRUE(step) << sentence(step.error());
  Result<std::unique_ptr<Timer>> timer = Timer::create(*device_, *kernels_, nullptr);
  ASSERT_TRUE(timer) << sentence(timer.error());
  const auto median_ns = [&]() -> Result<double> {
    return (*timer)
        ->sample(
            CacheState::warm, [&](CUstream stream) { return step->run(stream); }, {},
            [] { return false; })
        .map([](const Timing& timing) { return timing.median_ns; });
  };
  const Result<double> before = median_ns();
  ASSERT_TRUE(before) << sentence(before.error());
  const Result<LineCounters> lines = lines_of(*step);
  ASSERT_TRUE(lines) << sentence(lines.error());
  const Result<double> after = median_ns();
  ASSERT_TRUE(after) << sentence(after.error());
  EXPECT_NEAR(*after, *before, std::max(1000.0, 0.02 * *before));
}

TEST_F(GpuSass, CollectsAgainAfterARunThatFailedAndAfterACancel) {
  Result<BoundStep> step = copy_of(kBlocks);
  ASSERT_TRUE(step) << sentence(step.error());
  SassCounters::Runs failing;
  failing.run = []() -> Result<void> { return failure(ErrorKind::usage, "refused in the middle"); };
  const auto failed = sass_->collect(step->kernel(), kSource, kEntry, failing);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().what, "refused in the middle");
  SassCounters::Runs cancelling;
  int runs = 0;
  cancelling.run = [&runs]() -> Result<void> { return ++runs, Result<void>{}; };
  cancelling.go_on = [](int, int) { return false; };
  const auto cancelled = sass_->collect(step->kernel(), kSource, kEntry, cancelling);
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().what, "cancelled");
  EXPECT_EQ(runs, 0);
  const Result<LineCounters> lines = lines_of(*step);
  ASSERT_TRUE(lines) << sentence(lines.error());
  expect_known_lines(*lines);
}

TEST_F(GpuSass, RunsWhatComesBeforeWithoutCountingIt) {
  Result<BoundStep> step = copy_of(kBlocks);
  ASSERT_TRUE(step) << sentence(step.error());
  SassCounters::Runs runs;
  int before = 0;
  runs.before = [&] { return ++before, run(*step); };
  runs.run = [&] { return run(*step); };
  const auto lines = sass_->collect(step->kernel(), kSource, kEntry, runs);
  ASSERT_TRUE(lines) << sentence(lines.error());
  EXPECT_GE(before, lines->passes);
  expect_known_lines(*lines);
}

TEST_F(GpuSass, SaysWhichFunctionRanWhenItIsNotTheOneAskedFor) {
  Result<BoundStep> step = copy_of(kBlocks);
  ASSERT_TRUE(step) << sentence(step.error());
  SassCounters::Runs runs;
  runs.run = [&] { return run(*step); };
  const auto lines = sass_->collect(step->kernel(), kSource, "another_entry", runs);
  ASSERT_FALSE(lines);
  EXPECT_THAT(lines.error().what, HasSubstr(kEntry));
}

TEST_F(GpuSass, StandsInTheStepRecordsOfAJobThatAsksForLines) {
  Result<std::unique_ptr<Measurer>> measurer = Measurer::create(0, ProfilerUse::counters);
  ASSERT_TRUE(measurer) << sentence(measurer.error());
  bool offered = false;
  for (const Capability& c : (*measurer)->capabilities())
    offered = offered || (c.name == "sass_metrics" && c.available);
  EXPECT_TRUE(offered);
  const Scene* scene = built_in_catalogue().find("patterns").value();
  Job job;
  job.scene = scene->name;
  job.work = MeasureJob{.counters = "lines,l1.sectors_load", .time = false};
  Result<std::vector<KernelSource>> sources = sources_of_scene(scene->name);
  ASSERT_TRUE(sources) << sentence(sources.error());
  job.sources = std::move(*sources);
  int kernels = 0;
  for (const Variant& variant : scene->variants) {
    job.variant = variant.name;
    std::optional<Measurement> answer;
    std::string log;
    const JobChannel channel{[&](const Message& message) {
                               if (const auto* m = std::get_if<Measurement>(&message)) answer = *m;
                               if (const auto* l = std::get_if<LogLine>(&message)) log += l->text;
                             },
                             [] { return false; }};
    const Result<void> ran = (*measurer)->run(job, channel);
    ASSERT_TRUE(ran) << variant.name << ": " << sentence(ran.error());
    ASSERT_TRUE(answer) << variant.name;
    if (answer->verdict.outcome != Outcome::correct) continue;  // it does not apply here
    EXPECT_EQ(log, "") << variant.name;
    EXPECT_TRUE(value_of(answer->metrics, "l1.sectors_load")) << variant.name;
    for (const StepRecord& step : answer->steps) {
      if (step.kind != "kernel" || step.phase != Phase::run) continue;
      ++kernels;
      EXPECT_FALSE(step.lines.rows.empty()) << variant.name;
      EXPECT_TRUE(step.lines.missing.empty()) << variant.name;
      EXPECT_GT(figures_of_all(step.lines)[LineMetric::sectors].value_or(0), 0) << variant.name;
    }
  }
  EXPECT_GT(kernels, 0);
}

}  // namespace
}  // namespace warpscope
