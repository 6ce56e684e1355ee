// profiling/emulator/memory/access_global.cpp: accesses to global and constant memory.
#include <bit>

#include "profiling/emulator/memory/cost.h"
#include "profiling/emulator/memory/loaded_sectors.h"
#include "profiling/emulator/memory/memory_path.h"
#include "profiling/emulator/memory/unwritten_registers.h"

namespace warpscope {
namespace {

// Calls function(offset, bytes) for the row of the lanes, or for each of them.
template <typename F>
void for_parts(const MemoryPath& path, const MemoryBuffer& b, std::uint32_t lanes, F function) {
  const Access& access = path.access;
  const auto w = static_cast<std::uint64_t>(path.width);
  if (access.contiguous && lanes == kAllLanes)
    return function(access.address[0] - b.address, w * 32);
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1)
    function(access.address[std::countr_zero(rest)] - b.address, w);
}

// The fault of lanes that read what nobody wrote; a load of machine code marks its registers.
void note_empty(const MemoryPath& path, const MemoryBuffer& b, std::uint32_t lanes) {
  const auto offset = [&](int lane, int element) {
    return static_cast<std::int64_t>(path.access.address[lane] - b.address) +
           element * path.element;
  };
  const int first = std::countr_zero(lanes);
  if (path.i.undefined != UndefinedUse::mark) {
    return fault_uninitialised(path.warp, path.i, b, lanes,
                               offset(first, empty_element(path, b, first)));
  }
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    for (int e = 0; e < path.i.count; ++e) {
      const std::int64_t byte = offset(lane, e);
      if (b.is_initialised(static_cast<std::uint64_t>(byte),
                           static_cast<std::uint64_t>(path.element)))
        continue;
      mark_unwritten(path.warp, path.i, e, lane, {AddressSpace::global, &b, byte});
    }
  }
}

// Makes bytes that are made by page, checks reads element by element, marks writes.
void prepare_bytes(const MemoryPath& path, MemoryBuffer& b, std::uint32_t lanes) {
  if (b.plain.load(std::memory_order_acquire)) return;
  const auto w = static_cast<std::uint64_t>(path.width);
  for_parts(path, b, lanes, [&b](std::uint64_t at, std::uint64_t bytes) { b.prepare(at, bytes); });
  if (b.all_initialised.load(std::memory_order_relaxed)) return;
  if (path.intent != AccessIntent::write && path.worker().run->options->check_uninitialised) {
    std::uint32_t bad = 0;
    if (!(path.access.contiguous && lanes == kAllLanes &&
          b.is_initialised(path.access.address[0] - b.address, w * 32))) {
      for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        if (empty_element(path, b, lane) >= 0) bad |= lane_bit(lane);
      }
    }
    if (bad != 0) note_empty(path, b, bad);
  }
  if (path.intent == AccessIntent::read) return;
  for_parts(path, b, lanes, [&b](std::uint64_t at, std::uint64_t bytes) { b.mark(at, bytes); });
}

// Lanes that load through the read-only cache what this launch writes, or the other way round.
void watch_read_only(const MemoryPath& path, const MemoryBuffer& b, std::uint32_t lanes) {
  const bool writes = path.intent != AccessIntent::read;
  if (path.worker().run->read_only_loads == nullptr) return;
  const auto w = static_cast<std::uint64_t>(path.width);
  if (path.access.contiguous && lanes == kAllLanes &&
      !meets_read_only_load(path.warp, path.i, b, path.access.address[0] - b.address, w * 32,
                            writes)) {
    return;
  }
  std::uint32_t bad = 0;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (meets_read_only_load(path.warp, path.i, b, path.access.address[lane] - b.address, w,
                             writes))
      bad |= lane_bit(lane);
  }
  if (bad == 0) return;
  const std::uint64_t at = path.access.address[std::countr_zero(bad)] - b.address;
  fault_stale_read(path.warp, path.i, b, bad, at, w, writes);
}

void touch_buffer(const MemoryPath& path, const MemoryBuffer* b, std::uint32_t lanes, Space space) {
  BlockRaces* const races = path.worker().run->races;
  if (races != nullptr && races->tracks(*b))
    races->look(path.warp, path.i, *b, path.access.address, lanes, path.width, path.intent);
  if (compares_threads(path.worker(), *b)) compare_threads(path, *b, lanes);
  if (path.site == kNoSite || !path.worker().sums) return;
  count_touch(path.worker(), path.site, *b, lane_count(lanes));
  if (path.intent == AccessIntent::read && space == Space::global)
    note_loaded(path.worker(), *b, path.access, lanes, path.width);
  if (!path.worker().notes_writers || path.intent == AccessIntent::read) return;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t at = path.access.address[std::countr_zero(rest)] - b->address;
    note_writer(path.worker(), *b, at, static_cast<std::uint64_t>(path.width));
  }
}

void use_buffer(const MemoryPath& path, MemoryBuffer& b, std::uint32_t lanes, Space space) {
  prepare_bytes(path, b, lanes);
  watch_read_only(path, b, lanes);
  touch_buffer(path, &b, lanes, space);
}

// The buffer of this instruction's last access, or that of the address. Null: look lane by lane.
MemoryBuffer* likely_buffer(const MemoryPath& path, std::uint64_t address) {
  MemoryBuffer*& last =
      path.worker()
          .last_buffer[static_cast<std::size_t>(&path.i - path.worker().kernel->code.data())];
  if (last == nullptr || !last->holds(address, static_cast<std::uint64_t>(path.width))) {
    if (MemoryBuffer* found = path.worker().run->memory->find(address)) last = found;
  }
  // Lanes that would write constants are found one at a time.
  if (last != nullptr && last->read_only && path.intent != AccessIntent::read) last = nullptr;
  return last;
}

// The lanes whose bytes lie in the buffer; they get pointers to them.
std::uint32_t lanes_inside(const MemoryPath& path, MemoryBuffer& b, std::uint32_t lanes,
                           Space space) {
  const std::uint64_t* const a = path.access.address;
  const auto w = static_cast<std::uint64_t>(path.width);
  const std::uint64_t base = b.address;
  const std::uint64_t most = static_cast<std::uint64_t>(b.bytes) - w;
  std::uint32_t inside = 0;
  if (static_cast<std::uint64_t>(b.bytes) >= w) {
    for (int lane = 0; lane < 32; ++lane)
      inside |= static_cast<std::uint32_t>(a[lane] - base <= most ? 1 : 0) << lane;
  }
  inside &= lanes;
  // The other lanes may have their bytes already, in another buffer or space.
  for (std::uint32_t rest = inside; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    path.access.pointer[lane] = b.data + (a[lane] - base);
  }
  if (inside != 0) use_buffer(path, b, inside, space);
  return inside;
}

// The same in any buffer.
std::uint32_t lanes_inside_any(const MemoryPath& path, std::uint32_t lanes, Space space) {
  std::uint32_t found = 0;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t at = path.access.address[lane];
    MemoryBuffer* b = path.worker().run->memory->find(at);
    if (b == nullptr || !b->holds(at, static_cast<std::uint64_t>(path.width)) ||
        (b->read_only && path.intent != AccessIntent::read)) {
      continue;
    }
    path.access.pointer[lane] = b->data + (at - b->address);
    use_buffer(path, *b, lane_bit(lane), space);
    found |= lane_bit(lane);
  }
  return found;
}

}  // namespace

void count_global(const MemoryPath& path, std::uint32_t lanes, Space space) {
  if (path.site == kNoSite || !path.worker().sums || lanes == 0) return;
  lanes = path.leaving(lanes);
  AccessTotals& totals = path.worker().totals[path.site];
  path.worker().site_space[path.site] = static_cast<std::uint8_t>(space) + 1;
  if (path.access.contiguous && lanes == kAllLanes) {
    add_contiguous_global(totals, path.access.address[0], path.width);
  } else {
    add_global(totals, path.access.address, lanes, path.width, path.kind);
  }
}

int empty_element(const MemoryPath& path, const MemoryBuffer& b, int lane) {
  const std::uint64_t at = path.access.address[lane] - b.address;
  for (int e = 0; e * path.element < path.width; ++e) {
    const auto byte = static_cast<std::uint64_t>(e * path.element);
    const bool used = (path.access.unused >> e & 1) == 0;
    if (used && !b.is_initialised(at + byte, static_cast<std::uint64_t>(path.element))) return e;
  }
  return -1;
}

std::uint32_t access_global(const MemoryPath& path, std::uint32_t lanes, Space space) {
  const std::uint64_t* const a = path.access.address;
  const auto w = static_cast<std::uint64_t>(path.width);
  if (lanes == kAllLanes) {
    std::uint64_t different = 0;
    for (int lane = 0; lane < 32; ++lane)
      different |= a[lane] ^ (a[0] + static_cast<std::uint64_t>(lane) * w);
    path.access.contiguous = different == 0;
  }
  // Lanes one after the other are aligned when the first is.
  if (!path.access.contiguous || (a[0] & (w - 1)) != 0) {
    const std::uint32_t bad = misaligned_lanes(path, lanes);
    lanes &= ~bad;
    path.access.contiguous = path.access.contiguous && bad == 0;
  }
  if (lanes == 0) return 0;
  MemoryBuffer* const likely = likely_buffer(path, a[std::countr_zero(lanes)]);
  if (path.access.contiguous && likely != nullptr && likely->holds(a[0], w * 32)) {
    path.access.first = likely->data + (a[0] - likely->address);
    use_buffer(path, *likely, lanes, space);
    count_global(path, lanes, space);
    return lanes;
  }
  path.access.contiguous = false;
  std::uint32_t good = likely == nullptr ? 0 : lanes_inside(path, *likely, lanes, space);
  good |= lanes_inside_any(path, lanes & ~good, space);
  if (good != lanes) fault_outside(path, lanes & ~good);
  count_global(path, good, space);
  return good;
}

}  // namespace warpscope
