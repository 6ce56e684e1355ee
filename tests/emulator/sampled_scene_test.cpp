// tests/emulator/sampled_scene_test.cpp: sampled launches of scenes beside their whole grids.
#ifdef WARPSCOPE_WITH_COMPILER
#include <gtest/gtest.h>

#include <cmath>

#include "profiling/agreement/trace_metrics.h"
#include "profiling/engine/run/emulated/emulated_stage.h"
#include "profiling/engine/run/emulation.h"
#include "scenes/catalogue.h"

namespace warpscope {
namespace {

struct Case {
  const char *scene, *variant;
  std::map<std::string, std::string> changes;
  std::int64_t instructions;  // of the sample
};

std::vector<Trace> traces_of(const Case& c, bool grid) {
  const Scene& scene = **built_in_catalogue().find(c.scene);
  const auto axes = with_values(scene.axes, default_configuration(scene.axes), c.changes);
  EmulatedStage stage;
  const Result<void> set = axes ? stage.set(scene, for_variant(scene.axes, *axes, c.variant))
                                : Result<void>(tl::unexpected(axes.error()));
  if (!set) {
    ADD_FAILURE() << sentence(set.error());
    return {};
  }
  EmulatedStage::View view;
  view.grid = grid;
  view.warp = 0;
  view.sample_instructions = c.instructions;
  Result<EmulatedStage::Run> run = stage.run(*find_variant(scene, c.variant), view);
  if (!run) {
    ADD_FAILURE() << c.variant << ": " << sentence(run.error());
    return {};
  }
  return std::move(run->traces);
}

TEST(SampledScene, LiesWithinItsIntervalOfTheWholeGrid) {
  if (const auto version = nvrtc_version(); !version) GTEST_SKIP() << sentence(version.error());
  const Case cases[] = {
      {"csrmm",
       "warp_row_zero_test",
       {{"m", "1500"}, {"k", "500"}, {"n", "64"}, {"p", "0.02"}, {"rows", "power_law"}},
       60000},
      {"csrmm",
       "float4_columns",
       {{"m", "4000"}, {"k", "500"}, {"n", "100"}, {"p", "0.02"}, {"rows", "power_law"}},
       60000},
      {"csrmm", "float4_columns", {{"m", "4001"}, {"k", "300"}, {"n", "64"}, {"p", "0.03"}}, 60000},
      {"led",
       "grid3d_shared_pattern",
       {{"leds", "40"}, {"frames", "8"}, {"height", "270"}, {"width", "480"}},
       200000},
      {"patterns", "gather", {{"op", "gather"}, {"n", "400000"}}, 30000},
      {"patterns",
       "transpose_padded",
       {{"op", "transpose"}, {"rows", "1000"}, {"columns", "1500"}},
       60000},
      {"patterns", "atomics_global", {{"op", "atomics"}, {"n", "400000"}}, 20000},
  };
  int figures = 0, estimates = 0;
  for (const Case& c : cases) {
    const std::vector<Trace> whole = traces_of(c, true), part = traces_of(c, false);
    ASSERT_EQ(whole.size(), part.size()) << c.variant;
    for (std::size_t t = 0; t < part.size(); ++t) {
      const std::string at = std::string(c.scene) + "/" + c.variant + " " + part[t].step;
      ASSERT_TRUE(part[t].sample) << at << " ran all blocks: the case says nothing";
      EXPECT_EQ(part[t].sample->unfit, "") << at;
      EXPECT_LT(2 * part[t].sample->blocks, block_count(part[t].launch)) << at;
      const std::vector<MetricValue> exact = emulated_metrics(whole[t]);
      for (const MetricValue& value : emulated_metrics(part[t])) {
        const auto truth = value_of(exact, value.id);
        ASSERT_EQ(truth.has_value(), value.value.has_value()) << at << " " << value.id;
        if (!truth) continue;
        ASSERT_TRUE(value.sampled) << at << " " << value.id;
        if (!value.sampled->spread) {
          EXPECT_LE(*value.value, *truth) << at << " " << value.id;
          continue;
        }
        ++figures;
        estimates += *value.sampled->spread > 0 ? 1 : 0;
        const double rounding = 0.5 * static_cast<double>(part[t].sites.size() + 1);
        EXPECT_LE(std::abs(*value.value - *truth), *value.sampled->spread + rounding)
            << at << " " << value.id << ": " << sampled_text(value);
      }
    }
  }
  EXPECT_GT(figures, 50);
  EXPECT_GT(estimates, 8) << "all blocks were alike: the cases say nothing of intervals";
}

// The patterns of a product are made by a step of its own: block 0 of that alone would leave most
// of them unwritten.
TEST(SampledScene, ABlockReadsWhatAllBlocksOfTheStepBeforeItWrote) {
  if (const auto version = nvrtc_version(); !version) GTEST_SKIP() << sentence(version.error());
  const Case c = {"esmm", "class_lists", {{"m", "256"}, {"n", "256"}, {"k", "512"}}, 0};
  const std::vector<Trace> whole = traces_of(c, true), block = traces_of(c, false);
  ASSERT_EQ(block.size(), 2u);
  EXPECT_TRUE(block[0].scope.grid) << "it feeds the product";
  EXPECT_FALSE(block[1].scope.grid);
  for (const Trace& trace : block) EXPECT_TRUE(trace.faults.empty()) << trace.step;
  EXPECT_EQ(block[1].requests, whole[1].requests) << "the same block, whatever runs beside it";
}

// What a live job that asks for a sample is answered with; from `stop_after` traces on it is told
// that a newer one waits.
std::vector<Trace> answers(std::size_t stop_after) {
  Emulation emulation;
  Job job;
  job.job = 5;
  job.work = TraceJob{};
  job.scene = "csrmm";
  job.variant = "warp_row_zero_test";
  job.axes = {{"m", "3000"}, {"k", "300"}, {"n", "32"}, {"p", "0.05"}};
  job.as<TraceJob>()->grid = false;
  job.as<TraceJob>()->live = true;
  job.as<TraceJob>()->block = "17";
  job.as<TraceJob>()->sample_instructions = 50000;
  job.sources = sources_of_scene("csrmm").value();
  std::vector<Trace> traces;
  JobChannel channel;
  channel.send = [&](const Message& message) {
    if (const auto* trace = std::get_if<Trace>(&message)) traces.push_back(*trace);
  };
  channel.interrupted = [&] { return traces.size() >= stop_after; };
  const Result<void> ran = emulation.run(job, channel);
  EXPECT_TRUE(ran) << sentence(ran.error());
  return traces;
}

TEST(SampledScene, LiveDrawsTheBlockFirstAndGivesWayToANewerJob) {
  if (const auto version = nvrtc_version(); !version) GTEST_SKIP() << sentence(version.error());
  const std::vector<Trace> traces = answers(100);
  ASSERT_EQ(traces.size(), 2u);
  EXPECT_FALSE(traces[0].sample);
  EXPECT_FALSE(traces[0].scope.grid);
  EXPECT_TRUE(traces[1].sample);
  for (const Trace& trace : traces) EXPECT_EQ(trace.scope.block, 17);
  EXPECT_EQ(traces[0].requests, traces[1].requests) << "the diagram changes under the eye";
  EXPECT_EQ(answers(1).size(), 1u) << "the sample went on though a newer job waited";
}

}  // namespace
}  // namespace warpscope
#endif
