// profiling/emulator/instructions/conversions.h: conversions that the vectorised table does not
// hold.
#pragma once

#include "profiling/emulator/instructions/opcode_table.h"

namespace warpscope {

// Instruction::flags of a conversion.
inline constexpr std::uint8_t kConvertFtz = 1, kConvertSat = 2, kConvertRelu = 4;

// width: Number of the source, count: Number of the result, subop: Rounding + 4·IntegerRounding.
void convert_any(Warp& w, const Instruction& i);

}  // namespace warpscope
