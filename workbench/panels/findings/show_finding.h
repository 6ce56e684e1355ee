// workbench/panels/findings/show_finding.h: goes from a finding to its line and its access.
#pragma once

#include "profiling/findings/findings.h"
#include "workbench/workspace/selection/selection.h"

namespace warpscope {

// Source at the line, and the diagram at the access that costs most.
void show_finding(Selection& selection, const Trace& trace, const Finding& finding);

}  // namespace warpscope
