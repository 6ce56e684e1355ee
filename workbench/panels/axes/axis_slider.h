// workbench/panels/axes/axis_slider.h: where a value lies on the slider of its axis.
#pragma once

#include <imgui.h>

#include <string>
#include <vector>

#include "scenes/base/axis.h"

namespace warpscope {

double number_of(const AxisValue& value);  // of a text 0

// How the value is written on the slider: with the places that the least one needs, because on a
// log axis ImGui takes them for the least distance from zero.
std::string slider_format(const Axis& axis);

// The middle of the slider's grab at a value: where its tick stands. `low`, `high`: corners of the
// slider.
float slider_x(const Axis& axis, double value, ImVec2 low, ImVec2 high);

// The value one key press further along the slider (`direction` 1) or back (−1): a fiftieth of it,
// `pace` times as much, at least the next whole number; the first stop in between holds it.
double stepped(const Axis& axis, const std::vector<double>& stops, double value, int direction,
               double pace);

// Three digits on a log axis: what a person would have typed.
double rounded(const Axis& axis, double value);

}  // namespace warpscope
