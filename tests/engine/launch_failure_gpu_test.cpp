// tests/engine/launch_failure_gpu_test.cpp: launches that the device refuses, as verdicts, and the
// compiler's word compared with the driver's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "profiling/engine/compile/resources.h"
#include "profiling/engine/measure/measurer.h"
#include "profiling/export/export.h"
#include "profiling/figures/multiprocessor.h"
#include "profiling/points/occupancy.h"
#include "tests/engine/gpu_fixture.h"
#include "tests/engine/heavy_scene.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

class GpuLaunchFailures : public RangesReachCupti {
 protected:
  void SetUp() override {
    static const auto* scenes =
        new std::vector<Scene>{heavy_scene(), renamed(heavy_scene(ElementType::f16), "heavy_f16"),
                               renamed(heavy_scene(ElementType::bf16), "heavy_bf16"),
                               renamed(heavy_scene(ElementType::f64), "heavy_f64")};
    static const auto* catalogue = new Catalogue(*scenes);
    // One context for the life of the process, as an engine has it.
    static const auto* measurer =
        new Result<std::unique_ptr<Measurer>>(Measurer::create(0, ProfilerUse::none, *catalogue));
    if (!*measurer) GTEST_SKIP() << sentence(measurer->error());
    measurer_ = (*measurer)->get();
  }

  static Scene renamed(Scene scene, const char* name) {
    scene.name = name;
    return scene;
  }

  template <typename T>
  std::vector<T> answers(JobKind kind, const std::string& variant, const std::string& block,
                         const std::string& other = {}, const std::string& scene = "heavy") {
    std::vector<T> found;
    JobChannel channel;
    channel.send = [&](const Message& message) {
      if (const T* one = std::get_if<T>(&message)) found.push_back(*one);
    };
    channel.interrupted = [] { return false; };
    Job job;
    job.work = work_of(kind);
    job.scene = scene;
    job.variant = variant;
    if (auto* outputs = job.as<OutputsJob>()) outputs->other = other;
    job.axes = {{"block_size", block}};
    job.time_limit_s = 0.1;
    job.sources = {heavy_kernels()};
    const Result<void> done = measurer_->run(job, channel);
    EXPECT_TRUE(done) << variant << ": " << sentence(done.error());
    return found;
  }
  Measurement measured(const std::string& variant, const std::string& block) {
    const auto found = answers<Measurement>(JobKind::measure, variant, block);
    return found.empty() ? Measurement{} : found.back();
  }

  Measurer* measurer_ = nullptr;
};

TEST_F(GpuLaunchFailures, HaveNoTimeASentenceWithTheNumbersAndTheAxisThatMendsThem) {
  const Measurement m = measured("wide", "512");
  EXPECT_EQ(m.verdict.outcome, Outcome::launch_failed);
  EXPECT_THAT(
      m.verdict.sentence,
      HasSubstr(" allocated as 8 192 (in units of 256); × 16 warps = 131 072 registers; an SM "
                "has 65 536. At most 256 threads per block."));
  EXPECT_EQ(m.verdict.remedy, "use block_size = 256");
  EXPECT_FALSE(m.cold || m.warm || m.prepare_ns);
  EXPECT_FALSE(value_of(m.metrics, "time.warm"));
  EXPECT_FALSE(value_of(m.metrics, "rate.dram_bytes"));
  ASSERT_EQ(m.steps.size(), 1u);
  ASSERT_TRUE(m.steps[0].resources);
  EXPECT_FALSE(m.steps[0].time_ns);
  Session session;
  session.apply(m);
  EXPECT_THAT(wide_csv(session), HasSubstr("131 072 registers; an SM has 65 536"));
  EXPECT_THAT(tidy_csv(session), HasSubstr("131 072 registers; an SM has 65 536"));
  // The engine lives on: the same kernel at the named value, and another one at 512.
  const Measurement there = measured("wide", "256");
  EXPECT_EQ(there.verdict.outcome, Outcome::correct) << there.verdict.sentence;
  EXPECT_TRUE(there.warm);
  EXPECT_EQ(measured("one", "512").verdict.outcome, Outcome::correct);
}

TEST_F(GpuLaunchFailures, OfSharedMemoryAndOfBoundsAreToldAsSuch) {
  const Measurement shared = measured("shared", "512");
  EXPECT_EQ(shared.verdict.outcome, Outcome::launch_failed);
  EXPECT_THAT(shared.verdict.sentence, HasSubstr("262 144 bytes of dynamic shared memory"));
  const Measurement declared = measured("declared", "512");
  EXPECT_EQ(declared.verdict.outcome, Outcome::launch_failed);
  EXPECT_THAT(declared.verdict.sentence, HasSubstr("launch bounds are 256"));
  for (const char* variant : {"shared", "declared"}) {
    const Measurement there = measured(variant, "256");
    EXPECT_EQ(there.verdict.outcome, Outcome::correct) << variant << there.verdict.sentence;
  }
}

TEST_F(GpuLaunchFailures, WhatTheCompilerSaysIsWhatTheDriverSays) {
  for (const char* variant : {"one", "wide", "bounded", "shared", "forward"}) {
    const Measurement m = measured(variant, "256");
    ASSERT_EQ(m.verdict.outcome, Outcome::correct) << variant << ": " << m.verdict.sentence;
    const KernelResources& driver = m.steps.at(0).resources.value();
    const auto& scenes = heavy_scene();
    const Variant& v = *find_variant(scenes, variant);
    Workload w{m.axes, m.facts};
    const Step step = v.steps(w).at(0);
    const StepRecord compiled = compiled_step(step, std::get<KernelLaunch>(step.action),
                                              measurer_->device().description().compute_capability,
                                              sources_among({heavy_kernels()}));
    ASSERT_TRUE(compiled.resources) << compiled.refusal;
    EXPECT_EQ(compiled.resources->registers_per_thread, driver.registers_per_thread) << variant;
    EXPECT_EQ(compiled.resources->static_shared_bytes, driver.static_shared_bytes) << variant;
    EXPECT_EQ(compiled.resources->local_bytes_per_thread, driver.local_bytes_per_thread) << variant;
    EXPECT_EQ(compiled.resources->blocks_per_multiprocessor, driver.blocks_per_multiprocessor)
        << variant;
    EXPECT_NEAR(compiled.resources->theoretical_occupancy_ratio, driver.theoretical_occupancy_ratio,
                1e-9)
        << variant;
  }
}

// The largest block that the driver takes of kernels of many register counts is ours, and no launch
// of one warp more is taken.
class GpuMostThreads : public GpuTest {};
TEST_F(GpuMostThreads, OfABlockAreThoseThatTheDriverTakes) {
  kernels_->use(sources_among({heavy_kernels()}));
  std::set<int> counts;
  for (int live = 8; live <= 240; live += 8) {
    KernelLaunch launch{
        "tests/heavy.cu", "heavy", {{"LIVE", std::to_string(live)}}, {{1, 1, 1}, {32, 1, 1}}};
    const Result<Kernel> kernel = kernels_->load(launch);
    ASSERT_TRUE(kernel) << sentence(kernel.error());
    int most = 0;
    device_->driver().cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                                         kernel->function);
    const int registers = kernel->resources.registers_per_thread;
    counts.insert(registers);
    EXPECT_EQ(most_threads_of(registers), most) << registers << " registers";
  }
  // From few to nearly all that a thread can have; ptxas gives them in steps of its own.
  EXPECT_THAT(counts, testing::SizeIs(testing::Gt(10u)));
  EXPECT_LT(*counts.begin(), 40);
  EXPECT_GT(*counts.rbegin(), 200);
}

TEST_F(GpuLaunchFailures, OutputsOfTwoVariantsAreHeldToEachOtherOnTheDevice) {
  for (const char* scene : {"heavy", "heavy_f16", "heavy_bf16", "heavy_f64"}) {
    const auto same = answers<OutputPair>(JobKind::outputs, "forward", "64", "forward", scene);
    ASSERT_EQ(same.size(), 1u) << scene;
    EXPECT_TRUE(all_equal(same[0])) << scene << same[0].refusal;
    const auto other = answers<OutputPair>(JobKind::outputs, "forward", "64", "backward", scene);
    ASSERT_EQ(other.size(), 1u) << scene;
    ASSERT_EQ(other[0].outputs.size(), 1u) << scene << other[0].refusal;
    // In 16 bits most sums round to the same number.
    const bool wide = other[0].outputs[0].type == "f32" || other[0].outputs[0].type == "f64";
    EXPECT_TRUE(!wide || !all_equal(other[0])) << scene;
    EXPECT_EQ(other[0].outputs[0].elements, 2048) << scene;
    EXPECT_FALSE(other[0].conditions.device_uuid.empty());
  }
  const auto failing = answers<OutputPair>(JobKind::outputs, "one", "512", "wide");
  EXPECT_THAT(failing.at(0).refusal, HasSubstr("; × 16 warps = 131 072 registers"));
  EXPECT_EQ(measured("one", "512").verdict.outcome, Outcome::correct);
}

}  // namespace
}  // namespace warpscope
