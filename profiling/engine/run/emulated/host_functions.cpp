// profiling/engine/run/emulated/host_functions.cpp: instructions whose last bit is that of the
// host's mathematical functions.
#include "profiling/engine/run/emulated/host_functions.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "profiling/emulator/ptx/module.h"

namespace warpscope {
namespace {

// Those that the emulators pass to <cmath>; roots and quotients are rounded alike everywhere.
constexpr std::string_view kPtx[] = {"sin.", "cos.", "ex2.", "lg2.", "tanh."};
constexpr std::string_view kMachineCode[] = {"MUFU.SIN", "MUFU.COS", "MUFU.EX2", "MUFU.LG2",
                                             "MUFU.TANH"};

bool is_of_host(std::string_view opcode) {
  return std::any_of(std::begin(kPtx), std::end(kPtx),
                     [&](std::string_view name) { return opcode.starts_with(name); });
}

}  // namespace

std::string host_function_in(const Program& program,
                             const std::optional<MachineFigures>& machine_code) {
  for (const PtxFunction& function : program.parsed().functions) {
    for (const PtxStatement& statement : function.body) {
      if (statement.kind == PtxStatement::Kind::instruction && is_of_host(statement.name))
        return std::string(statement.name);
    }
  }
  if (!machine_code) return "";
  for (const MachineRow& row : machine_code->rows) {
    for (const std::string_view name : kMachineCode) {
      if (row.text.find(name) != std::string::npos) return std::string(name);
    }
  }
  return "";
}

std::string no_hash_because(const std::string& host_function) {
  return "the last bit of " + host_function + " is that of this machine's C library";
}

}  // namespace warpscope
