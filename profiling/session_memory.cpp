// profiling/session_memory.cpp: what a session holds in memory, and what it lets go of.
#include <algorithm>
#include <vector>

#include "profiling/kept_bytes.h"
#include "profiling/session.h"

namespace warpscope {
namespace {

// Below the limit by so much, so that not every message lets go of something.
std::int64_t goal(std::int64_t limit) { return limit - limit / 10; }

}  // namespace

Session::Memory Session::memory() const {
  Memory memory;
  memory.opened = opened_points_;
  memory.points = {points_.size() - opened_points_.count, point_bytes_};
  memory.history = {history_.size(), history_bytes_};
  memory.jobs = {jobs_.size(), job_bytes_};
  const auto add = [&memory](Held& held, bool opened, std::int64_t bytes) {
    Held& to = opened ? memory.opened : held;
    ++to.count;
    to.bytes += bytes;
  };
  for (const auto& [use, kept] : traces_) add(memory.traces, kept.opened, kept.bytes);
  for (const auto& [key, kept] : timelines_) add(memory.timelines, kept.opened, kept.bytes);
  return memory;
}

void Session::opened_all() {
  for (PointUse& use : uses_) use.opened = true;
  opened_points_ = {points_.size(), opened_points_.bytes + point_bytes_};
  point_bytes_ = 0;
  for (auto& [use, kept] : traces_) kept.opened = true;
  for (auto& [key, kept] : timelines_) kept.opened = true;
}

void Session::use_traces(const std::string& scene, const std::string& variant,
                         const std::string& key) {
  std::vector<std::uint64_t> looked_at;
  for (const auto& [use, kept] : traces_) {
    if (kept.trace.scene == scene && kept.trace.variant == variant && kept.trace.key == key)
      looked_at.push_back(use);
  }
  for (const std::uint64_t use : looked_at) {
    auto node = traces_.extract(use);  // moves no trace: pointers stay
    node.key() = ++trace_uses_;
    trace_places_[trace_key(node.mapped().trace)] = trace_uses_;
    traces_.insert(std::move(node));
  }
}

std::size_t Session::let_go_traces(std::int64_t limit, const Needed& needed) {
  std::int64_t bytes = 0;
  for (const auto& [use, kept] : traces_) bytes += kept.opened ? 0 : kept.bytes;
  if (bytes <= limit) return 0;
  std::size_t gone = 0;
  for (auto at = traces_.begin(); at != traces_.end() && bytes > goal(limit);) {
    const bool newest = std::next(at) == traces_.end();
    const KeptTrace& kept = at->second;
    if (newest || kept.opened || (needed.trace && needed.trace(kept.trace))) {
      ++at;
      continue;
    }
    bytes -= kept.bytes;
    ++gone;
    trace_places_.erase(trace_key(kept.trace));
    at = traces_.erase(at);
  }
  return gone;
}

std::size_t Session::let_go_points(std::int64_t limit, const Needed& needed) {
  if (point_bytes_ <= limit) return 0;
  std::vector<std::size_t> by_use;
  for (std::size_t at = 0; at < uses_.size(); ++at) {
    if (!uses_[at].opened && !(needed.point && needed.point(points_[at]))) by_use.push_back(at);
  }
  std::sort(by_use.begin(), by_use.end(),
            [this](std::size_t a, std::size_t b) { return uses_[a].revision < uses_[b].revision; });
  if (!by_use.empty()) by_use.pop_back();  // the newest
  std::vector<bool> goes(points_.size());
  std::size_t gone = 0;
  for (const std::size_t at : by_use) {
    if (point_bytes_ <= goal(limit)) break;
    point_bytes_ -= uses_[at].bytes;
    goes[at] = true;
    ++gone;
  }
  if (gone == 0) return 0;
  std::deque<Measurement> points;
  std::deque<PointUse> uses;
  for (std::size_t at = 0; at < points_.size(); ++at) {
    if (goes[at]) continue;
    points.push_back(std::move(points_[at]));
    uses.push_back(uses_[at]);
  }
  points_ = std::move(points);
  uses_ = std::move(uses);
  places_.clear();
  places_of_.clear();
  for (std::size_t at = 0; at < points_.size(); ++at) {
    const Measurement& m = points_[at];
    places_[m.scene + "/" + m.variant + "/" + m.key] = at;
    places_of_[m.scene + "/" + m.variant].push_back(at);
  }
  return gone;
}

std::size_t Session::let_go_timelines(std::int64_t limit) {
  std::int64_t bytes = 0;
  for (const auto& [key, kept] : timelines_) bytes += kept.opened ? 0 : kept.bytes;
  if (bytes <= limit) return 0;
  std::size_t gone = 0;
  while (bytes > goal(limit)) {
    auto oldest = timelines_.end(), newest = timelines_.end();
    for (auto at = timelines_.begin(); at != timelines_.end(); ++at) {
      if (at->second.opened) continue;
      if (oldest == timelines_.end() || at->second.revision < oldest->second.revision) oldest = at;
      if (newest == timelines_.end() || at->second.revision > newest->second.revision) newest = at;
    }
    if (oldest == newest) break;
    bytes -= oldest->second.bytes;
    timelines_.erase(oldest);
    ++gone;
  }
  return gone;
}

void Session::let_go_jobs(std::size_t most) {
  if (jobs_.size() <= most) return;
  while (jobs_.size() > most - most / 10) {
    job_bytes_ -= kept_bytes(jobs_.front().second);
    progress_.erase(jobs_.front().first);
    done_.erase(jobs_.front().first);
    jobs_.pop_front();
  }
}

Session::LetGo Session::let_go(const Limits& limits, const Needed& needed) {
  if (history_bytes_ > limits.history_bytes) {
    while (history_.size() > 1 && history_bytes_ > goal(limits.history_bytes)) {
      history_bytes_ -= kept_bytes(history_.front());
      history_.pop_front();
    }
  }
  let_go_jobs(limits.jobs);
  return {let_go_traces(limits.trace_bytes, needed), let_go_points(limits.point_bytes, needed),
          let_go_timelines(limits.timeline_bytes)};
}

}  // namespace warpscope
