// workbench/workspace/selection/code_change.h: what is chosen of a trace, when machine code takes
// the place of PTX.
#pragma once

#include "profiling/access/trace.h"
#include "workbench/workspace/selection/selection.h"

namespace warpscope {

// To be called before `to` takes the place of the shown trace `from` (null: none is shown): the
// chosen request and instruction become those of the same line in `to`. Nothing changes unless one
// is of PTX, the other of machine code, and both of one launch.
void follow_code(TraceSelection& selection, const Trace* from, const Trace& to);

}  // namespace warpscope
