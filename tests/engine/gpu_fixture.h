// tests/engine/gpu_fixture.h: a device with a known kernel, or a skip with the reason.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "profiling/engine/compile/kernel_store.h"
#include "profiling/engine/cuda/device.h"
#include "profiling/engine/cuda/nvtx.h"
#include "profiling/engine/measure/counters.h"
#include "profiling/engine/run/plan.h"

namespace warpscope {

// All tests that run a variant on a device derive from this. NVTX looks for a receiver at a
// process's first range only: if a test made that range before CUPTI was named, later timelines of
// the process would have no ranges.
class RangesReachCupti : public testing::Test {
 protected:
  RangesReachCupti() { inject_nvtx(); }
};

// Opens device 0, and on request its counters; the copy kernel of the counters' self-test is what
// GPU tests run: one 4-byte load, `kFmas` multiply-adds and one 4-byte store a lane.
class GpuTest : public RangesReachCupti {
 protected:
  static constexpr std::int32_t kFmas = 16;
  static constexpr std::int64_t kThreads = 256;

  void SetUp() override {
    // One context for the life of the process, as an engine has it.
    // It is not closed: CUPTI's patching must outlive it, and an engine just ends.
    static const auto* device = new Result<std::unique_ptr<Device>>(Device::open(0));
    if (!*device) GTEST_SKIP() << sentence(device->error());
    device_ = (*device)->get();
    kernels_ = std::make_unique<KernelStore>(*device_);
  }

  // What a test does first that counts: skips where this machine gives no counters.
  void open_counters() {
    Result<std::unique_ptr<Counters>> counters = Counters::create(device_->context(), 0);
    if (!counters) GTEST_SKIP() << sentence(counters.error());
    counters_ = std::move(*counters);
  }

  // A copy of `blocks`·256 floats.
  Result<BoundStep> copy_of(std::int64_t blocks) {
    buffers_.clear();
    for (const char* name : {"from", "to"}) {
      Result<DeviceBuffer> buffer = DeviceBuffer::allocate(*device_, blocks * kThreads * 4);
      if (!buffer) return tl::unexpected(buffer.error());
      buffers_.emplace(name, std::move(*buffer));
    }
    const KernelLaunch launch{"engine/selftest.cu",
                              "selftest_copy",
                              {},
                              {{blocks, 1, 1}, {kThreads, 1, 1}, 0, {}},
                              {BufferArgument{"from"}, BufferArgument{"to"}, 0.5f, kFmas}};
    return BoundStep::bind(*device_, *kernels_, Step{"copy", Phase::run, launch},
                           [this](const std::string& name) { return &buffers_.at(name); });
  }

  // Runs `step` once and waits for it.
  Result<void> run(const BoundStep& step) {
    return step.run(device_->stream()).and_then([&] { return device_->synchronise("copy"); });
  }

  // Runs `step` in a range "copy".
  Counters::Pass pass_of(const BoundStep& step) {
    return [this, &step](RangeMarks& marks) {
      return marks.push("copy").and_then([&] { return run(step); }).and_then([&] {
        return marks.pop();
      });
    };
  }

  const Device* device_ = nullptr;
  std::unique_ptr<KernelStore> kernels_;
  std::unique_ptr<Counters> counters_;
  Buffers buffers_;
};

}  // namespace warpscope
