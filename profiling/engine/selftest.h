// profiling/engine/selftest.h: do the counters count what is known?
#pragma once

#include <string>

#include "profiling/engine/compiler.h"
#include "profiling/engine/counters.h"
#include "profiling/engine/device.h"

namespace warpscope {

struct SelfTest {
  bool passed = false;
  std::string sentence;  // what was off and by how much, or what agreed
};

// Runs a kernel whose sectors, requests and multiply-adds are known and compares. A counter that is
// missing, zero or more than 2 % off fails the test: the counters are then shown as untrusted.
SelfTest run_counter_selftest(const Device& device, KernelStore& kernels, Counters& counters);

}  // namespace warpscope
