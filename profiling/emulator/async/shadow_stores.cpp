// profiling/emulator/async/shadow_stores.cpp: what bulk copies read of shared memory, and what
// other blocks bring to it.
#include <algorithm>

#include "profiling/emulator/state/shadow.h"

namespace warpscope {

void SharedShadow::fence_proxy(int warp) {
  for (int v = 0; v < warps_; ++v) proxied_[v] = std::max(proxied_[v], known_[warp][v]);
  ++known_[warp][warp];  // what it writes from here on is not in it
}

SharedFinding SharedShadow::read_for_store(Record& r, int warp, int lane, std::uint32_t sync,
                                           unsigned bytes, bool in_group) {
  SharedFinding finding = SharedFinding::none;
  if (uninitialised_ && (r.initialised & bytes) != bytes) finding = SharedFinding::uninitialised;
  const bool bulk = (r.flags & kBulkCopy) != 0;
  if (((r.flags & kCopy) != 0 && !copy_arrived(r, warp)) || (bulk && !bulk_is_seen(r, warp))) {
    finding = SharedFinding::not_waited;
  } else if (races_ && !bulk && r.write != 0) {
    const int writer = static_cast<int>(r.write >> 5 & 31);
    const bool known = knows_write(r, warp, lane, sync, true);
    if (!known) finding = race_with(r.write, writer == warp);
    if (known && (r.write >> kClockShift) > proxied_[writer]) {
      race_with(r.write, false);
      finding = SharedFinding::not_fenced;
    }
  }
  if (!in_group) return finding;
  // From here on it is only a source: what filled it before is over for whoever may write to it.
  if (bulk) r.write = 0;
  r.write &= ~(1u << 10);
  r.flags = kCopySource;
  r.copy_lane = static_cast<std::uint16_t>(warp << 5 | lane);
  r.copy_group = stores_[warp << 5 | lane].committed;
  return finding;
}

SharedFinding SharedShadow::begin_store(int warp, int lane, std::uint32_t sync, std::int64_t offset,
                                        std::int64_t bytes, bool in_group) {
  SharedFinding first = SharedFinding::none;
  std::array<std::int64_t, 5> story{};  // of the first finding
  std::int64_t at = offset;
  if (in_group) stores_[warp << 5 | lane].open = true;
  for_records(offset, bytes, [&](Record& r, unsigned which) {
    const SharedFinding finding = read_for_store(r, warp, lane, sync, which, in_group);
    if (finding != SharedFinding::none && first == SharedFinding::none) {
      first = finding;
      story = {other_warp_, other_lane_, other_barrier_, other_phase_, at};
    }
    at += which == 15u ? 4 : 1;
    return SharedFinding::none;
  });
  other_warp_ = static_cast<int>(story[0]);
  other_lane_ = static_cast<int>(story[1]);
  other_barrier_ = static_cast<int>(story[2]);
  other_phase_ = static_cast<std::uint32_t>(story[3]);
  copy_offset_ = story[4];
  return first;
}

void SharedShadow::commit_stores(int warp, std::uint32_t lanes) {
  for (; lanes != 0; lanes &= lanes - 1) {
    Stores& s = stores_[warp << 5 | __builtin_ctz(lanes)];
    ++s.committed;
    s.open = false;
  }
}

void SharedShadow::wait_for_stores(int warp, std::uint32_t lanes, std::int64_t groups_left) {
  for (; lanes != 0; lanes &= lanes - 1) {
    Stores& s = stores_[warp << 5 | __builtin_ctz(lanes)];
    if (s.committed <= groups_left) continue;
    const auto waited = static_cast<std::uint32_t>(s.committed - groups_left);
    if (waited <= s.waited) continue;
    s.waited = waited;
    s.waits.push_back({waited, known_[warp][warp], 0});
  }
}

std::uint32_t SharedShadow::lanes_with_stores(int warp, std::uint32_t lanes) const {
  std::uint32_t found = 0;
  if (stores_.empty()) return found;
  for (; lanes != 0; lanes &= lanes - 1) {
    const int lane = __builtin_ctz(lanes);
    const auto s = stores_.find(warp << 5 | lane);
    if (s == stores_.end()) continue;
    if (s->second.open || s->second.waited < s->second.committed) found |= 1u << lane;
  }
  return found;
}

bool SharedShadow::source_is_read(const Record& r, int warp) {
  const int reader = r.copy_lane >> 5;
  other_warp_ = reader;
  other_lane_ = r.copy_lane & 31;
  other_barrier_ = -1;
  const Stores& s = stores_[r.copy_lane];
  if (r.copy_group >= s.waited) return false;
  const auto wait = std::partition_point(s.waits.begin(), s.waits.end(),
                                         [&](const Wait& w) { return w.groups <= r.copy_group; });
  if (wait == s.waits.end()) return false;
  // For the warp that waited, itself is as good as __syncwarp: lanes of a warp seldom part there.
  return reader == warp || known_[warp][reader] >= wait->clock;
}

void SharedShadow::copy_from_outside(std::int64_t offset, std::int64_t bytes, int barrier,
                                     std::uint32_t phase) {
  visit(offset, static_cast<int>(bytes), true);
  for_records(offset, bytes, [&](Record& r, unsigned) {
    r.write_sync = static_cast<std::uint32_t>(barrier);
    r.copy_group = phase;
    r.flags = kBulkCopy | kFromOutside;
    return SharedFinding::none;
  });
}

void SharedShadow::arrive_from_outside(int barrier) {
  for (int warp = 0; warp < warps_; ++warp) {
    arrive(warp, barrier);
    advance(warp);
  }
}

}  // namespace warpscope
