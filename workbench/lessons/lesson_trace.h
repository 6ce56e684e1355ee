// workbench/lessons/lesson_trace.h: figures of the emulated launch by the names that lessons use.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/access/trace.h"
#include "workbench/workspace/selection/selection.h"

// A lesson's texts and questions may name figures of the emulation of the variant in focus, as if
// they were numbers of a claim: {request.sectors}, [[request.wavefronts = 32 => …]].
//
//   request.sectors  request.wavefronts  of the request that diagrams show
//   request.lines    request.ideal       128-byte lines; the fewest sectors or wavefronts possible
//   request.lanes    request.bytes       active lanes; bytes that they ask for
//   launch.blocks  launch.threads  launch.warps    of the grid; of one block
//   emulated.inst.executed …             of the launch, by metric id
//
// and, in the relation that a clicked sector must meet,
//
//   sector.lanes  sector.bytes  sector.first_lane  sector.last_lane

namespace warpscope {

using TraceNames = std::map<std::string, double>;

// The figures of a trace, with the request that is chosen.
TraceNames trace_names(const Trace& trace, const TraceSelection& selection);
// Those of the sector at this address in the chosen request.
TraceNames sector_names(const Trace& trace, const TraceSelection& selection, std::uint64_t address);
// The addresses of all sectors that the chosen request touches, and of the other sectors of their
// lines.
std::vector<std::uint64_t> shown_sectors(const Trace& trace, const TraceSelection& selection);

// Whether a text or an expression names a figure of the emulation.
bool names_trace(std::string_view words);
// The expression with these figures in place of their names.
std::string with_numbers(std::string_view expression, const TraceNames& names);
// The same for every expression of a text. Null: there is no trace. Claims that name its figures
// then have the words for “not known”, and figures are what `missing` says.
std::string filled_from_trace(const std::string& text, const TraceNames* names,
                              const std::string& missing);
// With 1 in place of every figure of the emulation, to read an expression where there is no trace.
// A name that starts like one of them and is unknown stays as it is, so that reading fails.
std::string with_ones(std::string_view words);

}  // namespace warpscope
