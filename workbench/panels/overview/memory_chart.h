// workbench/panels/overview/memory_chart.h: registers, shared memory, L1, L2 and DRAM as boxes, and
// the bytes between them as arrows.
#pragma once

#include "profiling/overview/memory_chart.h"
#include "workbench/drawing/style.h"

namespace warpscope {

// From the cursor on, `width` wide: it lies where it is wide, and stands where it is narrow. Arrows
// are as wide as their bytes: measured ones are solid, of modelled ones there is an outline in
// dashes, and a short dash stands for what is not known. What a border's figures are, and why one
// is missing, is said where the pointer is on it.
void draw_memory_chart(const Style& style, const MemoryChart& chart, float width);

}  // namespace warpscope
