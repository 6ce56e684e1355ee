// profiling/session/recorded_stops.h: at which values of every axis a session has points.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profiling/session/session.h"
#include "scenes/base/scene.h"

// A recorded session knows figures at some configurations and nowhere else. Its places are found
// once a session; the stops of every axis follow from them and the configuration that is selected.
//
//   const RecordedPlaces places(session, scene, device_uuid);
//   const RecordedStops stops = places.stops(selection.axes, selection.unlinked);
//   if (!stops.recorded && stops.nearest) offer(words_of(stops.nearest->moves));

namespace warpscope {

// An axis that takes another value, or keeps its own where it would follow a linked one.
struct AxisMove {
  std::string axis;
  AxisValue from, to;
};
// "k: 1000 → 10000, op: NT → T, m: stays 10".
std::string words_of(std::span<const AxisMove> moves);

// A value of an axis at which something is recorded.
struct Stop {
  AxisValue value;
  Configuration axes;           // what choosing it selects
  std::vector<AxisMove> moves;  // the axes that move too, beside linked ones; empty: none has to
  bool full() const { return moves.empty(); }
};

struct AxisStops {
  std::string axis;
  std::vector<Stop> stops;  // ascending; those of choices in the scene's order
  // The value that stands for an axis which the recording lacks, because its kernels are older than
  // the axis; no value if it was recorded.
  std::optional<AxisValue> completed;
};

struct NearestPlace {
  Configuration axes;
  std::vector<AxisMove> moves;  // what leads there
};

struct RecordedStops {
  bool recorded = false;                // something is, at this very configuration
  std::vector<AxisStops> axes;          // of those that apply here, in the scene's order
  std::optional<NearestPlace> nearest;  // no value if the scene is not recorded at all
};

class RecordedPlaces {
 public:
  // The places of a scene on one device (its UUID, or its name where none was recorded; empty: on
  // any). They differ in the axes of the problem. With a variant they are that variant's own, and
  // differ in its own axes as well.
  RecordedPlaces(const Session& session, const Scene& scene, const std::string& device,
                 const std::string& variant = {});

  // Choices are crossed only where nothing else leads to a value; then the least distance counts,
  // on the axes' own scales. An axis moves the ones that are linked to it and not in `unlinked`,
  // and the one that it is linked to.
  RecordedStops stops(const Configuration& axes,
                      const std::map<std::string, bool>& unlinked = {}) const;
  std::size_t size() const { return count_; }

 private:
  static constexpr int kNone = -1;  // the axis means nothing there
  struct Column {
    const Axis* axis = nullptr;
    std::vector<AxisValue> values;  // that places have, in the order found
    std::vector<double> positions;  // of numbers on the slider, 0 to 1
    bool completed = false;         // in every place that lacks it
  };
  struct Here;  // the selected configuration among the columns
  struct Rank;  // how good a way to a value a place is
  struct Ways;  // the best places
  int place(std::size_t row, std::size_t column) const {
    return cells_[row * columns_.size() + column];
  }
  std::vector<AxisMove> moves_to(std::size_t row, const Here& here, std::size_t moved) const;
  Configuration at(std::size_t row, const Configuration& axes) const;
  Stop stop_at(std::size_t row, const Here& here, std::size_t moved) const;
  Here here_at(const Configuration& axes, const std::map<std::string, bool>& unlinked) const;
  Rank rest_of(std::size_t row, const Here& here, std::size_t moved, Rank all,
               const std::vector<Rank>& of_column) const;
  Ways ways_from(const Here& here) const;
  AxisStops stops_of(std::size_t column, const Here& here, const Ways& ways) const;

  std::vector<Column> columns_;
  std::vector<int> cells_;  // of every place and column, an index into its values
  std::size_t count_ = 0;
};

}  // namespace warpscope
