// workbench/panels/source/source_lines.h: the columns before a source line: modelled, measured,
// difference.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "profiling/agreement/line_comparison.h"
#include "profiling/stalls/stall_report.h"
#include "workbench/panels/panels.h"

namespace warpscope {

// What the columns show, found once a frame.
struct SourceColumns {
  const LineFigureRow* row = nullptr;  // null: no columns
  LineComparison comparison;
  const Trace* trace = nullptr;   // whose instructions a click chooses; null: none
  double most = 0;                // the longest bar, of both sides
  std::vector<int> hot;           // lines with some of the figure, the hottest first
  std::array<float, 3> widths{};  // of modelled, measured, difference. unit: pixels
  std::array<bool, 3> shown = {true, true, true};
  // The waits of the text's lines: their share of all samples, or of all modelled cycles, and the
  // sentences about them. Empty: there are none.
  std::map<int, double> waits;
  std::map<int, std::string> wait_words;
  double most_waits = 0;
  bool waits_modelled = false;
  float wait_width = 0;
};
SourceColumns source_columns(const Style& style, const LineFigureRow* row, const Trace* trace,
                             const LineCounters* counters, const std::string& file);

// Adds the waits of the lines of `file`.
void add_waits(const Style& style, const StallReport& report, const std::string& file,
               SourceColumns& columns);

// Leaves one column, where others stand beside the text: what was counted, else what is modelled.
void narrow(SourceColumns& columns);
// How wide all shown columns are together.
float figures_width(const Style& style, const SourceColumns& columns);

// The names over the columns, with what they mean and their sums on hover.
void draw_source_heading(const Style& style, const SourceColumns& columns);
// The cells of one line, 1-based; a click chooses the line's first memory instruction.
void draw_source_cells(const Style& style, Selection& selection, const SourceColumns& columns,
                       const std::string& file, int line);

}  // namespace warpscope
