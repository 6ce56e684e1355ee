// scenes/step.h: the work of a variant as a list of steps: kernels, memsets, copies, library calls.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "scenes/array.h"

// Steps are plain values made for one workload; the engine gives each its own NVTX range, time and
// counters. A step names its buffers; it never holds an address.

namespace warpscope {

struct Dim3 {
  std::int64_t x = 1, y = 1, z = 1;
  bool operator==(const Dim3&) const = default;
};

struct Launch {
  Dim3 grid, block;
  std::int64_t dynamic_shared_bytes = 0;
  Dim3 cluster;  // 1×1×1: no cluster
};

struct BufferArgument {
  std::string buffer;  // name of a BufferSpec
  std::int64_t offset_bytes = 0;
};
// A kernel argument, in the order of the kernel's parameters and of exactly their size.
using Argument = std::variant<BufferArgument, std::int32_t, std::int64_t, std::uint32_t,
                              std::uint64_t, float, double>;

struct KernelLaunch {
  std::string source;  // path below kernels/: "csrmm/warp_row.cu"
  std::string entry;   // extern "C" name: "warp_row"
  // Compile-time constants, passed as -DNAME=VALUE: {"UNROLL", "4"}.
  std::vector<std::pair<std::string, std::string>> defines;
  Launch launch;
  std::vector<Argument> arguments;
};

struct Memset {
  std::string buffer;
  std::uint8_t value = 0;  // every byte of the buffer
};

struct DeviceCopy {
  std::string from, to;  // whole buffers of equal size
};

// A call into a vendor library, implemented by the engine under its name.
struct LibraryCall {
  std::string name;                            // "cusparse.spmm.csr_alg3"
  std::map<std::string, std::string> buffers;  // operand → buffer: {"indptr", "indptr"}, {"B", "b"}
  std::map<std::string, double> numbers;       // sizes and switches: {"m", 10000}, {"transpose", 1}
};

// `prepare` runs once per input and is timed apart (format conversion, algorithm search, plans);
// `run` is what a call costs.
enum class Phase { prepare, run };

struct Step {
  std::string name;  // "clear C": its NVTX range is "<variant>/<name>"
  Phase phase = Phase::run;
  std::variant<KernelLaunch, Memset, DeviceCopy, LibraryCall> action;
};

}  // namespace warpscope
