// profiling/emulator/decode/function_facts.h: what the text of the function at hand says of its
// registers.
#pragma once

#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "profiling/emulator/decode/context.h"

namespace warpscope {

// Whether the function names a result's register anywhere else.
bool is_read(DecodeContext& ctx, std::string_view result);
// Whether an operand may differ between the lanes of a warp.
bool differs_by_lane(DecodeContext& ctx, const PtxOperand& o);
// As guarded_registers (ptx/guarded_registers.h) finds them.
const std::unordered_set<std::string_view>& guarded_at_hand(DecodeContext& ctx);
// The shared array that each register's address was made from.
const std::unordered_map<std::string_view, std::string_view>& provenance_at_hand(
    DecodeContext& ctx);

}  // namespace warpscope
