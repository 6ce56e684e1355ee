// profiling/engine/measure/measuring_tools.cpp: a device with what measures on it.
#include "profiling/engine/measure/measuring_tools.h"

#include <utility>

#include "profiling/engine/measure/timeline_capture.h"
#include "scenes/host/build_stamp.h"
#include "scenes/host/clock.h"

namespace warpscope {

Result<std::unique_ptr<MeasuringTools>> MeasuringTools::create(int ordinal, bool hands_off) {
  Result<std::unique_ptr<Device>> device = Device::open(ordinal);
  if (!device) return tl::unexpected(device.error());
  auto m = std::make_unique<MeasuringTools>();
  m->hands_off = hands_off;
  m->device = std::move(*device);
  m->kernels = std::make_unique<KernelStore>(*m->device);
  if (Result<Nvml> nvml = Nvml::open(m->device->description().uuid)) m->nvml = std::move(*nvml);
  if (hands_off) {
    m->counters_capability.reason =
        "the engine runs with --hands-off, so another profiler can work";
    m->counters_capability.remedy = "start it without --hands-off";
    m->sass_capability.reason = m->counters_capability.reason;
    m->sass_capability.remedy = m->counters_capability.remedy;
  } else if (Result<std::unique_ptr<Counters>> counters =
                 Counters::create(m->device->context(), ordinal)) {
    m->counters = std::move(*counters);
    m->counters_capability.available = true;
    m->counters_capability.version = m->counters->chip();
  } else {
    m->counters_capability.reason = counters.error().where + ": " + counters.error().what;
    m->counters_capability.remedy = counters.error().remedy;
  }
  if (!hands_off) {
    Result<std::unique_ptr<SassCounters>> sass =
        SassCounters::create(m->device->context(), ordinal);
    m->sass_capability = warpscope::sass_capability(sass);
    if (sass) m->sass_counters = std::move(*sass);
  }
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

std::vector<Capability> MeasuringTools::capabilities() const {
  Capability clocks{"nvml", nvml.has_value(), nvml ? nvml->driver_version() : ""};
  if (!nvml) {
    clocks.reason = "NVML does not start";
    clocks.remedy = "clocks and power are not recorded; reinstall the driver";
  }
  std::vector<Capability> all = timeline_capabilities(hands_off);
  all.insert(all.begin(), {counters_capability, sass_capability});
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
