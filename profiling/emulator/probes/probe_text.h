// profiling/emulator/probes/probe_text.h: the instructions of probes.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace warpscope {

// The variables of the module: one that holds a ProbeSetup, and a zero.
std::string probe_variable();
// At the beginning of the entry: declares the probes' registers, and finds the warp's buffers.
// `late`: the ends of waits whose records are kept until the next such wait.
std::string probe_begin(const std::set<std::uint32_t>& late);
// Notes a probe. `guard`: "%p1" or "!%p1" where it is passed only under that condition. `elected`:
// the first active lane writes, else lane 0.
std::string probe_text(std::uint32_t probe, const std::string& guard, bool elected);
// Before a wait: reads the clock into a register, and nothing else, so that the wait is as long as
// without it.
std::string wait_begin_text(const std::string& guard);
// After a wait: notes its two probes. `probe`: the one at its end.
std::string wait_end_text(std::uint32_t probe, const std::string& guard, bool elected);
// The same for a wait whose record is kept: before it, with what the last one left; and after it.
std::string late_begin_text(std::uint32_t probe, const std::string& guard);
std::string late_end_text(std::uint32_t probe, const std::string& guard);
// After a barrier of a block, before the probe at its end. On sm_90 a clock that is read after
// bar.sync may be read before the barrier is complete, but a load is held.
std::string probe_hold();
// Before the thread ends.
std::string probe_end(const std::set<std::uint32_t>& late);

}  // namespace warpscope
