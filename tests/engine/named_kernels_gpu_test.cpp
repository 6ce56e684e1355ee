// tests/engine/named_kernels_gpu_test.cpp: kernels by their C++ names, structures by value and
// variables by name on a device.
#include <gmock/gmock.h>

#include "profiling/engine/measure/measurer.h"
#include "scenes/catalogue.h"
#include "tests/engine/gpu_fixture.h"
#include "tests/engine/named_scene.h"

namespace warpscope {
namespace {

class GpuNamedKernels : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    // Not closed, as the device of GpuTest is not.
    static auto* measurer =
        new Result<std::unique_ptr<Measurer>>(Measurer::create(0, ProfilerUse::none, catalogue()));
    ASSERT_TRUE(*measurer) << sentence(measurer->error());
    measurer_ = (*measurer)->get();
  }
  Measurement measured(const SceneText& text, const std::string& variant) {
    Measurement last;
    const Result<const Scene*> scene = catalogue().open_text(text);
    EXPECT_TRUE(scene) << sentence(scene.error());
    Job job;
    job.job = 1;
    job.scene = text.name;
    job.scene_text = text.hash;
    job.sources = text.sources;
    job.variant = variant;
    job.time_limit_s = 0.2;
    JobChannel channel;
    channel.send = [&last](const Message& message) {
      if (const auto* m = std::get_if<Measurement>(&message)) last = *m;
    };
    channel.interrupted = [] { return false; };
    const Result<void> done = measurer_->run(job, channel);
    EXPECT_TRUE(done) << variant << ": " << sentence(done.error());
    return last;
  }
  void expect_all_right(bool host) {
    const SceneText text = named_text(host ? "gpu_named_host" : "gpu_named_device", host);
    for (const char* variant : kNamedVariants) {
      const Measurement m = measured(text, variant);
      EXPECT_EQ(m.verdict.outcome, Outcome::correct) << variant << ": " << m.verdict.sentence;
      EXPECT_TRUE(m.warm && m.cold) << variant;
    }
  }
  // That the one engine of all tests has.
  static Catalogue& catalogue() {
    static Catalogue* const all = new Catalogue;
    return *all;
  }
  Measurer* measurer_ = nullptr;
};

TEST_F(GpuNamedKernels, TemplatesStructuresAndVariablesRunFromDeviceCode) {
  expect_all_right(false);
}

TEST_F(GpuNamedKernels, TemplatesStructuresAndVariablesRunFromAProgram) { expect_all_right(true); }

TEST_F(GpuNamedKernels, AStructureIsPassedWithTheAddressesOfItsBuffers) {
  SceneText text = named_text("gpu_wrong_structure", false);
  const std::string right = "struct:{x,i32:n,f32:3}";
  text.description.replace(text.description.find(right), right.size(), "struct:{x,i32:n,f32:2}");
  text.hash = scene_hash(text);
  const Measurement m = measured(text, "by_structure");
  EXPECT_EQ(m.verdict.outcome, Outcome::wrong) << m.verdict.sentence;
}

TEST_F(GpuNamedKernels, ANameThatTheTextDoesNotHaveIsRefusedInASentence) {
  SceneText text = named_text("gpu_no_such_kernel", false);
  const std::string right = "\"overloaded\"";
  text.description.replace(text.description.find(right), right.size(), "\"overlooked\"");
  text.hash = scene_hash(text);
  const Measurement m = measured(text, "by_name");
  EXPECT_NE(m.verdict.outcome, Outcome::correct);
  EXPECT_THAT(m.verdict.sentence, testing::HasSubstr("overlooked"));
}

}  // namespace
}  // namespace warpscope
