// profiling/points/device_comparison.h: one variant on two devices, beside each other on purpose.
#pragma once

#include <string>

#include "profiling/points/measurement.h"

namespace warpscope {

// It is not a verdict: no variant wins by running on another card.
struct AcrossDevices {
  double ratio = 0;      // the time there over the time here: 2 is half the time here; 0: none
  std::string sentence;  // "2.00× the speed of NVIDIA H100 (GPU-…)", or why there is no ratio
};
AcrossDevices across_devices(const Measurement& here, const Measurement& there, CacheState cache);

}  // namespace warpscope
