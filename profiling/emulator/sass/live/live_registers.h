// profiling/emulator/sass/live/live_registers.h: how many registers are in use at each instruction
// of a function of machine code.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiling/access/trace.h"
#include "profiling/emulator/sass/live/register_uses.h"
#include "profiling/emulator/sass/read/machine_text.h"

// The usual analysis: what is in use before an instruction is what it reads, and what is in use
// after it without what it writes for sure.
//
//   const LiveAnalysis live = live_registers(function);
//   for (std::size_t k = 0; k < live.rows.size(); ++k) show(function.code[k].text, live.rows[k]);

namespace warpscope {

struct LiveAnalysis {
  std::vector<LiveRegisters> rows;   // by instruction
  std::vector<std::string> guessed;  // opcodes that are not known, each once
};
LiveAnalysis live_registers(const MachineFunction& function);

// The registers in use, by instruction.
std::vector<RegisterSet> live_sets(const MachineFunction& function);

// The instructions that may be executed next, by instruction. A return leads to where the calls of
// its function go on; a branch by a register leads to its targets, or to any label where nvdisasm
// does not name them.
std::vector<std::vector<std::uint32_t>> next_instructions(const MachineFunction& function);

}  // namespace warpscope
