// profiling/emulator/decode/functions.h: functions, what they declare, and where they stand in a
// text.
#pragma once

#include <cstdint>

#include "profiling/emulator/decode/context.h"

namespace warpscope {

// Decodes the statements of the frame's function, after those that were decoded before.
void decode_body(DecodeContext& ctx, CallFrame& frame);
// Gives a variable its place; `index` is its own in PtxModule::variables.
void declare_variable(DecodeContext& ctx, CallFrame& frame, const PtxVariable& v,
                      std::int32_t index);
// Where a statement at a position of the PTX stands in the person's text. The reference holds until
// the next call.
const StatementPlace& place_at(DecodeContext& ctx, CallFrame& frame, std::uint32_t position);

}  // namespace warpscope
