// profiling/session/session_memory.cpp: what a session holds in memory, and what it lets go of.
#include <algorithm>
#include <vector>

#include "profiling/session/kept_bytes.h"
#include "profiling/session/session.h"

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
  memory.outcomes = {outcomes_.count(false), outcomes_.bytes(false)};
  memory.opened.count += outcomes_.count(true);
  memory.opened.bytes += outcomes_.bytes(true);
  return memory;
}

void Session::opened_all() {
  for (PointUse& use : uses_) use.opened = true;
  opened_points_ = {points_.size(), opened_points_.bytes + point_bytes_};
  point_bytes_ = 0;
  for (auto& [use, kept] : traces_) kept.opened = true;
  for (auto& [key, kept] : timelines_) kept.opened = true;
  outcomes_.opened_all();
}

void Session::use_traces(const PointId& id) {
  const PointId point{id.scene, id.variant, id.key, "", ""};
  std::map<std::uint64_t, std::uint64_t*> looked_at;  // by use: their order stays
  for (auto at = trace_places_.lower_bound({point, ""});
       at != trace_places_.end() && at->first.first == point; ++at)
    looked_at.emplace(at->second, &at->second);
  for (const auto& [use, place] : looked_at) {
    auto node = traces_.extract(use);  // moves no trace: pointers stay
    node.key() = *place = ++trace_uses_;
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
    trace_places_.erase(place_of(kept.trace));
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
  erase_points(goes);
  return gone;
}

void Session::erase_points(const std::vector<bool>& goes) {
  // Where the points that stay come to lie.
  std::vector<std::size_t> moved(points_.size());
  std::deque<Measurement> points;
  std::deque<PointUse> uses;
  for (std::size_t at = 0; at < points_.size(); ++at) {
    if (goes[at]) continue;
    moved[at] = points.size();
    points.push_back(std::move(points_[at]));
    uses.push_back(uses_[at]);
  }
  for (auto place = places_.begin(); place != places_.end();) {
    std::vector<std::size_t>& sources = place->second;
    std::erase_if(sources, [&goes](std::size_t at) { return goes[at]; });
    for (std::size_t& at : sources) at = moved[at];
    place = sources.empty() ? places_.erase(place) : std::next(place);
  }
  points_ = std::move(points);
  uses_ = std::move(uses);
}

void Session::keep_device(std::string_view device) {
  const auto is_other = [device](const Conditions& c) { return device_of(c).id() != device; };
  std::vector<bool> goes(points_.size());
  for (std::size_t at = 0; at < points_.size(); ++at) {
    goes[at] = is_other(points_[at].conditions);
    if (goes[at]) (uses_[at].opened ? opened_points_.bytes : point_bytes_) -= uses_[at].bytes;
    if (goes[at] && uses_[at].opened) --opened_points_.count;
  }
  erase_points(goes);
  std::erase_if(history_, [&](const Measurement& m) {
    if (!is_other(m.conditions)) return false;
    history_bytes_ -= kept_bytes(m);
    return true;
  });
  std::erase_if(timelines_,
                [&](const auto& row) { return is_other(row.second.timeline.conditions); });
  // A card without roofs of its own may borrow: see roof_join.h.
  const auto own = [&](const RoofSet& set) { return !is_other(set.conditions); };
  if (std::any_of(roof_sets_.begin(), roof_sets_.end(), own))
    std::erase_if(roof_sets_, [&](const RoofSet& set) { return !own(set); });
  std::erase_if(devices_, [&](const DeviceName& other) { return other.id() != device; });
  ++revision_;
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

void Session::keep_measuring_jobs(std::size_t most) {
  const auto measures = [](const auto& numbered) {
    return std::holds_alternative<MeasureJob>(numbered.second.work);
  };
  auto surplus =
      std::count_if(jobs_.begin(), jobs_.end(), measures) - static_cast<std::ptrdiff_t>(most);
  std::erase_if(jobs_, [&](const auto& numbered) {
    if (surplus <= 0 || !measures(numbered)) return false;
    --surplus;
    job_bytes_ -= kept_bytes(numbered.second);
    progress_.erase(numbered.first);
    done_.erase(numbered.first);
    return true;
  });
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
          let_go_timelines(limits.timeline_bytes), outcomes_.let_go(limits.outcome_bytes)};
}

}  // namespace warpscope
