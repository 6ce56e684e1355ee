// profiling/messages/json_requests.h: what a trace lists by the thousand, as JSON and back.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "profiling/access/trace.h"

// A request is [site, warp, order, mask, base, step] and, where it is of another block than
// scope.block, a seventh member, the block; a bulk copy has the block and then its bytes, sectors
// and lines. `order` counts from the request before it (of the same
// warp, else from 0); `mask` is a signed 32-bit number, −1 for all lanes. `base` is the address of
// the first active lane. `step` is a number, the bytes from each lane to the next, or a string: the
// differences from one active lane to the one before it, in base-64 digits as below, the first
// number being the bytes that all differences are multiples of.
//
// What a warp issued is a list of runs [first instruction, count, mask], or [instruction, 1, mask,
// line] where its line is not the one in `instruction_lines`; a warp that issued the same as an
// earlier one is that one's number.

namespace warpscope {

nlohmann::json encode_requests(const Trace& trace);
void decode_requests(const nlohmann::json& list, Trace& trace);

// Writes "issued" and "instruction_lines". Returns whether everything had room.
bool encode_issued(const Trace& trace, nlohmann::json& object);
void decode_issued(const nlohmann::json& object, Trace& trace);

}  // namespace warpscope
