// profiling/emulator/instructions/bulk_copies.cpp: bulk copies of bytes and of boxes of tensors.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>

#include "profiling/access/access.h"
#include "profiling/emulator/memory/access_path.h"
#include "profiling/emulator/memory/barrier_events.h"
#include "profiling/emulator/state/async_barriers.h"
#include "profiling/emulator/state/tensor_map.h"

namespace warpscope {
namespace {

// PTX ISA, "cp.async.bulk": addresses and size; "cp.async.bulk.tensor": the destination.
constexpr std::int64_t kBulkAlignment = 16, kTensorAlignment = 128;

std::string bytes_text(std::int64_t n) { return std::to_string(n) + (n == 1 ? " byte" : " bytes"); }

// Bytes of global memory that a copy reads, first to one past the last.
struct Range {
  std::uint64_t first = 0, end = 0;
};

// One lane's copy.
struct Copy {
  Warp& warp;
  const Instruction& i;
  int lane;

  Worker& worker() const { return *warp.worker; }
  std::string opcode() const { return worker().source(i).opcode; }
  void fault(FaultKind kind, const std::string& detail, const std::string& buffer = {},
             std::int64_t index = -1) const {
    note_fault(warp, i, kind, 1u << lane, opcode() + detail, buffer, index);
  }

  bool aligned(std::uint64_t value, std::int64_t to, const char* what) const {
    if (value % static_cast<std::uint64_t>(to) == 0) return true;
    fault(FaultKind::misaligned, std::string(" has ") + what + " " + std::to_string(value) +
                                     ", which is no multiple of " + std::to_string(to));
    return false;
  }

  bool source_is_aligned(std::uint64_t source) const {
    const MemoryBuffer* b = worker().run->memory->find(source);
    if (b == nullptr) return aligned(source, kBulkAlignment, "a source, address");
    if (source % static_cast<std::uint64_t>(kBulkAlignment) == 0) return true;
    std::int64_t index = -1;
    const std::string name =
        element_name(*b, static_cast<std::int64_t>(source - b->address), &index);
    fault(FaultKind::misaligned,
          " reads from " + name + ", which does not begin at a multiple of " +
              std::to_string(kBulkAlignment),
          b->spec.name, index);
    return false;
  }

  // The buffer that holds the whole range, null after noting why not; bytes that nothing has
  // written are noted too.
  MemoryBuffer* buffer_of(const Range& range) const {
    const EmulatedMemory::State& memory = *worker().run->memory;
    MemoryBuffer* b = memory.find(range.first);
    const std::uint64_t bytes = range.end - range.first;
    if (b == nullptr || !b->holds(range.first, bytes)) {
      const MemoryBuffer* near = b != nullptr ? b : memory.nearest(range.first);
      if (near == nullptr) {
        fault(FaultKind::out_of_bounds,
              " reads " + bytes_text(static_cast<std::int64_t>(bytes)) + " where no buffer is");
        return nullptr;
      }
      const auto offset = static_cast<std::int64_t>(range.first - near->address);
      std::int64_t index = -1;
      const std::string name = element_name(*near, offset, &index);
      const std::int64_t past = offset + static_cast<std::int64_t>(bytes) - near->bytes;
      fault(
          FaultKind::out_of_bounds,
          " reads " + bytes_text(static_cast<std::int64_t>(bytes)) + " from " + name + ", " +
              (offset < 0 ? bytes_text(-offset) + " before the first byte of "
                          : bytes_text(past) + " beyond the " + bytes_text(near->bytes) + " of ") +
              near->spec.name,
          near->spec.name, index);
      return nullptr;
    }
    b->prepare(range.first - b->address, bytes);
    if (worker().run->options->check_uninitialised &&
        !b->all_initialised.load(std::memory_order_relaxed) &&
        !b->is_initialised(range.first - b->address, bytes)) {
      std::uint64_t at = range.first - b->address;
      while (b->is_initialised(at, 1)) ++at;
      std::int64_t index = -1;
      const std::string name = element_name(*b, static_cast<std::int64_t>(at), &index);
      fault(FaultKind::uninitialised_read, " reads " + name + ", which nothing has written",
            b->spec.name, index);
    }
    return b;
  }

  // Bounds and alignment of `bytes` of shared memory.
  bool holds_destination(std::uint64_t offset, std::int64_t bytes, std::int64_t alignment) const {
    const std::uint64_t size = worker().shared.size();
    if (offset < size && offset + static_cast<std::uint64_t>(bytes) <= size) {
      return aligned(offset, alignment, "the destination, shared byte");
    }
    fault(FaultKind::out_of_bounds,
          " writes " + bytes_text(bytes) + " of shared memory from byte " +
              std::to_string(static_cast<std::int64_t>(offset)) + " on, beyond the " +
              bytes_text(static_cast<std::int64_t>(size)) + " of the block",
          "shared memory");
    return false;
  }

  // What the shadow has against writing there.
  void write_shadow(std::int64_t offset, std::int64_t bytes, int barrier) const {
    Worker& k = worker();
    if (!k.shadowed || bytes == 0) return;
    const SharedFinding finding =
        k.shadow.bulk_copy(static_cast<int>(warp.index), lane, warp.sync_count, offset, bytes,
                           barrier, k.async_barriers[barrier].phase);
    if (finding == SharedFinding::none) return;
    note_shared_finding(warp, i, finding, lane, k.shadow.copy_offset(), 1, AccessIntent::write);
  }

  // Adds the distinct bytes, sectors and lines of the ranges that the copy reads.
  void count(std::vector<Range>& ranges, const MemoryBuffer* buffer, WarpRequest& request) const {
    std::sort(ranges.begin(), ranges.end(),
              [](const Range& a, const Range& b) { return a.first < b.first; });
    std::optional<TouchedRanges> touched;
    std::uint64_t last = 0;  // byte of those before, some of which reach further than the next
    for (const Range& r : ranges) {
      if (r.first == r.end) continue;
      last = std::max(last, r.end - 1);
      if (touched) {
        touched->add(r.first, last);
      } else {
        touched.emplace(r.first, last);
      }
    }
    const Touched sum = touched ? touched->sum() : Touched{};
    request.active |= 1u << lane;
    request.bulk.bytes += sum.bytes;
    request.bulk.sectors += sum.sectors;
    request.bulk.lines += sum.lines;
    if (buffer != nullptr) count_touch(worker(), i.site, *buffer, 1);
  }

  // `bytes` from an address on.
  void bytes_from(std::uint64_t source, std::uint64_t offset, std::int64_t bytes, int barrier,
                  WarpRequest& request) const {
    bool good = aligned(static_cast<std::uint64_t>(bytes), kBulkAlignment, "a size of bytes,");
    good = source_is_aligned(source) && good;
    good = holds_destination(offset, bytes, kBulkAlignment) && good;
    const Range range{source, source + static_cast<std::uint64_t>(bytes)};
    const MemoryBuffer* b = good && bytes > 0 ? buffer_of(range) : nullptr;
    if (b != nullptr) {
      write_shadow(static_cast<std::int64_t>(offset), bytes, barrier);
      std::memcpy(worker().shared.data() + offset, b->data + (source - b->address),
                  static_cast<std::size_t>(bytes));
      std::vector<Range> ranges{range};
      count(ranges, b, request);
      request.addresses[static_cast<std::size_t>(lane)] = source;
    }
    // What a fault kept back counts as arrived, so that the run finds more than one.
    end_copy(worker(), barrier, bytes);
  }

  const EmulatedTensorMap* map_at(std::uint64_t address, EmulatedTensorMap& map) const {
    const std::byte* bytes = nullptr;
    const RunShared& run = *worker().run;
    if (address - kParamWindow < kSpaceWindowBytes) {
      const std::uint64_t at = address - kParamWindow;
      if (at + sizeof map <= run.parameters.size()) bytes = run.parameters.data() + at;
    } else if (MemoryBuffer* b = run.memory->find(address);
               b != nullptr && b->holds(address, sizeof map)) {
      b->prepare(address - b->address, sizeof map);
      bytes = b->data + (address - b->address);
    }
    if (bytes != nullptr) std::memcpy(&map, bytes, sizeof map);
    if (bytes == nullptr || map.magic != EmulatedTensorMap::tensor_map_magic) {
      fault(FaultKind::out_of_bounds, " is given an address where no tensor map is");
      return nullptr;
    }
    if (map.dimensions != i.count) {
      fault(FaultKind::out_of_bounds, " copies a box of " + std::to_string(i.count) +
                                          " dimensions by a map of " +
                                          std::to_string(map.dimensions));
      return nullptr;
    }
    return aligned(address, 64, "a tensor map, address") ? &map : nullptr;
  }

  // The box that begins at the lane's coordinates; elements outside the tensor arrive as zeros.
  void box_from(std::uint64_t map_address, std::uint64_t offset, const std::uint32_t* coordinates,
                int barrier, WarpRequest& request) const {
    EmulatedTensorMap map;
    if (map_at(map_address, map) == nullptr) return;
    const std::size_t rank = map.dimensions;
    std::array<std::int64_t, 5> start{}, at{};
    std::int64_t rows = 1;
    for (std::size_t d = 0; d < rank; ++d) {
      start[d] = warp.slot<std::int32_t>(coordinates[d])[lane];
      if (d > 0) rows *= map.box[d];
    }
    const auto element = static_cast<std::int64_t>(map.strides[0]);
    const std::int64_t row_bytes = map.box[0] * element, bytes = rows * row_bytes;
    const auto extent = static_cast<std::int64_t>(map.extents[0]);
    const std::int64_t from = std::clamp<std::int64_t>(-start[0], 0, map.box[0]);
    const std::int64_t to = std::clamp<std::int64_t>(extent - start[0], from, map.box[0]);
    if (holds_destination(offset, bytes, kTensorAlignment)) {
      write_shadow(static_cast<std::int64_t>(offset), bytes, barrier);
      std::byte* target = worker().shared.data() + offset;
      std::vector<Range> ranges;
      const MemoryBuffer* b = nullptr;
      for (std::int64_t row = 0; row < rows; ++row, target += row_bytes) {
        std::memset(target, 0, static_cast<std::size_t>(row_bytes));
        bool inside = to > from;
        std::uint64_t address =
            map.address + static_cast<std::uint64_t>((start[0] + from) * element);
        for (std::size_t d = 1; d < rank; ++d) {
          const std::int64_t x = start[d] + at[d];
          inside = inside && x >= 0 && x < static_cast<std::int64_t>(map.extents[d]);
          address += static_cast<std::uint64_t>(x) * map.strides[d];
        }
        for (std::size_t d = 1; d < rank && ++at[d] == map.box[d]; ++d) at[d] = 0;
        if (!inside) continue;
        const Range range{address, address + static_cast<std::uint64_t>((to - from) * element)};
        b = buffer_of(range);
        if (b == nullptr) continue;
        std::memcpy(target + from * element, b->data + (address - b->address),
                    static_cast<std::size_t>(range.end - range.first));
        ranges.push_back(range);
      }
      request.addresses[static_cast<std::size_t>(lane)] =
          ranges.empty() ? map.address : ranges.front().first;
      count(ranges, b, request);
    }
    end_copy(worker(), barrier, bytes);
  }
};

}  // namespace

void run_bulk_copy(Warp& w, const Instruction& i) {
  Worker& k = *w.worker;
  const std::uint32_t* const slots = k.kernel->slots.data() + i.extra;
  k.watch.note_effect();
  const auto address = [&](std::uint32_t slot, bool narrow, std::int64_t offset, int lane) {
    const auto o = static_cast<std::uint64_t>(offset);
    return narrow ? std::uint64_t{w.slot<std::uint32_t>(slot)[lane] + static_cast<std::uint32_t>(o)}
                  : w.slot<std::uint64_t>(slot)[lane] + o;
  };
  WarpRequest request{i.site, w.index, k.block_index, w.order, 0, {}, {}};
  for (std::uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t barrier_at =
        address(i.c, (i.subop & kFlagBarrier32) != 0, static_cast<std::int32_t>(slots[1]), lane);
    const int barrier = barrier_of(w, i, lane, barrier_at);
    if (barrier < 0) continue;
    if (w.recorded) note_mbarrier_event(w, i, BarrierMark::copy, barrier, lane);
    const std::uint64_t offset = address(i.a, (i.flags & kFlagAddress32) != 0, i.immediate, lane);
    const std::uint64_t source =
        address(i.b, (i.subop & kFlagSource32) != 0, static_cast<std::int32_t>(slots[0]), lane);
    const Copy copy{w, i, lane};
    if (i.count == 0) {
      copy.bytes_from(source, offset, w.slot<std::uint32_t>(slots[2])[lane], barrier, request);
    } else {
      copy.box_from(source, offset, slots + 3, barrier, request);
    }
  }
  if (i.site == kNoSite || request.active == 0) return;
  if (k.sums) {
    k.site_space[i.site] = static_cast<std::uint8_t>(Space::global) + 1;
    k.totals[i.site] += global_cost(request, i.width, AccessKind::bulk_copy);
  }
  if (!w.recorded) return;
  if (static_cast<std::int64_t>(k.requests.size()) >= k.run->options->maximum_requests) {
    k.truncated = true;
    return;
  }
  k.requests.push_back(request);
}

}  // namespace warpscope
