// tests/engine/autoencoder_gpu_test.cpp: every variant of `autoencoder` is right on a device, in
// every part, layer and direction.
#include <algorithm>
#include <cmath>
#include <limits>

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
    static auto* measurer = new Result<std::unique_ptr<Measurer>>(
        Measurer::create(0, ProfilerUse::counters, built_in_catalogue()));
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
      if (calls_cudnn(variant) && !library_version("cudnn")) continue;
      const Verdict verdict = measured(variant.name, axes).verdict;
      const bool exhibit = variant.expected_fault && variant.expected_fault({*at, {}});
      EXPECT_EQ(verdict.outcome, exhibit ? Outcome::wrong : Outcome::correct)
          << variant.name << " at " << problem_key(scene_->axes, *at) << ": " << verdict.sentence;
      ++ran;
    }
    EXPECT_GT(ran, 1);
  }

  static bool calls_cudnn(const Variant& variant) {
    return variant.name.find("cudnn") != std::string::npos;
  }

  static bool calls_all_in_one(const std::string& name) {
    return name.find("fused") != std::string::npos;
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
    for (const char* pass : {"forward", "backward"}) {
      for (const char* batch : {"3", "64"})
        expect_all_correct(
            {{"part", "conv_pool"}, {"pool_layer", layer}, {"pass", pass}, {"batch", batch}});
    }
    for (const char* pass : {"forward", "backward"})
      expect_all_correct({{"part", "pool"}, {"pool_layer", layer}, {"pass", pass}});
  }
  for (const char* layer : {"Up1", "Up2"}) {
    for (const char* pass : {"forward", "backward"})
      expect_all_correct({{"part", "upsample"}, {"up_layer", layer}, {"pass", pass}});
  }
  for (const char* part : {"loss", "sgd"}) expect_all_correct({{"part", part}});
}

// For four images the reference on the device is compared with the host's; for 64 it is not.
TEST_F(GpuAutoencoder, WholeStepsAreRightAtFullSize) {
  for (const char* batch : {"1", "4", "64"})
    expect_all_correct({{"part", "step"}, {"batch", batch}});
}

TEST_F(GpuAutoencoder, AGraphWithTwoBranchesIsRightAndHasATimeForEachStep) {
  for (const char* name : {"step_fused_tf32x3", "step_fused_tf32", "step_fused_bf16"}) {
    const Measurement m = measured(name, {{"part", "step"}, {"batch", "64"}, {"branches", "on"}});
    ASSERT_EQ(m.verdict.outcome, Outcome::correct) << name << ": " << m.verdict.sentence;
    int steps = 0;
    for (const StepRecord& step : m.steps) {
      if (step.phase != Phase::run) continue;
      ++steps;
      EXPECT_GT(step.time_ns.value_or(0), 0) << name << " " << step.name;
      EXPECT_NE(step.how.find("records of the graph's nodes"), std::string::npos)
          << name << " " << step.name;
    }
    EXPECT_EQ(steps, 21) << name;
  }
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

// The driver gives whole pages, and small arrays share one. No library is called here: those load
// kernels as well.
TEST_F(GpuAutoencoder, TheMemoryOfAStepIsWhatItsModelSaysToAPageAnArray) {
  constexpr double kPageBytes = 2 << 20, kOtherPages = 8;
  for (const char* name : {"step_naive", "step_nchw"}) {
    const Measurement m = measured(name, {{"part", "step"}, {"batch", "64"}});
    ASSERT_EQ(m.verdict.outcome, Outcome::correct) << m.verdict.sentence;
    const std::optional<double> modelled = value_of(m.metrics, "model.peak_bytes");
    const std::optional<double> seen = value_of(m.metrics, "memory.device");
    ASSERT_TRUE(modelled && seen) << name;
    const Result<Configuration> at = configured(*scene_, name, {{"part", "step"}});
    const auto arrays = static_cast<double>(find_variant(*scene_, name)->scratch({*at, {}}).size());
    EXPECT_NEAR(*seen, *modelled, kPageBytes * (arrays + kOtherPages)) << name;
  }
}

TEST_F(GpuAutoencoder, TheProcessorsStepIsOneSample) {
  const Measurement m = measured("cpu_sequential", {{"part", "step"}, {"batch", "1"}});
  ASSERT_EQ(m.verdict.outcome, Outcome::correct) << m.verdict.sentence;
  ASSERT_TRUE(m.warm);
  EXPECT_EQ(m.warm->samples_ns.size(), 1u);
  EXPECT_EQ(totals_by_tag(m, "phase").size(), 5u);
}

// Each row by name, so that none is passed over; with the search and without.
TEST_F(GpuAutoencoder, CudnnIsRightInEveryLayerAndDirectionAtFullSize) {
  if (!library_version("cudnn")) GTEST_SKIP() << "cuDNN is not here";
  for (const char* layer : {"Conv1", "Conv2", "Conv3", "Conv4", "Conv5"}) {
    for (const char* direction : {"forward", "dgrad", "wgrad"}) {
      for (const char* name :
           {"cudnn_fp32", "cudnn_fused_fp32", "cudnn_tf32", "cudnn_fused_tf32"}) {
        if (calls_all_in_one(name) && direction != std::string("forward")) continue;
        for (const char* search : {"on", "off"}) {
          const Measurement m =
              measured(name, {{"layer", layer}, {"direction", direction}, {"search", search}});
          EXPECT_EQ(m.verdict.outcome, Outcome::correct)
              << name << " in " << layer << " " << direction << ", search " << search << ": "
              << m.verdict.sentence << " (" << m.choice << ")";
          if (m.verdict.outcome != Outcome::correct) continue;
          EXPECT_NE(m.choice.find(search == std::string("on") ? "that were timed" : "heuristic"),
                    std::string::npos)
              << m.choice;
          EXPECT_NE(m.choice.find("workspace"), std::string::npos) << m.choice;
        }
      }
    }
  }
}

// Forward many windows hold nothing but the zeros of a ReLU; backward no two values tie.
TEST_F(GpuAutoencoder, CudnnPoolsAreRightInEitherDirection) {
  if (!library_version("cudnn")) GTEST_SKIP() << "cuDNN is not here";
  for (const char* layer : {"Pool1", "Pool2"}) {
    for (const char* pass : {"forward", "backward"}) {
      for (const Changes& sizes : {Changes{{"batch", "64"}},
                                   Changes{{"batch", "3"}, {"channels", "10"}, {"size", "12"}}}) {
        Changes axes = sizes;
        axes.insert({{"part", "pool"}, {"pool_layer", layer}, {"pass", pass}});
        const Measurement m = measured("cudnn_pooling", axes);
        EXPECT_EQ(m.verdict.outcome, Outcome::correct)
            << layer << " " << pass << ": " << m.verdict.sentence;
      }
    }
  }
}

// Sixteen bytes for every tensor; hard sizes of the emulated rows.
TEST_F(GpuAutoencoder, CudnnIsRightAtSizesThatFillNothing) {
  if (!library_version("cudnn")) GTEST_SKIP() << "cuDNN is not here";
  for (const char* layer : {"Conv1", "Conv3", "Conv5"}) {
    for (const char* direction : {"forward", "dgrad", "wgrad"}) {
      for (const char* name : {"cudnn_fp32", "cudnn_tf32"}) {
        const Measurement m = measured(name, {{"layer", layer},
                                              {"direction", direction},
                                              {"batch", "3"},
                                              {"channels", "10"},
                                              {"size", "12"}});
        EXPECT_EQ(m.verdict.outcome, Outcome::correct)
            << name << " in " << layer << " " << direction << ": " << m.verdict.sentence << " ("
            << m.choice << ")";
      }
    }
  }
}

TEST_F(GpuAutoencoder, StepsOnCudnnAreRightAndNameFourteenAlgorithms) {
  if (!library_version("cudnn")) GTEST_SKIP() << "cuDNN is not here";
  for (const char* name : {"step_cudnn_fp32", "step_cudnn_tf32", "step_cudnn_tf32_nhwc"}) {
    for (const Changes& sizes :
         {Changes{{"batch", "64"}}, Changes{{"batch", "3"}, {"channels", "8"}, {"size", "8"}}}) {
      Changes axes = sizes;
      axes["part"] = "step";
      const Measurement m = measured(name, axes);
      EXPECT_EQ(m.verdict.outcome, Outcome::correct)
          << name << ": " << m.verdict.sentence << " (" << m.choice << ")";
      std::size_t named = 0;
      for (std::size_t at = m.choice.find("workspace"); at != std::string::npos;
           at = m.choice.find("workspace", at + 1))
        ++named;
      EXPECT_EQ(named, 14u) << m.choice;
    }
  }
}

// A weight that is no number makes its whole output channel none, through the ReLU, and no other.
TEST_F(GpuAutoencoder, NotANumberComesThroughCudnnAndItsRelu) {
  if (!library_version("cudnn")) GTEST_SKIP() << "cuDNN is not here";
  const Changes small = {{"layer", "Conv3"}, {"batch", "1"}, {"channels", "16"}, {"size", "32"}};
  constexpr std::size_t kChannels = 8, kPixels = 64, kStruck = 3;
  for (const char* name : {"cudnn_fp32", "cudnn_tf32"}) {
    const Result<Configuration> axes = configured(*scene_, name, small);
    ASSERT_TRUE(axes) << sentence(axes.error());
    std::map<std::string, std::vector<float>> values = {
        {"x", std::vector<float>(kChannels * kPixels, 1.0f)},
        {"w", std::vector<float>(kChannels * kChannels * 9, 0.5f)},
        {"b", std::vector<float>(kChannels, -1.0f)},
        {"y", std::vector<float>(kChannels * kPixels, 7.0f)}};
    values["w"][kStruck * kChannels * 9 + 4] = std::numeric_limits<float>::quiet_NaN();
    const CudaDriver& driver = device_->driver();
    for (const auto& [array, numbers] : values) {
      Result<DeviceBuffer> made =
          DeviceBuffer::allocate(*device_, static_cast<std::int64_t>(numbers.size() * 4));
      ASSERT_TRUE(made) << sentence(made.error());
      ASSERT_EQ(driver.cuMemcpyHtoD(made->address(), numbers.data(), numbers.size() * 4),
                CUDA_SUCCESS);
      buffers_.insert_or_assign(array, std::move(*made));
    }
    for (const Step& step : find_variant(*scene_, name)->steps({*axes, {}})) {
      const Result<BoundStep> bound =
          BoundStep::bind(*device_, *kernels_, step,
                          [this](const std::string& array) { return &buffers_.at(array); });
      ASSERT_TRUE(bound) << sentence(bound.error());
      const Result<void> ran = bound->prepare_library(device_->stream())
                                   .and_then([&] { return bound->run(device_->stream()); })
                                   .and_then([&] { return device_->synchronise(step.name); });
      ASSERT_TRUE(ran) << step.name << ": " << sentence(ran.error());
    }
    std::vector<float>& y = values["y"];
    ASSERT_EQ(driver.cuMemcpyDtoH(y.data(), buffers_.at("y").address(), y.size() * 4),
              CUDA_SUCCESS);
    for (std::size_t i = 0; i < y.size(); ++i)
      EXPECT_EQ(std::isnan(y[i]), i / kPixels == kStruck) << name << " at " << i;
  }
}

}  // namespace
}  // namespace warpscope
