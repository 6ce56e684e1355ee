// workbench/workspace/selection/trace_steps.h: keeps the trace selection inside its trace, and
// moves it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "profiling/access/counterpart.h"
#include "profiling/access/trace_view.h"
#include "workbench/workspace/selection/selection.h"

// Pure functions: the keys, the buttons of diagrams and the player call the same ones.

namespace warpscope {

// Makes warp, request, site and buffer ones that the trace has. A kernel that was not looked at
// before begins with the warp that makes most requests, at its instruction that moves most.
void settle(TraceSelection& selection, const Trace& trace);
// The chosen request; null when the warp has none of the chosen instruction.
const WarpRequest* chosen_request(const TraceSelection& selection, const Trace& trace);
// Where the chosen request stands among those that steps go through: "12 of 200", counted from 1;
// 0 of 0 when there are none.
struct StepPosition {
  std::int64_t at = 0, of = 0;
};
StepPosition step_position(const TraceSelection& selection, const Trace& trace);
// To the next (1) or the last (−1) request of the warp, of the chosen instruction if there is one.
// Returns whether there was one.
bool step_request(TraceSelection& selection, const Trace& trace, int by);
// To another warp, at the request nearest in time.
void step_warp(TraceSelection& selection, const Trace& trace, int by);
void choose_request(TraceSelection& selection, const Trace& trace, std::size_t request);
// Chooses an instruction and its request nearest in time; the one chosen already: all again.
void choose_site(TraceSelection& selection, const Trace& trace, std::int64_t site);
// Chooses, of the requests to this memory, the first of a line; returns whether there is one.
bool choose_line(TraceSelection& selection, const Trace& trace, const std::string& file, int line,
                 RequestFamily family);
// … and the one that takes most sectors or wavefronts beyond those that its lanes need; where none
// takes more, the one that takes most.
bool choose_worst(TraceSelection& selection, const Trace& trace, RequestFamily family);
void zoom(TraceSelection& selection, int by);  // 1: nearer
// Plays for `seconds`; stops at the warp's last request.
void play(TraceSelection& selection, const Trace& trace, double seconds);
// Goes from `from`, in which the selection is, to the counterpart in `to`, and settles there. With
// no `from`, or where the selection is in neither: as settle.
void turn_to(TraceSelection& selection, const Trace* from, const Trace& to);
// The request that a diagram of one memory shows: the chosen one, else the nearest in time.
struct NearRequest {
  std::optional<std::size_t> request;
  std::string note;  // that it is another one, or that there is none; a sentence or empty
};
NearRequest shown_request(const TraceSelection& selection, const Trace& trace,
                          RequestFamily family);
// What the pointer is on as addresses of a trace, which is drawn as `pin`'s half. If the pointer is
// in the half of `other`, only an array of the same type and shape has a counterpart here.
struct HoveredBytes {
  std::optional<std::uint64_t> sector;  // address of its first byte
  std::uint64_t first = 1, last = 0;    // of an element; first > last: none
};
HoveredBytes hovered_bytes(const Hovered& hovered, char pin, const Trace& trace,
                           const Trace* other);

// The array that kept requests write most, as bytes; empty: none.
std::string most_written(const Trace& trace);

}  // namespace warpscope
