// profiling/engine/measure/timer.h: samples of a run's time on the device.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "profiling/engine/compile/kernel_store.h"
#include "profiling/engine/cuda/device.h"
#include "profiling/engine/cuda/nvml.h"
#include "profiling/figures/timing.h"

// A sample lies between two events on the stream, queued while a kernel holds the stream, so that
// the host's launch latency is not in it. Cold: L2 is overwritten before every sample, outside of
// the events. Warm: a batch of runs back to back, at least 0.5 ms long; a sample is their mean.
// source: profiling/README.md, Times.

namespace warpscope {

class Timer {
 public:
  // error: environment, resource.
  static Result<std::unique_ptr<Timer>> create(const Device& device, KernelStore& kernels,
                                               const Nvml* nvml);
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer();

  using Run = std::function<Result<void>(CUstream)>;
  // What puts states back before a sample, outside of its events. Null: nothing changes.
  using Before = std::function<Result<void>()>;
  // Asked between samples; true ends sampling early with the reason "interrupted".
  using Stop = std::function<bool()>;

  // error: whatever `run` reports, fault.
  Result<Timing> sample(CacheState cache, const Run& run, const StoppingLimits& limits,
                        const Stop& stop, const Before& before = {});
  // One run per sample, with warm caches: for what finds other memory when it runs a second time.
  // `before` must put that memory back.
  Result<Timing> sample_one_by_one(const Run& run, const StoppingLimits& limits, const Stop& stop,
                                   const Before& before);
  // Batches of one CUDA graph of the run; for kernels too short for launches.
  Result<Timing> sample_graph(const Run& run, const StoppingLimits& limits, const Stop& stop,
                              const Before& before = {});
  // Runs with steps on the host, one a sample, by the host's clock with the device idle before and
  // after: of one that takes longer than the time limit there is one sample.
  Result<Timing> sample_on_host(const Run& run, const StoppingLimits& limits, const Stop& stop,
                                const Before& before);
  // One such run. unit: ns.
  Result<double> once_on_host_ns(const Run& run);
  // One run, cold start-up included: for prepare steps.
  Result<double> once_ns(const Run& run);
  // Writes a buffer of twice the L2 and reads it back, on the stream: nothing of the run is left in
  // L2, nor dirty lines whose writing back would be counted as the next run's.
  Result<void> flush_l2();

 private:
  Timer(const Device& device, KernelStore& kernels, const Nvml* nvml)
      : device_(device), kernels_(kernels), nvml_(nvml) {}
  // Runs that also warm caches and clocks. unit: ns of the last one.
  Result<double> warm_up(const Run& run, const Before& before);
  Result<double> between_events(const std::function<Result<void>()>& work, bool hold);
  Result<Timing> collect(Timing timing, const Run& run, const StoppingLimits& limits,
                         const Stop& stop, const Before& before);

  const Device& device_;
  KernelStore& kernels_;
  const Nvml* nvml_;
  DeviceBuffer flush_;
  CUevent start_ = nullptr, end_ = nullptr;
  Kernel hold_, read_all_;  // they keep their modules loaded
  int* flag_ = nullptr;     // host memory the device reads: [0] released, [1] the hold timed out
  CUdeviceptr flag_on_device_ = 0;
  double first_clock_mhz_ = 0;  // seen under load at the session's start
};

}  // namespace warpscope
