// tests/profiling/export/step_tables_test.cpp: layers and timelines in a report.
#include "profiling/export/step_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiling/export/timeline_tables.h"

namespace warpscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

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
    timeline.key = "batch=64";
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
              ElementsAre("step_naive", "batch=64", "relu", "kernel", "2", HasSubstr("1.0"),
                          HasSubstr("500"), HasSubstr("500"), HasSubstr("500"), HasSubstr("100")));
}

}  // namespace
}  // namespace warpscope
