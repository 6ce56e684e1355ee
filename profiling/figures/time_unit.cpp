// profiling/figures/time_unit.cpp: the times of one column in one unit.
#include "profiling/figures/time_unit.h"

#include <fmt/format.h>

#include <cmath>

#include "profiling/figures/metric.h"

namespace warpscope {

std::string time_beside(double ns, double shortest_ns) {
  if (!std::isfinite(ns) || !(shortest_ns > 0)) return format_value(ns, "ns");
  struct Unit {
    double ns;
    const char* name;
  };
  constexpr Unit kUnits[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}};
  Unit unit{1, "ns"};
  for (const Unit& candidate : kUnits) {
    if (shortest_ns < candidate.ns) continue;
    unit = candidate;
    break;
  }
  const double value = ns / unit.ns, size = std::abs(value);
  constexpr double kLong = 1e4;  // from here on digits are in groups
  if (size >= kLong) return format_value(std::round(value), "1") + " " + unit.name;
  return fmt::format("{:.{}f} {}", value, size >= 1000 ? 0 : size >= 100 ? 1 : 2, unit.name);
}

}  // namespace warpscope
