// profiling/overview/winner_map.h: which variant is best at each place of a grid of two axes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "profiling/figures/metric.h"
#include "profiling/figures/noise.h"
#include "profiling/points/measurement.h"
#include "scenes/base/axis.h"

// A place has a value of each of the two axes. Its winner has the best figure of one metric there,
// and the ratio says by how much the second one is worse: 1.25 is 25 % more time, or a rate that
// is 1.25 times lower.
//
//   const WinnerMap map = winner_map(*find_metric("time.warm"), figures);
//   const WinnerMap::Cell& cell = map.at(column, row);
//   if (cell.ratio > 0) show(cell.figures[0].variant, cell.ratio);

namespace warpscope {

// The figure of a variant at a place; if it has several there, the last one counts.
struct PlacedFigure {
  AxisValue x, y;
  std::size_t variant = 0;  // the caller's number for it
  const Measurement* point = nullptr;
  double value = 0;
};

struct WinnerMap {
  struct Cell {
    std::vector<PlacedFigure> figures;  // best first; equal ones by the caller's number
    double ratio = 0;                   // of the second to the first, at least 1; 0: there is none
    // Whether the first two differ by more than the noise. Without, neither has won.
    Significance significance = Significance::unknown;
    bool decided() const { return significance == Significance::beyond_noise; }
    bool empty() const { return figures.empty(); }
    bool alone() const { return figures.size() == 1; }
  };
  std::vector<AxisValue> xs, ys;  // ascending; a choice's values in the order of its axis
  std::vector<Cell> cells;        // row by row
  const Cell& at(std::size_t column, std::size_t row) const {
    return cells[row * xs.size() + column];
  }
  // The places at which a variant is best by more than the noise.
  std::size_t won_by(std::size_t variant) const;
};

// Empty if the metric has no better side, so that no variant can win by it.
WinnerMap winner_map(const Metric& metric, const Axis& x, const Axis& y,
                     const std::vector<PlacedFigure>& figures);

// "1.25×" from a ratio, with two decimals below 10.
std::string ratio_text(double ratio);

}  // namespace warpscope
