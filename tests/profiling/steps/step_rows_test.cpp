// tests/profiling/steps/step_rows_test.cpp: the steps of a run as a table.
#include "profiling/steps/step_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiling/steps/planned_steps.h"
#include "scenes/catalogue.h"

namespace warpscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

StepRecord step(const std::string& name, const std::string& kind, const std::string& source,
                std::optional<double> time_ns, std::map<std::string, std::string> tags,
                std::vector<MetricValue> metrics = {}) {
  StepRecord s;
  s.name = name;
  s.kind = kind;
  s.source = source;
  s.time_ns = time_ns;
  s.tags = std::move(tags);
  s.metrics = std::move(metrics);
  return s;
}

MetricValue modelled(const std::string& id, double value) {
  return {id, value, Origin::modelled, "", ""};
}
MetricValue counted(const std::string& id, double value) {
  return {id, value, Origin::measured, "", ""};
}

// Two layers, one of them by a kernel and two library calls; 1 GB/s is a byte a nanosecond.
Measurement run() {
  const std::map<std::string, std::string> one = {{"layer", "Conv1"}, {"phase", "forward"}},
                                           two = {{"layer", "Conv2"}, {"phase", "forward"}};
  Measurement m;
  m.scene = "patterns";
  m.verdict.outcome = Outcome::correct;
  m.steps = {step("columns", "kernel", "autoencoder/im2col.cu", 30, one,
                  {modelled("model.flops", 0), modelled("model.dram_bytes", 30)}),
             step("product 1", "library", "cublas.sgemm", 100, one,
                  {modelled("model.flops", 400), modelled("model.dram_bytes", 10)}),
             step("product 2", "library", "cublas.sgemm", 70, one,
                  {modelled("model.flops", 400), modelled("model.dram_bytes", 20)}),
             step("conv 2", "kernel", "autoencoder/nchw_grid2d.cu", 200, two,
                  {modelled("model.flops", 900), counted("dram.bytes_read", 150),
                   counted("dram.bytes_write", 30), modelled("model.dram_bytes", 99)})};
  StepRecord search = step("search", "library", "cudnn.search", 1e9, {});
  search.phase = Phase::prepare;
  m.steps.push_back(search);
  return m;
}

std::vector<std::string> names(const std::vector<StepRow>& rows) {
  std::vector<std::string> all;
  for (const StepRow& row : rows) all.push_back(row.name);
  return all;
}

TEST(StepRows, AreARowAStepOrARowForAllStepsOfOneLayer) {
  EXPECT_THAT(names(step_rows(run(), {}, StepGroups::each)),
              ElementsAre("columns", "product 1", "product 2", "conv 2"))
      << "what only prepares is in no row";
  EXPECT_THAT(names(step_rows(run(), {}, StepGroups::tags)),
              ElementsAre("Conv1 · forward", "Conv2 · forward"));
}

TEST(StepRows, AddUpTimesAndWork) {
  const StepRow row = step_rows(run(), {}, StepGroups::tags).front();
  EXPECT_EQ(row.steps, 3);
  EXPECT_EQ(row.time_ns, 200);
  EXPECT_EQ(row.share_ratio, 0.5);
  EXPECT_EQ(row.flops, 800);
  EXPECT_EQ(row.dram_bytes, 60);
  EXPECT_EQ(row.bytes_origin, Origin::modelled);
  EXPECT_EQ(row.how, "cublas.sgemm and 2 more") << "that of the longest";
  EXPECT_EQ(row.focus, "columns") << "the only kernel that can be looked at";
}

TEST(StepRows, TakeCountedBytesBeforeModelledOnes) {
  const StepRow row = step_rows(run(), {}, StepGroups::each).back();
  EXPECT_EQ(row.dram_bytes, 180);
  EXPECT_EQ(row.bytes_origin, Origin::measured);
  EXPECT_EQ(row.how, "nchw_grid2d.cu");
  EXPECT_EQ(row.focus, "conv 2");
}

TEST(StepRows, SayWhatBindsEachOfThem) {
  RoofSet roofs;
  roofs.roofs = {{Level::pipe, 10e9, "FLOP/s", "", true, ""}};
  roofs.roofs.back().pipe = Pipe::fp32;
  Roof dram{Level::dram, 1e9, "B/s", "", true, ""};
  roofs.roofs.push_back(dram);
  const std::vector<StepRow> rows = step_rows(run(), roofs, StepGroups::each);
  ASSERT_TRUE(rows.back().standing);
  EXPECT_EQ(rows.back().standing->binding, Level::dram);
  EXPECT_NEAR(rows.back().standing->binding_ratio, 0.9, 1e-9) << "180 of 200 ns";
}

TEST(StepRows, WithoutATimeSayWhyAndHaveNoShare) {
  Measurement m = run();
  m.steps[2].time_ns.reset();
  const std::vector<StepRow> rows = step_rows(m, {}, StepGroups::tags);
  EXPECT_FALSE(rows.front().time_ns);
  EXPECT_THAT(rows.front().no_time, HasSubstr("step product 2 was not timed"));
  EXPECT_FALSE(rows.front().standing);
  for (const StepRow& row : rows) EXPECT_FALSE(row.share_ratio) << "of a part of the times";
  EXPECT_EQ(rows.front().flops, 800) << "work is known all the same";
}

TEST(StepRows, WorkThatOneStepDoesNotSayIsNotKnownOfAll) {
  Measurement m = run();
  m.steps[1].metrics.clear();
  EXPECT_FALSE(step_rows(m, {}, StepGroups::tags).front().flops);
}

TEST(StepRows, OfOneStepHaveTheWorkOfTheRun) {
  Measurement m = run();
  m.steps = {m.steps[3]};
  m.steps[0].metrics.clear();
  m.metrics = {modelled("model.flops", 900), modelled("model.dram_bytes", 99)};
  const StepRow row = step_rows(m, {}, StepGroups::each).front();
  EXPECT_EQ(row.flops, 900);
  EXPECT_EQ(row.dram_bytes, 99);
}

TEST(PlannedSteps, HaveWhatAStepIsAndItsWork) {
  Step planned;
  planned.name = "clear";
  planned.action = Memset{"c"};
  planned.tags = {{"layer", "Conv1"}};
  planned.work = {{"model.dram_bytes", 64}};
  const StepRecord record = planned_record(planned);
  EXPECT_EQ(record.name, "clear");
  EXPECT_EQ(record.kind, "memset");
  EXPECT_EQ(record.tags.at("layer"), "Conv1");
  EXPECT_FALSE(record.time_ns);
  const MetricValue* bytes = find_value(record.metrics, "model.dram_bytes");
  ASSERT_NE(bytes, nullptr);
  EXPECT_EQ(bytes->value, 64);
  EXPECT_EQ(bytes->origin, Origin::modelled);
}

TEST(PlannedSteps, OfAVariantAreThoseThatItWouldRun) {
  const Scene& scene = **built_in_catalogue().find("autoencoder");
  const Variant& variant = *find_variant(scene, "im2col_cublas_loop");
  const Configuration axes = *configured(scene, variant.name, {{"batch", "2"}});
  const Measurement planned = planned_run(scene, variant, {axes, {}});
  ASSERT_FALSE(planned.steps.empty());
  EXPECT_EQ(planned.verdict.outcome, Outcome::unchecked);
  EXPECT_EQ(planned.steps.size(), variant.steps({axes, {}}).size());
  EXPECT_EQ(planned.steps.front().tags.at("layer"), "Conv1");
}

}  // namespace
}  // namespace warpscope
