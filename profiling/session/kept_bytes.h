// profiling/session/kept_bytes.h: how much memory what a session holds takes.
#pragma once

#include <cstdint>

#include "profiling/messages/protocol.h"

// What a value occupies with all it points to: capacities, not lengths. Within a few percent of
// what the allocator gave: its own bookkeeping is left out.

namespace warpscope {

std::int64_t kept_bytes(const Measurement& measurement);
std::int64_t kept_bytes(const Trace& trace);
std::int64_t kept_bytes(const Timeline& timeline);
std::int64_t kept_bytes(const Job& job);
std::int64_t kept_bytes(const LogLine& line);
// What a message of any kind takes in a Session.
std::int64_t kept_bytes(const Message& message);

}  // namespace warpscope
