// profiling/engine/measure/selftest.cpp: do the counters count what is known?
#include "profiling/engine/measure/selftest.h"

#include <cmath>
#include <utility>
#include <vector>

#include "profiling/engine/run/plan.h"

namespace warpscope {
namespace {

constexpr std::int64_t kBlocks = 4096, kThreads = 256, kFmas = 16;
constexpr double kAllowed = 0.02;  // source: profiling/README.md, Counters

Result<std::vector<RangeCounters>> collect(const Device& device, KernelStore& kernels,
                                           Counters& counters,
                                           const std::vector<KnownCount>& known) {
  Buffers buffers;
  for (const char* name : {"from", "to"}) {
    Result<DeviceBuffer> buffer = DeviceBuffer::allocate(device, kBlocks * kThreads * 4);
    if (!buffer) return tl::unexpected(buffer.error());
    buffers.emplace(name, std::move(*buffer));
  }
  const KernelLaunch launch{
      "engine/selftest.cu",
      "selftest_copy",
      {},
      {{kBlocks, 1, 1}, {kThreads, 1, 1}, 0, {}},
      {BufferArgument{"from"}, BufferArgument{"to"}, 0.5f, std::int32_t{kFmas}}};
  Result<BoundStep> step =
      BoundStep::bind(device, kernels, Step{"selftest", Phase::run, launch},
                      [&](const std::string& name) { return &buffers.at(name); });
  if (!step) return tl::unexpected(step.error());
  std::vector<std::string> ids;
  ids.reserve(known.size());
  for (const KnownCount& k : known) ids.push_back(k.id);
  Result<CounterPlan> plan = counters.plan(ids);
  if (!plan) return tl::unexpected(plan.error());
  Result<std::vector<RangeCounters>> ranges = counters.collect(
      *plan, 1,
      [&](RangeMarks& marks) {
        return marks.push("selftest")
            .and_then([&] { return step->run(device.stream()); })
            .and_then([&] { return device.synchronise("selftest"); })
            .and_then([&] { return marks.pop(); });
      },
      [](int, int) { return true; });
  if (!ranges) return ranges;
  for (RangeCounters& range : *ranges) {
    for (const MetricValue& missing : plan->unavailable) set_value(range.values, missing);
  }
  return ranges;
}

}  // namespace

SelfTest judge_counters(const std::vector<MetricValue>& counted,
                        const std::vector<KnownCount>& known) {
  std::string off;
  for (const KnownCount& k : known) {
    const MetricValue* found = find_value(counted, k.id);
    std::string finding;
    if (found == nullptr || !found->value) {
      finding = k.id + " has no value";
      if (found != nullptr && !found->reason.empty()) finding += " (" + found->reason + ")";
    } else if (!(std::abs(*found->value - k.value) <= kAllowed * k.value)) {
      finding = k.id + " is " + format_value(*found->value, "1") + ", known is " +
                format_value(k.value, "1");
    }
    if (!finding.empty()) off += (off.empty() ? "" : "; ") + finding;
  }
  if (!off.empty()) return {false, off};
  return {true, "sectors, requests and multiply-adds of a known copy agree within 2 %"};
}

SelfTest run_counter_selftest(const Device& device, KernelStore& kernels, Counters& counters) {
  const double lanes = static_cast<double>(kBlocks * kThreads), warps = lanes / 32;
  const std::vector<KnownCount> known = {{"l1.requests_load", warps},
                                         {"l1.sectors_load", warps * 4},
                                         {"l1.requests_store", warps},
                                         {"l1.sectors_store", warps * 4},
                                         {"inst.ffma", lanes * static_cast<double>(kFmas)}};
  const Result<std::vector<RangeCounters>> ranges = collect(device, kernels, counters, known);
  if (!ranges) return {false, sentence(ranges.error())};
  if (ranges->size() != 1)
    return {false, "the profiler returned " + std::to_string(ranges->size()) + " ranges for one"};
  return judge_counters(ranges->front().values, known);
}

}  // namespace warpscope
