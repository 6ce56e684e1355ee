// profiling/messages/json_hang.h: the story of a hang and events at barriers, as JSON and back.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "profiling/access/trace.h"

// An event is [warp, barrier, mark, phase, lanes, instruction, line, order], numbers all; `mark`
// counts the enumerators of BarrierMark, and `lanes` is a signed 32-bit number, −1 for all lanes.

namespace warpscope {

nlohmann::json encode_hang(const HangStory& story);
HangStory decode_hang(const nlohmann::json& object);

// The members "barriers" and "barrier_events", where there are any.
void encode_barrier_events(const Trace& trace, nlohmann::json& object);
void decode_barrier_events(const nlohmann::json& object, Trace& trace);

}  // namespace warpscope
