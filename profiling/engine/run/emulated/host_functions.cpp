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

// "MUFU.RCP" of "@P0 MUFU.RCP R3, R2"; empty: another instruction.
std::string approximation_of(std::string_view text) {
  const std::size_t at = text.find("MUFU.");
  if (at == std::string_view::npos) return "";
  return std::string(text.substr(at, text.find(' ', at) - at));
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

std::string approximation_in(const Program& program,
                             const std::optional<MachineFigures>& machine_code) {
  if (machine_code) {
    for (const MachineRow& row : machine_code->rows) {
      if (std::string found = approximation_of(row.text); !found.empty()) return found;
    }
    return "";
  }
  for (const PtxFunction& function : program.parsed().functions) {
    for (const PtxStatement& statement : function.body) {
      const std::string_view name = statement.name;
      if (statement.kind == PtxStatement::Kind::instruction &&
          (is_of_host(name) || name.find(".approx") != std::string_view::npos ||
           name.starts_with("div.full")))
        return std::string(name);
    }
  }
  return "";
}

std::string why_bits_may_differ(const std::string& approximation) {
  return "a GPU approximates " + approximation +
         " and the emulator does not, so last bits may differ though the kernel is right: verify "
         "it on a GPU, or compare within a tolerance, as a fork with --elements f32 does";
}

std::string no_hash_because(const std::string& host_function) {
  return "the last bit of " + host_function + " is that of this machine's C library";
}

}  // namespace warpscope
