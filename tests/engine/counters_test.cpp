// tests/engine/counters_test.cpp: counters of a kernel whose work is known.
#include "profiling/engine/measure/counters.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "profiling/engine/measure/selftest.h"
#include "scenes/base/device_units.h"
#include "scenes/host/random.h"
#include "tests/engine/gpu_fixture.h"

namespace warpscope {
namespace {

constexpr std::int64_t kBlocks = 1 << 12;
const Counters::GoOn kGoOn = [](int, int) { return true; };

std::int64_t resident_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::int64_t kib = 0;
    if (word == "VmRSS:" && status >> kib) return kib * 1024;
  }
  return 0;
}

TEST(Counters, WithoutADriverGiveAnEnvironmentErrorWithARemedy) {
  if (load_cuda_driver()) GTEST_SKIP() << "this machine has a driver";
  const Result<std::unique_ptr<Counters>> counters = Counters::create(nullptr, 0);
  ASSERT_FALSE(counters);
  EXPECT_EQ(counters.error().kind, ErrorKind::environment);
  EXPECT_NE(counters.error().remedy, "");
}

class GpuCounters : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (!IsSkipped()) open_counters();
  }
};

TEST_F(GpuCounters, CountRequestsSectorsAndMultiplyAddsExactly) {
  Result<BoundStep> step = copy_of(kBlocks);
  ASSERT_TRUE(step) << sentence(step.error());
  Result<CounterPlan> plan =
      counters_->plan({"l1.requests_load", "l1.sectors_load", "l1.requests_store",
                       "l1.sectors_store", "inst.ffma"});
  ASSERT_TRUE(plan) << sentence(plan.error());
  EXPECT_TRUE(plan->unavailable.empty());
  EXPECT_GE(plan->passes, 1);
  int passes = 0;
  const auto ranges = counters_->collect(*plan, 1, pass_of(*step), [&](int, int of) {
    EXPECT_EQ(of, plan->passes);
    return ++passes > 0;
  });
  ASSERT_TRUE(ranges) << sentence(ranges.error());
  EXPECT_EQ(passes, plan->passes);
  ASSERT_EQ(ranges->size(), 1u);
  EXPECT_EQ(ranges->front().range, "copy");
  const auto& values = ranges->front().values;
  constexpr double kLanes = kBlocks * kThreads, kWarps = kLanes / kWarpLanes;
  constexpr double kSectors = 4;  // of a warp's 32 adjacent floats
  EXPECT_EQ(value_of(values, "l1.requests_load"), kWarps);
  EXPECT_EQ(value_of(values, "l1.sectors_load"), kSectors * kWarps);
  EXPECT_EQ(value_of(values, "l1.requests_store"), kWarps);
  EXPECT_EQ(value_of(values, "l1.sectors_store"), kSectors * kWarps);
  EXPECT_EQ(value_of(values, "inst.ffma"), kLanes * kFmas);
}

TEST_F(GpuCounters, CountTheBytesOfDeviceMemoryWithin3Percent) {
  Result<BoundStep> step = copy_of(1 << 22);  // 4 GiB each way: what stays in L2 is under 2 %
  ASSERT_TRUE(step) << sentence(step.error());
  Result<CounterPlan> plan = counters_->plan({"dram.bytes_read", "dram.bytes_write"});
  ASSERT_TRUE(plan) << sentence(plan.error());
  ASSERT_TRUE(run(*step));
  const auto ranges = counters_->collect(*plan, 1, pass_of(*step), kGoOn);
  ASSERT_TRUE(ranges) << sentence(ranges.error());
  constexpr double kBytes = 4.0 * (1 << 22) * kThreads;
  for (const char* id : {"dram.bytes_read", "dram.bytes_write"}) {
    const std::optional<double> bytes = value_of(ranges->at(0).values, id);
    ASSERT_TRUE(bytes) << id;
    EXPECT_NEAR(*bytes, kBytes, 0.03 * kBytes) << id;
  }
}

TEST_F(GpuCounters, KeepTheRangesOfTwoStepsApart) {
  Result<BoundStep> step = copy_of(kBlocks);
  ASSERT_TRUE(step) << sentence(step.error());
  Result<CounterPlan> plan = counters_->plan({"l1.requests_load"});
  ASSERT_TRUE(plan) << sentence(plan.error());
  const auto ranges = counters_->collect(
      *plan, 2,
      [&](RangeMarks& marks) -> Result<void> {
        for (const int repeats : {1, 3}) {
          Result<void> done = marks.push(std::to_string(repeats) + " copies");
          for (int i = 0; i < repeats && done; ++i) done = run(*step);
          if (done) done = marks.pop();
          if (!done) return done;
        }
        return {};
      },
      kGoOn);
  ASSERT_TRUE(ranges) << sentence(ranges.error());
  ASSERT_EQ(ranges->size(), 2u);
  constexpr double kWarps = static_cast<double>(kBlocks * kThreads) / kWarpLanes;
  for (const RangeCounters& range : *ranges) {
    EXPECT_EQ(value_of(range.values, "l1.requests_load"),
              range.range == "3 copies" ? 3 * kWarps : kWarps)
        << range.range;
  }
}

// The profiler stays on for a plan that comes again, also with more ranges.
TEST_F(GpuCounters, CountTheSameBehindAnyOtherPlanAndBehindARelease) {
  Result<BoundStep> step = copy_of(kBlocks);
  ASSERT_TRUE(step) << sentence(step.error());
  constexpr double kLanes = kBlocks * kThreads, kWarps = kLanes / kWarpLanes;
  const std::vector<std::pair<std::string, double>> known = {{"l1.requests_load", kWarps},
                                                             {"l1.sectors_load", 4 * kWarps},
                                                             {"l1.requests_store", kWarps},
                                                             {"l1.sectors_store", 4 * kWarps},
                                                             {"inst.ffma", kLanes * kFmas}};
  std::vector<std::string> all;
  for (const Metric& metric : all_metrics()) {
    if (metric.source == MetricSource::cupti) all.push_back(metric.id);
  }
  const RandomStream random(11, 1);
  std::uint64_t drawn = 0;
  std::vector<std::string> ids;
  for (int plans = 0; plans < 60; ++plans) {
    if (ids.empty() || random.below(drawn++, 3) == 0) {
      ids = {known[random.below(drawn++, known.size())].first};
      for (std::uint64_t others = random.below(drawn++, 8); others > 0; --others) {
        const std::string& id = all[random.below(drawn++, all.size())];
        if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
      }
    }
    const Result<CounterPlan> plan = counters_->plan(ids);
    ASSERT_TRUE(plan) << sentence(plan.error());
    const auto room = static_cast<int>(1 + random.below(drawn++, 4));
    const auto ranges = counters_->collect(*plan, room, pass_of(*step), kGoOn);
    ASSERT_TRUE(ranges) << sentence(ranges.error());
    for (const auto& [id, exact] : known) {
      if (std::find(ids.begin(), ids.end(), id) == ids.end()) continue;
      ASSERT_EQ(value_of(ranges->at(0).values, id), exact) << id << ", plan " << plans;
    }
    if (random.below(drawn++, 12) == 0) {
      ASSERT_TRUE(counters_->release());
    }
  }
  for (int twice = 0; twice < 2; ++twice) EXPECT_TRUE(counters_->release());
}

TEST_F(GpuCounters, SayWhichCounterTheChipDoesNotHave) {
  const Result<CounterPlan> plan = counters_->plan({"cupti:warp__no_such.sum", "l1.requests_load"});
  ASSERT_TRUE(plan) << sentence(plan.error());
  ASSERT_EQ(plan->unavailable.size(), 1u);
  EXPECT_EQ(plan->unavailable[0].id, "cupti:warp__no_such.sum");
  EXPECT_FALSE(plan->unavailable[0].value);
  EXPECT_NE(plan->unavailable[0].reason.find("warp__no_such.sum"), std::string::npos);
  EXPECT_EQ(plan->ids, std::vector<std::string>{"l1.requests_load"});
}

TEST_F(GpuCounters, CollectAgainAfterACancelAndAfterAPassThatFailedInsideARange) {
  Result<BoundStep> step = copy_of(kBlocks);
  ASSERT_TRUE(step) << sentence(step.error());
  const Result<CounterPlan> plan = counters_->plan({"l1.requests_load"});
  ASSERT_TRUE(plan) << sentence(plan.error());
  const auto cancelled =
      counters_->collect(*plan, 1, pass_of(*step), [](int, int) { return false; });
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().what, "cancelled");
  const auto failed = counters_->collect(
      *plan, 1,
      [](RangeMarks& marks) {
        return marks.push("copy").and_then(
            []() -> Result<void> { return failure(ErrorKind::usage, "refused in the middle"); });
      },
      kGoOn);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().what, "refused in the middle");
  const auto again = counters_->collect(*plan, 1, pass_of(*step), kGoOn);
  ASSERT_TRUE(again) << sentence(again.error());
  EXPECT_EQ(value_of(again->at(0).values, "l1.requests_load"),
            static_cast<double>(kBlocks * kThreads) / kWarpLanes);
}

TEST_F(GpuCounters, RefuseARangeInsideARange) {
  const Result<CounterPlan> plan = counters_->plan({"l1.requests_load"});
  ASSERT_TRUE(plan) << sentence(plan.error());
  const auto nested = counters_->collect(
      *plan, 1,
      [](RangeMarks& marks) { return marks.push("a").and_then([&] { return marks.push("b"); }); },
      kGoOn);
  ASSERT_FALSE(nested);
  EXPECT_EQ(nested.error().kind, ErrorKind::usage);
}

TEST_F(GpuCounters, PassTheirKnownAnswerTest) {
  const SelfTest test = run_counter_selftest(*device_, *kernels_, *counters_);
  EXPECT_TRUE(test.passed) << test.sentence;
}

TEST_F(GpuCounters, CountTheSameByOnePlanAfterAnother) {
  Result<BoundStep> step = copy_of(64);
  ASSERT_TRUE(step) << sentence(step.error());
  const Result<CounterPlan> loads = counters_->plan({"l1.sectors_load"}),
                            stores = counters_->plan({"l1.sectors_store"});
  ASSERT_TRUE(loads && stores);
  const auto counted = [&](const CounterPlan& plan, const char* id) {
    const auto ranges = counters_->collect(plan, 1, pass_of(*step), kGoOn);
    return ranges ? value_of(ranges->at(0).values, id) : std::nullopt;
  };
  const auto first = counted(*loads, "l1.sectors_load");
  ASSERT_TRUE(first);
  EXPECT_EQ(counted(*stores, "l1.sectors_store"), first);
  EXPECT_EQ(counted(*loads, "l1.sectors_load"), first);
}

TEST_F(GpuCounters, DoNotGrowTheProcessOver200Collections) {
  Result<BoundStep> step = copy_of(64);
  ASSERT_TRUE(step) << sentence(step.error());
  const Result<CounterPlan> plan =
      counters_->plan({"dram.bytes_read", "l2.bytes", "l1.sectors_load"});
  ASSERT_TRUE(plan) << sentence(plan.error());
  std::int64_t settled = 0;
  for (int i = 0; i < 200; ++i) {
    const auto ranges = counters_->collect(*plan, 1, pass_of(*step), kGoOn);
    ASSERT_TRUE(ranges) << i << ": " << sentence(ranges.error());
    if (i == 20) settled = resident_bytes();
  }
  constexpr std::int64_t kMiB = 1 << 20;
  EXPECT_LT(resident_bytes() - settled, 16 * kMiB);
}

}  // namespace
}  // namespace warpscope
