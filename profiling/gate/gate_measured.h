// profiling/gate/gate_measured.h: what a gate records, of a trace and of a compilation.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "profiling/access/trace.h"
#include "profiling/gate/gate_record.h"
#include "profiling/points/outcome_messages.h"

namespace warpscope {

// A line of a source by its file and number, without the white space around it; empty: not known.
using GateTexts = std::function<std::string(const std::string& file, int line)>;

// The counts, lines and hashes of one emulated launch, whose blocks all ran. `kernel`: its name in
// the gate's file.
GateRecord gate_record_of(const Trace& trace, const std::string& kernel, const GateTexts& texts);

// Adds registers, spills, shared memory and occupancy of a kernel step to the record.
void add_compiled(GateRecord& record, const StepRecord& step);

}  // namespace warpscope
