// tests/emulator/hopper/cases.h: kernels with wgmma, their inputs, and what a CPU computes of them.
#pragma once

#ifdef WARPSCOPE_WITH_COMPILER

#include <cstddef>
#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "profiling/access/trace.h"
#include "scenes/base/step.h"
#include "scenes/host/result.h"
#include "tests/emulator/hopper/as_machine_code.h"

// The .cu files beside this one hold the kernels. The same cases run on the emulator and, by
// warpscope_hopper, on a device.
//
//   for (const HopperCase& c : hopper_cases()) {
//     Result<HopperRun> run = emulate_hopper(c);      // outputs, faults, sums
//     std::string wrong = difference(c, run->output);  // empty: as the CPU says
//   }

namespace warpscope {

struct HopperBuffer {
  std::string name;
  ElementType type = ElementType::u8;
  std::vector<std::byte> bytes;  // before the launch
  bool initialised = true;
};

struct HopperCase {
  std::string name;
  KernelLaunch launch;
  std::vector<HopperBuffer> buffers;
  std::string output;  // the buffer that is compared
  // The expected output, in its element type. f32 is compared within the bound, all else exactly.
  std::vector<std::byte> expected;
  double bound = 0;
  int products = 0;  // wgmma.mma_async of a warpgroup that the launch executes; 0: not said
};
inline void PrintTo(const HopperCase& c, std::ostream* out) { *out << c.name; }

// Random numbers. Each list is made anew at every call.
std::vector<HopperCase> hopper_gemms();      // of each type and swizzle, A shared and in registers
std::vector<HopperCase> hopper_columns();    // M-major A, N-major B
std::vector<HopperCase> hopper_pipelines();  // warps that copy and warpgroups that multiply
std::vector<HopperCase> hopper_attention();
std::vector<HopperCase> hopper_cases();  // all of these
// One product each: all types and widths, descriptors of every mode, whole numbers.
std::vector<HopperCase> hopper_probes();
// One product many times over, to find what its reads of shared memory cost.
std::vector<HopperCase> hopper_reads();

struct HopperRun {
  std::vector<std::byte> output;
  Trace trace;
};
// The whole grid. error: as compile_to_ptx, Program::parse and emulate.
Result<HopperRun> emulate_hopper(const HopperCase& c, EmulatedAs as = EmulatedAs::ptx);

// The first element of an output that is not as expected, in words; empty: none. NaN is not.
std::string difference(const HopperCase& c, const std::vector<std::byte>& output,
                       const std::vector<std::byte>& expected, double bound);

}  // namespace warpscope

#endif  // WARPSCOPE_WITH_COMPILER
