// profiling/engine/run/emulated/both_codes.h: figures of machine code with the findings of PTX.
#pragma once

#include <string>
#include <vector>

#include "profiling/access/trace.h"

// A launch is run as both if the best figures are wanted. Findings are those of PTX: it shows reads
// of unwritten words, and races within a warp, as the person wrote them. ptxas may widen a load or
// leave out a barrier of a warp. Requests, sectors, wavefronts and instructions are those of
// machine code.

namespace warpscope {

// Why no figures of machine code can stand beside these traces of PTX: a fault ended the work of
// some lanes, so sums are partial. A sentence, or empty.
std::string why_ptx_alone(const std::vector<Trace>& ptx);

// What `machine` counted, with what `ptx` found; all of `machine` if `ptx` stopped at an
// instruction that is not emulated. `ptx` with the reason, if `machine` is of PTX, too, or if it
// stopped itself. Both are of one launch from the same memory.
Trace figures_with_findings(Trace ptx, Trace machine);

}  // namespace warpscope
