// profiling/emulator/state/shadow.cpp: who wrote and read each word of a block's shared memory, and
// when.
#include "profiling/emulator/state/shadow.h"

#include <algorithm>

namespace warpscope {
namespace {

constexpr std::uint32_t kManyLanes = 1u << 10;
constexpr std::uint8_t kWholeWord = 15;  // a bit a byte

std::uint32_t stamp_of(std::uint32_t clock, int warp, int lane) {
  return clock << 11 | static_cast<std::uint32_t>(warp) << 5 | static_cast<std::uint32_t>(lane);
}
int warp_of(std::uint32_t stamp) { return static_cast<int>(stamp >> 5 & 31); }
int lane_of(std::uint32_t stamp) { return static_cast<int>(stamp & 31); }

}  // namespace

void SharedShadow::begin_block(std::int64_t bytes, int warps, bool races, bool uninitialised) {
  races_ = races;
  uninitialised_ = uninitialised;
  warps_ = warps;
  records_.assign(static_cast<std::size_t>((bytes + 3) / 4), Record{});
  splits_.assign(4, Record{});
  if (!lines_.empty()) std::fill(line_table_.begin(), line_table_.end(), 0);
  lines_.clear();
  line_records_.clear();
  for (int w = 0; w < warps; ++w) {
    known_[w].fill(0);
    known_[w][w] = 1;
    committed_[w].fill(0);
    completed_[w].fill(0);
    for (std::vector<Wait>& waits : waits_[w]) waits.clear();
  }
  fenced_.fill(0);
  proxied_.fill(0);
  products_.clear();
  stores_.clear();
  other_barrier_ = -1;
  clocks_.clear();
  seen_.clear();
  fenced_seen_.clear();
  arrivals_.clear();
}

int SharedShadow::last_writer(std::int64_t offset) const {
  const auto word = static_cast<std::size_t>(offset / 4);
  if (word >= records_.size()) return -1;
  const Record& r = records_[word];
  const std::uint32_t write =
      r.split == 0 ? r.write : splits_[r.split + static_cast<std::uint32_t>(offset % 4)].write;
  return write == 0 ? -1 : warp_of(write);
}

SharedFinding SharedShadow::race_with(std::uint32_t stamp, bool in_warp) {
  other_warp_ = warp_of(stamp);
  other_lane_ = lane_of(stamp);
  other_barrier_ = -1;
  return in_warp ? SharedFinding::race_in_warp : SharedFinding::race;
}

bool SharedShadow::copy_arrived(Record& r, int observer) {
  const int warp = r.copy_lane >> 5, lane = r.copy_lane & 31;
  if (is_seen_through_barrier(r, observer)) {
    // A write at the time of asking: the arrival after it orders it.
    r.flags &= static_cast<std::uint8_t>(~kCopy);
    return true;
  }
  if (r.copy_group >= completed_[warp][lane]) {
    other_warp_ = warp;
    other_lane_ = lane;
    other_barrier_ = -1;
    return false;
  }
  r.flags &= static_cast<std::uint8_t>(~kCopy);
  const std::vector<Wait>& waits = waits_[warp][lane];
  const auto at = std::partition_point(waits.begin(), waits.end(),
                                       [&](const Wait& w) { return w.groups <= r.copy_group; });
  if (races_ && at != waits.end()) {
    r.write = stamp_of(at->clock, warp, lane);
    r.write_sync = at->sync;
  }
  return true;
}

bool SharedShadow::knows_write(const Record& r, int warp, int lane, std::uint32_t sync,
                               bool reads) const {
  if (r.write == 0) return true;
  const int writer = warp_of(r.write);
  if (writer != warp) return (r.write >> kClockShift) <= known_[warp][writer];
  if (r.write_sync != sync) return true;
  if ((r.write & kManyLanes) == 0) return lane_of(r.write) == lane;
  // What lanes stored together each of them may read; who writes over it writes over the others'.
  return reads && (r.copy_group >> lane & 1) != 0;
}

std::uint32_t SharedShadow::unmet_readers(const Record& r, int warp) const {
  const std::uint32_t read_clock = r.read >> kClockShift;
  std::uint32_t unmet = 0;
  for (std::uint32_t others = r.read_warps & ~(1u << warp); others != 0; others &= others - 1) {
    const int other = __builtin_ctz(others);
    if (read_clock > known_[warp][other]) unmet |= 1u << other;
  }
  return unmet;
}

bool SharedShadow::is_read_beside(const Record& r, int warp, int lane, std::uint32_t sync) const {
  return (r.read_warps >> warp & 1) != 0 && warp_of(r.read) == warp && r.read_sync == sync &&
         (r.read >> kClockShift) == known_[warp][warp] &&
         (lane_of(r.read) != lane || (r.read & kManyLanes) != 0);
}

bool SharedShadow::note_read(Record& r, int warp, int lane, std::uint32_t sync) {
  const std::uint32_t clock = known_[warp][warp], self = 1u << warp;
  if (r.read_warps == self && (r.read >> kClockShift) == clock && r.read_sync == sync) {
    if (lane_of(r.read) != lane) r.read |= kManyLanes;
    return true;
  }
  // Readers that this warp has met at a barrier since need not be remembered.
  const std::uint32_t unmet = unmet_readers(r, warp);
  r.read = stamp_of(unmet == 0 ? clock : std::min(r.read >> kClockShift, clock), warp, lane);
  r.read_warps = unmet | self;
  r.read_sync = sync;
  return false;
}

void SharedShadow::note_write(Record& r, int warp, int lane, std::uint32_t sync) {
  r.write = stamp_of(known_[warp][warp], warp, lane);
  r.write_sync = sync;
  r.read_warps = 0;
  r.read = 0;
}

SharedFinding SharedShadow::read_record(Record& r, int warp, int lane, std::uint32_t sync,
                                        unsigned bytes, AccessStrength strength) {
  const bool strong = strength != AccessStrength::weak;
  SharedFinding finding = SharedFinding::none;
  if (uninitialised_ && (r.initialised & bytes) != bytes) finding = SharedFinding::uninitialised;
  if ((r.flags & kCopy) != 0 && !copy_arrived(r, warp)) return SharedFinding::not_waited;
  const bool bulk = (r.flags & kBulkCopy) != 0;
  if (bulk && !bulk_is_seen(r, warp)) return SharedFinding::not_waited;
  if (!races_) return finding;
  if (!bulk && !is_excused(r, warp, strength) && !knows_write(r, warp, lane, sync, true))
    finding = race_with(r.write, warp_of(r.write) == warp);
  const bool joins = note_read(r, warp, lane, sync);
  if (!strong) r.flags &= static_cast<std::uint8_t>(~kStrongRead);
  if (strong && !joins) r.flags |= kStrongRead;
  return finding;
}

SharedFinding SharedShadow::write_record(Record& r, int warp, int lane, std::uint32_t sync,
                                         unsigned bytes, AccessStrength strength,
                                         std::uint32_t together, bool changes) {
  const std::uint8_t flags = flags_of_write(r, warp, lane, sync, strength);
  SharedFinding finding = SharedFinding::none;
  const bool many = (together & (together - 1)) != 0;
  r.initialised |= static_cast<std::uint8_t>(bytes);
  if ((r.flags & (kCopy | kProductRead)) != 0) {
    if ((r.flags & kCopy) != 0) {
      if (!copy_arrived(r, warp)) finding = SharedFinding::not_waited;
    } else if (!product_is_over(r, warp)) {
      finding = SharedFinding::still_multiplied;
    }
    r.flags &= static_cast<std::uint8_t>(~(kCopy | kProductRead));
  }
  if ((r.flags & kCopySource) != 0) {
    if (!source_is_read(r, warp)) finding = SharedFinding::still_copied;
    r.flags &= static_cast<std::uint8_t>(~kCopySource);
  }
  if (!races_) {
    r.flags &= static_cast<std::uint8_t>(~kBulkCopy);
    return finding;
  }
  if ((r.flags & kBulkCopy) != 0) {
    // Who writes over a copy must know that it is over.
    if (!bulk_is_seen(r, warp)) finding = SharedFinding::race;
  } else if (!is_excused(r, warp, strength) &&
             !knows_write(r, warp, many ? -1 : lane, sync, false)) {
    if (!changes) {
      join_write(r, warp, lane, sync, many ? together : 1u << lane);
      r.flags = flags;
      return finding;
    }
    finding = race_with(r.write, warp_of(r.write) == warp);
    // The other thread of the race is another one of the lanes that stored together.
    const std::uint32_t others = r.copy_group & ~(1u << lane);
    if ((r.write & kManyLanes) != 0 && other_warp_ == warp && other_lane_ == lane && others != 0) {
      other_lane_ = __builtin_ctz(others);
    }
  }
  if (r.read_warps != 0) {
    const SharedFinding met = meet_readers(r, warp, many ? -1 : lane, sync, strength);
    if (met != SharedFinding::none) finding = met;
  }
  note_write(r, warp, lane, sync);
  if (many) {
    r.write |= kManyLanes;
    r.copy_group = together;
  }
  r.flags = flags;
  return finding;
}

SharedFinding SharedShadow::meet_readers(const Record& r, int warp, int lane, std::uint32_t sync,
                                         AccessStrength strength) {
  SharedFinding finding = SharedFinding::none;
  const bool excused = strength != AccessStrength::weak && (r.flags & kStrongRead) != 0;
  for (std::uint32_t rest = excused ? 0 : unmet_readers(r, warp); rest != 0; rest &= rest - 1) {
    const int other = __builtin_ctz(rest);
    finding = race_with(warp_of(r.read) == other ? r.read : static_cast<std::uint32_t>(other) << 5,
                        false);
  }
  if ((!excused || strength == AccessStrength::by_volatile) &&
      is_read_beside(r, warp, lane, sync)) {
    finding = race_with(r.read, true);
  }
  return finding;
}

std::uint8_t SharedShadow::flags_of_write(const Record& r, int warp, int lane, std::uint32_t sync,
                                          AccessStrength strength) const {
  const bool own = r.write != 0 && warp_of(r.write) == warp && lane_of(r.write) == lane &&
                   r.write_sync == sync && (r.write >> kClockShift) == known_[warp][warp];
  // Who does not know of a strong write knows no better of the thread's weak one just before it.
  const bool weak_before = own && (r.flags & (kStrongWrite | kCopy | kBulkCopy)) == 0;
  if (strength == AccessStrength::weak || weak_before) return 0;
  const bool is_volatile = strength == AccessStrength::by_volatile;
  return static_cast<std::uint8_t>(kStrongWrite | (is_volatile ? kVolatileWrite : 0));
}

bool SharedShadow::is_excused(const Record& r, int warp, AccessStrength strength) {
  if (strength == AccessStrength::weak || (r.flags & kStrongWrite) == 0) return false;
  return strength == AccessStrength::strong || (r.flags & kVolatileWrite) == 0 ||
         warp_of(r.write) != warp;
}

void SharedShadow::join_write(Record& r, int warp, int lane, std::uint32_t sync,
                              std::uint32_t together) {
  if (warp_of(r.write) == warp && r.write_sync == sync) {
    together |= (r.write & kManyLanes) != 0 ? r.copy_group : 1u << lane_of(r.write);
  }
  r.write = stamp_of(known_[warp][warp], warp, lane);
  r.write_sync = sync;
  if ((together & (together - 1)) == 0) return;
  r.write |= kManyLanes;
  r.copy_group = together;
}

SharedFinding SharedShadow::read(int warp, int lane, std::uint32_t sync, std::int64_t offset,
                                 int width, AccessStrength strength) {
  return for_records(offset, width, [&](Record& r, unsigned bytes) {
    return read_record(r, warp, lane, sync, bytes, strength);
  });
}
SharedFinding SharedShadow::write(int warp, int lane, std::uint32_t sync, std::int64_t offset,
                                  int width, AccessStrength strength, std::uint32_t together,
                                  std::uint32_t changed) {
  return for_records(offset, width, [&](Record& r, unsigned bytes) {
    const bool changes = (changed & bytes) != 0;
    changed >>= bytes == kWholeWord ? 4 : 1;
    return write_record(r, warp, lane, sync, bytes, strength, together, changes);
  });
}

SharedFinding SharedShadow::visit(std::int64_t offset, int width, bool writes) {
  return for_records(offset, width, [&](Record& r, unsigned bytes) {
    if (!writes) {
      const bool empty = uninitialised_ && (r.initialised & bytes) != bytes;
      return empty ? SharedFinding::uninitialised : SharedFinding::none;
    }
    const std::uint8_t initialised = r.initialised;
    const std::uint32_t split = r.split;
    r = Record{};
    r.initialised = static_cast<std::uint8_t>(initialised | bytes);
    r.split = split;
    return SharedFinding::none;
  });
}

template <typename Plain, typename Take>
std::uint32_t SharedShadow::take_words(std::uint32_t lanes, const std::uint64_t* offsets,
                                       Plain is_plain, Take take) {
  if (!races_) return lanes;
  for (; lanes != 0; lanes &= lanes - 1) {
    const int lane = __builtin_ctz(lanes);
    Record& r = records_[static_cast<std::size_t>(offsets[lane] >> 2)];
    if (r.split != 0 || r.flags != 0 || !is_plain(r, lane)) return lanes;
    take(r, lane);
  }
  return 0;
}

std::uint32_t SharedShadow::read_words(int warp, std::uint32_t lanes, std::uint32_t sync,
                                       const std::uint64_t* offsets) {
  return take_words(
      lanes, offsets,
      [&](const Record& r, int lane) {
        return !(uninitialised_ && r.initialised != kWholeWord) &&
               knows_write(r, warp, lane, sync, true);
      },
      [&](Record& r, int lane) { note_read(r, warp, lane, sync); });
}

std::uint32_t SharedShadow::write_words(int warp, std::uint32_t lanes, std::uint32_t sync,
                                        const std::uint64_t* offsets) {
  return take_words(
      lanes, offsets,
      [&](const Record& r, int lane) {
        return knows_write(r, warp, lane, sync, false) && unmet_readers(r, warp) == 0 &&
               !is_read_beside(r, warp, lane, sync);
      },
      [&](Record& r, int lane) {
        r.initialised = kWholeWord;
        note_write(r, warp, lane, sync);
      });
}

void SharedShadow::begin_copy(int warp, int lane, std::int64_t offset, int width) {
  for_records(offset, width, [&](Record& r, unsigned bytes) {
    r.initialised |= static_cast<std::uint8_t>(bytes);
    r.flags = static_cast<std::uint8_t>((r.flags & ~kProductRead) | kCopy);
    r.write &= ~kManyLanes;
    r.copy_lane = static_cast<std::uint16_t>(warp << 5 | lane);
    r.copy_group = committed_[warp][lane];
    return SharedFinding::none;
  });
}

bool SharedShadow::bulk_is_seen(const Record& r, int warp) {
  if (seen_[r.write_sync][warp] > r.copy_group) return true;
  other_warp_ = (r.flags & kFromOutside) != 0 ? -1 : warp_of(r.write);
  other_lane_ = lane_of(r.write);
  other_barrier_ = static_cast<int>(r.write_sync);
  other_phase_ = r.copy_group;
  return false;
}

SharedFinding SharedShadow::bulk_copy(int warp, int lane, std::uint32_t sync, std::int64_t offset,
                                      std::int64_t bytes, int barrier, std::uint32_t phase) {
  SharedFinding first = SharedFinding::none;
  std::array<std::int64_t, 5> story{};  // of the first finding
  std::int64_t at = offset;
  for_records(offset, bytes, [&](Record& r, unsigned which) {
    const SharedFinding finding =
        write_record(r, warp, lane, sync, which, AccessStrength::weak, 0, true);
    if (finding != SharedFinding::none && first == SharedFinding::none) {
      first = finding;
      story = {other_warp_, other_lane_, other_barrier_, other_phase_, at};
    }
    at += which == 15u ? 4 : 1;
    r.write = stamp_of(known_[warp][warp], warp, lane);
    r.write_sync = static_cast<std::uint32_t>(barrier);
    r.copy_group = phase;
    r.flags |= kBulkCopy;
    return SharedFinding::none;
  });
  if (first == SharedFinding::none) return first;
  other_warp_ = static_cast<int>(story[0]);
  other_lane_ = static_cast<int>(story[1]);
  other_barrier_ = static_cast<int>(story[2]);
  other_phase_ = static_cast<std::uint32_t>(story[3]);
  copy_offset_ = story[4];
  return first;
}

}  // namespace warpscope
