// profiling/emulator/decode/emit.h: instructions that a statement becomes, and what it accesses.
#pragma once

#include <cstdint>
#include <string>

#include "profiling/emulator/decode/context.h"

namespace warpscope {

// Always false. The statement becomes a trap; of several problems the first is told.
bool problem(DecodeContext& ctx, std::string what);

// Adds an instruction with the guard of the statement; only the first of a statement counts.
Instruction& emit(DecodeContext& ctx, Instruction i);
// The instruction of a row of the opcode table: "add.u32".
Instruction& emit_row(DecodeContext& ctx, const std::string& name, std::uint32_t d, std::uint32_t a,
                      std::uint32_t b = 0, std::uint32_t c = 0);

// An access of the statement that is traced; `i` keeps its first.
void add_site(DecodeContext& ctx, Instruction& i, AddressSpace space, AccessKind kind, int width);

}  // namespace warpscope
