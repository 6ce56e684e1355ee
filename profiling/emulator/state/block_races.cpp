// profiling/emulator/state/block_races.cpp: accesses of different blocks to one word of global
// memory.
#include "profiling/emulator/state/block_races.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "profiling/emulator/state/worker.h"

namespace warpscope {
namespace {

constexpr std::uint32_t kPageSplits = 1024;
constexpr std::uint32_t kMostSplits = 1u
                                      << 20;  // of 384 bytes; lines beyond are no longer compared
constexpr std::uint64_t kLineGranules = 32;

std::uint32_t granules_from(std::uint64_t first, std::uint64_t count) {
  return static_cast<std::uint32_t>(((1ull << count) - 1) << first);
}

}  // namespace

// The locks of some lines, taken in the same order by all threads of the host.
class BlockRaces::HeldLines {
 public:
  HeldLines(Locks& locks, const Parts& parts, bool needed) : locks_(locks) {
    if (!needed) return;
    for (std::size_t k = 0; k < parts.count; ++k) {
      const std::uint64_t lock = parts.part[k].line % locks.size();
      held_[lock / 64] |= 1ull << lock % 64;
    }
    for_each([](std::atomic_flag& flag) {
      while (flag.test_and_set(std::memory_order_acquire)) {
      }
    });
  }
  ~HeldLines() {
    for_each([](std::atomic_flag& flag) { flag.clear(std::memory_order_release); });
  }
  HeldLines(const HeldLines&) = delete;
  HeldLines& operator=(const HeldLines&) = delete;

 private:
  template <typename Function>
  void for_each(Function function) {
    for (std::size_t word = 0; word < held_.size(); ++word) {
      for (std::uint64_t rest = held_[word]; rest != 0; rest &= rest - 1) {
        function(locks_[word * 64 + static_cast<std::size_t>(std::countr_zero(rest))].flag);
      }
    }
  }

  Locks& locks_;
  std::array<std::uint64_t, 4> held_{};
};

void BlockRaces::Parts::add(std::uint64_t line, std::uint32_t granules, std::uint32_t lanes) {
  if (count == 0 || part[count - 1].line != line) part[count++] = {line, 0, 0};
  part[count - 1].granules |= granules;
  part[count - 1].lanes |= lanes;
}

BlockRaces::BlockRaces(const RunShared& run, const std::vector<bool>& wanted) : run_(run) {
  const Dim3& block = run.launch.block;
  warps_ = static_cast<int>((block.x * block.y * block.z + 31) / 32);
  const auto& buffers = run.memory->buffers;
  shadows_.resize(buffers.size());
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    const MemoryBuffer& buffer = *buffers[b];
    if (!wanted[b] || buffer.read_only || buffer.bytes == 0) continue;
    auto shadow = std::make_unique<Shadow>();
    shadow->granule = static_cast<int>(std::min<std::int64_t>(4, element_bytes(buffer.spec.type)));
    const auto bytes = static_cast<std::size_t>(buffer.bytes);
    shadow->lines = bytes / (static_cast<std::size_t>(shadow->granule) * kLineGranules) + 1;
    shadow->words = bytes / 4 + 1;
    shadow->line.reset(zeros<Line>(shadow->lines));
    if (shadow->line != nullptr) shadows_[b] = std::move(shadow);
  }
}

void BlockRaces::begin_block(BlockState& block) { block.clock = {}; }

BlockRaces::Stamp BlockRaces::stamp_of(const Warp& warp, const Instruction& i) const {
  const auto index = static_cast<int>(warp.index);
  return {static_cast<std::uint32_t>(warp.worker->block_index) + 1,
          warp.worker->shadow.clocks.known(index, index), i.source << 5 | warp.index};
}

std::uint32_t BlockRaces::new_split(const Line& line) {
  const std::unique_lock<std::mutex> lock =
      run_.one_thread ? std::unique_lock<std::mutex>() : std::unique_lock(mutex_);
  if (splits_ == kMostSplits) return 0;
  if (split_pages_.empty()) split_pages_.resize(kMostSplits / kPageSplits);
  auto& page = split_pages_[splits_ / kPageSplits];
  if (page == nullptr) page = std::make_unique<Granules[]>(kPageSplits);
  Granules& granules = page[splits_ % kPageSplits];
  for (std::uint32_t rest = line.written; rest != 0; rest &= rest - 1) {
    granules.write[std::countr_zero(rest)] = line.write;
  }
  return ++splits_;
}

BlockRaces::Readers* BlockRaces::readers_of(Shadow& shadow, bool make) {
  Readers* readers = shadow.readers_at.load(std::memory_order_acquire);
  if (readers != nullptr || !make) return readers;
  const std::lock_guard lock(mutex_);
  if (shadow.readers == nullptr) shadow.readers.reset(zeros<Readers>(shadow.lines));
  shadow.readers_at.store(shadow.readers.get(), std::memory_order_release);
  return shadow.readers.get();
}

bool BlockRaces::take_line(Shadow& shadow, std::uint64_t at, const Stamp& stamp,
                           bool writes) const {
  if (!run_.one_thread || shadow.sync_at.load(std::memory_order_relaxed) != nullptr) return false;
  Line& line = shadow.line[at];
  if (line.split != 0 || (line.write.block != 0 && line.write.block != stamp.block)) return false;
  Readers* const readers = shadow.readers_at.load(std::memory_order_relaxed);
  if (readers != nullptr) {
    Readers& r = readers[at];
    if (r.other.block != 0 || (r.last.block != 0 && r.last.block != stamp.block)) return false;
    r.by_last = writes ? 0 : kAllLanes;
    if (!writes) r.last = stamp;
  } else if (!writes) {
    return false;
  }
  if (!writes) return true;
  line.write = stamp;
  line.written = kAllLanes;
  return true;
}

BlockRaces::Granules* BlockRaces::split_of(const Line& line) const {
  if (line.split == 0) return nullptr;
  return &split_pages_[(line.split - 1) / kPageSplits][(line.split - 1) % kPageSplits];
}

std::optional<BlockRaces::Writer> BlockRaces::last_writer(const MemoryBuffer& buffer,
                                                          std::uint64_t offset) const {
  if (!tracks(buffer)) return std::nullopt;
  const Shadow& shadow = *shadows_[buffer.index];
  const auto writer = [](std::uint32_t block, std::uint32_t by) {
    return Writer{std::int64_t{block} - 1, static_cast<int>(by & 31), by >> 5};
  };
  if (const Sync* const sync = shadow.sync_at.load()) {
    const Sync& word = sync[offset / 4];
    if (word.block != 0) return writer(word.block, word.by);
  }
  const std::uint64_t granule = offset / static_cast<std::uint64_t>(shadow.granule);
  const Line& line = shadow.line[granule / kLineGranules];
  const Granules* const split = split_of(line);
  const bool written = (line.written >> granule % kLineGranules & 1) != 0;
  const Stamp stamp = split != nullptr ? split->write[granule % kLineGranules]
                      : written        ? line.write
                                       : Stamp{};
  if (stamp.block == 0) return std::nullopt;
  return writer(stamp.block, stamp.by);
}

void BlockRaces::note_read(Readers& readers, std::uint32_t granules, const Stamp& stamp) {
  if (readers.last.block == stamp.block) {
    readers.by_last |= granules;
  } else if (readers.other.block == stamp.block) {
    std::swap(readers.last, readers.other);
    std::swap(readers.by_last, readers.by_other);
    readers.by_last |= granules;
  } else {
    readers.other = readers.last;
    readers.by_other = readers.by_last;
    readers.by_last = granules;
  }
  readers.last = stamp;
}

void BlockRaces::note_write(Line& line, Readers* readers, std::uint32_t granules,
                            const Stamp& stamp) {
  if (readers != nullptr) {
    readers->by_last &= ~granules;
    readers->by_other &= ~granules;
  }
  if (line.split == 0 && line.write.block != 0 && line.write.block != stamp.block &&
      (line.written & ~granules) != 0) {
    line.split = new_split(line);
  }
  if (Granules* const split = split_of(line)) {
    for (std::uint32_t rest = granules; rest != 0; rest &= rest - 1) {
      split->write[std::countr_zero(rest)] = stamp;
    }
    return;
  }
  line.written = line.write.block == stamp.block ? line.written | granules : granules;
  line.write = stamp;
}

bool BlockRaces::meet(Line& line, Readers* readers, std::uint32_t granules, const Stamp& stamp,
                      bool writes, bool strong, BlockState& block, Finding& finding) {
  bool found = false;
  const auto check = [&](const Stamp& other, std::uint32_t both, bool other_writes) {
    if (found || both == 0 || other.block == 0 || other.block == stamp.block) return;
    if (is_before(other, block)) return;
    finding = {other, other_writes, std::countr_zero(both)};
    found = true;
  };
  if (const Granules* const split = split_of(line)) {
    for (std::uint32_t rest = granules; rest != 0; rest &= rest - 1) {
      check(split->write[std::countr_zero(rest)], rest & -rest, true);
    }
  } else {
    check(line.write, line.written & granules, true);
  }
  if (writes && !strong && readers != nullptr) {
    check(readers->last, readers->by_last & granules, false);
    check(readers->other, readers->by_other & granules, false);
  }
  if (strong) return found;  // noted with the word
  if (writes) {
    note_write(line, readers, granules, stamp);
  } else if (readers != nullptr) {
    note_read(*readers, granules, stamp);
  }
  return found;
}

bool BlockRaces::meet_sync(const Shadow& shadow, std::uint64_t at, std::uint32_t granules,
                           const BlockState& block, Finding& finding) const {
  const Sync* const sync = shadow.sync_at.load(std::memory_order_acquire);
  if (sync == nullptr) return false;
  const auto bytes = static_cast<std::uint64_t>(shadow.granule);
  for (std::uint32_t rest = granules; rest != 0; rest &= rest - 1) {
    const auto g = static_cast<std::uint64_t>(std::countr_zero(rest));
    const Sync& word = sync[(at * kLineGranules + g) * bytes / 4];
    if (word.block == 0 || word.block == static_cast<std::uint32_t>(block.block_index) + 1 ||
        word.time.load() <= block.clock.known) {
      continue;
    }
    finding = {{word.block, 0, word.by}, true, static_cast<int>(g)};
    return true;
  }
  return false;
}

bool BlockRaces::is_storing(std::uint32_t block, const Worker& worker) const {
  if (block == 0 || block == static_cast<std::uint32_t>(worker.block_index) + 1) return false;
  return std::any_of(run_.workers, run_.workers + run_.worker_count, [&](const Worker& other) {
    return &other != &worker && other.storing.load(std::memory_order_acquire) == block;
  });
}

bool BlockRaces::is_being_stored(const Shadow& shadow, const Part& part,
                                 const Worker& worker) const {
  const Line& line = shadow.line[part.line];
  const Granules* const split = split_of(line);
  const Sync* const sync = shadow.sync_at.load(std::memory_order_acquire);
  if (split == nullptr && (line.written & part.granules) != 0 &&
      is_storing(line.write.block, worker)) {
    return true;
  }
  if (split == nullptr && sync == nullptr) return false;
  for (std::uint32_t rest = part.granules; rest != 0; rest &= rest - 1) {
    const auto g = static_cast<std::uint64_t>(std::countr_zero(rest));
    if (split != nullptr && is_storing(split->write[g].block, worker)) return true;
    const std::uint64_t byte =
        (part.line * kLineGranules + g) * static_cast<std::uint64_t>(shadow.granule);
    if (sync != nullptr && is_storing(sync[byte / 4].block, worker)) return true;
  }
  return false;
}

void BlockRaces::look_at_parts(Warp& warp, const Instruction& i, Shadow& shadow,
                               const MemoryBuffer& buffer, const Parts& parts,
                               const std::uint64_t* addresses, std::uint32_t lanes,
                               std::uint64_t row_offset, int width, AccessIntent intent) {
  Worker& worker = *warp.worker;
  const bool strong = intent == AccessIntent::update || (i.flags & kFlagStrong) != 0;
  const bool stores = intent != AccessIntent::read && !run_.one_thread;
  for (;; std::this_thread::yield()) {
    const HeldLines held(locks_, parts, !run_.one_thread);
    const auto end = parts.part.begin() + static_cast<std::ptrdiff_t>(parts.count);
    // Nobody waits for this block meanwhile: its own store is not noted yet.
    if (stores && !run_.stop && std::any_of(parts.part.begin(), end, [&](const Part& part) {
          return is_being_stored(shadow, part, worker);
        })) {
      continue;
    }
    if (stores) {
      worker.storing.store(static_cast<std::uint32_t>(worker.block_index) + 1,
                           std::memory_order_relaxed);
    }
    for (std::size_t k = 0; k < parts.count; ++k) {
      look_at_line(warp, i, shadow, buffer, parts.part[k], addresses, row_offset, width, intent);
    }
    if (strong) strong_access(warp, i, shadow, buffer, addresses, lanes, intent);
    return;
  }
}

void BlockRaces::look_at_line(Warp& warp, const Instruction& i, Shadow& shadow,
                              const MemoryBuffer& buffer, const Part& part,
                              const std::uint64_t* addresses, std::uint64_t row_offset, int width,
                              AccessIntent intent) {
  const std::uint64_t at = part.line;
  const bool strong = intent == AccessIntent::update || (i.flags & kFlagStrong) != 0;
  const bool writes = intent != AccessIntent::read;
  Finding finding;
  Readers* const readers = readers_of(shadow, !writes && !strong);
  bool found = meet(shadow.line[at], readers == nullptr ? nullptr : readers + at, part.granules,
                    stamp_of(warp, i), writes, strong, *warp.worker, finding);
  if (!found && writes && !strong) {
    found = meet_sync(shadow, at, part.granules, *warp.worker, finding);
  }
  if (!found) return;
  const std::uint64_t offset = (at * kLineGranules + static_cast<std::uint64_t>(finding.granule)) *
                               static_cast<std::uint64_t>(shadow.granule);
  int lane = 0;
  if (addresses == nullptr) {
    lane = static_cast<int>((std::max(offset, row_offset) - row_offset) /
                            static_cast<std::uint64_t>(width)) &
           31;
  } else {
    for (std::uint32_t rest = part.lanes; rest != 0; rest &= rest - 1) {
      lane = std::countr_zero(rest);
      if (offset - (addresses[lane] - buffer.address) < static_cast<std::uint64_t>(width)) break;
    }
  }
  BlockMeeting meeting;
  meeting.instruction = &i;
  meeting.warp = &warp;
  meeting.lane = lane;
  meeting.buffer = &buffer;
  meeting.offset = static_cast<std::int64_t>(offset);
  meeting.other_block = finding.other.block - 1;
  meeting.other_source = finding.other.by >> 5;
  meeting.other_writes = finding.other_writes;
  meeting.intent = intent;
  if (writes) {
    meeting.bytes = buffer.data + offset;
    meeting.width = shadow.granule;
    std::memcpy(&meeting.old, meeting.bytes, static_cast<std::size_t>(shadow.granule));
    warp.worker->block_meetings.push_back(meeting);
  } else {
    note_block_race(*warp.worker, meeting);
  }
}

void BlockRaces::look(Warp& warp, const Instruction& i, const MemoryBuffer& buffer,
                      const std::uint64_t* addresses, std::uint32_t lanes, int width,
                      AccessIntent intent) {
  Shadow& shadow = *shadows_[buffer.index];
  const auto granule = static_cast<std::uint64_t>(shadow.granule);
  if (static_cast<std::uint64_t>(width) < granule) return;
  end_block_store(*warp.worker);
  absorb(warp.worker->clock);
  const std::uint64_t count = static_cast<std::uint64_t>(width) / granule;
  Parts parts;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t first = (addresses[lane] - buffer.address) / granule;
    // Vectors are aligned to their size: all of one lies in a line.
    parts.add(first / kLineGranules,
              granules_from(first % kLineGranules, std::min(count, kLineGranules)), 1u << lane);
  }
  look_at_parts(warp, i, shadow, buffer, parts, addresses, lanes, 0, width, intent);
}

void BlockRaces::look_row(Warp& warp, const Instruction& i, const MemoryBuffer& buffer,
                          std::uint64_t offset, std::uint64_t bytes, int width,
                          AccessIntent intent) {
  Shadow& shadow = *shadows_[buffer.index];
  const auto granule = static_cast<std::uint64_t>(shadow.granule);
  if (static_cast<std::uint64_t>(width) < granule) return;
  if ((i.flags & kFlagStrong) != 0) {
    std::uint64_t addresses[32];
    const bool one = bytes == static_cast<std::uint64_t>(width);  // a broadcast
    for (std::uint64_t lane = 0; lane < 32; ++lane) {
      addresses[lane] =
          buffer.address + offset + (one ? 0 : lane * static_cast<std::uint64_t>(width));
    }
    look(warp, i, buffer, addresses, one ? 1 : kAllLanes, width, intent);
    return;
  }
  end_block_store(*warp.worker);
  absorb(warp.worker->clock);
  const Stamp stamp = stamp_of(warp, i);
  std::uint64_t at = offset / granule;
  const std::uint64_t end = (offset + bytes) / granule;
  Parts parts;
  while (at < end) {
    const std::uint64_t first = at % kLineGranules;
    const std::uint64_t count = std::min(kLineGranules - first, end - at);
    if (count == kLineGranules &&
        take_line(shadow, at / kLineGranules, stamp, intent != AccessIntent::read)) {
      at += count;
      continue;
    }
    parts.add(at / kLineGranules, granules_from(first, count), 0);
    at += count;
  }
  if (parts.count == 0) return;
  look_at_parts(warp, i, shadow, buffer, parts, nullptr, 0, offset, width, intent);
}

}  // namespace warpscope
