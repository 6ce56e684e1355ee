// profiling/engine/measure/measuring_tools.cpp: a device with what measures on it.
#include "profiling/engine/measure/measuring_tools.h"

#include <utility>

#include "profiling/engine/measure/timeline_capture.h"
#include "scenes/host/build_stamp.h"
#include "scenes/host/clock.h"

namespace warpscope {

Result<std::unique_ptr<MeasuringTools>> MeasuringTools::create(int ordinal, ProfilerUse use) {
  Result<std::unique_ptr<Device>> device = Device::open(ordinal);
  if (!device) return tl::unexpected(device.error());
  auto m = std::make_unique<MeasuringTools>();
  m->use = use;
  m->hands_off = use == ProfilerUse::none;
  m->device = std::move(*device);
  m->kernels = std::make_unique<KernelStore>(*m->device);
  if (Result<Nvml> nvml = Nvml::open(m->device->description().uuid)) m->nvml = std::move(*nvml);
  m->open_profilers(ordinal);
  Result<std::unique_ptr<Timer>> timer =
      Timer::create(*m->device, *m->kernels, m->nvml ? &*m->nvml : nullptr);
  if (!timer) return tl::unexpected(timer.error());
  m->timer = std::move(*timer);
  if (m->counters) {
    static_cast<void>(m->selftest());
    // The usual plan takes 7 ms to make, for which somebody would wait.
    if (const auto usual = parse_counters("standard")) static_cast<void>(m->counters->plan(*usual));
  }
  return m;
}

void MeasuringTools::open_profilers(int ordinal) {
  const auto keep_off = [](Capability& capability, const char* reason, const char* remedy) {
    capability.reason = reason;
    capability.remedy = remedy;
  };
  if (use == ProfilerUse::none) {
    for (Capability* all : {&counters_capability, &sass_capability, &samples_capability})
      keep_off(*all, "the engine runs with --hands-off, so another profiler can work",
               "start it without --hands-off");
    return;
  }
  if (use == ProfilerUse::samples) {
    for (Capability* all : {&counters_capability, &sass_capability})
      keep_off(*all, "the engine runs with --samples, and a process cannot count and sample",
               "start it without --samples");
    Result<std::unique_ptr<StallSampler>> sampling = StallSampler::create(device->context());
    samples_capability = warpscope::samples_capability(sampling);
    if (sampling) sampler = std::move(*sampling);
    return;
  }
  keep_off(samples_capability, "the engine counts, and a process cannot count and sample",
           "take samples with `warpscope stalls`, which starts an engine with --samples");
  if (Result<std::unique_ptr<Counters>> opened = Counters::create(device->context(), ordinal)) {
    counters = std::move(*opened);
    counters_capability.available = true;
    counters_capability.version = counters->chip();
  } else {
    counters_capability.reason = opened.error().where + ": " + opened.error().what;
    counters_capability.remedy = opened.error().remedy;
  }
  Result<std::unique_ptr<SassCounters>> sass = SassCounters::create(device->context(), ordinal);
  sass_capability = warpscope::sass_capability(sass);
  if (sass) sass_counters = std::move(*sass);
}

std::vector<Capability> MeasuringTools::capabilities() const {
  Capability clocks{"nvml", nvml.has_value(), nvml ? nvml->driver_version() : ""};
  if (!nvml) {
    clocks.reason = "NVML does not start";
    clocks.remedy = "clocks and power are not recorded; reinstall the driver";
  }
  std::vector<Capability> all = timeline_capabilities(hands_off);
  all.insert(all.begin(), {counters_capability, sass_capability, samples_capability});
  all.push_back(std::move(clocks));
  return all;
}

std::string MeasuringTools::driver_version() const {
  return nvml && !nvml->driver_version().empty() ? nvml->driver_version()
                                                 : device->driver_version();
}

Conditions MeasuringTools::conditions() const {
  Conditions c;
  c.device = device->description().name;
  c.device_uuid = device->description().uuid;
  c.driver = driver_version();
  c.toolkit = nvrtc_version().value_or("");
  c.build = build_stamp();
  c.date = now_utc();
  if (nvml) {
    const NvmlReading reading = nvml->read();
    c.sm_clock_mhz = reading.sm_clock_mhz;
    c.memory_clock_mhz = reading.memory_clock_mhz;
    c.power_w = reading.power_w;
    c.temperature_c = reading.temperature_c;
    c.throttle = reading.throttle;
  }
  return c;
}

Result<void> MeasuringTools::counters_off() {
  return counters ? counters->release() : Result<void>{};
}

SelfTest MeasuringTools::selftest() {
  SelfTest test = run_counter_selftest(*device, *kernels, *counters);
  static_cast<void>(counters_off());
  counters_capability.reason = test.passed ? "" : "untrusted: " + test.sentence;
  return test;
}

}  // namespace warpscope
