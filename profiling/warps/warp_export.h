// profiling/warps/warp_export.h: warps over time as text, CSV, JSON and a trace for Perfetto.
#pragma once

#include <string>
#include <vector>

#include "profiling/warps/warp_spans.h"
#include "scenes/host/write_file.h"

namespace warpscope {

// "probes make the kernel 1.2 % slower: 38.2 µs without, 38.7 µs with them".
std::string slowdown_sentence(const WarpTimeline& timeline);
// For a terminal: roles, then the spans of each role by share.
std::string warps_text(const WarpTimeline& timeline);
// One header for all; one row per span of each recorded warp.
void write_warps_csv(const std::vector<const WarpTimeline*>& timelines, const TextSink& write);
// {"type":"warps","kernel":…,"roles":[…],"spans":[…]}: one line, with sums and without records.
std::string warps_json(const WarpTimeline& timeline);
// Trace Event Format: a process per multiprocessor, a thread per warp.
void write_warps_trace(const std::vector<const WarpTimeline*>& timelines, const TextSink& write);

}  // namespace warpscope
