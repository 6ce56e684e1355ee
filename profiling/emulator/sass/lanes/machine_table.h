// profiling/emulator/sass/lanes/machine_table.h: what the opcodes of machine code do to 32 lanes,
// by name.
#pragma once

#include <string>
#include <unordered_map>

#include "profiling/emulator/state/kernel_code.h"

// Like OpcodeTable for PTX: functions of lanes, compiled once for any processor and once for one
// with AVX2. Instructions of the uniform datapath run the same function for all lanes of the warp,
// so a uniform register is a slot of 32 equal values that any instruction can read.

namespace warpscope {

class MachineTable {
 public:
  struct Row {
    RunInstruction lanes = nullptr, warp = nullptr;  // of some lanes; of the uniform datapath
  };
  void add(const char* name, RunInstruction lanes, RunInstruction warp) {
    rows_[name] = {lanes, warp};
  }
  const Row* find(const std::string& name) const {
    const auto found = rows_.find(name);
    return found == rows_.end() ? nullptr : &found->second;
  }

 private:
  std::unordered_map<std::string, Row> rows_;
};

// The table for this processor, made once.
const MachineTable& machine_table();

namespace any_processor {
void add_machine_integers(MachineTable& table);
void add_machine_logic(MachineTable& table);
void add_machine_floats(MachineTable& table);
void add_machine_halves(MachineTable& table);
}  // namespace any_processor
namespace with_avx2 {
void add_machine_integers(MachineTable& table);
void add_machine_logic(MachineTable& table);
void add_machine_floats(MachineTable& table);
void add_machine_halves(MachineTable& table);
}  // namespace with_avx2

}  // namespace warpscope
