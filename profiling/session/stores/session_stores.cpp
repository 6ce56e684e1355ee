// profiling/session/stores/session_stores.cpp: all stores of a session, and what they hold in
// memory.
#include "profiling/session/stores/session_stores.h"

#include <utility>

#include "profiling/session/kept_bytes.h"

namespace warpscope {

void MeasuredHistory::keep(Measurement point) {
  bytes_ += kept_bytes(point);
  points_.push_back(std::move(point));
}

void MeasuredHistory::keep_device(std::string_view device) {
  std::erase_if(points_, [&](const Measurement& m) {
    if (device_of(m.conditions).id() == device) return false;
    bytes_ -= kept_bytes(m);
    return true;
  });
}

void MeasuredHistory::let_go(std::int64_t limit) {
  // What is over the limit and no more: what goes all at once holds up a frame.
  while (points_.size() > 1 && bytes_ > limit) {
    bytes_ -= kept_bytes(points_.front());
    points_.pop_front();
  }
}

void SessionStores::keep_device(std::string_view device) {
  points.keep_device(device);
  history.keep_device(device);
  timelines.keep_device(device);
  engines.keep_device(device);
}

HeldInMemory SessionStores::memory() const {
  HeldInMemory memory;
  memory.opened = points.opened();
  memory.points = points.later();
  memory.history = history.held();
  memory.jobs = jobs.held();
  traces.add_to(memory);
  timelines.add_to(memory);
  memory.outcomes = {outcomes.count(false), outcomes.bytes(false)};
  memory.opened.count += outcomes.count(true);
  memory.opened.bytes += outcomes.bytes(true);
  return memory;
}

void SessionStores::opened_all() {
  points.opened_all();
  traces.opened_all();
  timelines.opened_all();
  outcomes.opened_all();
}

LetGoOfMemory SessionStores::let_go(const MemoryLimits& limits, const NeededInMemory& needed) {
  history.let_go(limits.history_bytes);
  jobs.let_go(limits.jobs);
  return {traces.let_go(limits.trace_bytes, needed), points.let_go(limits.point_bytes, needed),
          timelines.let_go(limits.timeline_bytes), outcomes.let_go(limits.outcome_bytes)};
}

}  // namespace warpscope
