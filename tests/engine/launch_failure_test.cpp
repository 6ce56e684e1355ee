// tests/engine/launch_failure_test.cpp: launches that no device takes, told by what the compiler
// says, without a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiling/binaries/cubin.h"
#include "profiling/engine/compile/resources.h"
#include "profiling/engine/run/emulation.h"
#include "profiling/session/remedy.h"
#include "tests/engine/heavy_scene.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

class LaunchFailures : public testing::Test {
 protected:
  void SetUp() override {
    if (Result<std::string> version = nvrtc_version(); !version)
      GTEST_SKIP() << sentence(version.error());
  }

  // What an emulating engine answers to a job of the variant.
  template <typename T>
  std::vector<T> answers(JobKind kind, const std::string& variant,
                         const std::map<std::string, std::string>& axes = {},
                         const std::string& other = {}) {
    std::vector<T> found;
    JobChannel channel;
    channel.send = [&](const Message& message) {
      if (const T* one = std::get_if<T>(&message)) found.push_back(*one);
    };
    channel.interrupted = [] { return false; };
    Job job;
    job.work = work_of(kind);
    job.scene = "heavy";
    job.variant = variant;
    if (auto* outputs = job.as<OutputsJob>()) outputs->other = other;
    job.axes = axes;
    job.sources = {heavy_kernels()};
    const Result<void> done = emulation_.run(job, channel);
    EXPECT_TRUE(done) << sentence(done.error());
    return found;
  }
  Measurement verified(const std::string& variant,
                       const std::map<std::string, std::string>& axes = {}) {
    const auto found = answers<Measurement>(JobKind::verify, variant, axes);
    EXPECT_EQ(found.size(), 1u);
    return found.empty() ? Measurement{} : found.front();
  }
  const Compilation* at(const std::vector<Compilation>& all, int architecture) {
    for (const Compilation& each : all) {
      if (each.compute_capability == architecture) return &each;
    }
    return nullptr;
  }

  const std::vector<Scene> scenes_ = {heavy_scene()};
  const Catalogue catalogue_{scenes_};
  Emulation emulation_{catalogue_};
};

TEST_F(LaunchFailures, AKernelOfTooManyRegistersGetsTheVerdictAndTheAxisThatMendsIt) {
  const Measurement m = verified("wide");
  EXPECT_EQ(m.verdict.outcome, Outcome::launch_failed);
  EXPECT_THAT(
      m.verdict.sentence,
      HasSubstr(" allocated as 8 192 (in units of 256); × 16 warps = 131 072 registers; an SM "
                "has 65 536. At most 256 threads per block."));
  EXPECT_EQ(m.verdict.remedy, "use block_size = 256");
  EXPECT_FALSE(m.warm);
  ASSERT_EQ(m.steps.size(), 1u);
  ASSERT_TRUE(m.steps[0].resources);
  EXPECT_GT(m.steps[0].resources->registers_per_thread, 248);
  const auto change = remedy_of(scenes_[0], m, DeviceLimits{});
  ASSERT_TRUE(change);
  EXPECT_THAT(change->values, ElementsAre(Pair("block_size", "256")));
  // There it starts, and is right.
  const Measurement there = verified("wide", change->values);
  EXPECT_EQ(there.verdict.outcome, Outcome::correct) << there.verdict.sentence;
}

TEST_F(LaunchFailures, CompiledForItsBlockTheKernelStartsAndSpills) {
  EXPECT_EQ(verified("bounded").verdict.outcome, Outcome::correct);
  const auto compiled = answers<Compilation>(JobKind::registers, "bounded");
  ASSERT_EQ(compiled.size(), std::size(kUsualArchitectures));
  for (const Compilation& each : compiled) {
    const KernelResources& r = each.steps.at(0).resources.value();
    EXPECT_LE(r.registers_per_thread, 128) << each.compute_capability;
    EXPECT_GT(r.spill_store_bytes, 100) << each.compute_capability;
    EXPECT_GT(r.spill_load_bytes, 100) << each.compute_capability;
    EXPECT_GE(r.local_bytes_per_thread, r.spill_store_bytes / 2) << each.compute_capability;
    EXPECT_EQ(r.most_block_threads, 512) << each.compute_capability;
    EXPECT_FALSE(predicted_failure(scenes_[0], each)) << each.compute_capability;
  }
}

TEST_F(LaunchFailures, BoundsThatAreBelowTheBlockAreToldAsSuch) {
  const Measurement m = verified("declared");
  EXPECT_EQ(m.verdict.outcome, Outcome::launch_failed);
  EXPECT_EQ(m.verdict.sentence,
            "512 threads; the kernel's launch bounds are 256. At most 256 threads per block.");
  EXPECT_EQ(m.verdict.remedy, "use block_size = 256");
}

TEST_F(LaunchFailures, TooMuchDynamicSharedMemoryIsAVerdictWithTheAxisThatMendsIt) {
  const Measurement m = verified("shared");
  EXPECT_EQ(m.verdict.outcome, Outcome::launch_failed);
  EXPECT_EQ(m.verdict.sentence,
            "262 144 bytes of dynamic shared memory; a block has 232 448. At most 232 448 bytes of "
            "dynamic memory.");
  EXPECT_EQ(m.verdict.remedy, "use block_size = 256");
  // A block of an sm_86 has 99 KB: there 128 threads are the most.
  const auto compiled = answers<Compilation>(JobKind::registers, "shared");
  const auto predicted = predicted_failure(scenes_[0], *at(compiled, 86));
  ASSERT_TRUE(predicted);
  EXPECT_THAT(predicted->remedy->values, ElementsAre(Pair("block_size", "128")));
}

TEST_F(LaunchFailures, EveryArchitecturesRegistersAreWhatItsCodeHolds) {
  const auto compiled = answers<Compilation>(JobKind::registers, "wide");
  ASSERT_EQ(compiled.size(), std::size(kUsualArchitectures));
  for (const Compilation& each : compiled) {
    const StepRecord& step = each.steps.at(0);
    ASSERT_TRUE(step.resources) << step.refusal;
    const auto failure = predicted_failure(scenes_[0], each);
    ASSERT_TRUE(failure) << each.compute_capability;
    EXPECT_THAT(failure->verdict.sentence, HasSubstr("; × 16 warps = 131 072 registers"));
    EXPECT_EQ(step.resources->blocks_per_multiprocessor, 0);
    CompileRequest request{
        step.source, {{"LIVE", "240"}, {"OUT", "float"}}, each.compute_capability};
    const Result<Compiled> code = compile(request, {heavy_kernels()});
    ASSERT_TRUE(code) << sentence(code.error());
    const auto kernel = kernel_in_cubin(code->cubin, "heavy");
    ASSERT_TRUE(kernel);
    EXPECT_EQ(kernel->registers, step.resources->registers_per_thread);
  }
  const auto one = answers<Compilation>(JobKind::registers, "one", {{"block_size", "256"}});
  for (const Compilation& each : one) {
    EXPECT_FALSE(predicted_failure(scenes_[0], each)) << each.compute_capability;
    EXPECT_GT(each.steps.at(0).resources->theoretical_occupancy_ratio, 0.9);
  }
}

TEST(ReportedResources, AreThoseOfTheEntryAlone) {
  const std::string log =
      "ptxas info    : Compiling entry function 'first' for 'sm_90'\n"
      "ptxas info    : Function properties for first\n"
      "    8 bytes stack frame, 16 bytes spill stores, 24 bytes spill loads\n"
      "ptxas info    : Used 40 registers, used 1 barriers, 1024 bytes smem, 400 bytes cmem[0]\n"
      "ptxas info    : Compiling entry function 'second' for 'sm_90'\n"
      "ptxas info    : Used 255 registers\n";
  const Result<KernelResources> first = reported_resources(log, "first"),
                                second = reported_resources(log, "second");
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->registers_per_thread, 40);
  EXPECT_EQ(first->static_shared_bytes, 1024);
  EXPECT_EQ(first->local_bytes_per_thread, 8);
  EXPECT_EQ(first->spill_store_bytes, 16);
  EXPECT_EQ(first->spill_load_bytes, 24);
  EXPECT_EQ(second->registers_per_thread, 255);
  EXPECT_EQ(second->spill_store_bytes, 0);
  EXPECT_FALSE(reported_resources(log, "third"));
  EXPECT_FALSE(reported_resources("", "first"));
}

TEST_F(LaunchFailures, CodeForOneArchitectureAloneIsRefusedElsewhereWithTheReason) {
  Step step{"only", Phase::run,
            KernelLaunch{"tests/heavy.cu", "heavy", {}, {{1, 1, 1}, {64, 1, 1}}}};
  auto kernel = std::get<KernelLaunch>(step.action);
  kernel.architecture_features = true;
  const SourceLookup texts = sources_among({heavy_kernels()});
  EXPECT_TRUE(compiled_step(step, kernel, 90, texts).resources);
  const StepRecord elsewhere = compiled_step(step, kernel, 100, texts);
  EXPECT_FALSE(elsewhere.resources);
  EXPECT_THAT(elsewhere.refusal, HasSubstr("written for sm_90a only"));
  // A text that does not compile is refused with the compiler's first error.
  kernel = std::get<KernelLaunch>(step.action);
  kernel.defines = {{"OUT", "no_such_type"}};
  EXPECT_THAT(compiled_step(step, kernel, 90, texts).refusal,
              AllOf(HasSubstr("it does not compile: "), HasSubstr("no_such_type")));
}

TEST_F(LaunchFailures, OutputsOfTwoVariantsAreHeldToEachOtherBitByBit) {
  const auto same =
      answers<OutputPair>(JobKind::outputs, "forward", {{"block_size", "64"}}, "forward");
  ASSERT_EQ(same.size(), 1u);
  ASSERT_EQ(same[0].outputs.size(), 1u) << same[0].refusal;
  EXPECT_TRUE(all_equal(same[0]));
  EXPECT_EQ(same[0].outputs[0].elements, 2048);
  const auto other = answers<OutputPair>(JobKind::outputs, "forward", {}, "backward");
  ASSERT_EQ(other.size(), 1u);
  const OutputDifference& d = other[0].outputs.at(0);
  EXPECT_FALSE(all_equal(other[0]));
  EXPECT_EQ(other[0].first_verdict.outcome, Outcome::correct);
  EXPECT_EQ(other[0].second_verdict.outcome, Outcome::correct);
  // The order of 32 additions changes most sums, none of them by much.
  EXPECT_GT(d.bit_equal, 100);
  EXPECT_LT(d.bit_equal, 1500);
  EXPECT_GT(d.most_ulps, 0);
  EXPECT_NEAR(d.here, d.there, 1e-5);
  EXPECT_THAT(d.at, HasSubstr("y["));
  const auto failing = answers<OutputPair>(JobKind::outputs, "one", {}, "wide");
  EXPECT_THAT(failing.at(0).refusal, HasSubstr("wide: "));
  EXPECT_THAT(failing.at(0).refusal, HasSubstr("; × 16 warps = 131 072 registers"));
  EXPECT_TRUE(failing.at(0).outputs.empty());
}

}  // namespace
}  // namespace warpscope
