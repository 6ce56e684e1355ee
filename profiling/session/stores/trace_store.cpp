// profiling/session/stores/trace_store.cpp: the newest trace of each point and step, by use.
#include "profiling/session/stores/trace_store.h"

#include <algorithm>
#include <utility>

#include "profiling/session/kept_bytes.h"

namespace warpscope {

TraceStore::Place TraceStore::place_of(const Trace& trace) {
  return {{trace.scene, trace.variant, trace.key, "", ""}, trace.step};
}

void TraceStore::keep(Trace trace, std::size_t emulators) {
  const auto [place, added] = places_.try_emplace(place_of(trace), 0);
  if (!added) traces_.erase(place->second);
  place->second = ++uses_;
  Kept& kept = traces_[uses_];
  kept.trace = std::move(trace);
  kept.bytes = kept_bytes(kept.trace);
  kept.emulators = emulators;
}

template <typename Visit>
void TraceStore::each_place(const PointId& id, const Visit& visit) const {
  for (auto at = places_.lower_bound({{id.scene, id.variant, id.key, "", ""}, ""});
       at != places_.end() && at->first.first.scene == id.scene &&
       at->first.first.variant == id.variant && at->first.first.key == id.key;
       ++at)
    visit(at->first.second, at->second);
}

const Trace* TraceStore::find(const PointId& id, const std::string& step) const {
  std::uint64_t newest = 0;
  each_place(id, [&](const std::string& of_step, std::uint64_t use) {
    if (step.empty() || step == of_step) newest = std::max(newest, use);
  });
  return newest == 0 ? nullptr : &traces_.at(newest).trace;
}

std::vector<const Trace*> TraceStore::of(const PointId& id) const {
  std::vector<const Trace*> found;
  each_place(
      id, [&](const std::string&, std::uint64_t use) { found.push_back(&traces_.at(use).trace); });
  return found;
}

std::vector<const Trace*> TraceStore::all() const {
  std::vector<const Trace*> found;
  for (const auto& [use, kept] : traces_) found.push_back(&kept.trace);
  return found;
}

std::size_t TraceStore::emulators_of(const Trace& trace) const {
  const auto place = places_.find(place_of(trace));
  return place == places_.end() ? 0 : traces_.at(place->second).emulators;
}

void TraceStore::use(const PointId& id) {
  const PointId point{id.scene, id.variant, id.key, "", ""};
  std::map<std::uint64_t, std::uint64_t*> looked_at;  // by use: their order stays
  for (auto at = places_.lower_bound({point, ""}); at != places_.end() && at->first.first == point;
       ++at)
    looked_at.emplace(at->second, &at->second);
  for (const auto& [use, place] : looked_at) {
    auto node = traces_.extract(use);  // moves no trace: pointers stay
    node.key() = *place = ++uses_;
    traces_.insert(std::move(node));
  }
}

void TraceStore::opened_all() {
  for (auto& [use, kept] : traces_) kept.opened = true;
}

void TraceStore::add_to(HeldInMemory& memory) const {
  for (const auto& [use, kept] : traces_)
    (kept.opened ? memory.opened : memory.traces).add(kept.bytes);
}

std::size_t TraceStore::let_go(std::int64_t limit, const NeededInMemory& needed) {
  std::int64_t bytes = 0;
  for (const auto& [use, kept] : traces_) bytes += kept.opened ? 0 : kept.bytes;
  if (bytes <= limit) return 0;
  std::size_t gone = 0;
  for (auto at = traces_.begin(); at != traces_.end() && bytes > goal_below(limit);) {
    const bool newest = std::next(at) == traces_.end();
    const Kept& kept = at->second;
    if (newest || kept.opened || (needed.trace && needed.trace(kept.trace))) {
      ++at;
      continue;
    }
    bytes -= kept.bytes;
    ++gone;
    places_.erase(place_of(kept.trace));
    at = traces_.erase(at);
  }
  return gone;
}

}  // namespace warpscope
