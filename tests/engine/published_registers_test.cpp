// tests/engine/published_registers_test.cpp: what the compiler gives to kernels whose articles
// speak of registers, on an sm_90.
#include <gtest/gtest.h>

#include "profiling/engine/compile/resources.h"
#include "profiling/engine/run/emulation.h"
#include "profiling/figures/multiprocessor.h"

namespace warpscope {
namespace {

class PublishedRegisters : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto version = nvrtc_version(); !version) GTEST_SKIP() << sentence(version.error());
  }
  // The resources of the kernel that takes most registers.
  KernelResources of(const std::string& scene, const std::string& variant) {
    KernelResources most;
    JobChannel channel;
    channel.send = [&](const Message& message) {
      const auto* compiled = std::get_if<Compilation>(&message);
      if (compiled == nullptr || compiled->compute_capability != 90) return;
      for (const StepRecord& step : compiled->steps) {
        if (step.resources && step.resources->registers_per_thread > most.registers_per_thread)
          most = *step.resources;
      }
    };
    channel.interrupted = [] { return false; };
    Job job;
    job.work = RegistersJob{{90}};
    job.scene = scene;
    job.variant = variant;
    job.sources = *sources_of_scene(scene);
    const Result<void> done = emulation_.run(job, channel);
    EXPECT_TRUE(done) << sentence(done.error());
    return most;
  }
  Emulation emulation_;
};

// With the printed struct blocks of 384 threads start, and the published 512 do not.
TEST_F(PublishedRegisters, OfTwoPhasesLet384ThreadsStartAndNot512) {
  EXPECT_EQ(most_threads_of(of("deform", "two_phase_unrolled").registers_per_thread), 384);
  EXPECT_EQ(most_threads_of(of("deform", "two_phase_wide_offsets").registers_per_thread), 256);
  EXPECT_EQ(most_threads_of(of("deform", "two_phase_capped").registers_per_thread), 512);
}

// 129 floats against 98; a cap makes room for two blocks of 256 threads, and spills.
TEST_F(PublishedRegisters, OfTheTransposedTileAreMoreThanTwoBlocksHave) {
  const KernelResources free = of("esmm", "transposed_b"),
                        capped = of("esmm", "transposed_b_capped");
  EXPECT_GT(free.registers_per_thread, 129);
  EXPECT_EQ(free.spill_store_bytes, 0);
  EXPECT_EQ(capped.registers_per_thread, 128);
  EXPECT_GT(capped.spill_store_bytes, 0);
  EXPECT_LT(of("esmm", "a_skip").registers_per_thread, free.registers_per_thread);
}

}  // namespace
}  // namespace warpscope
