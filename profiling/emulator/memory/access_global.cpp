// profiling/emulator/memory/access_global.cpp: accesses to global and constant memory.
#include <bit>

#include "profiling/emulator/memory/cost.h"
#include "profiling/emulator/memory/loaded_sectors.h"
#include "profiling/emulator/memory/memory_path.h"

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

}  // namespace

void MemoryPath::count_global(std::uint32_t lanes, Space space) const {
  if (site == kNoSite || !worker().sums || lanes == 0) return;
  lanes = leaving(lanes);
  AccessTotals& totals = worker().totals[site];
  worker().site_space[site] = static_cast<std::uint8_t>(space) + 1;
  if (access.contiguous && lanes == kAllLanes) {
    add_contiguous_global(totals, access.address[0], width);
  } else {
    add_global(totals, access.address, lanes, width, kind);
  }
}

int MemoryPath::empty_element(const MemoryBuffer& b, int lane) const {
  const std::uint64_t at = access.address[lane] - b.address;
  for (int e = 0; e * element < width; ++e) {
    const auto byte = static_cast<std::uint64_t>(e * element);
    const bool used = (access.unused >> e & 1) == 0;
    if (used && !b.is_initialised(at + byte, static_cast<std::uint64_t>(element))) return e;
  }
  return -1;
}

void MemoryPath::prepare_bytes(MemoryBuffer& b, std::uint32_t lanes) const {
  if (b.plain.load(std::memory_order_acquire)) return;
  const auto w = static_cast<std::uint64_t>(width);
  for_parts(*this, b, lanes, [&b](std::uint64_t at, std::uint64_t bytes) { b.prepare(at, bytes); });
  if (b.all_initialised.load(std::memory_order_relaxed)) return;
  if (intent != AccessIntent::write && worker().run->options->check_uninitialised) {
    std::uint32_t bad = 0;
    if (!(access.contiguous && lanes == kAllLanes &&
          b.is_initialised(access.address[0] - b.address, w * 32))) {
      for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        if (empty_element(b, lane) >= 0) bad |= lane_bit(lane);
      }
    }
    if (bad != 0) fault_uninitialised(b, bad);
  }
  if (intent == AccessIntent::read) return;
  for_parts(*this, b, lanes, [&b](std::uint64_t at, std::uint64_t bytes) { b.mark(at, bytes); });
}

void MemoryPath::watch_read_only(const MemoryBuffer& b, std::uint32_t lanes) const {
  const bool writes = intent != AccessIntent::read;
  if (worker().run->read_only_loads == nullptr) return;
  const auto w = static_cast<std::uint64_t>(width);
  if (access.contiguous && lanes == kAllLanes &&
      !meets_read_only_load(warp, i, b, access.address[0] - b.address, w * 32, writes)) {
    return;
  }
  std::uint32_t bad = 0;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (meets_read_only_load(warp, i, b, access.address[lane] - b.address, w, writes))
      bad |= lane_bit(lane);
  }
  if (bad == 0) return;
  const std::uint64_t at = access.address[std::countr_zero(bad)] - b.address;
  fault_stale_read(warp, i, b, bad, at, w, writes);
}

void MemoryPath::touch(const MemoryBuffer* b, std::uint32_t lanes, Space space) const {
  BlockRaces* const races = worker().run->races;
  if (races != nullptr && races->tracks(*b))
    races->look(warp, i, *b, access.address, lanes, width, intent);
  if (compares_threads(worker(), *b)) compare_threads(*b, lanes);
  if (site == kNoSite || !worker().sums) return;
  count_touch(worker(), site, *b, lane_count(lanes));
  if (intent == AccessIntent::read && space == Space::global)
    note_loaded(worker(), *b, access, lanes, width);
  if (!worker().notes_writers || intent == AccessIntent::read) return;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t at = access.address[std::countr_zero(rest)] - b->address;
    note_writer(worker(), *b, at, static_cast<std::uint64_t>(width));
  }
}

void MemoryPath::use(MemoryBuffer& b, std::uint32_t lanes, Space space) const {
  prepare_bytes(b, lanes);
  watch_read_only(b, lanes);
  touch(&b, lanes, space);
}

MemoryBuffer* MemoryPath::likely_buffer(std::uint64_t address) const {
  MemoryBuffer*& last =
      worker().last_buffer[static_cast<std::size_t>(&i - worker().kernel->code.data())];
  if (last == nullptr || !last->holds(address, static_cast<std::uint64_t>(width))) {
    if (MemoryBuffer* found = worker().run->memory->find(address)) last = found;
  }
  // Lanes that would write constants are found one at a time.
  if (last != nullptr && last->read_only && intent != AccessIntent::read) last = nullptr;
  return last;
}

std::uint32_t MemoryPath::inside(MemoryBuffer& b, std::uint32_t lanes, Space space) const {
  const std::uint64_t* const a = access.address;
  const auto w = static_cast<std::uint64_t>(width);
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
    access.pointer[lane] = b.data + (a[lane] - base);
  }
  if (inside != 0) use(b, inside, space);
  return inside;
}

std::uint32_t MemoryPath::inside_any(std::uint32_t lanes, Space space) const {
  std::uint32_t found = 0;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t at = access.address[lane];
    MemoryBuffer* b = worker().run->memory->find(at);
    if (b == nullptr || !b->holds(at, static_cast<std::uint64_t>(width)) ||
        (b->read_only && intent != AccessIntent::read)) {
      continue;
    }
    access.pointer[lane] = b->data + (at - b->address);
    use(*b, lane_bit(lane), space);
    found |= lane_bit(lane);
  }
  return found;
}

std::uint32_t MemoryPath::global(std::uint32_t lanes, Space space) const {
  const std::uint64_t* const a = access.address;
  const auto w = static_cast<std::uint64_t>(width);
  if (lanes == kAllLanes) {
    std::uint64_t different = 0;
    for (int lane = 0; lane < 32; ++lane)
      different |= a[lane] ^ (a[0] + static_cast<std::uint64_t>(lane) * w);
    access.contiguous = different == 0;
  }
  // Lanes one after the other are aligned when the first is.
  if (!access.contiguous || (a[0] & (w - 1)) != 0) {
    const std::uint32_t bad = misaligned(lanes);
    lanes &= ~bad;
    access.contiguous = access.contiguous && bad == 0;
  }
  if (lanes == 0) return 0;
  MemoryBuffer* const likely = likely_buffer(a[std::countr_zero(lanes)]);
  if (access.contiguous && likely != nullptr && likely->holds(a[0], w * 32)) {
    access.first = likely->data + (a[0] - likely->address);
    use(*likely, lanes, space);
    count_global(lanes, space);
    return lanes;
  }
  access.contiguous = false;
  std::uint32_t good = likely == nullptr ? 0 : inside(*likely, lanes, space);
  good |= inside_any(lanes & ~good, space);
  if (good != lanes) fault_outside(lanes & ~good);
  count_global(good, space);
  return good;
}

}  // namespace warpscope
