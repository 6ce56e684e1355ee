// profiling/session/stores/session_stores.h: all stores of a session, and what they hold in memory.
#pragma once

#include <cstdint>
#include <deque>
#include <string_view>

#include "profiling/session/outcomes.h"
#include "profiling/session/stores/engines_heard.h"
#include "profiling/session/stores/held.h"
#include "profiling/session/stores/job_log.h"
#include "profiling/session/stores/point_store.h"
#include "profiling/session/stores/timeline_store.h"
#include "profiling/session/stores/trace_store.h"

namespace warpscope {

// Every measurement that came, in order.
class MeasuredHistory {
 public:
  void keep(Measurement point);
  const std::deque<Measurement>& all() const { return points_; }
  void keep_device(std::string_view device);
  Held held() const { return {points_.size(), bytes_}; }
  void let_go(std::int64_t limit);  // the newest stays

 private:
  std::deque<Measurement> points_;  // grows without moving what it has, which would hold up a frame
  std::int64_t bytes_ = 0;
};

struct SessionStores {
  MeasuredHistory history;
  PointStore points;
  TraceStore traces;
  TimelineStore timelines;
  EnginesHeard engines;
  JobLog jobs;
  Outcomes outcomes;

  // Forgets what was measured on other devices.
  void keep_device(std::string_view device);
  HeldInMemory memory() const;
  void opened_all();
  LetGoOfMemory let_go(const MemoryLimits& limits, const NeededInMemory& needed);
};

}  // namespace warpscope
