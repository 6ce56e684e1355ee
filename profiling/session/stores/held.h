// profiling/session/stores/held.h: what a session holds in memory, its limits, and what went.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "profiling/access/trace.h"
#include "profiling/points/measurement.h"
#include "profiling/points/point.h"

namespace warpscope {

// What is held in memory, and how much it takes.
struct Held {
  std::size_t count = 0;
  std::int64_t bytes = 0;

  void add(std::int64_t one) { ++count, bytes += one; }
};

struct HeldInMemory {
  Held opened;  // points, traces, timelines, curves and pictures of a file
  Held traces, points, history, timelines, jobs, outcomes;  // what came later
};

// What a window keeps of what comes after a file; the file that it records to keeps all.
struct MemoryLimits {
  std::int64_t trace_bytes = 0, point_bytes = 0, history_bytes = 0, timeline_bytes = 0;
  std::size_t jobs = 0;
  std::int64_t outcome_bytes = 64 << 20;  // of curves and pictures
};

// What stays, whatever the limit.
struct NeededInMemory {
  std::function<bool(const Trace&)> trace;
  std::function<bool(const Measurement&)> point;
};

// What went, of figures that a person could miss.
struct LetGoOfMemory {
  std::size_t traces = 0, points = 0, timelines = 0, outcomes = 0;
};

// Below the limit by so much, so that not every message lets go of something.
constexpr std::int64_t goal_below(std::int64_t limit) { return limit - limit / 10; }

// Dates are ISO 8601 in UTC: they sort as texts. What has none is as new as what it meets.
inline bool is_older(const Conditions& a, const Conditions& b) {
  return !a.date.empty() && !b.date.empty() && a.date < b.date;
}

}  // namespace warpscope
