// profiling/gate/gate_file.h: the person's part of a gate's file: which kernels, and how much worse
// a count may get.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/messages/protocol.h"
#include "scenes/host/result.h"

//   architectures = [90, 80]         # registers and occupancy of each; 90 is also emulated
//   [allow]
//   instructions = "1%"              # of what is recorded; a number is an absolute count
//   [[kernel]]
//   scene = "saxpy/by_element"       # a scene, a folder, a .cu, .ptx or .wcap file
//   axes = { n = 1000 }
//   [[kernel]]
//   launch = "norm.toml"             # a launch file
//   values = { rows = 128 }

namespace warpscope {

// Kernels are emulated as they are compiled for this compute capability.
inline constexpr int kGateEmulated = 90;

// How much worse a count may get than recorded: the larger of the two.
struct GateAllowance {
  std::int64_t count = 0;
  double ratio = 0;
};
using GateAllowances = std::map<std::string, GateAllowance, std::less<>>;  // by the count's id

struct GateKernel {
  std::string name;                         // in the recorded part; unique
  std::string scene, launch;                // one of the two
  std::map<std::string, std::string> axes;  // or values of the launch file
  GateAllowances allow;                     // in place of the file's
  bool outputs = true;                      // whether their bits are recorded
  int line = 0;                             // of the file
};

struct GateFile {
  std::vector<int> architectures;
  TracedCode code = TracedCode::ptx;  // never the best that this machine can do
  GateAllowances allow;
  std::vector<GateKernel> kernels;
};

// `text`: the person's part. error: input, with the line and the nearest key.
Result<GateFile> parse_gate_file(std::string_view text, const std::string& file);

// What a kernel allows, else the file, else nothing.
GateAllowance allowance_of(const GateFile& file, const GateKernel* kernel, std::string_view count);

}  // namespace warpscope
