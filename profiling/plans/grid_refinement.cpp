// profiling/plans/grid_refinement.cpp: configurations that lie between two where different variants
// win.
#include "profiling/plans/grid_refinement.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

#include "profiling/points/derive.h"
#include "profiling/session/baselines.h"

namespace warpscope {
namespace {

double number_of(const AxisValue& value) {
  const auto* whole = std::get_if<std::int64_t>(&value);
  return whole != nullptr ? static_cast<double>(*whole) : std::get<double>(value);
}

bool is_number(const Axis& axis) {
  return axis.kind == AxisKind::integer || axis.kind == AxisKind::real;
}

// With few digits, as a person would type it.
double rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return std::strtod(text, nullptr);
}

// What lies in the middle on the axis's own scale; none if the two are too close.
std::optional<AxisValue> middle_of(const Axis& axis, double low, double high) {
  constexpr double kClosestRatio = 1.02;   // on a logarithmic axis
  constexpr double kClosestShare = 0.005;  // of the range of a linear one
  const bool log = axis.scale == AxisScale::log && low > 0;
  const double middle = log ? std::sqrt(low * high) : (low + high) / 2;
  if (axis.kind == AxisKind::integer) {
    const auto whole = static_cast<std::int64_t>(std::llround(middle));
    if (static_cast<double>(whole) <= low || static_cast<double>(whole) >= high)
      return std::nullopt;
    return whole;
  }
  const bool close =
      log ? high < low * kClosestRatio : high - low < kClosestShare * (axis.maximum - axis.minimum);
  const double tidy = rounded(middle);
  if (close || tidy <= low || tidy >= high) return std::nullopt;
  return tidy;
}

// What was measured at one configuration, on one device and in one league.
struct GridPlace {
  Configuration axes;
  std::vector<const Measurement*> points;
  std::string winner;  // empty: none beyond the noise
};

void find_winner(GridPlace& place) {
  std::vector<const Measurement*> timed;
  for (const Measurement* point : place.points) {
    if (point->verdict.outcome == Outcome::correct && point->warm && point->warm->median_ns > 0)
      timed.push_back(point);
  }
  // A variant that was measured alone has not won.
  if (timed.empty() || place.points.size() < 2) return;
  std::sort(timed.begin(), timed.end(), [](const Measurement* a, const Measurement* b) {
    return a->warm->median_ns < b->warm->median_ns;
  });
  if (timed.size() > 1) {
    const Comparison comparison = compare_times(*timed[1], *timed[0], CacheState::warm);
    if (comparison.difference != Difference::faster) return;
  }
  place.winner = timed[0]->variant;
}

// The values of all axes but one, which neighbours share.
std::string values_but(const Configuration& axes, const std::string& left_out,
                       const std::set<std::string>* among) {
  std::string text;
  for (const auto& [name, value] : axes.values()) {
    if (name == left_out || (among != nullptr && !among->contains(name))) continue;
    text += (text.empty() ? "" : " ") + name + "=" + to_text(value);
  }
  return text;
}

using Grid = std::map<std::string, GridPlace>;  // of a device and league, by the values of all axes

// By device and league.
std::map<std::pair<std::string, std::string>, Grid> grids_of(
    const std::vector<const Measurement*>& points, const Scene& scene, GridRefinement& made) {
  std::map<std::pair<std::string, std::string>, Grid> grids;
  std::set<std::string> variants;
  for (const Measurement* point : points) {
    if (point->scene != scene.name || !on_a_device(*point) || point->partial) continue;
    if (!tuning_text(*point).empty() || !point->choice.empty()) continue;
    const Configuration axes = problem_axes(*point);
    GridPlace& place = grids[{device_of(point->conditions).id(), league_of(*point)}]
                            [values_but(axes, "", nullptr)];
    place.axes = axes;
    place.points.push_back(point);
    variants.insert(point->variant);
    ++made.points;
  }
  made.variants.assign(variants.begin(), variants.end());
  return grids;
}

// Number axes with two values or more.
std::set<std::string> varying(const Grid& grid, const Scene& scene) {
  std::map<std::string, std::set<std::string>> values;
  for (const auto& [key, place] : grid) {
    for (const auto& [name, value] : place.axes.values()) values[name].insert(to_text(value));
  }
  std::set<std::string> names;
  for (const Axis& axis : scene.axes) {
    if (is_number(axis) && values[axis.name].size() > 1) names.insert(axis.name);
  }
  return names;
}

// What tells the changes apart.
void name_places(std::vector<WinnerChange>& changes) {
  std::map<std::string, std::set<std::string>> values;
  for (const WinnerChange& change : changes) {
    for (const auto& [name, value] : change.place.values()) values[name].insert(to_text(value));
  }
  std::set<std::string> names;
  for (const auto& [name, different] : values) {
    if (different.size() > 1) names.insert(name);
  }
  for (WinnerChange& change : changes)
    change.elsewhere = values_but(change.place, change.axis, &names);
}

void find_changes(const Grid& grid, const Axis& axis, const std::string& device,
                  GridRefinement& made, std::map<std::string, Configuration>& wanted) {
  std::map<std::string, std::map<double, const GridPlace*>> lines;
  for (const auto& [key, place] : grid) {
    if (place.axes.has(axis.name))
      lines[values_but(place.axes, axis.name, nullptr)][number_of(place.axes.at(axis.name))] =
          &place;
  }
  for (const auto& [key, line] : lines) {
    const GridPlace* before = nullptr;
    for (const auto& [value, place] : line) {
      const GridPlace* low = std::exchange(before, place);
      if (low == nullptr || low->winner.empty() || place->winner.empty() ||
          low->winner == place->winner)
        continue;
      WinnerChange change{axis.name,
                          low->axes.at(axis.name),
                          place->axes.at(axis.name),
                          low->winner,
                          place->winner,
                          low->axes,
                          "",
                          device,
                          middle_of(axis, number_of(low->axes.at(axis.name)), value)};
      if (change.middle) {
        Configuration middle = low->axes;
        middle.set(axis.name, *change.middle);
        wanted.try_emplace(values_but(middle, "", nullptr), middle);
      } else {
        ++made.close;
      }
      made.changes.push_back(std::move(change));
    }
  }
}

}  // namespace

GridRefinement refine_grid(const std::vector<const Measurement*>& points, const Scene& scene) {
  GridRefinement made;
  std::map<std::string, Configuration> wanted;
  auto grids = grids_of(points, scene, made);
  for (auto& [of, grid] : grids) {
    for (auto& [key, place] : grid) find_winner(place);
    const std::set<std::string> names = varying(grid, scene);
    for (const Axis& axis : scene.axes) {
      if (names.contains(axis.name)) find_changes(grid, axis, of.first, made, wanted);
    }
  }
  name_places(made.changes);
  for (const auto& [key, place] : wanted) {
    const bool measured =
        std::any_of(grids.begin(), grids.end(),
                    [&, &key = key](const auto& each) { return each.second.contains(key); });
    if (!measured) made.places.push_back(place);
  }
  return made;
}

}  // namespace warpscope
