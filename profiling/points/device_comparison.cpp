// profiling/points/device_comparison.cpp: one variant on two devices, beside each other on purpose.
#include "profiling/points/device_comparison.h"

#include <cstdio>

#include "profiling/points/point.h"

namespace warpscope {

AcrossDevices across_devices(const Measurement& here, const Measurement& there, CacheState cache) {
  if (here.scene != there.scene || here.variant != there.variant || here.key != there.key)
    return {0, "not comparable: the two differ in variant or configuration"};
  if (same_device(here.conditions, there.conditions)) return {0, "it is the same device"};
  const auto time = [cache](const Measurement& m) -> const std::optional<Timing>& {
    return cache == CacheState::cold ? m.cold : m.warm;
  };
  const std::string device = to_text(device_of(there.conditions));
  if (here.verdict.outcome != Outcome::correct || !time(here) || time(here)->median_ns <= 0)
    return {0, std::string("no ") + to_text(cache) + " time on this device"};
  if (there.verdict.outcome != Outcome::correct || !time(there) || time(there)->median_ns <= 0)
    return {0, std::string("no ") + to_text(cache) + " time on " + device};
  const double ratio = time(there)->median_ns / time(here)->median_ns;
  char text[32];
  std::snprintf(text, sizeof text, "%.2f×", ratio);
  return {ratio,
          std::string(text) + " the speed of " + device + ": this compares devices, not variants"};
}

}  // namespace warpscope
