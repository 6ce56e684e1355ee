// profiling/emulator/sass/live/register_uses.h: which registers are read and written by an
// instruction of machine code.
#pragma once

#include <bitset>
#include <cstddef>
#include <string>

#include "profiling/emulator/sass/read/machine_text.h"

// The operands say which registers are meant, and the opcode says how many follow each: R4 of
// LDG.E.128 stands for R4 … R7. RZ, URZ, PT and UPT are not registers.

namespace warpscope {

// The registers, by place: R0 … R254, UR0 … UR62, P0 … P6, UP0 … UP6.
inline constexpr std::size_t kUniformPlace = 256, kPredicatePlace = 512,
                             kUniformPredicatePlace = 520, kRegisterPlaces = 528;
using RegisterSet = std::bitset<kRegisterPlaces>;

struct RegisterUses {
  RegisterSet reads, writes;
  // It may leave what it writes as it was: its guard is false, or it writes a part of them.
  bool conditional = false;
  bool guessed = false;  // the opcode is not known: its first operand counts as its result
};
RegisterUses register_uses(const MachineInstruction& instruction);

// "R0-R3 R8 UR4-UR5 P0".
std::string names_of(const RegisterSet& set);

}  // namespace warpscope
