// tests/engine/autoencoder_gpu_test.cpp: every variant of `autoencoder` is right on a device, in
// every part, layer and direction.
#include "profiling/engine/measure/measurer.h"
#include "profiling/points/tag_totals.h"
#include "scenes/base/source.h"
#include "scenes/catalogue.h"
#include "tests/engine/gpu_fixture.h"

namespace warpscope {
namespace {

using Changes = std::map<std::string, std::string>;

class GpuAutoencoder : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    // Not closed, as the device of GpuTest is not.
    static auto* measurer =
        new Result<std::unique_ptr<Measurer>>(Measurer::create(0, false, built_in_catalogue()));
    ASSERT_TRUE(*measurer) << sentence(measurer->error());
    measurer_ = (*measurer)->get();
    scene_ = *built_in_catalogue().find("autoencoder");
  }

  Measurement measured(const std::string& variant, const Changes& axes) {
    const Result<std::vector<KernelSource>> sources = sources_of_scene("autoencoder");
    EXPECT_TRUE(sources) << sentence(sources.error());
    Job job;
    job.job = 1;
    job.scene = scene_->name;
    job.variant = variant;
    job.axes = axes;
    job.time_limit_s = 0.05;
    job.sources = sources.value_or(std::vector<KernelSource>{});
    std::vector<Measurement> measured;
    JobChannel channel;
    channel.send = [&](const Message& message) {
      if (const auto* one = std::get_if<Measurement>(&message)) measured.push_back(*one);
    };
    channel.interrupted = [] { return false; };
    const Result<void> done = measurer_->run(job, channel);
    EXPECT_TRUE(done) << variant << ": " << sentence(done.error());
    EXPECT_FALSE(measured.empty()) << variant;
    return measured.empty() ? Measurement{} : measured.back();
  }

  // Every variant that applies and can run at these axes.
  void expect_all_correct(const Changes& axes) {
    int ran = 0;
    for (const Variant& variant : scene_->variants) {
      const Result<Configuration> at = configured(*scene_, variant.name, axes);
      ASSERT_TRUE(at) << sentence(at.error());
      if (!applies(variant, *at) || unavailable(variant, {*at, {}}, {})) continue;
      const Verdict verdict = measured(variant.name, axes).verdict;
      const bool exhibit = variant.expected_fault && variant.expected_fault({*at, {}});
      EXPECT_EQ(verdict.outcome, exhibit ? Outcome::wrong : Outcome::correct)
          << variant.name << " at " << problem_key(scene_->axes, *at) << ": " << verdict.sentence;
      ++ran;
    }
    EXPECT_GT(ran, 1);
  }

  const Scene* scene_ = nullptr;
  Measurer* measurer_ = nullptr;
};

TEST_F(GpuAutoencoder, ConvolutionsAreRightInEveryLayerAndDirection) {
  for (const char* layer : {"Conv1", "Conv2", "Conv3", "Conv4", "Conv5"}) {
    for (const char* direction : {"forward", "dgrad", "wgrad"})
      expect_all_correct(
          {{"layer", layer}, {"direction", direction}, {"batch", "8"}, {"channels", "64"}});
  }
}

TEST_F(GpuAutoencoder, ConvolutionsAreRightAtTheDefaults) {
  for (const char* direction : {"forward", "wgrad"}) expect_all_correct({{"direction", direction}});
}

TEST_F(GpuAutoencoder, EveryOtherPartIsRight) {
  for (const char* layer : {"Pool1", "Pool2"}) {
    expect_all_correct({{"part", "conv_pool"}, {"pool_layer", layer}, {"batch", "8"}});
    for (const char* pass : {"forward", "backward"})
      expect_all_correct({{"part", "pool"}, {"pool_layer", layer}, {"pass", pass}});
  }
  for (const char* layer : {"Up1", "Up2"}) {
    for (const char* pass : {"forward", "backward"})
      expect_all_correct({{"part", "upsample"}, {"up_layer", layer}, {"pass", pass}});
  }
  for (const char* part : {"loss", "sgd"}) expect_all_correct({{"part", part}});
}

// Of four images the reference on the device is held to the host's, of 64 it is not.
TEST_F(GpuAutoencoder, WholeStepsAreRightAtFullSize) {
  for (const char* batch : {"1", "4", "64"})
    expect_all_correct({{"part", "step"}, {"batch", batch}});
}

TEST_F(GpuAutoencoder, AWholeStepHasATimeForEachLayerAndPhase) {
  const Measurement m = measured("step_nchw", {{"part", "step"}, {"batch", "8"}});
  ASSERT_EQ(m.verdict.outcome, Outcome::correct) << m.verdict.sentence;
  for (const auto& [tag, groups] : {std::pair("layer", 12u), {"phase", 5u}}) {
    const std::vector<TagTotal> totals = totals_by_tag(m, tag);
    EXPECT_EQ(totals.size(), groups) << tag;
    for (const TagTotal& total : totals)
      EXPECT_GT(total.time_ns.value_or(0), 0) << total.value << ": " << total.reason;
  }
}

TEST_F(GpuAutoencoder, TheProcessorsStepIsOneSample) {
  const Measurement m = measured("cpu_sequential", {{"part", "step"}, {"batch", "1"}});
  ASSERT_EQ(m.verdict.outcome, Outcome::correct) << m.verdict.sentence;
  ASSERT_TRUE(m.warm);
  EXPECT_EQ(m.warm->samples_ns.size(), 1u);
  EXPECT_EQ(totals_by_tag(m, "phase").size(), 5u);
}

}  // namespace
}  // namespace warpscope
