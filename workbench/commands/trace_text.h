// workbench/commands/trace_text.h: an emulated trace on standard output, by line and instruction.
#pragma once

#include "profiling/access/trace.h"
#include "profiling/agreement/line_comparison.h"
#include "profiling/points/measurement.h"

namespace warpscope {

// What was launched, what each line and instruction cost, and what went wrong.
void print_trace(const Trace& trace);
// The two parts of it: the figures, and what went wrong.
void print_accesses(const Trace& trace);
void print_findings(const Trace& trace);

// The emulator's figures of each line beside those that a device counted at `point`. Figures that
// are 0 on both sides all along are left out.
void print_comparison(const Trace& trace, const LineComparison& comparison,
                      const Measurement& point);

}  // namespace warpscope
