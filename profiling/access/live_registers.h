// profiling/access/live_registers.h: the registers that are in use at an instruction of machine
// code.
#pragma once

#include <string>

namespace warpscope {

// A register is in use at an instruction if its value is read there or later before it is written
// again, or if the instruction writes it.
struct LiveRegisters {
  int general = 0, uniform = 0, predicates = 0, uniform_predicates = 0;
  std::string names;  // "R0-R3 R8 UR4-UR5 P0"; empty if they are not known
  bool operator==(const LiveRegisters&) const = default;
};

}  // namespace warpscope
