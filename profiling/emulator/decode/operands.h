// profiling/emulator/decode/operands.h: registers, constants, symbols and addresses to slots.
// What is not known or does not fit is reported as a problem, and its slot is 0.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "profiling/emulator/decode/context.h"
#include "profiling/emulator/instructions/opcode_table.h"

namespace warpscope {

const PtxOperand& operand_at(DecodeContext& ctx, const PtxStatement& s, std::uint32_t k);
// The operands of {a, b, …}; of any other operand itself.
std::vector<PtxOperand> operand_parts(const DecodeContext& ctx, const PtxOperand& o);

std::uint32_t new_slot(DecodeContext& ctx, int bytes);
std::uint32_t constant_slot(DecodeContext& ctx, int bytes, std::uint64_t value);

// Registers of the frame, the innermost block first; a slot is made at the first use. Null: there
// is none. The pointer may be to `found`.
const RegisterSlot* find_register(DecodeContext& ctx, std::string_view name, RegisterSlot& found);
const SymbolPlace* find_symbol(DecodeContext& ctx, std::string_view name);

std::uint32_t source_slot(DecodeContext& ctx, const PtxOperand& o, OperandType type);
std::uint32_t source_slot(DecodeContext& ctx, const PtxStatement& s, std::uint32_t k,
                          OperandType type);
// With `negated`, a !%p is reported there; without, its opposite is computed.
std::uint32_t predicate_slot(DecodeContext& ctx, const PtxOperand& o, bool* negated);
std::uint32_t destination_slot(DecodeContext& ctx, const PtxOperand& o, OperandType type);
std::uint32_t destination_slot(DecodeContext& ctx, std::string_view name, OperandType type);
std::uint32_t destination_slot(DecodeContext& ctx, const PtxStatement& s, std::uint32_t k,
                               OperandType type);

// A memory operand to `a`, `immediate` and space of the instruction; false: a problem.
bool take_address(DecodeContext& ctx, const PtxOperand& o, Instruction& i);
// An address of 32 bits becomes one of 64.
void widen_address(DecodeContext& ctx, Instruction& i);

}  // namespace warpscope
