// tests/profiling/export/step_tables_test.cpp: layers and timelines in a report and in a trace.
#include "profiling/export/step_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "profiling/export/export.h"
#include "profiling/export/timeline_tables.h"

namespace warpscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

Measurement point(const std::string& variant, const std::vector<std::string>& layers) {
  Measurement m;
  m.scene = "autoencoder";
  m.variant = variant;
  m.key = "batch=64";
  m.conditions.device = "NVIDIA H200";
  m.conditions.device_uuid = "GPU-1";
  m.verdict.outcome = Outcome::correct;
  for (const std::string& layer : layers) {
    StepRecord step;
    step.name = "conv of " + layer;
    step.kind = "kernel";
    step.source = "autoencoder/nchw_grid2d.cu";
    step.tags = {{"layer", layer}, {"phase", "forward"}};
    step.time_ns = 1000;
    step.metrics = {{"model.flops", 2e6, Origin::modelled, "", ""},
                    {"model.dram_bytes", 64000, Origin::modelled, "", ""}};
    m.steps.push_back(step);
  }
  return m;
}

TEST(StepTables, AreOfRunsWithSeveralLayers) {
  Session session;
  session.apply(point("one_layer", {"Conv1"}));
  session.apply(point("step_nchw", {"Conv1", "Conv2", "Conv1"}));
  Measurement wrong = point("step_wrong", {"Conv1", "Conv2"});
  wrong.verdict.outcome = Outcome::wrong;
  session.apply(wrong);
  const auto tables = step_tables(session);
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_THAT(tables.front().title, HasSubstr("autoencoder/step_nchw by layer"));
  ASSERT_EQ(tables.front().rows.size(), 2u);
  EXPECT_THAT(tables.front().rows.front(),
              ElementsAre("Conv1 · forward", "2", HasSubstr("2.0"), "66.67 %", HasSubstr("4.0"),
                          HasSubstr("≥ 128"), "–", "–", "nchw_grid2d.cu and 1 more"))
      << "no roof was measured";
}

TEST(TimelineTables, PutTheVariantsOfASceneTogether) {
  Session session;
  for (const char* variant : {"step_naive", "step_nchw"}) {
    Timeline timeline;
    timeline.scene = "autoencoder";
    timeline.variant = variant;
    timeline.key = "batch=16";
    TimelineActivity kernel;
    kernel.kind = "kernel";
    kernel.name = "relu";
    kernel.end_ns = 500;
    timeline.activities = {kernel, kernel};
    session.apply(timeline);
  }
  const auto tables = timeline_tables(session);
  ASSERT_EQ(tables.size(), 1u);
  ASSERT_EQ(tables.front().rows.size(), 2u);
  EXPECT_THAT(tables.front().rows.front(),
              ElementsAre("step_naive", "batch=16", "relu", "kernel", "2", HasSubstr("1.0"),
                          HasSubstr("500"), HasSubstr("500"), HasSubstr("500"), HasSubstr("100")));
}

TEST(PerfettoText, GivesWhatRanAtOnceThreadsOfItsOwn) {
  Timeline timeline;
  timeline.scene = "autoencoder";
  timeline.variant = "step_graph";
  for (const double start_us : {0, 4}) {
    TimelineActivity kernel;
    kernel.kind = "kernel";
    kernel.name = "relu";
    kernel.start_ns = start_us * 1e3;
    kernel.end_ns = kernel.start_ns + 8e3;
    timeline.activities.push_back(kernel);
  }
  Session session;
  session.apply(timeline);
  const auto events = nlohmann::json::parse(perfetto_json(session))["traceEvents"];
  std::map<std::string, std::string> threads, times;
  for (const auto& event : events) {
    const std::string thread = event["tid"].dump();
    if (event["name"] == "thread_name") threads[thread] = event["args"]["name"];
    if (event["ph"] == "X") times[thread] += event["ts"].dump() + " for " + event["dur"].dump();
  }
  EXPECT_THAT(threads, ElementsAre(Pair("0", "NVTX ranges"), Pair("1", "kernels"),
                                   Pair("2", "kernels, beside the lane above")));
  EXPECT_THAT(times, ElementsAre(Pair("1", "0.0 for 8.0"), Pair("2", "4.0 for 8.0")));
}

}  // namespace
}  // namespace warpscope
