// workbench/panels/stalls/stall_causes.h: why the warps of a variant wait, as panels show it: from
// each stall to its cause, its line and its access.
#pragma once

#include <memory>
#include <string>

#include "profiling/stalls/instruction_shares.h"
#include "profiling/stalls/stall_report.h"
#include "workbench/panels/panels.h"

namespace warpscope {

// The report of a variant's point at the selection: of its samples where it has some, else
// modelled. Worked out once per trace and point.
struct KnownStalls {
  const Trace* trace = nullptr;
  const StallReport* report = nullptr;        // null: `why` says what is missing
  const InstructionShares* shares = nullptr;  // of the trace's machine code; null: no report
  std::string why, remedy;
};
KnownStalls stalls_once(const PanelContext& context, const std::string& variant,
                        const std::string& step, std::shared_ptr<KeptStalls>& kept);

// Source at the line of the cause, and the diagram at its access.
void show_stall(Selection& selection, const Trace& trace, const StallFinding& finding);

// The button that takes samples, what they are of, and one row per finding.
void draw_stall_causes(const PanelContext& context, Selection& selection, StallsPanel& state);

}  // namespace warpscope
