// profiling/engine/measure/roofs.cpp: the ceilings of the device at hand, measured.
#include "profiling/engine/measure/roofs.h"

#include <cmath>
#include <utility>
#include <vector>

#include "profiling/engine/measure/roof_attempts.h"
#include "profiling/engine/run/plan.h"

namespace warpscope {
namespace {

constexpr double kFlopsPerWarpFma = 64;  // 32 lanes, a multiply and an add each

StoppingLimits limits() {
  return {.minimum_samples = 30, .minimum_total_ns = 20e6, .time_limit_s = 1.5};
}

class RoofBench {
 public:
  RoofBench(const Device& device, KernelStore& kernels, Timer& timer, Counters* counters)
      : device_(device), kernels_(kernels), timer_(timer), counters_(counters) {}

  Result<RoofSet> measure(std::span<const Scene> scenes, const RoofProgress& progress) {
    const RoofArrays arrays = roof_arrays(device_.limits());
    if (arrays.count == 0) {
      return failure(ErrorKind::resource,
                     "too little memory is free for three arrays of twice the L2", "roofs",
                     "end other programs on the device");
    }
    if (Result<void> made = allocate(arrays); !made) return tl::unexpected(made.error());
    const std::vector<RoofAttempt> all = roof_attempts(device_.limits(), arrays);
    std::size_t own = 0;
    for (const Scene& scene : scenes) own += scene.roofs.size();
    const auto count = static_cast<double>(all.size() + own + std::size(kLibraryRates));
    double done = 0;
    const auto go_on = [&](const std::string& name) {
      return progress(done++ / count, "roof " + name);
    };
    RoofSet set;
    for (const RoofAttempt& attempt : all) {
      if (!go_on(label(attempt.roof))) return cancelled();
      Result<Roof> roof = measure_attempt(attempt);
      if (!roof) return tl::unexpected(roof.error());
      keep_best(set, std::move(*roof));
    }
    if (const Roof* fp32 = find_roof(set, Pipe::fp32)) {
      set.roofs.push_back({Level::issue, fp32->value / kFlopsPerWarpFma, "inst/s",
                           "the FP32 roof's own instructions: one warp instruction for 64 FLOP",
                           fp32->trusted, fp32->note});
    }
    for (const LibraryRate& rate : kLibraryRates) {
      if (!go_on(std::string("cuBLAS ") + to_text(rate.pipe))) return cancelled();
      // A machine without cuBLAS has no such rate: the capability list says so.
      if (Result<Roof> roof = library_rate(rate)) set.roofs.push_back(std::move(*roof));
    }
    buffers_.clear();
    for (const Scene& scene : scenes) {
      for (const SceneRoof& roof : scene.roofs) {
        if (!go_on(scene.name + " " + roof.name)) return cancelled();
        Result<Roof> measured = measure_own(roof, scene.name);
        if (!measured) return tl::unexpected(measured.error());
        set.roofs.push_back(std::move(*measured));
      }
    }
    return set;
  }

 private:
  // Products of square matrices by cuBLAS, shown beside the pipe's roof.
  struct LibraryRate {
    Pipe pipe;
    const char* type;  // of plan_square_gemm
    std::int64_t size, element_bytes;
  };
  static constexpr LibraryRate kLibraryRates[] = {{Pipe::fp32, "f32", 4096, 4},
                                                  {Pipe::wgmma_tf32, "tf32", 4096, 4},
                                                  {Pipe::wgmma_bf16, "bf16", 8192, 2}};

  static tl::unexpected<Error> cancelled() {
    return failure(ErrorKind::usage, "cancelled", "roofs");
  }

  Result<void> add_buffer(const std::string& name, std::int64_t bytes) {
    Result<DeviceBuffer> buffer = DeviceBuffer::allocate(device_, bytes);
    if (!buffer) return tl::unexpected(buffer.error());
    buffers_.insert_or_assign(name, std::move(*buffer));
    return {};
  }

  // Random numbers: zeros run faster than data.
  Result<void> fill(const std::string& name, const char* entry, std::int64_t count) {
    Result<BoundStep> step = bind(Step{"fill", Phase::run,
                                       KernelLaunch{"roofs/fill.cu",
                                                    entry,
                                                    {},
                                                    {{1024, 1, 1}, {256, 1, 1}, 0, {}},
                                                    {BufferArgument{name}, count, ++seed_}}});
    if (!step) return tl::unexpected(step.error());
    return step->run(device_.stream()).and_then([&] { return device_.synchronise("fill"); });
  }

  Result<void> allocate(const RoofArrays& arrays) {
    if (Result<void> sink = add_buffer("sink", 256); !sink) return sink;
    for (int i = 0; i < arrays.count; ++i) {
      const std::string name = array_name(i);
      Result<void> made = add_buffer(name, arrays.bytes).and_then([&] {
        return fill(name, "fill_f32", arrays.bytes / 4);
      });
      if (!made) return made;
    }
    return {};
  }

  Result<BoundStep> bind(const Step& step) {
    return BoundStep::bind(device_, kernels_, step,
                           [this](const std::string& name) -> const DeviceBuffer* {
                             const auto found = buffers_.find(name);
                             return found == buffers_.end() ? nullptr : &found->second;
                           });
  }

  Result<Roof> measure_attempt(const RoofAttempt& attempt) {
    std::vector<std::vector<BoundStep>> runs;
    for (const std::vector<Step>& steps : attempt.runs) {
      std::vector<BoundStep>& run = runs.emplace_back();
      for (const Step& step : steps) {
        Result<BoundStep> bound = bind(step);
        if (!bound) return tl::unexpected(bound.error());
        run.push_back(std::move(*bound));
      }
    }
    std::size_t turn = 0;
    const auto run_next = [&](CUstream stream) -> Result<void> {
      for (const BoundStep& step : runs[turn++ % runs.size()]) {
        if (Result<void> ran = step.run(stream); !ran) return ran;
      }
      return {};
    };
    Result<Timing> timing =
        timer_.sample(CacheState::warm, run_next, limits(), [] { return false; });
    if (!timing) return tl::unexpected(timing.error());
    Roof roof = attempt.roof;
    roof.value = attempt.work / (timing->median_ns * 1e-9);
    roof.method += "; median of " + std::to_string(timing->samples_ns.size());
    if (counters_ == nullptr) {
      roof.note = "not checked: there are no counters here";
    } else {
      verify(attempt, run_next, roof);
    }
    return roof;
  }

  // The kernel's own counters against what it claims to do.
  void verify(const RoofAttempt& attempt, const Timer::Run& run_next, Roof& roof) {
    const auto not_checked = [&roof](const Error& error) {
      roof.note = "not checked: " + error.what;
    };
    std::vector<std::string> ids;
    for (const ExpectedCount& count : attempt.counts) ids.push_back(count.id);
    if (attempt.keeps_moved_ratio) ids.emplace_back("dram.bytes_read");
    Result<CounterPlan> plan = counters_->plan(ids);
    if (!plan) return not_checked(plan.error());
    const auto pass = [&](RangeMarks& marks) -> Result<void> {
      return marks.push("roof")
          .and_then([&] { return run_next(device_.stream()); })
          .and_then([&] { return device_.synchronise("roof"); })
          .and_then([&] { return marks.pop(); });
    };
    Result<std::vector<RangeCounters>> ranges =
        counters_->collect(*plan, 1, pass, [](int, int) { return true; });
    static_cast<void>(counters_->release());  // the next roof is timed
    if (!ranges) return not_checked(ranges.error());
    std::vector<MetricValue> counted = plan->unavailable;
    for (const RangeCounters& range : *ranges) {
      for (const MetricValue& value : range.values) set_value(counted, value);
    }
    judge(attempt, counted, roof);
  }

  Result<Roof> measure_own(const SceneRoof& roof, const std::string& scene) {
    buffers_.clear();
    const DeviceLimits limits = device_.limits();
    for (const BufferSpec& spec : roof.buffers(limits)) {
      const std::int64_t bytes = spec.count * element_bytes(spec.type);
      Result<void> made = add_buffer(spec.name, bytes).and_then([&] {
        return fill(spec.name, "fill_f32", bytes / 4);
      });
      if (!made) return tl::unexpected(made.error());
    }
    return measure_attempt(attempt_of(roof, scene, limits));
  }

  Result<Roof> library_rate(const LibraryRate& rate) {
    const std::int64_t count = rate.size * rate.size, bytes = count * rate.element_bytes;
    for (const char* name : {"a", "b", "c"}) {
      Result<void> made = add_buffer(name, bytes).and_then([&] {
        return fill(name, rate.element_bytes == 2 ? "fill_bf16" : "fill_f32", count);
      });
      if (!made) return tl::unexpected(made.error());
    }
    Result<std::unique_ptr<LibraryPlan>> plan =
        plan_square_gemm(rate.type, rate.size, buffers_.at("a").address(),
                         buffers_.at("b").address(), buffers_.at("c").address());
    if (!plan) return tl::unexpected(plan.error());
    Result<Timing> timing = timer_.sample(
        CacheState::warm, [&](CUstream stream) { return (*plan)->run(stream); }, limits(),
        [] { return false; });
    if (!timing) return tl::unexpected(timing.error());
    Roof roof{Level::pipe,
              2.0 * std::pow(static_cast<double>(rate.size), 3) / (timing->median_ns * 1e-9)};
    roof.unit = "FLOP/s";
    roof.pipe = rate.pipe;
    roof.library = "cuBLAS";
    roof.method = "product of " + std::to_string(rate.size) + "³, random operands; median of " +
                  std::to_string(timing->samples_ns.size());
    roof.note = "a library's rate, not the pipe's limit";
    return roof;
  }

  const Device& device_;
  KernelStore& kernels_;
  Timer& timer_;
  Counters* counters_;
  Buffers buffers_;
  std::uint32_t seed_ = 7;
};

}  // namespace

Result<RoofSet> measure_roofs(const Device& device, KernelStore& kernels, Timer& timer,
                              Counters* counters, std::span<const Scene> scenes,
                              const RoofProgress& progress) {
  return RoofBench(device, kernels, timer, counters).measure(scenes, progress);
}

}  // namespace warpscope
