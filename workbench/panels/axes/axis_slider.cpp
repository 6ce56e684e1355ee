// workbench/panels/axes/axis_slider.cpp: where a value lies on the slider of its axis.
#include "workbench/panels/axes/axis_slider.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <variant>

#include "workbench/drawing/plot_layout.h"

namespace warpscope {
namespace {

// Digits after the point in slider_format.
int places_of(const Axis& axis) {
  if (axis.kind == AxisKind::integer) return 0;
  constexpr int kUsual = 4, kMost = 12;
  int places = kUsual;
  const bool log = axis.scale == AxisScale::log;
  while (log && axis.minimum > 0 && places < kMost && axis.minimum < std::pow(0.1, places))
    ++places;
  return places;
}

PlotScale scale_of(const Axis& axis) {
  const bool log = axis.scale == AxisScale::log;
  const double nearest_to_zero = std::pow(0.1f, static_cast<float>(places_of(axis)));
  return {log, log ? std::max(axis.minimum, nearest_to_zero) : axis.minimum, axis.maximum};
}

}  // namespace

double number_of(const AxisValue& value) {
  const auto* real = std::get_if<double>(&value);
  const auto* integer = std::get_if<std::int64_t>(&value);
  return real != nullptr ? *real : integer != nullptr ? static_cast<double>(*integer) : 0;
}

std::string slider_format(const Axis& axis) {
  return axis.kind == AxisKind::integer ? "%.0f" : "%." + std::to_string(places_of(axis)) + "g";
}

// source: ImGui::SliderBehaviorT and ScaleRatioFromValueT, with a padding of 2.
float slider_x(const Axis& axis, double value, ImVec2 low, ImVec2 high) {
  const PlotScale scale = scale_of(axis);
  constexpr float kPadding = 2;
  const float grab = ImGui::GetStyle().GrabMinSize, room = high.x - low.x - 2 * kPadding - grab;
  const auto at = static_cast<float>(std::clamp(scale.position(value), 0.0, 1.0));
  return low.x + kPadding + grab / 2 + at * room;
}

double stepped(const Axis& axis, const std::vector<double>& stops, double value, int direction,
               double pace) {
  constexpr double kStep = 0.02;
  const PlotScale scale = scale_of(axis);
  const double at = std::clamp(scale.position(value), 0.0, 1.0);
  double next = rounded(axis, scale.value(std::clamp(at + direction * kStep * pace, 0.0, 1.0)));
  if (axis.kind == AxisKind::integer) {
    next = std::round(next);
    if ((next - value) * direction < 1) next = value + direction;
  }
  for (const double stop : stops) {
    const bool between = (stop - value) * direction > 0 && (next - stop) * direction > 0;
    if (between) next = stop;
  }
  return std::clamp(next, std::min(axis.minimum, value), std::max(axis.maximum, value));
}

double rounded(const Axis& axis, double value) {
  if (axis.scale != AxisScale::log || value <= 0) return value;
  const double step = std::pow(10.0, std::floor(std::log10(value)) - 2);
  return std::round(value / step) * step;
}

}  // namespace warpscope
