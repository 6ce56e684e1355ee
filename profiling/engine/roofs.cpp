// profiling/engine/roofs.cpp: the ceilings of the device at hand, measured.
#include "profiling/engine/roofs.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "profiling/engine/plan.h"

namespace warpscope {
namespace {

constexpr double kFlopsPerWarpFma = 64;  // 32 lanes, a multiply and an add each
constexpr double kAgreement = 0.03;      // of counted with claimed work
constexpr std::int64_t kFloat4Bytes = 16;

// One launch shape of a roof: what it does and what a counter should say of it.
struct Attempt {
  Level level;
  std::string unit, method;
  double work = 0;  // bytes or FLOP of one launch
  KernelLaunch launch;
  std::vector<std::string> counters;  // summed
  double counted = 0;                 // their sum for this work
};

StoppingLimits limits() {
  return {.minimum_samples = 30, .minimum_total_ns = 20e6, .time_limit_s = 1.5};
}

class RoofBench {
 public:
  RoofBench(const Device& device, KernelStore& kernels, Timer& timer, Counters* counters)
      : device_(device), kernels_(kernels), timer_(timer), counters_(counters) {}

  Result<RoofSet> measure(const RoofProgress& progress) {
    const std::int64_t copy_bytes =
        std::min<std::int64_t>(1LL << 30, device_.limits().free_bytes / 8) / 65536 * 65536;
    for (const char* name : {"from", "to"}) {
      Result<DeviceBuffer> buffer = DeviceBuffer::allocate(device_, copy_bytes);
      if (!buffer) return tl::unexpected(buffer.error());
      buffers_.emplace(name, std::move(*buffer));
    }
    Result<DeviceBuffer> sink = DeviceBuffer::allocate(device_, 256);
    if (!sink) return tl::unexpected(sink.error());
    buffers_.emplace("sink", std::move(*sink));
    if (Result<void> filled = fill("fill_f32", copy_bytes / 4); !filled)
      return tl::unexpected(filled.error());
    const std::vector<Attempt> all = attempts(copy_bytes);
    RoofSet set;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double done = static_cast<double>(i) / static_cast<double>(all.size() + 2);
      if (!progress(done, std::string("roof ") + to_text(all[i].level))) return cancelled();
      Result<Roof> roof = measure_attempt(all[i]);
      if (!roof) return tl::unexpected(roof.error());
      keep_best(set, std::move(*roof));
    }
    if (const Roof* fp32 = find_roof(set, Level::fp32)) {
      set.roofs.push_back({Level::issue, fp32->value / kFlopsPerWarpFma, "inst/s",
                           "the FP32 roof's own instructions: one warp instruction for 64 FLOP",
                           fp32->trusted, fp32->note});
    }
    struct Tensor {
      Level level;
      const char* type;
      std::int64_t size;
    };
    for (const Tensor& t : {Tensor{Level::tf32, "tf32", 4096}, Tensor{Level::bf16, "bf16", 8192}}) {
      if (!progress(0.9, std::string("roof ") + to_text(t.level))) return cancelled();
      // A machine without cuBLAS has no tensor roof: the capability list says so.
      if (Result<Roof> roof = tensor(t.level, t.type, t.size))
        set.roofs.push_back(std::move(*roof));
    }
    return set;
  }

 private:
  static tl::unexpected<Error> cancelled() {
    return failure(ErrorKind::usage, "cancelled", "roofs");
  }

  static void keep_best(RoofSet& set, Roof roof) {
    for (Roof& present : set.roofs) {
      if (present.level != roof.level) continue;
      if (roof.trusted && (!present.trusted || roof.value > present.value))
        present = std::move(roof);
      return;
    }
    set.roofs.push_back(std::move(roof));
  }

  std::vector<Attempt> attempts(std::int64_t copy_bytes) const {
    std::vector<Attempt> list;
    const std::int64_t sms = device_.description().multiprocessors;
    const std::int64_t quads = copy_bytes / kFloat4Bytes;
    const auto copy = [&](std::string entry, std::int64_t blocks, std::int64_t threads,
                          const std::string& shape) {
      Attempt a{Level::dram, "B/s",
                "device copy, float4, " + format_value(static_cast<double>(copy_bytes), "B") +
                    " each way, bytes read and written; " + shape,
                2.0 * static_cast<double>(copy_bytes)};
      a.launch = {"roofs/bandwidth.cu",
                  std::move(entry),
                  {},
                  {{blocks, 1, 1}, {threads, 1, 1}, 0, {}},
                  {BufferArgument{"from"}, BufferArgument{"to"}, quads}};
      a.counters = {"dram.bytes_read", "dram.bytes_write"};
      a.counted = a.work;
      list.push_back(std::move(a));
    };
    copy("roof_copy_stride", sms * 16, 512, "grid-stride, 16 blocks of 512 a multiprocessor");
    copy("roof_copy_stride", sms * 8, 1024, "grid-stride, 8 blocks of 1024 a multiprocessor");
    copy("roof_copy_block", (quads + 4 * 512 - 1) / (4 * 512), 512,
         "four loads in flight, streaming hints");
    for (const double share : {0.4, 0.55, 0.7}) {
      const std::int64_t threads = sms * 4 * 512;
      const std::int64_t count =
          static_cast<std::int64_t>(share * static_cast<double>(device_.description().l2_bytes)) /
          kFloat4Bytes / (threads * 4) * (threads * 4);
      if (count == 0 || count > quads) continue;
      constexpr std::int32_t kTurns = 20;
      const double bytes = static_cast<double>(count * kFloat4Bytes) * kTurns;
      Attempt a{Level::l2, "B/s",
                "reads past L1 (ld.global.cg), working set " +
                    format_value(static_cast<double>(count * kFloat4Bytes), "B"),
                bytes};
      a.launch = {"roofs/bandwidth.cu",
                  "roof_l2_read",
                  {},
                  {{sms * 4, 1, 1}, {512, 1, 1}, 0, {}},
                  {BufferArgument{"from"}, BufferArgument{"sink"}, count, kTurns}};
      a.counters = {"l1.sectors_load"};
      a.counted = bytes / 32;
      list.push_back(std::move(a));
    }
    constexpr std::int32_t kInnerTurns = 2000;
    const double tile = 32.0 * 1024 * kInnerTurns * static_cast<double>(sms * 2);
    Attempt l1{Level::l1, "B/s",
               "16-byte loads of 32 KB that stay in L1, 2 blocks of 1024 a multiprocessor", tile};
    l1.launch = {"roofs/bandwidth.cu",
                 "roof_l1_read",
                 {},
                 {{sms * 2, 1, 1}, {1024, 1, 1}, 0, {}},
                 {BufferArgument{"from"}, BufferArgument{"sink"}, kInnerTurns}};
    l1.counters = {"l1.sectors_load"};
    l1.counted = tile / 32;
    list.push_back(std::move(l1));
    Attempt shared{Level::shared, "B/s",
                   "conflict-free 16-byte loads of 32 KB, 2 blocks of 1024 a multiprocessor", tile};
    shared.launch = {"roofs/bandwidth.cu",
                     "roof_shared_read",
                     {},
                     {{sms * 2, 1, 1}, {1024, 1, 1}, 0, {}},
                     {BufferArgument{"sink"}, kInnerTurns}};
    shared.counters = {"shared.wavefronts"};
    shared.counted = tile / 128;
    list.push_back(std::move(shared));
    const double lanes = static_cast<double>(sms * 4 * 512);
    Attempt fp32{Level::fp32, "FLOP/s", "chains of FMAs, 4 blocks of 512 a multiprocessor",
                 2.0 * 128 * kInnerTurns * lanes};
    fp32.launch = {"roofs/arithmetic.cu",
                   "roof_fp32",
                   {},
                   {{sms * 4, 1, 1}, {512, 1, 1}, 0, {}},
                   {BufferArgument{"sink"}, kInnerTurns}};
    fp32.counters = {"inst.ffma"};
    fp32.counted = 128.0 * kInnerTurns * lanes;
    list.push_back(std::move(fp32));
    Attempt fp16{Level::fp16, "FLOP/s", "chains of half2 FMAs, 4 blocks of 512 a multiprocessor",
                 4.0 * 128 * kInnerTurns * lanes};
    fp16.launch = {"roofs/arithmetic.cu",
                   "roof_fp16",
                   {},
                   {{sms * 4, 1, 1}, {512, 1, 1}, 0, {}},
                   {BufferArgument{"sink"}, kInnerTurns}};
    list.push_back(std::move(fp16));
    return list;
  }

  Result<void> fill(const char* entry, std::int64_t count) {
    for (const char* name : {"from", "to"}) {
      KernelLaunch launch{"roofs/fill.cu",
                          entry,
                          {},
                          {{1024, 1, 1}, {256, 1, 1}, 0, {}},
                          {BufferArgument{name}, count, std::uint32_t{7}}};
      Result<BoundStep> step = bind(launch);
      if (!step) return tl::unexpected(step.error());
      if (Result<void> ran = step->run(device_.stream()); !ran) return ran;
    }
    return device_.synchronise("fill");
  }

  Result<BoundStep> bind(const KernelLaunch& launch) {
    return BoundStep::bind(device_, kernels_, Step{launch.entry, Phase::run, launch},
                           [this](const std::string& name) -> const DeviceBuffer* {
                             const auto found = buffers_.find(name);
                             return found == buffers_.end() ? nullptr : &found->second;
                           });
  }

  Result<Roof> measure_attempt(const Attempt& attempt) {
    Result<BoundStep> step = bind(attempt.launch);
    if (!step) return tl::unexpected(step.error());
    Result<Timing> timing = timer_.sample(
        CacheState::warm, [&](CUstream stream) { return step->run(stream); }, limits(),
        [] { return false; });
    if (!timing) return tl::unexpected(timing.error());
    Roof roof{attempt.level, attempt.work / (timing->median_ns * 1e-9), attempt.unit,
              attempt.method + "; median of " + std::to_string(timing->samples_ns.size())};
    if (counters_ == nullptr) {
      roof.note = "not checked: there are no counters here";
    } else if (attempt.counters.empty()) {
      roof.note = "not checked: no counter of the table counts this work";
    } else {
      verify(attempt, *step, roof);
    }
    return roof;
  }

  // The kernel's own counters against what it claims to do.
  void verify(const Attempt& attempt, const BoundStep& step, Roof& roof) {
    const auto not_checked = [&roof](const Error& error) {
      roof.note = "not checked: " + error.what;
    };
    Result<CounterPlan> plan = counters_->plan(attempt.counters);
    if (!plan) return not_checked(plan.error());
    const auto pass = [&](RangeMarks& marks) -> Result<void> {
      return marks.push("roof")
          .and_then([&] { return step.run(device_.stream()); })
          .and_then([&] { return device_.synchronise("roof"); })
          .and_then([&] { return marks.pop(); });
    };
    Result<std::vector<RangeCounters>> ranges =
        counters_->collect(*plan, 1, pass, [](int, int) { return true; });
    if (!ranges) return not_checked(ranges.error());
    double sum = 0;
    for (const RangeCounters& range : *ranges) {
      for (const MetricValue& value : range.values) sum += value.value.value_or(0);
    }
    const double share = sum / attempt.counted;
    roof.trusted = std::abs(share - 1) <= kAgreement;
    roof.note = (roof.trusted ? "its counters agree: " : "its counters do not agree: ") +
                format_value(share, "ratio") + " of the claimed work";
  }

  Result<Roof> tensor(Level level, const std::string& type, std::int64_t size) {
    const std::int64_t bytes = size * size * (type == "bf16" ? 2 : 4);
    if (bytes > buffers_.at("from").bytes()) {
      return failure(ErrorKind::resource, "too little memory for the tensor roof", to_text(level));
    }
    if (Result<void> filled = fill(type == "bf16" ? "fill_bf16" : "fill_f32", size * size);
        !filled) {
      return tl::unexpected(filled.error());
    }
    Result<DeviceBuffer> c = DeviceBuffer::allocate(device_, bytes);
    if (!c) return tl::unexpected(c.error());
    Result<std::unique_ptr<LibraryPlan>> plan = plan_square_gemm(
        type, size, buffers_.at("from").address(), buffers_.at("to").address(), c->address());
    if (!plan) return tl::unexpected(plan.error());
    Result<Timing> timing = timer_.sample(
        CacheState::warm, [&](CUstream stream) { return (*plan)->run(stream); }, limits(),
        [] { return false; });
    if (!timing) return tl::unexpected(timing.error());
    const double flops = 2.0 * std::pow(static_cast<double>(size), 3);
    return Roof{level,
                flops / (timing->median_ns * 1e-9),
                "FLOP/s",
                "cuBLAS product of " + std::to_string(size) + "³, random operands; median of " +
                    std::to_string(timing->samples_ns.size()),
                true,
                "a library's rate, not the pipe's bound"};
  }

  const Device& device_;
  KernelStore& kernels_;
  Timer& timer_;
  Counters* counters_;
  Buffers buffers_;
};

}  // namespace

Result<RoofSet> measure_roofs(const Device& device, KernelStore& kernels, Timer& timer,
                              Counters* counters, const RoofProgress& progress) {
  return RoofBench(device, kernels, timer, counters).measure(progress);
}

}  // namespace warpscope
