// tests/engine/timer_gpu_test.cpp: a timer works after many kernels were loaded.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "profiling/engine/compile/steps/loaded_modules.h"
#include "profiling/engine/measure/timer.h"
#include "tests/engine/gpu_fixture.h"

namespace warpscope {
namespace {

class GpuTimer : public GpuTest {
 protected:
  // Loads so many other modules that the store lets go of every one that it had.
  void load_others() {
    for (std::size_t i = 0; i < LoadedModules::kMostModules; ++i) {
      const KernelLaunch other{"engine/selftest.cu",
                               "selftest_copy",
                               {{"OTHER", std::to_string(i)}},
                               {{1, 1, 1}, {kThreads, 1, 1}, 0, {}},
                               {}};
      ASSERT_TRUE(kernels_->load(other));
    }
  }
};

TEST_F(GpuTimer, ItsOwnKernelsStayLoaded) {
  const Result<std::unique_ptr<Timer>> timer = Timer::create(*device_, *kernels_, nullptr);
  ASSERT_TRUE(timer) << sentence(timer.error());
  load_others();
  const Result<void> flushed = (*timer)->flush_l2();
  ASSERT_TRUE(flushed) << sentence(flushed.error());
  const Result<void> done =
      device_->check(device_->driver().cuStreamSynchronize(device_->stream()), "flush");
  EXPECT_TRUE(done) << sentence(done.error());
}

}  // namespace
}  // namespace warpscope
