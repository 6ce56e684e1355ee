// profiling/emulator/memory/whole_warp.cpp: global loads and stores of all lanes of a warp at once.
#include "profiling/emulator/memory/whole_warp.h"

#include "profiling/emulator/memory/access_path.h"
#include "profiling/emulator/memory/cost.h"
#include "profiling/emulator/memory/loaded_sectors.h"

namespace warpscope {
namespace {

// The buffer that holds `bytes` bytes from `first` on, all of which the access may touch; null:
// none.
MemoryBuffer* plain_buffer(const Warp& w, const Instruction& i, std::uint64_t first,
                           std::uint64_t width, std::uint64_t bytes, bool writes) {
  Worker& worker = *w.worker;
  const bool in_global = i.space == AddressSpace::global || i.space == AddressSpace::constant ||
                         (i.space == AddressSpace::generic && first >= kLastWindowEnd);
  if (!in_global || w.recorded || (first & (width - 1)) != 0) return nullptr;
  MemoryBuffer*& last =
      worker.last_buffer[static_cast<std::size_t>(&i - worker.kernel->code.data())];
  if (last == nullptr || !last->holds(first, bytes)) {
    MemoryBuffer* const found = worker.run->memory->find(first);
    if (found == nullptr || !found->holds(first, bytes)) return nullptr;
    last = found;
  }
  MemoryBuffer& b = *last;
  if (writes && b.read_only) return nullptr;
  if (!b.plain.load(std::memory_order_acquire)) {
    b.prepare(first - b.address, bytes);
    if (b.all_initialised.load(std::memory_order_relaxed)) {
      // Its bytes had to be made, no more.
    } else if (writes) {
      b.mark(first - b.address, bytes);
    } else if (worker.run->options->check_uninitialised &&
               !b.is_initialised(first - b.address, bytes)) {
      return nullptr;
    }
  }
  if (worker.run->read_only_loads != nullptr &&
      meets_read_only_load(w, i, b, first - b.address, bytes, writes)) {
    return nullptr;
  }
  return &b;
}

Space space_of(const Instruction& i) {
  return i.space == AddressSpace::constant ? Space::constant : Space::global;
}

MemoryBuffer* contiguous(Warp& w, const Instruction& i, std::uint64_t first, int width,
                         bool writes) {
  const std::uint64_t bytes = static_cast<std::uint64_t>(width) * kWarpLanes;
  MemoryBuffer* const b =
      plain_buffer(w, i, first, static_cast<std::uint64_t>(width), bytes, writes);
  Worker& worker = *w.worker;
  if (b == nullptr) return b;
  if (compares_threads(worker, *b) &&
      ((i.flags & kFlagStrong) != 0 || !take_row(w, *b, first - b->address, width, writes))) {
    return nullptr;
  }
  if (BlockRaces* const races = worker.run->races; races != nullptr && races->tracks(*b)) {
    races->look_row(w, i, *b, first - b->address, bytes, width,
                    writes ? AccessIntent::write : AccessIntent::read);
  }
  if (i.site == kNoSite || !worker.sums) return b;
  worker.site_space[i.site] = static_cast<std::uint8_t>(space_of(i)) + 1;
  add_contiguous_global(worker.totals[i.site], first, width);
  count_touch(worker, i.site, *b, kWarpLanes);
  if (!writes && space_of(i) == Space::global) note_loaded(worker, *b, first - b->address, bytes);
  if (writes && worker.notes_writers) note_writer(worker, *b, first - b->address, bytes);
  return b;
}

}  // namespace

const std::byte* load_contiguous(Warp& w, const Instruction& i, std::uint64_t first, int width) {
  const MemoryBuffer* const b = contiguous(w, i, first, width, false);
  return b == nullptr ? nullptr : b->data + (first - b->address);
}

const std::byte* load_broadcast(Warp& w, const Instruction& i, std::uint64_t first, int width) {
  const auto bytes = static_cast<std::uint64_t>(width);
  const MemoryBuffer* const b = plain_buffer(w, i, first, bytes, bytes, false);
  if (b == nullptr || compares_threads(*w.worker, *b)) return nullptr;
  Worker& worker = *w.worker;
  if (BlockRaces* const races = worker.run->races; races != nullptr && races->tracks(*b)) {
    races->look_row(w, i, *b, first - b->address, bytes, width, AccessIntent::read);
  }
  if (i.site != kNoSite && worker.sums) {
    worker.site_space[i.site] = static_cast<std::uint8_t>(space_of(i)) + 1;
    add_broadcast_global(worker.totals[i.site], width);
    count_touch(worker, i.site, *b, kWarpLanes);
    if (space_of(i) == Space::global) note_loaded(worker, *b, first - b->address, bytes);
  }
  return b->data + (first - b->address);
}

std::byte* store_contiguous(Warp& w, const Instruction& i, std::uint64_t first, int width) {
  MemoryBuffer* const b = contiguous(w, i, first, width, true);
  if (b != nullptr && w.worker->watch.active()) {
    w.worker->watch.settle();
    w.worker->watch.note_write(b->data + (first - b->address),
                               static_cast<std::size_t>(width) * kWarpLanes);
  }
  return b == nullptr ? nullptr : b->data + (first - b->address);
}

}  // namespace warpscope
