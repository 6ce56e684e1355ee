// profiling/session/stores/timeline_store.cpp: the newest timeline of each point.
#include "profiling/session/stores/timeline_store.h"

#include <utility>

#include "profiling/session/kept_bytes.h"

namespace warpscope {
namespace {

PointId id_of(const Timeline& t) {
  return {t.scene, t.variant, t.key, t.conditions.code_id, device_of(t.conditions).id()};
}

}  // namespace

void TimelineStore::keep(Timeline timeline, std::uint64_t revision) {
  Kept& kept = timelines_[id_of(timeline)];
  const std::int64_t bytes = kept_bytes(timeline);
  if (kept.revision == 0 || !is_older(timeline.conditions, kept.timeline.conditions))
    kept = {std::move(timeline), bytes, revision};
}

const Timeline* TimelineStore::find(const PointId& id) const {
  const Timeline* newest = nullptr;
  for (auto at = timelines_.lower_bound({id.scene, id.variant, id.key, id.code_id, ""});
       at != timelines_.end() && at->first.scene == id.scene && at->first.variant == id.variant &&
       at->first.key == id.key;
       ++at) {
    if (at->first.device_uuid != id.device_uuid) continue;
    if (!id.code_id.empty() && at->first.code_id != id.code_id) continue;
    const Timeline& timeline = at->second.timeline;
    if (newest == nullptr || !is_older(timeline.conditions, newest->conditions)) newest = &timeline;
  }
  return newest;
}

std::vector<const Timeline*> TimelineStore::all() const {
  std::vector<const Timeline*> found;
  for (const auto& [key, kept] : timelines_) found.push_back(&kept.timeline);
  return found;
}

void TimelineStore::keep_device(std::string_view device) {
  std::erase_if(timelines_, [device](const auto& row) {
    return device_of(row.second.timeline.conditions).id() != device;
  });
}

void TimelineStore::opened_all() {
  for (auto& [key, kept] : timelines_) kept.opened = true;
}

void TimelineStore::add_to(HeldInMemory& memory) const {
  for (const auto& [key, kept] : timelines_)
    (kept.opened ? memory.opened : memory.timelines).add(kept.bytes);
}

std::size_t TimelineStore::let_go(std::int64_t limit) {
  std::int64_t bytes = 0;
  for (const auto& [key, kept] : timelines_) bytes += kept.opened ? 0 : kept.bytes;
  if (bytes <= limit) return 0;
  std::size_t gone = 0;
  while (bytes > goal_below(limit)) {
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

}  // namespace warpscope
