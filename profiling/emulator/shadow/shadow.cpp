// profiling/emulator/shadow/shadow.cpp: who wrote and read each word of a block's shared memory,
// and when.
#include "profiling/emulator/shadow/shadow.h"

#include <algorithm>

namespace warpscope {
namespace {

// Whether both the last write and an access are such as do not race with each other.
bool is_excused(const ShadowRecord& r, int warp, AccessStrength strength) {
  if (strength == AccessStrength::weak || !r.has(ShadowRecord::kStrongWrite)) return false;
  return strength == AccessStrength::strong || !r.has(ShadowRecord::kVolatileWrite) ||
         warp_of(r.write) != warp;
}

// The flags of the record after a write, before it is noted.
std::uint8_t flags_of_write(const VectorClocks& clocks, const ShadowRecord& r, int warp, int lane,
                            std::uint32_t sync, AccessStrength strength) {
  const bool own = r.write != 0 && warp_of(r.write) == warp && lane_of(r.write) == lane &&
                   r.write_sync == sync && (r.write >> kClockShift) == clocks.now(warp);
  // A thread that does not know of a strong write does not know of the weak one just before it
  // either.
  const bool weak_before =
      own && !r.has(ShadowRecord::kStrongWrite | ShadowRecord::kCopy | ShadowRecord::kBulkCopy);
  if (strength == AccessStrength::weak || weak_before) return 0;
  const bool is_volatile = strength == AccessStrength::by_volatile;
  return static_cast<std::uint8_t>(ShadowRecord::kStrongWrite |
                                   (is_volatile ? ShadowRecord::kVolatileWrite : 0));
}

// A store of the value that another one left, neither knowing of the other.
void join_write(const VectorClocks& clocks, ShadowRecord& r, int warp, int lane, std::uint32_t sync,
                std::uint32_t together) {
  if (warp_of(r.write) == warp && r.write_sync == sync) {
    together |= (r.write & kManyLanes) != 0 ? r.copy_group : 1u << lane_of(r.write);
  }
  r.write = stamp_of(clocks.now(warp), warp, lane);
  r.write_sync = sync;
  if ((together & (together - 1)) == 0) return;
  r.write |= kManyLanes;
  r.copy_group = together;
}

}  // namespace

template <typename F>
SharedFinding SharedShadow::for_records(std::int64_t offset, std::int64_t width, F function) {
  SharedFinding finding = SharedFinding::none;
  const std::int64_t end = offset + width;
  while (offset < end) {
    ShadowRecord& word = records_[static_cast<std::size_t>(offset >> 2)];
    const int first = static_cast<int>(offset & 3);
    const int count = static_cast<int>(std::min<std::int64_t>(4 - first, end - offset));
    if (count == 4 && word.split == 0) {
      const SharedFinding f = function(word, 15u);
      if (f != SharedFinding::none) finding = f;
    } else {
      if (word.split == 0) {
        const auto at = static_cast<std::uint32_t>(splits_.size());
        for (int k = 0; k < 4; ++k) {
          splits_.push_back(word);
          splits_.back().initialised = word.initialised >> k & 1;
        }
        word.split = at;
      }
      for (int k = first; k < first + count; ++k) {
        const SharedFinding f = function(splits_[word.split + static_cast<std::uint32_t>(k)], 1u);
        if (f != SharedFinding::none) finding = f;
      }
    }
    offset += count;
  }
  return finding;
}

void SharedShadow::begin_block(std::int64_t bytes, int warps, bool races, bool uninitialised) {
  races_ = races;
  uninitialised_ = uninitialised;
  clocks.begin_block(warps);
  copies.begin_block(warps);
  stores.begin_block();
  products.clear();
  records_.assign(static_cast<std::size_t>((bytes + 3) / 4), ShadowRecord{});
  splits_.assign(4, ShadowRecord{});
  lines_.clear();
  story_.barrier = -1;
}

int SharedShadow::last_writer(std::int64_t offset) const {
  const auto word = static_cast<std::size_t>(offset / 4);
  if (word >= records_.size()) return -1;
  const ShadowRecord& r = records_[word];
  const std::uint32_t write =
      r.split == 0 ? r.write : splits_[r.split + static_cast<std::uint32_t>(offset % 4)].write;
  return write == 0 ? -1 : warp_of(write);
}

SharedFinding SharedShadow::race_with(std::uint32_t stamp, bool in_warp) {
  story_.name_thread(warp_of(stamp), lane_of(stamp));
  return in_warp ? SharedFinding::race_in_warp : SharedFinding::race;
}

bool SharedShadow::copy_arrived(ShadowRecord& r, int observer) {
  const int warp = r.copy_lane >> 5, lane = r.copy_lane & 31;
  if (copies.is_seen(clocks, r, observer)) {
    // A write at the time of asking: the arrival after it orders it.
    r.clear(ShadowRecord::kCopy);
    return true;
  }
  if (!copies.is_waited_for(r)) {
    story_.name_thread(warp, lane);
    return false;
  }
  r.clear(ShadowRecord::kCopy);
  const GroupWait* const wait = copies.wait_for(r);
  if (races_ && wait != nullptr) {
    r.write = stamp_of(wait->clock, warp, lane);
    r.write_sync = wait->sync;
  }
  return true;
}

SharedFinding SharedShadow::read_record(ShadowRecord& r, int warp, int lane, std::uint32_t sync,
                                        unsigned bytes, AccessStrength strength) {
  const bool strong = strength != AccessStrength::weak;
  SharedFinding finding = SharedFinding::none;
  if (uninitialised_ && (r.initialised & bytes) != bytes) finding = SharedFinding::uninitialised;
  if (r.has(ShadowRecord::kCopy) && !copy_arrived(r, warp)) return SharedFinding::not_waited;
  const bool bulk = r.has(ShadowRecord::kBulkCopy);
  if (bulk && !bulk_is_seen(r, warp)) return SharedFinding::not_waited;
  if (!races_) return finding;
  if (!bulk && !is_excused(r, warp, strength) && !knows_write(clocks, r, warp, lane, sync, true))
    finding = race_with(r.write, warp_of(r.write) == warp);
  const bool joins = note_read(clocks, r, warp, lane, sync);
  if (!strong) r.clear(ShadowRecord::kStrongRead);
  if (strong && !joins) r.set(ShadowRecord::kStrongRead);
  return finding;
}

SharedFinding SharedShadow::write_record(ShadowRecord& r, int warp, int lane, std::uint32_t sync,
                                         unsigned bytes, AccessStrength strength,
                                         std::uint32_t together, bool changes) {
  const std::uint8_t flags = flags_of_write(clocks, r, warp, lane, sync, strength);
  SharedFinding finding = SharedFinding::none;
  const bool many = (together & (together - 1)) != 0;
  r.initialised |= static_cast<std::uint8_t>(bytes);
  if (r.has(ShadowRecord::kCopy | ShadowRecord::kProductRead)) {
    if (r.has(ShadowRecord::kCopy)) {
      if (!copy_arrived(r, warp)) finding = SharedFinding::not_waited;
    } else if (const auto* p = products.unfinished(clocks, r.copy_lane, warp)) {
      story_.name_thread(p->first_warp, 0);
      story_.product_source = p->source;
      finding = SharedFinding::still_multiplied;
    }
    r.clear(ShadowRecord::kCopy | ShadowRecord::kProductRead);
  }
  if (r.has(ShadowRecord::kCopySource)) {
    story_.name_thread(r.copy_lane >> 5, r.copy_lane & 31);
    if (!stores.is_read(clocks, r, warp)) finding = SharedFinding::still_copied;
    r.clear(ShadowRecord::kCopySource);
  }
  if (!races_) {
    r.clear(ShadowRecord::kBulkCopy);
    return finding;
  }
  if (r.has(ShadowRecord::kBulkCopy)) {
    // A thread that writes over a copy must know that the copy is over.
    if (!bulk_is_seen(r, warp)) finding = SharedFinding::race;
  } else if (!is_excused(r, warp, strength) &&
             !knows_write(clocks, r, warp, many ? -1 : lane, sync, false)) {
    if (!changes) {
      join_write(clocks, r, warp, lane, sync, many ? together : 1u << lane);
      r.flags = flags;
      return finding;
    }
    finding = race_with(r.write, warp_of(r.write) == warp);
    // The other thread of the race is another one of the lanes that stored together.
    const std::uint32_t others = r.copy_group & ~(1u << lane);
    if ((r.write & kManyLanes) != 0 && story_.warp == warp && story_.lane == lane && others != 0) {
      story_.lane = __builtin_ctz(others);
    }
  }
  if (r.read_warps != 0) {
    const SharedFinding met = meet_readers(r, warp, many ? -1 : lane, sync, strength);
    if (met != SharedFinding::none) finding = met;
  }
  note_write(clocks, r, warp, lane, sync);
  if (many) {
    r.write |= kManyLanes;
    r.copy_group = together;
  }
  r.flags = flags;
  return finding;
}

SharedFinding SharedShadow::meet_readers(const ShadowRecord& r, int warp, int lane,
                                         std::uint32_t sync, AccessStrength strength) {
  SharedFinding finding = SharedFinding::none;
  const bool excused = strength != AccessStrength::weak && r.has(ShadowRecord::kStrongRead);
  for (std::uint32_t rest = excused ? 0 : unmet_readers(clocks, r, warp); rest != 0;
       rest &= rest - 1) {
    const int other = __builtin_ctz(rest);
    finding = race_with(warp_of(r.read) == other ? r.read : static_cast<std::uint32_t>(other) << 5,
                        false);
  }
  if ((!excused || strength == AccessStrength::by_volatile) &&
      is_read_beside(clocks, r, warp, lane, sync)) {
    finding = race_with(r.read, true);
  }
  return finding;
}

SharedFinding SharedShadow::read(int warp, int lane, std::uint32_t sync, std::int64_t offset,
                                 int width, AccessStrength strength) {
  return for_records(offset, width, [&](ShadowRecord& r, unsigned bytes) {
    return read_record(r, warp, lane, sync, bytes, strength);
  });
}
SharedFinding SharedShadow::write(int warp, int lane, std::uint32_t sync, std::int64_t offset,
                                  int width, AccessStrength strength, std::uint32_t together,
                                  std::uint32_t changed) {
  return for_records(offset, width, [&](ShadowRecord& r, unsigned bytes) {
    const bool changes = (changed & bytes) != 0;
    changed >>= bytes == kAllBytes ? 4 : 1;
    return write_record(r, warp, lane, sync, bytes, strength, together, changes);
  });
}

SharedFinding SharedShadow::visit(std::int64_t offset, int width, bool writes) {
  return for_records(offset, width, [&](ShadowRecord& r, unsigned bytes) {
    if (!writes) {
      const bool empty = uninitialised_ && (r.initialised & bytes) != bytes;
      return empty ? SharedFinding::uninitialised : SharedFinding::none;
    }
    const std::uint8_t initialised = r.initialised;
    const std::uint32_t split = r.split;
    r = ShadowRecord{};
    r.initialised = static_cast<std::uint8_t>(initialised | bytes);
    r.split = split;
    return SharedFinding::none;
  });
}

template <typename Plain, typename Take>
std::uint32_t SharedShadow::take_words(std::uint32_t lanes, const std::uint64_t* offsets, int words,
                                       Plain is_plain, Take take) {
  if (!races_) return lanes;
  for (; lanes != 0; lanes &= lanes - 1) {
    const int lane = __builtin_ctz(lanes);
    ShadowRecord* const first = &records_[static_cast<std::size_t>(offsets[lane] >> 2)];
    // None is noted before all are plain: to note a read twice is not to note it once.
    for (int k = 0; k < words; ++k) {
      const ShadowRecord& r = first[k];
      if (r.split != 0 || r.flags != 0 || !is_plain(r, lane)) return lanes;
    }
    for (int k = 0; k < words; ++k) take(first[k], lane);
  }
  return 0;
}

std::uint32_t SharedShadow::read_words(int warp, std::uint32_t lanes, std::uint32_t sync,
                                       const std::uint64_t* offsets, int words) {
  return take_words(
      lanes, offsets, words,
      [&](const ShadowRecord& r, int lane) {
        return !(uninitialised_ && r.initialised != kAllBytes) &&
               knows_write(clocks, r, warp, lane, sync, true);
      },
      [&](ShadowRecord& r, int lane) { note_read(clocks, r, warp, lane, sync); });
}

std::uint32_t SharedShadow::write_words(int warp, std::uint32_t lanes, std::uint32_t sync,
                                        const std::uint64_t* offsets, int words) {
  return take_words(
      lanes, offsets, words,
      [&](const ShadowRecord& r, int lane) {
        return knows_write(clocks, r, warp, lane, sync, false) &&
               unmet_readers(clocks, r, warp) == 0 && !is_read_beside(clocks, r, warp, lane, sync);
      },
      [&](ShadowRecord& r, int lane) {
        r.initialised = kAllBytes;
        note_write(clocks, r, warp, lane, sync);
      });
}

void SharedShadow::begin_copy(int warp, int lane, std::int64_t offset, int width) {
  for_records(offset, width, [&](ShadowRecord& r, unsigned bytes) {
    r.initialised |= static_cast<std::uint8_t>(bytes);
    r.flags =
        static_cast<std::uint8_t>((r.flags & ~ShadowRecord::kProductRead) | ShadowRecord::kCopy);
    r.write &= ~kManyLanes;
    r.copy_lane = static_cast<std::uint16_t>(warp << 5 | lane);
    r.copy_group = copies.group(warp, lane);
    return SharedFinding::none;
  });
}

bool SharedShadow::bulk_is_seen(const ShadowRecord& r, int warp) {
  if (clocks.has_seen(warp, r.write_sync, r.copy_group)) return true;
  story_.warp = r.has(ShadowRecord::kFromOutside) ? -1 : warp_of(r.write);
  story_.lane = lane_of(r.write);
  story_.barrier = static_cast<int>(r.write_sync);
  story_.phase = r.copy_group;
  return false;
}

SharedFinding SharedShadow::bulk_copy(int warp, int lane, std::uint32_t sync, std::int64_t offset,
                                      std::int64_t bytes, int barrier, std::uint32_t phase) {
  SharedFinding first = SharedFinding::none;
  FindingStory story;  // of the first finding
  std::int64_t at = offset;
  for_records(offset, bytes, [&](ShadowRecord& r, unsigned which) {
    const SharedFinding finding =
        write_record(r, warp, lane, sync, which, AccessStrength::weak, 0, true);
    if (finding != SharedFinding::none && first == SharedFinding::none) {
      first = finding;
      story = story_;
      story.copy_offset = at;
    }
    at += which == 15u ? 4 : 1;
    r.write = stamp_of(clocks.now(warp), warp, lane);
    r.write_sync = static_cast<std::uint32_t>(barrier);
    r.copy_group = phase;
    r.set(ShadowRecord::kBulkCopy);
    return SharedFinding::none;
  });
  if (first != SharedFinding::none) story_ = story;
  return first;
}

void SharedShadow::copy_from_outside(std::int64_t offset, std::int64_t bytes, int barrier,
                                     std::uint32_t phase) {
  visit(offset, static_cast<int>(bytes), true);
  for_records(offset, bytes, [&](ShadowRecord& r, unsigned) {
    r.write_sync = static_cast<std::uint32_t>(barrier);
    r.copy_group = phase;
    r.flags = ShadowRecord::kBulkCopy | ShadowRecord::kFromOutside;
    return SharedFinding::none;
  });
}

SharedFinding SharedShadow::read_for_store(ShadowRecord& r, int warp, int lane, std::uint32_t sync,
                                           unsigned bytes, bool in_group) {
  SharedFinding finding = SharedFinding::none;
  if (uninitialised_ && (r.initialised & bytes) != bytes) finding = SharedFinding::uninitialised;
  const bool bulk = r.has(ShadowRecord::kBulkCopy);
  if ((r.has(ShadowRecord::kCopy) && !copy_arrived(r, warp)) || (bulk && !bulk_is_seen(r, warp))) {
    finding = SharedFinding::not_waited;
  } else if (races_ && !bulk && r.write != 0) {
    const int writer = warp_of(r.write);
    const bool known = knows_write(clocks, r, warp, lane, sync, true);
    if (!known) finding = race_with(r.write, writer == warp);
    if (known && (r.write >> kClockShift) > clocks.proxied(writer)) {
      race_with(r.write, false);
      finding = SharedFinding::not_fenced;
    }
  }
  if (!in_group) return finding;
  // From here on it is only a source: for later writers, what filled it before is over.
  if (bulk) r.write = 0;
  r.write &= ~kManyLanes;
  r.flags = ShadowRecord::kCopySource;
  r.copy_lane = static_cast<std::uint16_t>(warp << 5 | lane);
  r.copy_group = stores.group(warp, lane);
  return finding;
}

SharedFinding SharedShadow::begin_store(int warp, int lane, std::uint32_t sync, std::int64_t offset,
                                        std::int64_t bytes, bool in_group) {
  SharedFinding first = SharedFinding::none;
  FindingStory story;  // of the first finding
  std::int64_t at = offset;
  if (in_group) stores.open(warp, lane);
  for_records(offset, bytes, [&](ShadowRecord& r, unsigned which) {
    const SharedFinding finding = read_for_store(r, warp, lane, sync, which, in_group);
    if (finding != SharedFinding::none && first == SharedFinding::none) {
      first = finding;
      story = story_;
      story.copy_offset = at;
    }
    at += which == 15u ? 4 : 1;
    return SharedFinding::none;
  });
  if (first != SharedFinding::none) story_ = story;
  return first;
}

std::uint32_t SharedShadow::begin_product(int first_warp, std::uint32_t source) {
  if (products.is_full()) {
    products.clear();
    for (std::vector<ShadowRecord>* list : {&records_, &splits_}) {
      for (ShadowRecord& r : *list) r.clear(ShadowRecord::kProductRead);
    }
  }
  return products.begin(first_warp, source);
}

SharedFinding SharedShadow::read_product_record(ShadowRecord& r, std::uint32_t product, int warp,
                                                unsigned bytes) {
  SharedFinding finding = SharedFinding::none;
  if (uninitialised_ && (r.initialised & bytes) != bytes) finding = SharedFinding::uninitialised;
  const bool copied = r.has(ShadowRecord::kCopy);
  if (copied && !copy_arrived(r, warp)) return SharedFinding::not_waited;
  const bool bulk = r.has(ShadowRecord::kBulkCopy);
  if (bulk && !bulk_is_seen(r, warp)) return SharedFinding::not_waited;
  if (!races_) return finding;
  // A source of a bulk copy stays one: its record has room for one reader.
  const bool source = r.has(ShadowRecord::kCopySource);
  const bool read_before = r.has(ShadowRecord::kProductRead);
  if (!bulk && r.write != 0) {
    const int writer = warp_of(r.write);
    const std::uint32_t clock = r.write >> kClockShift;
    if (writer != warp && clock > clocks.known(warp, writer)) {
      story_.name_thread(writer, lane_of(r.write));
      finding = SharedFinding::race;
    } else if (!copied && !read_before && clock > clocks.proxied(writer)) {
      // Kept for writers: cp.async needs no such fence.
      story_.name_thread(writer, lane_of(r.write));
      finding = SharedFinding::not_fenced;
    }
  }
  if (read_before && r.copy_lane != product) products.read_after(product, r.copy_lane);
  if (source) return finding;
  r.set(ShadowRecord::kProductRead);
  r.copy_lane = static_cast<std::uint16_t>(product);
  return finding;
}

SharedFinding SharedShadow::read_for_product(std::uint32_t product, int warp, std::int64_t offset,
                                             int width) {
  return for_records(offset, width, [&](ShadowRecord& r, unsigned bytes) {
    return read_product_record(r, product, warp, bytes);
  });
}

bool SharedShadow::take_line(int warp, std::uint32_t sync, const LineSegment& segment, bool writes,
                             bool strong) {
  if (!races_ || segment.count != ShadowLines::elements) return false;
  ShadowLines::Line* const line = lines_.at(segment.line);
  if (line == nullptr) return true;
  if (line->records != 0) return false;
  const ShadowLines::LaneRow lanes{static_cast<std::uint8_t>(segment.lane),
                                   static_cast<std::uint8_t>(segment.shift)};
  ShadowRecord& r = line->row;
  // All lanes are lane 0 to the record: those of one row are the same threads, of another not.
  const bool excused = (strong || !writes) && r.has(ShadowRecord::kStrongWrite);
  if (!excused && !knows_write(clocks, r, warp, lanes == line->written ? 0 : -1, sync, !writes)) {
    return false;
  }
  const bool beside = is_read_beside(clocks, r, warp, lanes == line->read ? 0 : -1, sync);
  if (!writes) {
    if (beside) return false;
    note_read(clocks, r, warp, 0, sync);
    r.set(ShadowRecord::kStrongRead);  // see read_line
    line->read = lanes;
    return true;
  }
  if (!strong && (beside || unmet_readers(clocks, r, warp) != 0)) return false;
  const std::uint8_t flags = flags_of_write(clocks, r, warp, lanes == line->written ? 0 : -1, sync,
                                            strong ? AccessStrength::strong : AccessStrength::weak);
  note_write(clocks, r, warp, 0, sync);
  r.flags = flags;
  line->written = lanes;
  return true;
}

template <typename F>
SharedFinding SharedShadow::for_elements(const LineSegment& segment, F function) {
  ShadowLines::Line* const line = races_ ? lines_.at(segment.line) : nullptr;
  ShadowRecord* const records = line == nullptr ? nullptr : lines_.records_of(*line);
  if (records == nullptr) return SharedFinding::none;
  SharedFinding first = SharedFinding::none;
  FindingStory story;  // of the first finding
  for (int k = 0; k < segment.count; ++k) {
    const SharedFinding finding =
        function(records[segment.first + k], segment.lane + (k >> segment.shift), k);
    if (finding == SharedFinding::none || first != SharedFinding::none) continue;
    first = finding;
    story = story_;
    story.element = k;
  }
  if (first != SharedFinding::none) story_ = story;
  return first;
}

// Loads of words that others only update strongly are let be, as between blocks: an early way out
// before an atomicMin.
SharedFinding SharedShadow::read_line(int warp, std::uint32_t sync, const LineSegment& segment) {
  return for_elements(segment, [&](ShadowRecord& r, int lane, int) {
    return read_record(r, warp, lane, sync, kAllBytes, AccessStrength::strong);
  });
}

SharedFinding SharedShadow::write_line(int warp, std::uint32_t sync, const LineSegment& segment,
                                       bool strong, std::uint32_t together, std::uint32_t changed) {
  const AccessStrength strength = strong ? AccessStrength::strong : AccessStrength::weak;
  return for_elements(segment, [&](ShadowRecord& r, int lane, int k) {
    return write_record(r, warp, lane, sync, kAllBytes, strength, together,
                        (changed >> k & 1) != 0);
  });
}

}  // namespace warpscope
