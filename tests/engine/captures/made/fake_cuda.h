// tests/engine/captures/made/fake_cuda.h: what a test's program tells the driver that is made for
// it.
#pragma once

#include <cstddef>
#include <vector>

namespace warpscope {

// A kernel as a function of the host, which is run for a whole launch.
struct FakeKernel {
  const char* symbol = "";
  std::vector<std::size_t> parameter_bytes;
  void (*run)(void** parameters) = nullptr;
};
void fake_kernel(const FakeKernel& kernel);
// Launches are recorded into a graph from now on, and not run.
void fake_recording(bool is_recording);
// From now on the device is never idle.
void fake_endless_wait();
// The kernel of this launch, counted from 1, does not end before another launch is made.
void fake_waiting_launch(int number);
// Whoever waits for the device waits this long.
void fake_slow_idle(int ms);
// Memory cannot be read before a launch is made.
void fake_held_copies();

}  // namespace warpscope
