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
};

struct RecordedPlaces::Rank {
  int crossed = 0, moved = 0;  // axes that are not numbers; all
  double distance = 0;

  // How far a place's value of one column is from another one, which is `at` on the slider.
  static Rank of(const Column& column, int there, const AxisValue& value, double at) {
    const auto index = static_cast<std::size_t>(there);
    if (column.values[index] == value) return {};
    if (!is_number(*column.axis)) return {1, 1, 0};
    return {0, 1, std::abs(column.positions[index] - at)};
  }
  Rank& operator+=(const Rank& other) {
    crossed += other.crossed;
    moved += other.moved;
    distance += other.distance;
    return *this;
  }
  Rank& operator-=(const Rank& other) {
    crossed -= other.crossed;
    moved -= other.moved;
    distance -= other.distance;
    return *this;
  }
  bool operator<(const Rank& other) const {
    return std::tie(crossed, distance, moved) <
           std::tie(other.crossed, other.distance, other.moved);
  }
};

struct RecordedPlaces::Ways {
  struct Best {
    Rank rank;
    std::size_t row = kNothing;
    void offer(const Rank& other, std::size_t of_row) {
      if (row == kNothing || other < rank) *this = {other, of_row};
    }
  };
  Best nearest;
  std::vector<std::vector<Best>> best;  // of every column and value
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

// All axes, except the moved one, that a place has at another value. An axis of the moved one's
// group follows it; the others should not move.
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

RecordedPlaces::Here RecordedPlaces::here_at(const Configuration& axes,
                                             const std::map<std::string, bool>& unlinked) const {
  Here here{&axes, {}, {}, {}, {}};
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const Axis& axis = *columns_[i].axis;
    here.values.push_back(value_in(axes, axis));
    here.positions.push_back(is_number(axis) ? position(axis, here.values.back()) : 0);
    here.applies.push_back(applies(axis, axes));
    const auto free = unlinked.find(axis.name);
    const bool linked = !axis.linked_to.empty() && (free == unlinked.end() || !free->second);
    std::size_t group = i;
    for (std::size_t j = 0; linked && j < columns_.size(); ++j) {
      if (columns_[j].axis->name == axis.linked_to) group = j;
    }
    here.group.push_back(group);
  }
  return here;
}

// What is left to move to a place when an axis and its group stand at the place's value of the
// axis, which it has.
RecordedPlaces::Rank RecordedPlaces::rest_of(std::size_t row, const Here& here, std::size_t moved,
                                             Rank all, const std::vector<Rank>& of_column) const {
  const AxisValue& value = columns_[moved].values[static_cast<std::size_t>(place(row, moved))];
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const int there = place(row, i);
    if (here.group[i] != here.group[moved] || there == kNone) continue;
    all -= of_column[i];
    const Column& column = columns_[i];
    if (i != moved) all += Rank::of(column, there, value, position(*column.axis, value));
  }
  return all;
}

RecordedPlaces::Ways RecordedPlaces::ways_from(const Here& here) const {
  Ways ways;
  for (const Column& column : columns_) ways.best.emplace_back(column.values.size());
  std::vector<Rank> of_column(columns_.size());
  for (std::size_t row = 0; row < count_; ++row) {
    Rank all;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const int there = place(row, i);
      of_column[i] =
          there == kNone ? Rank{} : Rank::of(columns_[i], there, here.values[i], here.positions[i]);
      all += of_column[i];
    }
    ways.nearest.offer(all, row);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const int there = place(row, i);
      if (there == kNone || !here.applies[i]) continue;
      ways.best[i][static_cast<std::size_t>(there)].offer(rest_of(row, here, i, all, of_column),
                                                          row);
    }
  }
  return ways;
}

AxisStops RecordedPlaces::stops_of(std::size_t column, const Here& here, const Ways& ways) const {
  const Axis& axis = *columns_[column].axis;
  AxisStops list{axis.name, {}, std::nullopt};
  for (const Ways::Best& best : ways.best[column]) {
    if (best.row != kNothing) list.stops.push_back(stop_at(best.row, here, column));
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
  if (columns_[column].completed && list.stops.size() == 1)
    list.completed = list.stops.front().value;
  return list;
}

RecordedStops RecordedPlaces::stops(const Configuration& axes,
                                    const std::map<std::string, bool>& unlinked) const {
  const Here here = here_at(axes, unlinked);
  const Ways ways = ways_from(here);
  RecordedStops found;
  if (const std::size_t row = ways.nearest.row; row != kNothing) {
    found.nearest = {at(row, axes), moves_to(row, here, kNothing)};
    found.recorded = found.nearest->moves.empty();
  }
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (here.applies[i]) found.axes.push_back(stops_of(i, here, ways));
  }
  return found;
}

}  // namespace warpscope
