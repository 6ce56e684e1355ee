// profiling/engine/measure/timer.cpp: samples of a run's time on the device.
#include "profiling/engine/measure/timer.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>

#include "scenes/host/clock.h"

namespace warpscope {
namespace {

constexpr double kShortestBatchNs = 0.5e6;
constexpr int kLongestBatch = 256;  // launches that fit the driver's queue after a held stream
constexpr double kSlowClockRatio = 0.75;

}  // namespace

Result<std::unique_ptr<Timer>> Timer::create(const Device& device, KernelStore& kernels,
                                             const Nvml* nvml) {
  const CudaDriver& d = device.driver();
  std::unique_ptr<Timer> timer(new Timer(device, kernels, nvml));
  void* host = nullptr;
  const KernelLaunch hold{"engine/block.cu", "block_stream", {}, {}, {}};
  const KernelLaunch read_all{"engine/read_all.cu", "read_all", {}, {}, {}};
  const Result<void> made =
      device.check(d.cuEventCreate(&timer->start_, CU_EVENT_DEFAULT), "cuEventCreate")
          .and_then([&] {
            return device.check(d.cuEventCreate(&timer->end_, CU_EVENT_DEFAULT), "cuEventCreate");
          })
          .and_then([&] {
            return device.check(d.cuMemHostAlloc(&host, 2 * sizeof(int), CU_MEMHOSTALLOC_DEVICEMAP),
                                "cuMemHostAlloc");
          })
          .and_then([&] {
            timer->flag_ = static_cast<int*>(host);
            return device.check(d.cuMemHostGetDevicePointer(&timer->flag_on_device_, host, 0),
                                "cuMemHostGetDevicePointer");
          })
          .and_then([&]() -> Result<void> {
            Result<Kernel> kernel = kernels.load(hold);
            if (!kernel) return tl::unexpected(kernel.error());
            timer->hold_ = std::move(*kernel);
            Result<Kernel> reader = kernels.load(read_all);
            if (!reader) return tl::unexpected(reader.error());
            timer->read_all_ = std::move(*reader);
            return {};
          })
          .and_then([&]() -> Result<void> {
            Result<DeviceBuffer> flush =
                DeviceBuffer::allocate(device, 2 * device.description().l2_bytes);
            if (!flush) return tl::unexpected(flush.error());
            timer->flush_ = std::move(*flush);
            return {};
          });
  if (!made) return tl::unexpected(made.error());
  return timer;
}

Timer::~Timer() {
  const CudaDriver& d = device_.driver();
  if (start_ != nullptr) d.cuEventDestroy(start_);
  if (end_ != nullptr) d.cuEventDestroy(end_);
  if (flag_ != nullptr) d.cuMemFreeHost(flag_);
}

Result<void> Timer::flush_l2() {
  const CudaDriver& d = device_.driver();
  const auto bytes = static_cast<std::size_t>(flush_.bytes());
  CUdeviceptr source = flush_.address(), sink = flush_.address();
  auto words = static_cast<long long>(bytes / 16);
  void* arguments[] = {&source, &sink, &words};
  CUlaunchConfig config{};
  config.gridDimX = static_cast<unsigned>(8 * device_.description().multiprocessors);
  config.blockDimX = 256;
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.hStream = device_.stream();
  return device_.check(d.cuMemsetD8Async(flush_.address(), 0, bytes, device_.stream()), "L2 flush")
      .and_then([&] {
        return device_.check(d.cuLaunchKernelEx(&config, read_all_.function, arguments, nullptr),
                             "L2 flush");
      });
}

Result<double> Timer::between_events(const std::function<Result<void>()>& work, bool hold) {
  const CudaDriver& d = device_.driver();
  std::atomic_ref<int> released(flag_[0]);
  flag_[1] = 0;
  if (hold) {
    released.store(0);
    CUdeviceptr flag = flag_on_device_, timed_out = flag_on_device_ + sizeof(int);
    void* arguments[] = {&flag, &timed_out};
    CUlaunchConfig config{};
    config.gridDimX = config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = config.blockDimY = config.blockDimZ = 1;
    config.hStream = device_.stream();
    if (auto held =
            device_.check(d.cuLaunchKernelEx(&config, hold_.function, arguments, nullptr), "hold");
        !held) {
      return tl::unexpected(held.error());
    }
  }
  const Result<void> queued =
      device_.check(d.cuEventRecord(start_, device_.stream()), "cuEventRecord")
          .and_then(work)
          .and_then([&] {
            return device_.check(d.cuEventRecord(end_, device_.stream()), "cuEventRecord");
          });
  released.store(1);  // also after an error: nothing may stay held
  if (!queued) return tl::unexpected(queued.error());
  if (Result<void> idle = device_.synchronise("run"); !idle) return tl::unexpected(idle.error());
  float ms = 0;
  if (auto read = device_.check(d.cuEventElapsedTime(&ms, start_, end_), "cuEventElapsedTime");
      !read) {
    return tl::unexpected(read.error());
  }
  return static_cast<double>(ms) * 1e6;
}

Result<double> Timer::once_ns(const Run& run) {
  return between_events([&] { return run(device_.stream()); }, false);
}

Result<double> Timer::warm_up(const Run& run, const Before& before) {
  double estimate = 0;
  for (int warm_up = 0; warm_up < 3; ++warm_up) {
    const Result<void> ready = before ? before() : Result<void>{};
    if (!ready) return tl::unexpected(ready.error());
    const Result<double> ns = once_ns(run);
    if (!ns) return ns;
    estimate = *ns;
    if (estimate > 20e6) break;  // long kernels need no warming up
  }
  return estimate;
}

Result<Timing> Timer::sample_one_by_one(const Run& run, const StoppingLimits& limits,
                                        const Stop& stop, const Before& before) {
  Timing timing;
  timing.cache = CacheState::warm;
  if (const Result<double> ran = warm_up(run, before); !ran) return tl::unexpected(ran.error());
  return collect(std::move(timing), run, limits, stop, before);
}

Result<Timing> Timer::sample(CacheState cache, const Run& run, const StoppingLimits& limits,
                             const Stop& stop, const Before& before) {
  Timing timing;
  timing.cache = cache;
  const Result<double> estimate = warm_up(run, before);
  if (!estimate) return tl::unexpected(estimate.error());
  if (cache == CacheState::warm) {
    timing.runs_per_sample = std::clamp(
        static_cast<int>(std::ceil(kShortestBatchNs / std::max(*estimate, 1e3))), 1, kLongestBatch);
  }
  return collect(std::move(timing), run, limits, stop, before);
}

Result<double> Timer::once_on_host_ns(const Run& run) {
  if (Result<void> idle = device_.synchronise("run"); !idle) return tl::unexpected(idle.error());
  const auto start = std::chrono::steady_clock::now();
  const Result<void> ran =
      run(device_.stream()).and_then([&] { return device_.synchronise("run"); });
  if (!ran) return tl::unexpected(ran.error());
  return seconds_since(start) * 1e9;
}

Result<Timing> Timer::sample_on_host(const Run& run, const StoppingLimits& limits, const Stop& stop,
                                     const Before& before) {
  Timing timing;
  timing.cache = CacheState::warm;
  StoppingRule rule(limits);
  const auto start = std::chrono::steady_clock::now();
  while (timing.stop_reason.empty()) {
    const Result<void> ready = before ? before() : Result<void>{};
    if (!ready) return tl::unexpected(ready.error());
    const Result<double> ns = once_on_host_ns(run);
    if (!ns) return tl::unexpected(ns.error());
    timing.samples_ns.push_back(*ns);
    if (const auto reason = rule.add(*ns, *ns, seconds_since(start))) timing.stop_reason = *reason;
    if (timing.stop_reason.empty() && stop()) timing.stop_reason = "interrupted by a newer job";
  }
  summarise(timing);
  return timing;
}

Result<Timing> Timer::sample_graph(const Run& run, const StoppingLimits& limits, const Stop& stop,
                                   const Before& before) {
  const CudaDriver& d = device_.driver();
  CUgraph graph = nullptr;
  CUgraphExec executable = nullptr;
  constexpr int kRunsInGraph = 32;
  Result<void> made =
      device_.check(d.cuStreamBeginCapture(device_.stream(), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
                    "graph capture");
  if (!made) return tl::unexpected(made.error());
  for (int i = 0; i < kRunsInGraph && made; ++i) made = run(device_.stream());
  const Result<void> ended =
      device_.check(d.cuStreamEndCapture(device_.stream(), &graph), "graph capture");
  if (made) made = ended;
  if (made) made = device_.check(d.cuGraphInstantiate(&executable, graph, 0), "graph");
  Result<Timing> result = tl::unexpected(Error{});
  if (made) {
    Timing timing;
    timing.cache = CacheState::warm;
    timing.graph_replay = true;
    timing.runs_per_sample = kRunsInGraph;
    result = collect(
        std::move(timing),
        [&](CUstream stream) {
          return device_.check(d.cuGraphLaunch(executable, stream), "graph");
        },
        limits, stop, before);
  } else {
    result = tl::unexpected(made.error());
  }
  if (executable != nullptr) d.cuGraphExecDestroy(executable);
  if (graph != nullptr) d.cuGraphDestroy(graph);
  return result;
}

Result<Timing> Timer::collect(Timing timing, const Run& run, const StoppingLimits& limits,
                              const Stop& stop, const Before& before) {
  StoppingRule rule(limits);
  std::vector<double> clocks;
  const auto start = std::chrono::steady_clock::now();
  const int launches = timing.graph_replay ? 1 : timing.runs_per_sample;
  double next_clock_s = 0;
  bool slow = false;  // by the last reading: it holds for the samples up to the next
  // Outside of the events: states as they began, then no L2.
  const auto set_out = [&]() -> Result<void> {
    const Result<void> ready = before ? before() : Result<void>{};
    return ready && timing.cache == CacheState::cold ? flush_l2() : ready;
  };
  while (true) {
    if (Result<void> ready = set_out(); !ready) return tl::unexpected(ready.error());
    const auto work = [&]() -> Result<void> {
      for (int i = 0; i < launches; ++i) {
        if (Result<void> ran = run(device_.stream()); !ran) return ran;
      }
      return {};
    };
    Result<double> ns = between_events(work, true);
    // Work that cannot be queued after a held stream (a library that waits) is timed without.
    if (ns && flag_[1] != 0) {
      // The first attempt warmed the cache and changed the states.
      if (Result<void> ready = set_out(); !ready) return tl::unexpected(ready.error());
      ns = between_events(work, false);
    }
    if (!ns) return tl::unexpected(ns.error());
    const double sample = *ns / timing.runs_per_sample;
    const double elapsed = seconds_since(start);
    if (nvml_ != nullptr && elapsed >= next_clock_s) {
      next_clock_s = elapsed + 0.02;  // a reading costs up to a millisecond
      if (const auto clock = nvml_->read().sm_clock_mhz) {
        first_clock_mhz_ = std::max(first_clock_mhz_, *clock);
        clocks.push_back(*clock);
        slow = *clock < kSlowClockRatio * first_clock_mhz_;
      }
    }
    std::optional<std::string> reason;
    if (slow && elapsed < limits.time_limit_s) {
      ++timing.dropped_samples;
    } else {
      timing.samples_ns.push_back(sample);
      reason = rule.add(sample, *ns, elapsed);
    }
    if (!reason && stop()) reason = "interrupted by a newer job";
    if (reason) {
      timing.stop_reason = *reason;
      break;
    }
  }
  timing.sm_clock_mhz = quantile(clocks, 0.5);
  summarise(timing);
  return timing;
}

}  // namespace warpscope
