// profiling/overview/winner_map.cpp: which variant is best at each place of a grid of two axes.
#include "profiling/overview/winner_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "profiling/agreement/figure_change.h"

namespace warpscope {
namespace {

// A choice stands where its axis lists it, a number by its value.
double order_of(const Axis& axis, const AxisValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    const auto at = std::find(axis.choices.begin(), axis.choices.end(), *text);
    return static_cast<double>(std::distance(axis.choices.begin(), at));
  }
  const auto* whole = std::get_if<std::int64_t>(&value);
  return whole != nullptr ? static_cast<double>(*whole) : std::get<double>(value);
}

std::vector<AxisValue> values_of(const Axis& axis, const std::vector<PlacedFigure>& figures,
                                 AxisValue PlacedFigure::*of) {
  std::vector<AxisValue> values;
  for (const PlacedFigure& figure : figures) values.push_back(figure.*of);
  std::sort(values.begin(), values.end(), [&](const AxisValue& a, const AxisValue& b) {
    const double first = order_of(axis, a), second = order_of(axis, b);
    return first != second ? first < second : a < b;
  });
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::size_t place_of(const std::vector<AxisValue>& values, const AxisValue& value) {
  return static_cast<std::size_t>(
      std::distance(values.begin(), std::find(values.begin(), values.end(), value)));
}

void judge(const Metric& metric, WinnerMap::Cell& cell) {
  std::sort(cell.figures.begin(), cell.figures.end(),
            [&](const PlacedFigure& a, const PlacedFigure& b) {
              if (a.value == b.value) return a.variant < b.variant;
              return metric.better == Better::lower ? a.value < b.value : a.value > b.value;
            });
  if (cell.figures.size() < 2) return;
  const PlacedFigure &best = cell.figures[0], &second = cell.figures[1];
  const double low = std::min(best.value, second.value), high = std::max(best.value, second.value);
  if (low > 0) cell.ratio = high / low;
  cell.significance =
      judge_change(metric.id, *second.point, second.value, *best.point, best.value).significance;
}

}  // namespace

std::size_t WinnerMap::won_by(std::size_t variant) const {
  return static_cast<std::size_t>(std::count_if(cells.begin(), cells.end(), [&](const Cell& cell) {
    return cell.decided() && cell.figures[0].variant == variant;
  }));
}

WinnerMap winner_map(const Metric& metric, const Axis& x, const Axis& y,
                     const std::vector<PlacedFigure>& figures) {
  WinnerMap map;
  if (metric.better == Better::neither) return map;
  map.xs = values_of(x, figures, &PlacedFigure::x);
  map.ys = values_of(y, figures, &PlacedFigure::y);
  map.cells.resize(map.xs.size() * map.ys.size());
  for (const PlacedFigure& figure : figures) {
    std::vector<PlacedFigure>& there =
        map.cells[place_of(map.ys, figure.y) * map.xs.size() + place_of(map.xs, figure.x)].figures;
    const auto same = std::find_if(there.begin(), there.end(), [&](const PlacedFigure& other) {
      return other.variant == figure.variant;
    });
    if (same == there.end()) {
      there.push_back(figure);
    } else {
      *same = figure;
    }
  }
  for (WinnerMap::Cell& cell : map.cells) judge(metric, cell);
  return map;
}

std::string ratio_text(double ratio) {
  return ratio < 10 ? fmt::format("{:.2f}×", ratio) : fmt::format("{:.0f}×", ratio);
}

}  // namespace warpscope
