// tests/profiling/agreement/trace_metrics_test.cpp: an emulated launch as metrics beside the
// counters.
#include "profiling/agreement/trace_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "profiling/agreement/agree.h"
#include "profiling/export/export.h"
#include "profiling/figures/csv_text.h"
#include "tests/profiling/access/synthetic_trace.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

// Three requests of 16 sectors, one store of 4, a load and a store of shared memory with conflicts.
Trace small_trace(const std::string& step = "multiply") {
  Trace trace;
  trace.scene = "csrmm";
  trace.variant = "float4_columns";
  trace.key = "m=64";
  trace.step = step;
  trace.scope.grid = true;
  trace.warp_instructions = 50;
  trace.thread_instructions = 800;
  trace.unique_load_sectors = 20;
  const auto site = [&](Space space, AccessKind kind, std::int64_t requests, std::int64_t cost,
                        std::int64_t ideal) {
    AccessSite s;
    s.space = space;
    s.kind = kind;
    s.totals.requests = requests;
    (space == Space::shared ? s.totals.wavefronts : s.totals.sectors) = cost;
    (space == Space::shared ? s.totals.ideal_wavefronts : s.totals.ideal_sectors) = ideal;
    trace.sites.push_back(s);
  };
  site(Space::global, AccessKind::load, 2, 32, 32);
  site(Space::global, AccessKind::async_copy, 1, 16, 16);
  site(Space::global, AccessKind::store, 1, 4, 4);
  site(Space::global, AccessKind::reduction, 5, 500, 5);
  site(Space::shared, AccessKind::load, 3, 12, 3);
  site(Space::shared, AccessKind::store, 2, 5, 2);
  site(Space::shared, AccessKind::atomic, 9, 99, 9);
  site(Space::shared, AccessKind::product_read, 4, 16, 16);
  site(Space::shared, AccessKind::load, 6, 0, 0);
  trace.sites.back().totals.lines = 6;
  trace.sites.back().totals.sectors = 29;
  site(Space::shared, AccessKind::store, 7, 0, 0);
  trace.sites.back().totals.lines = 7;
  trace.sites.back().totals.sectors = 31;
  return trace;
}

Measurement point_of(const std::vector<std::string>& steps) {
  Measurement point;
  point.scene = "csrmm";
  point.variant = "float4_columns";
  point.key = "m=64";
  point.verdict.outcome = Outcome::correct;
  for (const std::string& name : steps) {
    StepRecord step;
    step.name = name;
    step.kind = "kernel";
    point.steps.push_back(step);
  }
  point.metrics = {{"l1.sectors_load", 48.0, Origin::measured, "", ""},
                   {"l1.sectors_store", 4.0, Origin::measured, "", ""}};
  return point;
}

TEST(TraceMetrics, HaveIssuedInstructionsOfMachineCodeAlone) {
  Trace trace = small_trace();
  EXPECT_FALSE(value_of(emulated_metrics(trace), "emulated.inst.issued"));
  EXPECT_THAT(find_value(emulated_metrics(trace), "emulated.inst.issued")->reason,
              HasSubstr("PTX was emulated"));
  trace.machine_code.emplace();
  EXPECT_EQ(value_of(emulated_metrics(trace), "emulated.inst.issued"), 50);
}

TEST(TraceMetrics, SumWhatTheCountersSum) {
  const std::vector<MetricValue> values = emulated_metrics(small_trace());
  EXPECT_EQ(value_of(values, "emulated.l1.sectors_load"), 48);
  EXPECT_EQ(value_of(values, "emulated.l1.requests_load"), 3);
  EXPECT_EQ(value_of(values, "emulated.l1.sectors_per_request_load"), 16);
  EXPECT_EQ(value_of(values, "emulated.l1.sectors_store"), 4);
  EXPECT_EQ(value_of(values, "emulated.l1.sectors_per_request_store"), 4);
  EXPECT_EQ(value_of(values, "emulated.shared.wavefronts_load"), 12);
  EXPECT_EQ(value_of(values, "emulated.shared.wavefronts_store"), 5);
  EXPECT_EQ(value_of(values, "emulated.shared.bank_conflicts"), 12);
  EXPECT_EQ(value_of(values, "emulated.shared.wavefronts_gmma"), 16);
  EXPECT_EQ(value_of(values, "emulated.remote.requests_load"), 6);
  EXPECT_EQ(value_of(values, "emulated.remote.sectors_load"), 29);
  EXPECT_EQ(value_of(values, "emulated.remote.requests_store"), 7);
  EXPECT_EQ(value_of(values, "emulated.remote.sectors_store"), 31);
  EXPECT_EQ(value_of(values, "emulated.l2.unique_sectors"), 20 + 4 + 500);
  EXPECT_EQ(value_of(values, "emulated.l2.asked_sectors"), 48 + 4 + 500);
  EXPECT_EQ(value_of(values, "emulated.inst.executed"), 50);
  EXPECT_EQ(value_of(values, "emulated.inst.lanes"), 16);
  for (const MetricValue& value : values) EXPECT_EQ(value.origin, Origin::modelled) << value.id;
}

TEST(TraceMetrics, HaveARowEachWithTheNameAndUnitOfTheirCounter) {
  const std::vector<MetricValue> values = emulated_metrics(small_trace());
  std::size_t rows = 0;
  for (const Metric& metric : all_metrics())
    rows += metric.source == MetricSource::emulator ? 1 : 0;
  EXPECT_EQ(values.size(), rows);
  for (const MetricValue& value : values) {
    const Metric* metric = find_metric(value.id);
    ASSERT_NE(metric, nullptr) << value.id;
    const bool bound = value.id.starts_with("emulated.l2.");
    const bool issued = value.id == "emulated.inst.issued";  // of SASS alone
    const Metric* counter = find_metric(bound    ? "l2.sectors_sm"
                                        : issued ? "inst.executed"
                                                 : value.id.substr(kEmulatedPrefix.size()));
    ASSERT_NE(counter, nullptr) << value.id;
    EXPECT_EQ(metric->source, MetricSource::emulator);
    EXPECT_EQ(metric->unit, counter->unit) << value.id;
    EXPECT_EQ(metric->cupti_name, counter->cupti_name) << value.id;
  }
}

TEST(TraceMetrics, OfOneBlockAreMissingWithTheReason) {
  Trace trace = small_trace();
  trace.scope = {false, 7, -1};
  for (const MetricValue& value : emulated_metrics(trace)) {
    EXPECT_FALSE(value.value) << value.id;
    EXPECT_THAT(value.reason, HasSubstr("only block 7"));
    EXPECT_FALSE(value.remedy.empty());
  }
}

// Scaled from 64 of 4,096 blocks.
Trace sampled_trace(const std::string& step = "multiply") {
  Trace trace = small_trace(step);
  trace.scope = {false, 0, -1};
  trace.launch.grid = {4096, 1, 1};
  trace.launch.block = {256, 1, 1};
  trace.sample = TraceSample{64, 9, {}, ""};
  for (const Metric& metric : all_metrics()) {
    if (metric.source == MetricSource::emulator)
      trace.sample->spreads[metric.id.substr(kEmulatedPrefix.size())] = 0;
  }
  trace.sample->spreads["l1.sectors_load"] = 3;
  trace.sample->spreads["l1.sectors_per_request_load"] = 0.5;
  trace.sample->spreads["l2.unique_sectors"] = 10;
  return trace;
}

TEST(TraceMetrics, OfASampleSayTheShareAndTheSpread) {
  const std::vector<MetricValue> values = emulated_metrics(sampled_trace());
  const MetricValue& load = *find_value(values, "emulated.l1.sectors_load");
  EXPECT_EQ(load.value, 48);
  EXPECT_EQ(load.sampled, (Sampled{64, 4096, 3.0}));
  EXPECT_EQ(sampled_text(load), "from 64 of 4,096 blocks, chosen by position and work; ±6.2 %");
  const MetricValue& store = *find_value(values, "emulated.l1.sectors_store");
  EXPECT_EQ(sampled_text(store),
            "from 64 of 4,096 blocks, chosen by position and work; those of one kind were alike");
  // The blocks that ran give a lower end for distinct sectors, with the lower end of the stores.
  const MetricValue& unique = *find_value(values, "emulated.l2.unique_sectors");
  EXPECT_EQ(unique.value, 20 + 504 - 10);
  EXPECT_EQ(sampled_text(unique), "at least, as 64 of 4,096 blocks alone show it");
  for (const MetricValue& value : emulated_metrics(small_trace())) {
    EXPECT_FALSE(value.sampled) << value.id;
    EXPECT_EQ(sampled_text(value), "");
  }
}

TEST(TraceMetrics, OfASampleThatDoesNotFitAreMissingWithTheReason) {
  Trace trace = sampled_trace();
  trace.sample->unfit = "its blocks wait for each other, so some of them cannot run alone";
  EXPECT_FALSE(covers_grid(trace));
  for (const MetricValue& value : emulated_metrics(trace)) {
    EXPECT_FALSE(value.value) << value.id;
    EXPECT_THAT(value.reason, HasSubstr("64 of 4,096 blocks"));
    EXPECT_THAT(value.reason, HasSubstr("wait for each other"));
    EXPECT_FALSE(value.remedy.empty());
  }
  Trace unsure = sampled_trace();
  unsure.sample->spreads.erase("inst.executed");
  const std::vector<MetricValue> values = emulated_metrics(unsure);
  EXPECT_FALSE(value_of(values, "emulated.inst.executed"));
  EXPECT_THAT(find_value(values, "emulated.inst.executed")->reason, HasSubstr("too few"));
}

TEST(TraceMetrics, OfSeveralSampledStepsAddTheirSpreads) {
  Session session;
  session.apply(point_of({"transpose", "multiply"}));
  const Measurement& point = *session.points_at("csrmm", "float4_columns", "m=64").at(0);
  session.apply(sampled_trace("transpose"));
  Trace other = sampled_trace("multiply");
  other.sample->spreads["l1.sectors_load"] = 4;
  session.apply(other);
  const std::vector<MetricValue> values = modelled_beside(session, point);
  const MetricValue& load = *find_value(values, "emulated.l1.sectors_load");
  EXPECT_EQ(load.value, 96);
  EXPECT_EQ(load.sampled, (Sampled{128, 8192, 5.0}));  // 3 and 4 of launches that know no other
  // Equal ratios with equal requests: each moves half of the whole.
  const MetricValue& ratio = *find_value(values, "emulated.l1.sectors_per_request_load");
  EXPECT_EQ(ratio.value, 16);
  EXPECT_NEAR(*ratio.sampled->spread, 0.5 / std::sqrt(2.0), 1e-12);
  session.apply(small_trace("multiply"));  // all of it was run
  EXPECT_EQ(
      find_value(modelled_beside(session, point), "emulated.l1.sectors_load")->sampled->spread, 3);
}

TEST(TraceMetrics, OfASampleStandInTheCsvWithShareAndSpread) {
  Session session;
  session.apply(point_of({"multiply"}));
  session.apply(sampled_trace());
  const auto rows = parse_csv(tidy_csv(session));
  ASSERT_TRUE(rows);
  const auto& names = rows->front();
  const auto column = [&](const char* name) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  ASSERT_LT(column("spread"), names.size());
  ASSERT_LT(column("estimated"), names.size());
  int sampled = 0, counted = 0;
  for (const std::vector<std::string>& row : *rows) {
    if (row[column("metric")] == "emulated.l1.sectors_load") {
      ++sampled;
      EXPECT_EQ(row[column("spread")], "3");
      EXPECT_THAT(row[column("estimated")], HasSubstr("64 of 4,096 blocks"));
    }
    if (row[column("metric")] != "l1.sectors_load") continue;
    ++counted;
    EXPECT_EQ(row[column("spread")], "");
    EXPECT_EQ(row[column("estimated")], "");
  }
  EXPECT_EQ(sampled, 2);
  EXPECT_EQ(counted, 1);
}

TEST(TraceMetrics, OfASampleComeBackFromItsLine) {
  Trace trace = sampled_trace();
  trace.metrics = emulated_metrics(trace);
  const Result<Message> read = parse_line(to_line(trace));
  ASSERT_TRUE(read);
  const Trace& back = std::get<Trace>(*read);
  EXPECT_EQ(back.sample, trace.sample);
  EXPECT_TRUE(covers_grid(back));
  ASSERT_EQ(back.metrics.size(), trace.metrics.size());
  for (std::size_t i = 0; i < back.metrics.size(); ++i)
    EXPECT_EQ(back.metrics[i].sampled, trace.metrics[i].sampled) << back.metrics[i].id;
  // A trace from an older version is not a sample.
  EXPECT_FALSE(std::get<Trace>(*parse_line(to_line(small_trace()))).sample);
  EXPECT_EQ(to_line(small_trace()).find("sample"), std::string::npos);
  Job job;
  job.work = TraceJob{};
  EXPECT_EQ(to_line(job).find("sample"), std::string::npos);
  job.as<TraceJob>()->grid = false;
  job.as<TraceJob>()->sample_instructions = 12345;
  EXPECT_EQ(std::get<Job>(*parse_line(to_line(job))).as<TraceJob>()->sample_instructions, 12345);
  trace.sample->blocks = 5000;  // more than the grid has
  EXPECT_TRUE(defect(trace));
}

TEST(TraceMetrics, OfAKernelWithoutLoadsHaveNoRatio) {
  Trace trace;
  trace.scope.grid = true;
  const std::vector<MetricValue> values = emulated_metrics(trace);
  EXPECT_EQ(value_of(values, "emulated.l1.sectors_load"), 0);
  EXPECT_FALSE(value_of(values, "emulated.l1.sectors_per_request_load"));
  EXPECT_FALSE(find_value(values, "emulated.l1.sectors_per_request_load")->reason.empty());
}

TEST(TraceMetrics, OfSeveralStepsAreSummedOrMissing) {
  Session session;
  session.apply(point_of({"transpose", "multiply"}));
  const Measurement& point = *session.points_at("csrmm", "float4_columns", "m=64").at(0);
  EXPECT_TRUE(modelled_beside(session, point).empty());
  session.apply(small_trace("multiply"));
  const std::vector<MetricValue> half = modelled_beside(session, point);
  EXPECT_FALSE(value_of(half, "emulated.l1.sectors_load"));
  EXPECT_THAT(half.front().reason, HasSubstr("transpose"));
  session.apply(small_trace("transpose"));
  EXPECT_EQ(value_of(modelled_beside(session, point), "emulated.l1.sectors_load"), 96);
  EXPECT_EQ(value_of(modelled_beside(session, point), "emulated.inst.lanes"), 16);
  Trace one_block = small_trace("transpose");
  one_block.scope.grid = false;
  session.apply(one_block);
  EXPECT_THAT(modelled_beside(session, point).front().reason, HasSubstr("only block"));
}

TEST(TraceMetrics, OfATraceWithoutDistinctSectorsHaveOneEndOfL2) {
  Trace trace = small_trace();
  trace.unique_load_sectors.reset();
  const std::vector<MetricValue> values = emulated_metrics(trace);
  EXPECT_FALSE(value_of(values, "emulated.l2.unique_sectors"));
  EXPECT_THAT(find_value(values, "emulated.l2.unique_sectors")->reason, HasSubstr("version"));
  EXPECT_EQ(value_of(values, "emulated.l2.asked_sectors"), 552);
}

TEST(TraceMetrics, OfAnotherConfigurationStandUntilThePointHasItsOwn) {
  Session session;
  Measurement point = point_of({"multiply"});
  EXPECT_TRUE(modelled_or_last(session, point).values.empty());
  session.apply(small_trace("multiply"));
  point.key = "m=65";
  EXPECT_FALSE(is_of(small_trace("multiply"), point));
  const StandingFigures stale = modelled_or_last(session, point);
  EXPECT_EQ(stale.stale_key, "m=64");
  EXPECT_EQ(value_of(stale.values, "emulated.l1.sectors_load"), 48);
  Trace own = small_trace("multiply");
  own.key = "m=65";
  EXPECT_TRUE(is_of(own, point));
  session.apply(own);
  EXPECT_EQ(modelled_or_last(session, point).stale_key, "");
  point.variant = "row_swizzle";
  EXPECT_TRUE(modelled_or_last(session, point).values.empty()) << "of another variant";
}

// A drag traces one block at every place: its sums are none, and the last ones stand.
TEST(TraceMetrics, OfTheWholeGridStandWhileOneBlockIsTraced) {
  Session session;
  Measurement point = point_of({"multiply"});
  Trace block = small_trace("multiply");
  block.key = point.key = "m=65";
  block.scope = {false, 7, -1};
  session.apply(block);
  StandingFigures alone = modelled_or_last(session, point);
  EXPECT_EQ(alone.stale_key, "");
  EXPECT_THAT(alone.values.front().reason, HasSubstr("only block 7"));
  session.apply(small_trace("multiply"));
  Trace elsewhere = block;
  elsewhere.key = "m=66";
  session.apply(elsewhere);  // came last, and has no sums either
  const StandingFigures stale = modelled_or_last(session, point);
  EXPECT_EQ(stale.stale_key, "m=64");
  EXPECT_EQ(value_of(stale.values, "emulated.l1.sectors_load"), 48);
  EXPECT_THAT(stale.why_stale, HasSubstr("only block 7"));
}

TEST(TraceMetrics, OfAnotherSourceStandBesideNoCounters) {
  const std::string then(32, 'a'), now(32, 'b');
  Measurement point = point_of({"multiply"});
  point.conditions.code_id = then;
  Trace trace = small_trace("multiply");
  trace.source_hash = then;
  EXPECT_FALSE(counters_beside(&point, trace).empty());
  trace.source_hash = now;
  EXPECT_TRUE(counters_beside(&point, trace).empty());
  Session session;
  session.apply(point);
  session.apply(trace);
  const std::vector<MetricValue> beside =
      modelled_beside(session, *session.points_at("csrmm", "float4_columns", "m=64").at(0));
  ASSERT_FALSE(beside.empty());
  EXPECT_FALSE(beside.front().value);
  EXPECT_THAT(beside.front().reason, HasSubstr("a different source"));
  const std::vector<FigureMatch> pairs = agree_with_emulator(session);
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].match, Match::not_comparable);
  EXPECT_EQ(pairs[0].reason, kOfAnotherCode);
  // Recordings of before say less, and are taken at their word.
  point.conditions.code_id.clear();
  EXPECT_TRUE(of_one_code(trace, point));
  trace.source_hash = "0123456789abcdef";
  point.conditions.code_id = then;
  EXPECT_TRUE(of_one_code(trace, point));
}

TEST(TraceMetrics, StandBehindTheirCounters) {
  const std::vector<MetricValue> all =
      with_modelled(point_of({}).metrics, emulated_metrics(small_trace()));
  ASSERT_GE(all.size(), 4u);
  EXPECT_EQ(all[0].id, "l1.sectors_load");
  EXPECT_EQ(all[1].id, "emulated.l1.sectors_load");
  EXPECT_EQ(all[2].id, "l1.sectors_store");
  EXPECT_EQ(all[3].id, "emulated.l1.sectors_store");
  EXPECT_EQ(all.size(), 2 + emulated_metrics(small_trace()).size());
}

TEST(TraceMetrics, StandInTheCsvWithTheirOriginAndTheEmulatorForADevice) {
  Session session;
  Measurement point = point_of({"multiply"});
  point.conditions.device = "NVIDIA H200";
  session.apply(point);
  Trace trace = small_trace();
  trace.source_hash = "abcd";
  session.apply(trace);
  const auto rows = parse_csv(tidy_csv(session));
  ASSERT_TRUE(rows);
  const auto column = [&](const char* name) {
    const auto& names = rows->front();
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  int modelled = 0, steps = 0;
  for (const std::vector<std::string>& row : *rows) {
    if (row[column("metric")] != "emulated.l1.sectors_load") continue;
    ++modelled;
    steps += row[column("step")] == "multiply" ? 1 : 0;
    EXPECT_EQ(row[column("value")], "48");
    EXPECT_EQ(row[column("origin")], "modelled");
    EXPECT_EQ(row[column("device")], "emulator");
    EXPECT_EQ(row[column("device_uuid")], "");
    EXPECT_EQ(row[column("cupti_name")], "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum");
  }
  EXPECT_EQ(modelled, 2);  // of the run and of its step
  EXPECT_EQ(steps, 1);
}

}  // namespace
}  // namespace warpscope
