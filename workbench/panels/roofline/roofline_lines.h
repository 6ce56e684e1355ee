// workbench/panels/roofline/roofline_lines.h: the roofs of a roofline as lines with their names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiling/points/roof.h"
#include "workbench/drawing/box.h"
#include "workbench/drawing/plot.h"
#include "workbench/drawing/style.h"

namespace warpscope {

// What the point in focus says of the roofs: which of DRAM's is its own, and which pipe.
struct RoofFocus {
  std::optional<Level> binding;  // drawn in the accent colour, what lies below it tinted
  std::optional<double> write_share, sectors_per_line;
  Pipe pipe = Pipe::fp32;
  const Roof* own = nullptr;  // of its scene, below which it stands
  // The arithmetic rate at which it would stand on the issue roof; no value: another roof is
  // nearer.
  std::optional<double> issue_flops = {};  // unit: FLOP/s
};
RoofFocus focus_of(const RooflineStanding& standing, const Roof* own);

// The lines of L1, L2 and the pipe of the focus, and of DRAM's family the one of the focus's own
// mix, solid and named; the other mixes and pipes faint. A focus that gathers has the line of
// random segments as a second one, dashed. Returns where their names stand.
std::vector<Box> draw_roofs(const PlotArea& area, const RoofSet& roofs, const Style& style,
                            const RoofFocus& focus, const std::vector<Box>& points);

// The arithmetic rate at the top of the plot: that of the focus's pipe. No value: not measured.
std::optional<double> top_of(const RoofSet& roofs, Pipe pipe);

// Every roof with its rate, a line each, for a tooltip: "DRAM read  4.61 TB/s".
std::string roof_list(const RoofSet& roofs);

}  // namespace warpscope
