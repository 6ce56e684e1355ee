// tests/emulator/calibration.h: kernels of one access pattern each, and what an H200 counted of
// them.
#pragma once

#ifdef WARPSCOPE_WITH_COMPILER

#include <cstdint>
#include <map>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "profiling/access/trace.h"
#include "scenes/base/step.h"
#include "scenes/host/result.h"

// tests/emulator/calibration/*.cu hold the kernels, h200.csv beside them the figures: one NVIDIA
// H200 (compute capability 9.0), counted by Nsight Compute over kernels of the same patterns, sizes
// and launches. A counter that has no row for a kernel of the file was 0.
//
//   for (const CalibrationKernel& kernel : calibration_kernels()) {
//     Result<CalibrationCounts> counts = emulate_calibration(kernel);
//     counts->sums["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] …
//   }

namespace warpscope {

struct CalibrationKernel {
  std::string file;  // "global.cu", in tests/emulator/calibration/
  std::string name;  // of the entry: "contiguous"
  std::int64_t threads = 256;
};
std::span<const CalibrationKernel> calibration_kernels();
inline void PrintTo(const CalibrationKernel& kernel, std::ostream* out) { *out << kernel.name; }

// The launch and its three buffers "x", "y" and "index", for the emulator and for a device. The
// source is named from kernels/, where compilers look for sources.
KernelLaunch calibration_launch(const CalibrationKernel& kernel);

// What the buffers hold before the first launch.
struct CalibrationBuffers {
  std::vector<float> x, y;
  std::vector<std::int32_t> index;
};
CalibrationBuffers calibration_buffers();

// CUPTI's names of the counters that the emulator has figures for.
std::span<const std::string> calibration_counters();

// By CUPTI's name; every one of calibration_counters().
using Counts = std::map<std::string, std::int64_t>;

// The same counts on two roads: as the emulator adds them up while it runs, and by the rules of
// profiling/access/access.h over the requests that it kept.
struct CalibrationCounts {
  Counts sums, requests;
  std::vector<Fault> faults;
};
// Runs the whole grid. error: as compile_to_ptx, Program::parse and emulate.
Result<CalibrationCounts> emulate_calibration(const CalibrationKernel& kernel);

// A row of h200.csv.
struct MeasuredCount {
  std::int64_t h200 = 0;
  // What the emulator must say: the same, except where `reason` tells why it cannot.
  std::int64_t emulated = 0;
  std::string reason;
};
// By kernel, then by counter. error: environment (no file), input (naming the row).
Result<std::map<std::string, std::map<std::string, MeasuredCount>>> measured_on_h200();

}  // namespace warpscope

#endif  // WARPSCOPE_WITH_COMPILER
