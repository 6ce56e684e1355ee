// workbench/drawing/plot_layout.h: the arithmetic of plots: scales, ticks, labels that keep apart.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "workbench/drawing/box.h"

namespace warpscope {

// One axis of a plot. On a log scale the bounds are positive.
struct PlotScale {
  bool log = false;
  double low = 0, high = 1;
  bool binary = false;  // of a log scale: its values are powers of two, and so are its ticks
  // Position in [0, 1] of a value, and back.
  double position(double value) const;
  double value(double position) const;
  void zoom(double around_position, double factor);  // factor < 1 shows less
  void pan(double by_position);
};

struct Tick {
  double value = 0;
  std::string label;  // empty: a minor line
};

// Decades (and 2, 5 where there is room) on a log axis, 1–2–5 steps on a linear one; at most
// `most_labels` labelled. `unit` is "B/s", "ns", …, or empty.
std::vector<Tick> ticks(const PlotScale& scale, const std::string& unit, int most_labels);

// Bounds that hold all values with a margin; a log scale never goes below a positive value.
PlotScale fitted(const std::vector<double>& values, bool log, double margin);

// Moves boxes up and down until none overlap, as little as a sweep from the top needs, and keeps
// them inside [top, bottom] where they fit.
void keep_apart(std::vector<Box>& boxes, float top, float bottom);

// Which of the places, in the order in which they are wanted, overlaps nothing that is taken; where
// all do, the one that overlaps least.
std::size_t clearest(const std::vector<Box>& places, const std::vector<Box>& taken);

}  // namespace warpscope
