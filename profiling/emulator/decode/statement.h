// profiling/emulator/decode/statement.h: one statement to instructions, or to a trap that says why
// it has none.
#pragma once

#include "profiling/emulator/decode/context.h"

namespace warpscope {

void decode_statement(DecodeContext& ctx, CallFrame& frame, const PtxStatement& s);

}  // namespace warpscope
