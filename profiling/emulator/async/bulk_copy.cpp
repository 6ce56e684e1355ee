// profiling/emulator/async/bulk_copy.cpp: what bulk copies have in common: addresses, boxes, bounds
// and costs.
#include "profiling/emulator/async/bulk_copy.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "profiling/access/access.h"
#include "profiling/emulator/memory/access_path.h"
#include "scenes/base/plural.h"

namespace warpscope {
namespace {

std::string bytes_text(std::int64_t n) { return plural(n, "byte"); }

}  // namespace

void BulkCopy::fault(FaultKind kind, const std::string& detail, const std::string& buffer,
                     std::int64_t index) const {
  note_fault(warp, i, kind, 1u << lane, opcode() + detail, buffer, index);
}

bool BulkCopy::aligned(std::uint64_t value, std::int64_t to, const char* what) const {
  if (value % static_cast<std::uint64_t>(to) == 0) return true;
  fault(FaultKind::misaligned, std::string(" has ") + what + " " + std::to_string(value) +
                                   ", which is not a multiple of " + std::to_string(to));
  return false;
}

bool BulkCopy::global_is_aligned(std::uint64_t address) const {
  const MemoryBuffer* b = worker().run->memory->find(address);
  if (b == nullptr) {
    return aligned(address, kBulkAlignment,
                   stores ? "a destination, address" : "a source, address");
  }
  if (address % static_cast<std::uint64_t>(kBulkAlignment) == 0) return true;
  std::int64_t index = -1;
  const std::string name =
      element_name(*b, static_cast<std::int64_t>(address - b->address), &index);
  fault(FaultKind::misaligned,
        (stores ? " writes to " : " reads from ") + name +
            ", which is not aligned to a multiple of " + std::to_string(kBulkAlignment),
        b->spec.name, index);
  return false;
}

MemoryBuffer* BulkCopy::buffer_of(const GlobalRange& range) const {
  const EmulatedMemory::State& memory = *worker().run->memory;
  MemoryBuffer* b = memory.find(range.first);
  const std::uint64_t bytes = range.end - range.first;
  const std::string verb =
      (stores ? " writes " : " reads ") + bytes_text(static_cast<std::int64_t>(bytes));
  if (b == nullptr || !b->holds(range.first, bytes) || (stores && b->read_only)) {
    const MemoryBuffer* near = b != nullptr ? b : memory.nearest(range.first);
    if (near == nullptr) {
      fault(FaultKind::out_of_bounds, verb + " which is in no buffer");
      return nullptr;
    }
    const auto offset = static_cast<std::int64_t>(range.first - near->address);
    std::int64_t index = -1;
    const std::string name = element_name(*near, offset, &index);
    const std::int64_t past = offset + static_cast<std::int64_t>(bytes) - near->bytes;
    const std::string where =
        offset < 0 ? bytes_text(-offset) + " before the first byte of "
        : past > 0 ? bytes_text(past) + " beyond the " + bytes_text(near->bytes) + " of "
                   : "which is constant: ";
    fault(FaultKind::out_of_bounds,
          verb + (stores ? " to " : " from ") + name + ", " + where + near->spec.name,
          near->spec.name, index);
    return nullptr;
  }
  const std::uint64_t offset = range.first - b->address;
  b->prepare(offset, bytes);
  if (b->all_initialised.load(std::memory_order_relaxed)) return b;
  if (stores) {
    b->mark(offset, bytes);
  } else if (worker().run->options->check_uninitialised && !b->is_initialised(offset, bytes)) {
    std::uint64_t at = offset;
    while (b->is_initialised(at, 1)) ++at;
    std::int64_t index = -1;
    const std::string name = element_name(*b, static_cast<std::int64_t>(at), &index);
    fault(FaultKind::uninitialised_read, " reads " + name + ", which was never written",
          b->spec.name, index);
  }
  return b;
}

bool BulkCopy::holds_shared(const Worker& block, std::uint64_t offset, std::int64_t bytes,
                            std::int64_t alignment, bool writes) const {
  const std::uint64_t size = block.shared.size();
  if (offset < size && offset + static_cast<std::uint64_t>(bytes) <= size) {
    return aligned(offset, alignment,
                   writes ? "the destination, shared byte" : "the source, shared byte");
  }
  fault(FaultKind::out_of_bounds,
        (writes ? " writes " : " reads ") + bytes_text(bytes) + " of shared memory from byte " +
            std::to_string(static_cast<std::int64_t>(offset)) + " on, beyond the " +
            bytes_text(static_cast<std::int64_t>(size)) + " of the block",
        "shared memory");
  return false;
}

std::uint64_t BulkCopy::address(std::uint32_t slot, bool narrow, std::int64_t offset) const {
  const auto o = static_cast<std::uint64_t>(offset);
  return narrow
             ? std::uint64_t{warp.slot<std::uint32_t>(slot)[lane] + static_cast<std::uint32_t>(o)}
             : warp.slot<std::uint64_t>(slot)[lane] + o;
}

std::uint32_t BulkCopy::slot(std::uint32_t k) const { return worker().kernel->slots[i.extra + k]; }

std::uint64_t BulkCopy::shared_address() const {
  return address(i.a, (i.flags & kFlagAddress32) != 0, i.immediate);
}
std::uint64_t BulkCopy::other_address() const {
  return address(i.b, (i.subop & kFlagSource32) != 0, static_cast<std::int32_t>(slot(0)));
}
std::uint64_t BulkCopy::barrier_address() const {
  return address(i.c, (i.subop & kFlagBarrier32) != 0, static_cast<std::int32_t>(slot(1)));
}

Worker* BulkCopy::block_told_at(std::uint64_t& destination, std::uint64_t& barrier) const {
  Worker* const home = block_at(warp, i, lane, destination);
  Worker* const told = block_at(warp, i, lane, barrier);
  if (home == nullptr || told == nullptr) return nullptr;
  if (home == told) return home;
  fault(FaultKind::out_of_bounds, " signals a barrier of a block other than its destination");
  return nullptr;
}

bool BulkCopy::map_at(std::uint64_t address, EmulatedTensorMap& map) const {
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
    fault(FaultKind::out_of_bounds, " has an address without a tensor map");
    return false;
  }
  if (map.dimensions != i.count) {
    fault(FaultKind::out_of_bounds, " copies a box of " + std::to_string(i.count) +
                                        " dimensions by a map of " +
                                        std::to_string(map.dimensions));
    return false;
  }
  return aligned(address, 64, "a tensor map, address");
}

CopiedBox BulkCopy::box_of(const EmulatedTensorMap& map) const {
  CopiedBox box;
  const std::size_t rank = map.dimensions;
  std::array<std::int64_t, 5> start{}, at{};
  std::int64_t rows = 1;
  // More than any block's shared memory holds: what it is told of is not there.
  constexpr std::int64_t kMostBoxBytes = 1 << 20;
  for (std::size_t d = 0; d < rank; ++d) {
    start[d] = static_cast<std::int32_t>(value(kBulkSlots + static_cast<std::uint32_t>(d)));
    if (d > 0) rows = std::min<std::int64_t>(rows * map.box[d], kMostBoxBytes);
  }
  const auto element = static_cast<std::int64_t>(map.strides[0]);
  const auto extent = static_cast<std::int64_t>(map.extents[0]);
  const std::int64_t from = std::clamp<std::int64_t>(-start[0], 0, map.box[0]);
  const std::int64_t to = std::clamp<std::int64_t>(extent - start[0], from, map.box[0]);
  box.row_bytes = map.box[0] * element;
  box.bytes = rows * box.row_bytes;
  if (box.bytes > kMostBoxBytes) return box;
  for (std::int64_t row = 0; row < rows; ++row) {
    bool inside = to > from;
    std::uint64_t address = map.address + static_cast<std::uint64_t>((start[0] + from) * element);
    for (std::size_t d = 1; d < rank; ++d) {
      const std::int64_t x = start[d] + at[d];
      inside = inside && x >= 0 && x < static_cast<std::int64_t>(map.extents[d]);
      address += static_cast<std::uint64_t>(x) * map.strides[d];
    }
    for (std::size_t d = 1; d < rank && ++at[d] == map.box[d]; ++d) at[d] = 0;
    const std::uint64_t length = inside ? static_cast<std::uint64_t>((to - from) * element) : 0;
    box.rows.push_back({row * box.row_bytes, from * element, {address, address + length}});
  }
  return box;
}

void BulkCopy::count(std::vector<GlobalRange> ranges, const MemoryBuffer* buffer,
                     WarpRequest& request) const {
  std::sort(ranges.begin(), ranges.end(),
            [](const GlobalRange& a, const GlobalRange& b) { return a.first < b.first; });
  std::optional<TouchedRanges> touched;
  std::uint64_t last = 0;  // byte of those before, some of which reach further than the next
  for (const GlobalRange& r : ranges) {
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

std::uint64_t swizzled(std::uint64_t address, std::uint32_t mode) {
  const std::uint64_t turned = mode == 0 ? 0 : (std::uint64_t{1} << mode) - 1;  // 1, 3 or 7
  return address ^ (address >> 7 & turned) << 4;
}

void keep_bulk_request(Warp& w, const Instruction& i, const WarpRequest& request, AccessKind kind) {
  Worker& k = *w.worker;
  if (i.site == kNoSite || request.active == 0) return;
  if (k.sums) {
    k.site_space[i.site] = static_cast<std::uint8_t>(Space::global) + 1;
    k.totals[i.site] += global_cost(request, i.width, kind);
  }
  if (!w.recorded) return;
  if (static_cast<std::int64_t>(k.requests.size()) >= k.run->options->maximum_requests) {
    k.truncated = true;
    return;
  }
  k.requests.push_back(request);
}

}  // namespace warpscope
