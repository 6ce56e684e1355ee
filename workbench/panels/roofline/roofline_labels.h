// workbench/panels/roofline/roofline_labels.h: what is written among the dots of a roofline and
// below it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "profiling/points/roof.h"
#include "workbench/drawing/box.h"
#include "workbench/drawing/plot.h"
#include "workbench/drawing/style.h"
#include "workbench/workspace/session_view.h"

namespace warpscope {

// The mark of a memory level: ● DRAM, ◐ L2, ○ L1, ◉ shared memory.
Fill fill_of(Level level);
std::string level_mark(Level level);  // "● DRAM"

// The marks on the plot, which the line below it explains; the switches of levels show the same
// marks.
struct RooflineMarks {
  bool rates = false;  // bars of bytes per second in place of dots
  std::set<Level> levels;
  bool modelled = false;  // dashed rings
  bool apart = false;     // faint ones: of points that take part in no comparison
  bool recorded = false;  // where nothing is measured, those are of an earlier source
  bool limited = false;   // the tinted roof limits the focus; else it is only the nearest one
};
std::string roofline_legend(const RooflineMarks& marks);

// Why there are no roofs, and what to do.
std::string without_roofs(const SessionView& view);

// Words that belong to a line between two points.
struct LineLabel {
  ImVec2 from, to;
  std::string text;
  ImU32 colour = 0;
};
// Where something stands in the plot already: words, on which no others may stand, and points, on
// which they stand where no place is free.
struct TakenPlaces {
  std::vector<Box> texts, points;
  // The place that is in the way least; none: each of them lies on words.
  const Box* choose(const std::vector<Box>& places) const;
};

// Beside their lines, where they lie on nothing that is taken; what they take is added. A label
// without a place is left out.
void draw_line_labels(const PlotArea& area, const Style& style,
                      const std::vector<LineLabel>& labels, TakenPlaces& taken);

}  // namespace warpscope
