// workbench/panels/axis_row.h: one axis in Axes: its name, its slider or choices, its recorded
// stops.
#pragma once

#include "workbench/panels/panels.h"

namespace warpscope {

// What is drawn of an axis, and where the session has points along it.
struct AxisRow {
  const Axis& axis;
  const AxisStops* stops = nullptr;  // null: an engine measures, or nothing is recorded
};

void draw_axis(const PanelContext& context, Selection& selection, AxesPanel& state,
               const AxisRow& row);

}  // namespace warpscope
