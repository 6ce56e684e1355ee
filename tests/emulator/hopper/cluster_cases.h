// tests/emulator/hopper/cluster_cases.h: kernels that need a Hopper device, with inputs and what
// they must give.
#pragma once

#ifdef WARPSCOPE_WITH_COMPILER

#include <cstddef>
#include <cstring>
#include <ostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "profiling/access/trace.h"
#include "scenes/base/step.h"
#include "tests/emulator/hopper/as_machine_code.h"

// A row of cluster_kernels() is a kernel of a file beside this one. Tests hold what the emulator
// makes of it to `expected`, a plain reference on the host; the suite GpuHopperClusters launches
// the same on the device of the machine it runs on, and writes what was counted beside what was
// emulated.

namespace warpscope {

struct KernelBuffer {
  std::string name;
  ElementType type = ElementType::f32;
  std::vector<std::byte> bytes;     // before the launch
  std::vector<std::byte> expected;  // after it; empty: not looked at
  bool initialised = true;
};

struct ClusterKernel {
  std::string name;  // of its file and entry, where those below say nothing else
  Launch launch;
  std::vector<KernelBuffer> buffers;
  std::vector<Argument> arguments;
  std::string file = {}, entry = {};
  double bound = 0;  // how far a float may lie from the reference, of its size; 0: not at all
};

// All of them, in the order of their files.
std::span<const ClusterKernel> cluster_kernels();
// One pattern of access each, without a reference: what a device counts of them is wanted.
std::span<const ClusterKernel> probe_kernels();
inline void PrintTo(const ClusterKernel& kernel, std::ostream* out) { *out << kernel.name; }
// Each file adds its own.
void add_meeting_kernels(std::vector<ClusterKernel>& kernels);
void add_copy_kernels(std::vector<ClusterKernel>& kernels);
void add_probe_kernels(std::vector<ClusterKernel>& kernels);

KernelLaunch launch_of(const ClusterKernel& kernel);

// Outputs and trace of the whole grid in the emulator. error: as compile_to_ptx, Program::parse and
// emulate_launch.
struct ClusterRun {
  std::vector<std::vector<std::byte>> outputs;  // by buffer
  Trace trace;
};
Result<ClusterRun> emulate_cluster_kernel(const ClusterKernel& kernel,
                                          EmulatedAs as = EmulatedAs::ptx);

// The first element in which an output differs by more than the bound, as a sentence; empty: none.
std::string output_difference(const ClusterKernel& kernel, std::size_t buffer,
                              std::span<const std::byte> output);

template <typename T>
std::vector<std::byte> raw_bytes(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
// A buffer that kernels only read, and one that they write.
template <typename T>
KernelBuffer input(std::string name, ElementType type, const std::vector<T>& values) {
  return {std::move(name), type, raw_bytes(values), {}, true};
}
template <typename T>
KernelBuffer output(std::string name, ElementType type, const std::vector<T>& before,
                    const std::vector<T>& expected, bool initialised = false) {
  return {std::move(name), type, raw_bytes(before), raw_bytes(expected), initialised};
}

}  // namespace warpscope

#endif  // WARPSCOPE_WITH_COMPILER
