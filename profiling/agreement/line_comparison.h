// profiling/agreement/line_comparison.h: what the emulator and the device say of each line of a
// source.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/access/line_counters.h"
#include "profiling/access/trace.h"
#include "profiling/session/session.h"

// The two sides are joined by file and line; what one side has no figure for is kept, with why.
//
//   const LineComparison c = compare_lines(&trace, measured_lines(session, trace));
//   for (const ComparedLine& line : c.lines)
//     for (const LineFigureRow& row : line_figures()) show(compare_figure(c, line, row));

namespace warpscope {

// A figure of a line that the emulator has a word on; the device may have one.
struct LineFigureRow {
  std::string_view id, label;  // "bank_conflicts", "bank conflicts"
  std::string_view unit;       // "extra wavefronts"
  std::int64_t (*modelled)(const LineTotals&);
  // Null: no counter of machine instructions tells it.
  std::optional<std::int64_t> (*measured)(const LineFigures&);
  LineMetric metric;        // whose reason stands where the device has no figure
  bool one_meaning = true;  // false: counted in PTX here and in machine code there
  std::string_view sentence;
};
// In the order in which tables and menus show them: sectors first.
std::span<const LineFigureRow> line_figures();
const LineFigureRow* find_line_figure(std::string_view id);

struct ComparedLine {
  std::string file;
  int line = 0;                         // 0: made by the compiler
  std::optional<LineTotals> modelled;   // no value: the emulator ran no instruction of the line
  std::optional<LineFigures> measured;  // no value: the device ran none, or was not asked
  int machine_instructions = 0;
};

struct LineComparison {
  std::vector<ComparedLine> lines;  // by file, then by line
  bool traced = false;              // there is a modelled side
  bool whole_grid = false;          // it covers the grid, as the counters do …
  std::string sampled;              // … or which blocks were run; empty: all, or `block` alone
  std::int64_t block = 0;           // … or this block alone
  // Why no line has a measured figure, and what to do; empty: the device was asked.
  std::string reason, remedy;
  std::vector<MetricValue> missing;  // figures that the device does not count
};

// Lines of a trace beside the counters of the same step; null: that side is not there. Columns and
// chains of inlining of one line are added up.
LineComparison compare_lines(const Trace* trace, const LineCounters* counters);

// One figure of one line. unit: the row's; differences are measured minus modelled.
struct ComparedFigure {
  std::optional<std::int64_t> modelled, measured, difference;
  std::string no_modelled, no_measured;  // why there is none, with the remedy where there is one
  std::string no_difference;             // why the two cannot be compared
};
ComparedFigure compare_figure(const LineComparison& comparison, const ComparedLine& line,
                              const LineFigureRow& row);
// The line, or one that has no figure on either side.
ComparedLine line_at(const LineComparison& comparison, const std::string& file, int line);

// Lines of a file that have some of a figure, counted where it was counted, else modelled: those
// with most come first, and of equals the first.
std::vector<int> hottest_lines(const LineComparison& comparison, const LineFigureRow& row,
                               const std::string& file);
// The first of these. 0: no line has any of it.
int hottest_line(const LineComparison& comparison, const LineFigureRow& row,
                 const std::string& file);

// Sums over all lines, by the same rules: what the kernel did as a whole.
ComparedFigure compare_all(const LineComparison& comparison, const LineFigureRow& row);

// "= same", "+12.5 %", "+64" where nothing is modelled: a difference as a short text.
std::string difference_text(const ComparedFigure& figure);

// The counters by line of the trace's step in the point that stands beside it. Null where there is
// no point, or it lacks the step.
const LineCounters* measured_lines(const Measurement* point, const Trace& trace);

// {"type":"line_comparison", …}: one line of JSON with every figure and every reason, and the
// device and date of the point that was counted.
std::string line_comparison_json(const Trace& trace, const LineComparison& comparison,
                                 const Measurement* counted = nullptr);

}  // namespace warpscope
