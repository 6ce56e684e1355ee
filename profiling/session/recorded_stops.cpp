// profiling/session/recorded_stops.cpp: at which values of every axis a session has points.
#include "profiling/session/recorded_stops.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>

namespace warpscope {
namespace {

constexpr std::size_t kNothing = std::numeric_limits<std::size_t>::max();

bool is_number(const Axis& axis) {
  return axis.kind == AxisKind::integer || axis.kind == AxisKind::real;
}

double number(const AxisValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  const auto* real = std::get_if<double>(&value);
  return real != nullptr ? *real : 0;
}

// A number that was written as the other kind of one is the same value.
AxisValue of_its_kind(const Axis& axis, const AxisValue& value) {
  if (axis.kind == AxisKind::real && std::holds_alternative<std::int64_t>(value))
    return number(value);
  if (axis.kind == AxisKind::integer && std::holds_alternative<double>(value))
    return static_cast<std::int64_t>(std::llround(number(value)));
  return value;
}

double position(const Axis& axis, const AxisValue& value) {
  double at = number(value), low = axis.minimum, high = axis.maximum;
  if (axis.scale == AxisScale::log) {
    const double least = low > 0 ? low : 1e-9;
    at = std::log(std::max(at, least));
    low = std::log(least);
    high = std::log(std::max(high, least));
  }
  return high > low ? (at - low) / (high - low) : 0;
}

AxisValue value_in(const Configuration& axes, const Axis& axis) {
  return axes.has(axis.name) ? of_its_kind(axis, axes.at(axis.name))
                             : axis.before.value_or(axis.default_value);
}

bool is_of(const Measurement& point, const std::string& device) {
  const Conditions& c = point.conditions;
  return device.empty() || device == (c.device_uuid.empty() ? c.device : c.device_uuid);
}

}  // namespace

std::string words_of(std::span<const AxisMove> moves) {
  std::string words;
  for (const AxisMove& move : moves) {
    words += (words.empty() ? "" : ", ") + move.axis + ": " +
             (move.from == move.to ? "stays " : to_text(move.from) + " → ") + to_text(move.to);
  }
  return words;
}

// The values are those of the scene's kinds. A group is the axes that one slider moves together.
struct RecordedPlaces::Here {
  const Configuration* axes = nullptr;
  std::vector<AxisValue> values;
  std::vector<double> positions;
  std::vector<bool> applies;
  std::vector<std::size_t> group;  // the column that all of a group name

  // How far a place's value is from another one; 0 where the axis means nothing at either.
  static double distance(const Column& column, int there, const AxisValue& value, double at) {
    const auto index = static_cast<std::size_t>(there);
    if (column.values[index] == value) return 0;
    return is_number(*column.axis) ? std::abs(column.positions[index] - at) : 0;
  }
  static bool crosses(const Column& column, int there, const AxisValue& value) {
    return !is_number(*column.axis) && column.values[static_cast<std::size_t>(there)] != value;
  }
};

struct RecordedPlaces::Rank {
  int crossed = 0, moved = 0;  // axes that are no numbers; all
  double distance = 0;
  bool operator<(const Rank& other) const {
    return std::tie(crossed, distance, moved) <
           std::tie(other.crossed, other.distance, other.moved);
  }
};

RecordedPlaces::RecordedPlaces(const Session& session, const Scene& scene,
                               const std::string& device, const std::string& variant) {
  for (const Axis& axis : scene.axes) {
    if (variant.empty() ? of_problem(axis) : of_variant(axis, variant))
      columns_.push_back({&axis, {}, {}, false});
  }
  std::vector<bool> recorded(columns_.size(), false), completed(columns_.size(), false);
  std::set<std::vector<int>> seen;
  std::vector<std::map<AxisValue, int>> indices(columns_.size());  // of each column's values
  const auto points = variant.empty() ? session.all_points() : session.points(scene.name, variant);
  for (const Measurement* point : points) {
    if (point->scene != scene.name || !is_of(*point, device)) continue;
    std::vector<int> row;
    // A point of a variant that is no longer there keeps the axes it has: perhaps none.
    const bool known = find_variant(scene, point->variant) != nullptr;
    const Configuration filled = known ? Configuration() : with_defaults(scene.axes, point->axes);
    const Configuration& whole = known ? point->axes : filled;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      Column& column = columns_[i];
      if (!applies(*column.axis, whole)) {
        row.push_back(kNone);
        continue;
      }
      const auto& made = point->completed_axes;
      const bool lacks = std::find(made.begin(), made.end(), column.axis->name) != made.end() ||
                         !point->axes.has(column.axis->name);
      (lacks ? completed : recorded)[i] = true;
      const AxisValue value = value_in(point->axes, *column.axis);
      const auto [found, first] =
          indices[i].try_emplace(value, static_cast<int>(column.values.size()));
      if (first) {
        column.values.push_back(value);
        column.positions.push_back(is_number(*column.axis) ? position(*column.axis, value) : 0);
      }
      row.push_back(found->second);
    }
    if (!seen.insert(row).second) continue;
    cells_.insert(cells_.end(), row.begin(), row.end());
    ++count_;
  }
  for (std::size_t i = 0; i < columns_.size(); ++i)
    columns_[i].completed = completed[i] && !recorded[i];
}

// Of all axes but the one that is moved, those that a place has at another value: an axis of its
// group follows it, the others should stand.
std::vector<AxisMove> RecordedPlaces::moves_to(std::size_t row, const Here& here,
                                               std::size_t moved) const {
  std::vector<AxisMove> moves;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const int there = place(row, i);
    if (i == moved || there == kNone) continue;
    const AxisValue& value = columns_[i].values[static_cast<std::size_t>(there)];
    const bool follows = moved != kNothing && here.group[i] == here.group[moved];
    const AxisValue& expected =
        follows ? columns_[moved].values[static_cast<std::size_t>(place(row, moved))]
                : here.values[i];
    if (number(value) == number(expected) && is_number(*columns_[i].axis)) continue;
    if (value != expected) moves.push_back({columns_[i].axis->name, here.values[i], value});
  }
  return moves;
}

Configuration RecordedPlaces::at(std::size_t row, const Configuration& axes) const {
  Configuration there = axes;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (const int value = place(row, i); value != kNone)
      there.set(columns_[i].axis->name, columns_[i].values[static_cast<std::size_t>(value)]);
  }
  return there;
}

Stop RecordedPlaces::stop_at(std::size_t row, const Here& here, std::size_t moved) const {
  return {columns_[moved].values[static_cast<std::size_t>(place(row, moved))], at(row, *here.axes),
          moves_to(row, here, moved)};
}

RecordedStops RecordedPlaces::stops(const Configuration& axes,
                                    const std::map<std::string, bool>& unlinked) const {
  const std::size_t columns = columns_.size();
  Here here{&axes, {}, {}, {}, {}};
  for (std::size_t i = 0; i < columns; ++i) {
    const Axis& axis = *columns_[i].axis;
    here.values.push_back(value_in(axes, axis));
    here.positions.push_back(is_number(axis) ? position(axis, here.values.back()) : 0);
    here.applies.push_back(applies(axis, axes));
    const auto free = unlinked.find(axis.name);
    const bool linked = !axis.linked_to.empty() && (free == unlinked.end() || !free->second);
    std::size_t group = i;
    for (std::size_t j = 0; linked && j < columns; ++j) {
      if (columns_[j].axis->name == axis.linked_to) group = j;
    }
    here.group.push_back(group);
  }
  // Of every column and value the best place so far.
  std::vector<std::vector<std::pair<Rank, std::size_t>>> best(columns);
  for (std::size_t i = 0; i < columns; ++i)
    best[i].assign(columns_[i].values.size(), {Rank{}, kNothing});
  std::pair<Rank, std::size_t> nearest{Rank{}, kNothing};
  RecordedStops found;
  std::vector<Rank> of_column(columns);
  for (std::size_t row = 0; row < count_; ++row) {
    Rank all;
    for (std::size_t i = 0; i < columns; ++i) {
      of_column[i] = {};
      const int there = place(row, i);
      if (there == kNone) continue;
      const Column& column = columns_[i];
      of_column[i].crossed = Here::crosses(column, there, here.values[i]) ? 1 : 0;
      of_column[i].moved = column.values[static_cast<std::size_t>(there)] != here.values[i] ? 1 : 0;
      of_column[i].distance = Here::distance(column, there, here.values[i], here.positions[i]);
      all.crossed += of_column[i].crossed;
      all.moved += of_column[i].moved;
      all.distance += of_column[i].distance;
    }
    if (nearest.second == kNothing || all < nearest.first) nearest = {all, row};
    for (std::size_t i = 0; i < columns; ++i) {
      const int there = place(row, i);
      if (there == kNone || !here.applies[i]) continue;
      // What is left to move when this axis and its group stand at the place's value.
      Rank rest = all;
      const AxisValue& value = columns_[i].values[static_cast<std::size_t>(there)];
      for (std::size_t j = 0; j < columns; ++j) {
        const int other = place(row, j);
        if (here.group[j] != here.group[i] || other == kNone) continue;
        rest.crossed -= of_column[j].crossed;
        rest.moved -= of_column[j].moved;
        rest.distance -= of_column[j].distance;
        if (j == i) continue;
        const Column& column = columns_[j];
        rest.crossed += Here::crosses(column, other, value) ? 1 : 0;
        rest.moved += column.values[static_cast<std::size_t>(other)] != value ? 1 : 0;
        rest.distance += Here::distance(column, other, value, position(*column.axis, value));
      }
      auto& kept = best[i][static_cast<std::size_t>(there)];
      if (kept.second == kNothing || rest < kept.first) kept = {rest, row};
    }
  }
  if (nearest.second != kNothing) {
    found.nearest = {at(nearest.second, axes), moves_to(nearest.second, here, kNothing)};
    found.recorded = found.nearest->moves.empty();
  }
  for (std::size_t i = 0; i < columns; ++i) {
    if (!here.applies[i]) continue;
    const Axis& axis = *columns_[i].axis;
    AxisStops list{axis.name, {}, std::nullopt};
    for (const auto& [rank, row] : best[i]) {
      if (row != kNothing) list.stops.push_back(stop_at(row, here, i));
    }
    const auto rank_of = [&axis](const AxisValue& value) {
      const auto* text = std::get_if<std::string>(&value);
      if (text == nullptr) return number(value);
      return static_cast<double>(std::find(axis.choices.begin(), axis.choices.end(), *text) -
                                 axis.choices.begin());
    };
    std::stable_sort(list.stops.begin(), list.stops.end(), [&](const Stop& a, const Stop& b) {
      return rank_of(a.value) < rank_of(b.value);
    });
    if (columns_[i].completed && list.stops.size() == 1) list.completed = list.stops.front().value;
    found.axes.push_back(std::move(list));
  }
  return found;
}

}  // namespace warpscope
