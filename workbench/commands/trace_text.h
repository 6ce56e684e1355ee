// workbench/commands/trace_text.h: an emulated trace on standard output, by line and instruction.
#pragma once

#include <string>
#include <vector>

#include "profiling/access/trace.h"
#include "profiling/agreement/line_comparison.h"
#include "profiling/findings/findings.h"
#include "profiling/points/measurement.h"

namespace warpscope {

// What was launched, its findings, and what each line and instruction cost.
void print_trace(const Trace& trace, const FindingList& findings);

// "csrmm/warp_row at m=64, step multiply": which launch a finding is of.
std::string launch_name(const Trace& trace);
// Where a file of a trace stands, from the present folder if it is below that: "kernels/a.cu".
// `what`: the scene's folder and variant as they were named; empty: a file of the person's own.
std::string place_in_project(const std::string& file, const std::string& what);
// The two parts of it. Nothing is printed of an empty list but that.
void print_findings(const FindingList& list);
void print_accesses(const Trace& trace);

// 1: a fault of the kernel. 3: there is no verdict, because the kernel reached an instruction that
// the emulator does not know; it says so on standard error. 0: neither.
int status_of_faults(const std::vector<const Trace*>& traces);

// The emulator's figures of each line beside those that a device counted at `point`. Figures that
// are 0 on both sides all along are left out.
void print_comparison(const Trace& trace, const LineComparison& comparison,
                      const Measurement& point);

}  // namespace warpscope
