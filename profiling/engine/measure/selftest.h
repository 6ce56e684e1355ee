// profiling/engine/measure/selftest.h: do the counters count what is known?
#pragma once

#include <string>
#include <vector>

#include "profiling/engine/compile/kernel_store.h"
#include "profiling/engine/cuda/device.h"
#include "profiling/engine/measure/counters.h"

namespace warpscope {

struct SelfTest {
  bool passed = false;
  std::string sentence;  // what was off and by how much, or what agreed
};

// What a counter must say of the known kernel.
struct KnownCount {
  std::string id;
  double value = 0;
};

// Compares counted with known values and names every counter that is missing or more than 2 % off.
SelfTest judge_counters(const std::vector<MetricValue>& counted,
                        const std::vector<KnownCount>& known);

// Runs a kernel whose sectors, requests and multiply-adds are known and judges its counters. Where
// one fails, the counters are shown as untrusted.
SelfTest run_counter_selftest(const Device& device, KernelStore& kernels, Counters& counters);

}  // namespace warpscope
