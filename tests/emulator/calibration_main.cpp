// tests/emulator/calibration_main.cpp: compares the emulator with the device of this machine.
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "profiling/engine/cuda/device.h"
#include "profiling/engine/measure/counters.h"
#include "profiling/engine/run/plan.h"
#include "profiling/figures/csv_text.h"
#include "profiling/figures/metric.h"
#include "scenes/base/source.h"
#include "scenes/host/input_file.h"
#include "tests/emulator/calibration.h"
#include "tests/folders.h"

// Prints CSV, one row for every counter that is not 0 on both sides: kernel, counter, emulated,
// measured, difference, and the reason if h200.csv gives one for exactly these two figures.
// Exit status: 0 all equal, 1 a difference without a reason, 3 no device or a counter is missing.

namespace warpscope {
namespace {

int refuse(const Error& error) {
  std::fprintf(stderr, "warpscope_calibration: %s\n", sentence(error).c_str());
  return exit_status(error.kind);
}

template <typename T>
Result<DeviceBuffer> upload(const Device& device, const std::vector<T>& values) {
  const std::size_t bytes = values.size() * sizeof(T);
  Result<DeviceBuffer> buffer = DeviceBuffer::allocate(device, static_cast<std::int64_t>(bytes));
  if (!buffer) return buffer;
  const Result<void> copied = device.check(
      device.driver().cuMemcpyHtoD(buffer->address(), values.data(), bytes), "cuMemcpyHtoD");
  if (!copied) return tl::unexpected(copied.error());
  return buffer;
}

Result<Buffers> upload_buffers(const Device& device) {
  const CalibrationBuffers host = calibration_buffers();
  Buffers buffers;
  Result<DeviceBuffer> x = upload(device, host.x), y = upload(device, host.y),
                       index = upload(device, host.index);
  const std::pair<const char*, Result<DeviceBuffer>*> made[] = {
      {"x", &x}, {"y", &y}, {"index", &index}};
  for (const auto& [name, buffer] : made) {
    if (!*buffer) return tl::unexpected(buffer->error());
    buffers.emplace(name, std::move(**buffer));
  }
  return buffers;
}

// Every kernel in a range of its own, all in one collection.
Result<std::vector<RangeCounters>> count(const Device& device, KernelStore& kernels,
                                         Counters& counters, const Buffers& buffers) {
  std::vector<BoundStep> steps;
  for (const CalibrationKernel& kernel : calibration_kernels()) {
    Result<BoundStep> step =
        BoundStep::bind(device, kernels, Step{kernel.name, Phase::run, calibration_launch(kernel)},
                        [&](const std::string& name) { return &buffers.at(name); });
    if (!step) return tl::unexpected(step.error());
    steps.push_back(std::move(*step));
  }
  std::vector<std::string> ids;
  for (const std::string& counter : calibration_counters()) ids.push_back("cupti:" + counter);
  const Result<CounterPlan> plan = counters.plan(ids);
  if (!plan) return tl::unexpected(plan.error());
  if (!plan->unavailable.empty()) {
    return failure(ErrorKind::environment, plan->unavailable.front().reason, "counters",
                   "run it on a device of compute capability 9.0");
  }
  return counters.collect(
      *plan, static_cast<int>(steps.size()),
      [&](RangeMarks& marks) -> Result<void> {
        for (const BoundStep& step : steps) {
          Result<void> ran = marks.push(step.step().name)
                                 .and_then([&] { return step.run(device.stream()); })
                                 .and_then([&] { return device.synchronise(step.step().name); })
                                 .and_then([&] { return marks.pop(); });
          if (!ran) return ran;
        }
        return {};
      },
      [](int, int) { return true; });
}

// One kernel's rows. Adds to `differences` and `missing`.
void print_rows(const CalibrationKernel& kernel, const CalibrationCounts& emulated,
                const std::vector<MetricValue>& measured,
                const std::map<std::string, MeasuredCount>& known, int& differences, int& missing) {
  for (const std::string& counter : calibration_counters()) {
    const std::int64_t said = emulated.sums.at(counter);
    std::vector<std::string> row = {kernel.name, counter, std::to_string(said)};
    const MetricValue* value = find_value(measured, "cupti:" + counter);
    if (value == nullptr || !value->value) {
      ++missing;
      row.insert(row.end(),
                 {"", "", value == nullptr ? "the counter was not collected" : value->reason});
    } else {
      const auto counted = static_cast<std::int64_t>(*value->value);
      if (counted == 0 && said == 0) continue;
      const auto figure = known.find(counter);
      const bool explained = figure != known.end() && !figure->second.reason.empty() &&
                             figure->second.h200 == counted && figure->second.emulated == said;
      if (counted != said && !explained) ++differences;
      row.insert(row.end(), {std::to_string(counted), std::to_string(said - counted),
                             explained ? figure->second.reason : ""});
    }
    std::fputs(csv_row(row).c_str(), stdout);
  }
}

// Sources are read from allowed folders alone, and these lie outside kernels/. error: also, without
// a device: one of them cannot be read.
Result<void> allow_sources() {
  if (Result<void> allowed = allow_folder(source_folder() / "tests"); !allowed) return allowed;
  for (const CalibrationKernel& kernel : calibration_kernels()) {
    const auto texts = sources_on_disk()(calibration_launch(kernel).source);
    if (!texts) return tl::unexpected(texts.error());
  }
  return {};
}

int calibrate() {
  if (Result<void> allowed = allow_sources(); !allowed) return refuse(allowed.error());
  Result<std::unique_ptr<Device>> device = Device::open(0);
  if (!device) return refuse(device.error());
  Result<std::unique_ptr<Counters>> counters = Counters::create((*device)->context(), 0);
  if (!counters) return refuse(counters.error());
  auto known = measured_on_h200();
  if (!known) return refuse(known.error());
  const Result<Buffers> buffers = upload_buffers(**device);
  if (!buffers) return refuse(buffers.error());
  KernelStore kernels(**device);
  const Result<std::vector<RangeCounters>> ranges = count(**device, kernels, **counters, *buffers);
  if (!ranges) return refuse(ranges.error());
  std::fputs(csv_row({"kernel", "counter", "emulated", "measured", "difference", "reason"}).c_str(),
             stdout);
  int differences = 0, missing = 0;
  for (const CalibrationKernel& kernel : calibration_kernels()) {
    const Result<CalibrationCounts> emulated = emulate_calibration(kernel);
    if (!emulated) return refuse(emulated.error());
    std::vector<MetricValue> measured;
    for (const RangeCounters& range : *ranges) {
      if (range.range == kernel.name) measured = range.values;
    }
    print_rows(kernel, *emulated, measured, (*known)[kernel.name], differences, missing);
  }
  std::fprintf(stderr, "%zu kernels on %s: %d differences without a reason, %d figures missing\n",
               calibration_kernels().size(), (*device)->description().name.c_str(), differences,
               missing);
  return differences > 0 ? 1 : missing > 0 ? 3 : 0;
}

}  // namespace
}  // namespace warpscope

int main() { return warpscope::calibrate(); }
