// profiling/access/line_counters.h: what the device counted of a kernel, by line of its source.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/access/access.h"
#include "profiling/figures/metric.h"
#include "scenes/host/enumerators.h"

// The device counts machine instructions; each stands at a line of source, possibly inlined into
// another one. A line's figure is the sum over its instructions: unrolled and inlined copies are in
// it. What the emulator says of the same line is LineTotals in trace.h:
//
//   sectors, ideal_sectors        LineTotals::global.sectors, .ideal_sectors
//   tags                          LineTotals::global.lines
//   wavefronts, ideal_wavefronts  LineTotals::shared.wavefronts, .ideal_wavefronts
//   instructions, threads         counted in machine code there, in PTX here: not the same number

namespace warpscope {

enum class LineMetric {
  sectors,
  ideal_sectors,
  wavefronts,
  ideal_wavefronts,
  tags,
  instructions,
  threads,
  threads_on,
};
inline constexpr std::size_t kLineMetricCount = kEnumeratorCount<LineMetric>;

// A figure that the device counts by machine instruction. unit: counts, of one run of the kernel.
struct LineMetricRow {
  LineMetric metric;
  std::string_view id;          // in sessions, "sectors"
  std::string_view label;       // "Sectors"
  std::string_view cupti_name;  // CUPTI's spelling, verbatim
  std::string_view sentence;
};
// In the order of LineMetric.
std::span<const LineMetricRow, kLineMetricCount> line_metrics();

// By LineMetric; no value if the device was not asked or cannot count it. A line has 0 if a counter
// does not apply to its instructions (sectors of an addition).
struct LineFigures {
  std::array<std::optional<std::int64_t>, kLineMetricCount> values;
  std::optional<std::int64_t>& operator[](LineMetric m) {
    return values[static_cast<std::size_t>(m)];
  }
  const std::optional<std::int64_t>& operator[](LineMetric m) const {
    return values[static_cast<std::size_t>(m)];
  }
  LineFigures& operator+=(const LineFigures& other);  // a figure that one side lacks stays there
  bool operator==(const LineFigures&) const = default;
};

// The machine instructions of one line that were inlined along one chain of calls.
struct LineCount {
  // As in AccessSite: the first line of the person's own text, walking outward; line 0 where the
  // compiler names none. Machine code has no columns: 0.
  SourcePosition position;
  std::vector<SourcePosition> inlined_at;  // from the innermost outward, when inlined
  int machine_instructions = 0;
  LineFigures figures;
  bool operator==(const LineCount&) const = default;
};

// What was counted of the machine instruction at an offset from its function's first byte.
struct InstructionCount {
  std::uint64_t offset = 0;
  LineFigures figures;
  bool operator==(const InstructionCount&) const = default;
};

struct LineCounters {
  std::vector<LineCount> rows;  // by file, line, chain
  // The same by machine instruction, in order; empty in sessions of earlier versions.
  std::vector<InstructionCount> instructions;
  int passes = 0;  // runs of the kernel it took; 0: nothing was collected
  // What was asked for and is not there: the id of a line metric, or "lines" for all of them.
  std::vector<MetricValue> missing;
};

// Where an instruction stands: from the innermost function outward to the kernel, at least one
// position.
using CallChain = std::vector<SourcePosition>;

// Sums instructions to rows; `main_file` is the person's own source as the compiler was given it.
std::vector<LineCount> sum_by_line(std::span<const InstructionCount> instructions,
                                   const std::function<CallChain(std::uint64_t offset)>& chain_at,
                                   const std::string& main_file);

// All rows at a file's line, along any chain; no figure where there is no such row.
LineFigures figures_at(const LineCounters& counters, const std::string& file, int line);
// All rows: what the kernel did as a whole.
LineFigures figures_of_all(const LineCounters& counters);

// Whether a list of counter sets, separated by commas, asks for kLineCounterSet (metric.h).
bool asks_for_lines(std::string_view counters);

}  // namespace warpscope
