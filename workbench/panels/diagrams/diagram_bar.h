// workbench/panels/diagrams/diagram_bar.h: the row above a diagram that zooms, steps, plays and
// writes files.
#pragma once

#include <string>

#include "workbench/panels/panels.h"

namespace warpscope {

struct BarPlace {
  const char* panel;    // whose row it is
  bool table = true;    // the panel has a table by instruction, whose rows can be written
  bool beside = false;  // the row goes on beside the last item
};

// One row wherever it fits: a narrow one has fewer words, and a narrower one keeps what is needed
// least in a menu at its end.
void draw_diagram_bar(const PanelContext& context, const Trace& trace, Selection& selection,
                      const BarPlace& place);

// "3,0": the coordinates of a block in its grid, without those that are 0 in all blocks.
std::string block_text(const Launch& launch, std::int64_t block);

}  // namespace warpscope
