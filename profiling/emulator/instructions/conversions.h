// profiling/emulator/instructions/conversions.h: conversions that the vectorised table does not
// hold.
#pragma once

#include "profiling/emulator/instructions/opcode_table.h"

namespace warpscope {

// Instruction::flags of a conversion.
inline constexpr std::uint8_t kConvertFtz = 1, kConvertSat = 2, kConvertRelu = 4;

// width: Number of the source, count: Number of the result, subop: Rounding + 4·IntegerRounding.
void convert_any(Warp& w, const Instruction& i);

// Pairs of numbers of eight bits. subop: 0 from two f32 in a and b (a is the upper half of the
// result), 1 from an f16x2, 2 to an f16x2; count: 0 e4m3, 1 e5m2; flags: kConvertRelu.
void convert_narrow(Warp& w, const Instruction& i);

}  // namespace warpscope
