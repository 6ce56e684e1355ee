// tests/profiling/points/step_means_test.cpp: ratios of several steps, by hand-computed values.
#include "profiling/points/step_means.h"

#include <gtest/gtest.h>

#include <set>

#include "profiling/session/session.h"

namespace warpscope {
namespace {

MetricValue counted(const char* id, double value) { return {id, value, Origin::measured, "", ""}; }
const MetricValue kNoSum = {"l1.sectors_per_request_load", std::nullopt, Origin::measured,
                            "a ratio of one step has no sum over steps", "see it at each step"};

// 100 requests of 4 sectors in 1 µs, then 300 of 16 in 3 µs.
Measurement two_steps() {
  Measurement m;
  m.scene = "led";
  m.variant = "single_frame_repeated";
  m.verdict.outcome = Outcome::correct;
  StepRecord first, second;
  first.name = "frame 0";
  first.time_ns = 1000;
  first.metrics = {counted("l1.requests_load", 100), counted("l1.sectors_per_request_load", 4),
                   counted("occupancy.achieved", 20)};
  second.name = "frame 1";
  second.time_ns = 3000;
  second.metrics = {counted("l1.requests_load", 300), counted("l1.sectors_per_request_load", 16),
                    counted("occupancy.achieved", 60)};
  m.steps = {first, second};
  m.metrics = {kNoSum};
  return m;
}

TEST(StepMeans, WeighSectorsARequestByTheRequestsAndOccupancyByTheTime) {
  Measurement m = two_steps();
  add_step_means(m);
  // (100 · 4 + 300 · 16) / 400 and (1 · 20 + 3 · 60) / 4.
  EXPECT_DOUBLE_EQ(*value_of(m.metrics, "l1.sectors_per_request_load"), 13);
  EXPECT_DOUBLE_EQ(*value_of(m.metrics, "occupancy.achieved"), 50);
  EXPECT_EQ(find_value(m.metrics, "occupancy.achieved")->origin, Origin::derived);
  EXPECT_EQ(mean_in_words(m, "l1.sectors_per_request_load"),
            "mean of 2 steps, weighted by their requests");
  EXPECT_EQ(mean_in_words(m, "occupancy.achieved"), "mean of 2 steps, weighted by their time");
  EXPECT_EQ(mean_in_words(m, "l1.requests_load"), "");
}

TEST(StepMeans, TakeTheProfilersCyclesWhereAStepWasNotTimedAlone) {
  Measurement m = two_steps();
  m.steps[0].time_ns.reset();
  Measurement untimed = m;
  add_step_means(untimed);
  EXPECT_FALSE(value_of(untimed.metrics, "occupancy.achieved"));
  m.steps[0].metrics.push_back(counted("cycles.sm", 500));
  m.steps[1].metrics.push_back(counted("cycles.sm", 500));
  add_step_means(m);
  EXPECT_DOUBLE_EQ(*value_of(m.metrics, "occupancy.achieved"), 40);
}

TEST(StepMeans, PassAStepOverThatDoesNothingOfWhatTheRatioIsOf) {
  Measurement m = two_steps();
  m.steps[0].metrics = {counted("l1.requests_load", 0), kNoSum};
  add_step_means(m);
  EXPECT_DOUBLE_EQ(*value_of(m.metrics, "l1.sectors_per_request_load"), 16);
  // With requests and no ratio something is missing, and so is the mean.
  Measurement lacking = two_steps();
  lacking.steps[0].metrics = {counted("l1.requests_load", 100), kNoSum};
  add_step_means(lacking);
  EXPECT_FALSE(value_of(lacking.metrics, "l1.sectors_per_request_load"));
}

TEST(StepMeans, LeaveWhatIsThereAndPrepareStepsAlone) {
  Measurement m = two_steps();
  m.steps[0].phase = Phase::prepare;
  add_step_means(m);
  EXPECT_FALSE(value_of(m.metrics, "l1.sectors_per_request_load"));  // one step has no mean
  Measurement known = two_steps();
  known.metrics = {counted("occupancy.achieved", 7)};
  add_step_means(known);
  EXPECT_DOUBLE_EQ(*value_of(known.metrics, "occupancy.achieved"), 7);
  EXPECT_EQ(mean_in_words(known, "occupancy.achieved"), "");
  Measurement wrong = two_steps();
  wrong.verdict.outcome = Outcome::wrong;
  add_step_means(wrong);
  EXPECT_FALSE(value_of(wrong.metrics, "occupancy.achieved"));
}

TEST(StepMeans, EveryCounterIsASumOrHasAMean) {
  std::set<std::string_view> means;
  for (const StepMean& mean : step_means()) {
    EXPECT_TRUE(means.insert(mean.id).second) << mean.id;
    ASSERT_NE(find_metric(mean.id), nullptr) << mean.id;
    ASSERT_NE(find_metric(mean.weight), nullptr) << mean.weight;
  }
  for (const Metric& metric : all_metrics()) {
    if (metric.source != MetricSource::cupti || metric.id == "cycles.sm") continue;
    EXPECT_NE(metric.cupti_name.ends_with(".sum"), means.contains(metric.id)) << metric.id;
  }
}

TEST(StepMeans, AreInWhatASessionHoldsAlsoWhereTheWeightCameLater) {
  Session session;
  Measurement m = two_steps();
  for (StepRecord& step : m.steps) step.time_ns.reset();
  session.apply(m);
  const auto occupancy = [&] {
    return value_of(session.latest(id_of(m))->metrics, "occupancy.achieved");
  };
  EXPECT_FALSE(occupancy());
  for (StepRecord& step : m.steps) step.metrics = {counted("cycles.sm", 10)};
  session.apply(m);
  ASSERT_TRUE(occupancy());
  EXPECT_DOUBLE_EQ(*occupancy(), 40);
}

TEST(StepMeans, ARateIsMadeOfATimeAndCountersThatCameApart) {
  Session session;
  Measurement m = two_steps();
  m.metrics = {counted("time.warm", 2000)};
  session.apply(m);
  m.metrics = {counted("dram.bytes_read", 3e6), counted("dram.bytes_write", 1e6)};
  session.apply(m);
  const Measurement* point = session.latest(id_of(m));
  ASSERT_TRUE(value_of(point->metrics, "rate.dram_bytes"));
  EXPECT_DOUBLE_EQ(*value_of(point->metrics, "rate.dram_bytes"), 2e12);  // 4 MB in 2 µs
}

TEST(CountersBehind, AreTheCounterAndItsWeightOrTheFormulasParts) {
  using List = std::vector<std::string>;
  EXPECT_EQ(counters_behind("dram.bytes_read"), List{"dram.bytes_read"});
  EXPECT_EQ(counters_behind("occupancy.achieved"), (List{"occupancy.achieved", "cycles.sm"}));
  EXPECT_EQ(counters_behind("l1.hit_ratio"), (List{"l1.sectors_load_hit", "l1.sectors_load"}));
  EXPECT_EQ(counters_behind("time.warm"), List{});
  EXPECT_EQ(counters_behind("model.flops"), List{});
  EXPECT_EQ(counters_behind("rate.useful_bytes"), List{}) << "the model's bytes over the time";
  for (const Metric& metric : all_metrics()) {
    if (metric.group != "memory" || metric.source != MetricSource::formula ||
        metric.id == "rate.useful_bytes")
      continue;
    EXPECT_FALSE(counters_behind(metric.id).empty()) << metric.id;
  }
}

}  // namespace
}  // namespace warpscope
