// profiling/overview/costly_line.h: the line of source that most of a kernel's cost stands at.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "profiling/agreement/line_comparison.h"
#include "profiling/points/roof.h"

// What was counted by line is taken where it is there, else what was emulated.
//
//   const StepRecord* step = costly_step(point);
//   const CostlyLine line = costly_line(figure_behind(standing.binding), trace, &step->lines,
//                                       step->source);
//   show(line.line > 0 ? cause_sentence(line) : line.reason);

namespace warpscope {

struct CostlyLine {
  std::string file;
  int line = 0;             // 0: none is known, and …
  std::string reason;       // … why, and …
  std::string remedy;       // … what to do
  std::string_view figure;  // id of a row of line_figures(): "sectors", "wavefronts" …
  Origin origin = Origin::measured;
  std::int64_t count = 0, all = 0;    // of the line, and of all lines
  std::optional<std::int64_t> ideal;  // of the line, where its lanes lay side by side
  double share_ratio() const {
    return all > 0 ? static_cast<double>(count) / static_cast<double>(all) : 0;
  }
};

// The figure of a kernel's lines that uses up the limiting roof: sectors for DRAM and L2,
// wavefronts for shared memory, instructions for arithmetic and issue. L1 serves both sectors and
// wavefronts: `shared_ratio` is the share of shared memory. If no roof limits the kernel: sectors.
std::string_view figure_behind(std::optional<Level> binding, double shared_ratio = 0);

// The line of `file` with most of this figure; lines of other files only where it has none.
CostlyLine costly_line(std::string_view figure, const Trace* trace, const LineCounters* counters,
                       const std::string& file);

// The kernel step that takes longest of those that run each time, else the first; null: none.
const StepRecord* costly_step(const Measurement& point);

// "Line 31 asks for 1.20 M of the kernel's 1.90 M sectors of 32 bytes (63 %), as counted on the
// device. …". `step`: its name, where a run has several; empty: the kernel. Precondition: there is
// a line.
std::string cause_sentence(const CostlyLine& line, const std::string& step = {});

}  // namespace warpscope
