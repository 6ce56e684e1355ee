// profiling/engine/cuda/nvml.h: clocks, power, temperature and throttle reasons, from the driver's
// library.
#pragma once

#include <optional>
#include <string>

#include "scenes/host/result.h"

namespace warpscope {

struct NvmlReading {
  std::optional<double> sm_clock_mhz, memory_clock_mhz, power_w, temperature_c;
  std::string throttle;  // "none", "power cap", …; empty where it cannot be read
};

class Nvml {
 public:
  // `uuid` as in DeviceDescription. error: environment.
  static Result<Nvml> open(const std::string& uuid);
  NvmlReading read() const;
  const std::string& driver_version() const { return driver_version_; }

 private:
  void* device_ = nullptr;
  std::string driver_version_;
};

// The words for a mask of NVML's clock event reasons. source: NVML API reference,
// nvmlClocksEventReasons.
std::string throttle_words(unsigned long long mask);

}  // namespace warpscope
