// workbench/panels/axes/axis_row.h: one axis in Axes: its name, its slider or choices, its recorded
// stops.
#pragma once

#include "workbench/panels/panels.h"

namespace warpscope {

// What is drawn of an axis, and where the session has points along it.
struct AxisRow {
  const Axis& axis;
  const AxisStops* stops = nullptr;  // null: an engine measures, or nothing is recorded
};

// Whether label and name are the same word, as for the axis `seed`. It is then written once.
bool is_named_by_its_label(const Axis& axis);
// “n, columns of B”, or `seed`.
std::string name_and_label(const Axis& axis, const std::string& between);

// A number over the slider that was drawn last, legible on its track and on its handle, which
// stands at another number.
void draw_slider_value(const Axis& axis, double value, double handle, const Style& style);

void draw_axis(const PanelContext& context, Selection& selection, AxesPanel& state,
               const AxisRow& row);

}  // namespace warpscope
