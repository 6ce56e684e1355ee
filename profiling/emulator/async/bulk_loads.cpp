// profiling/emulator/async/bulk_loads.cpp: bulk copies from global memory to shared memory, of one
// block or of several.
#include <bit>
#include <cstring>

#include "profiling/emulator/async/bulk_copy.h"
#include "profiling/emulator/memory/access_path.h"
#include "profiling/emulator/memory/barrier_events.h"
#include "profiling/emulator/state/async_barriers.h"

namespace warpscope {
namespace {

// Where one block of the cluster gets the copy, and the barrier that it is told by.
struct Target {
  Worker* block = nullptr;
  std::uint64_t offset = 0;
  int barrier = -1;
};

// What the shadow has against writing there.
void write_shadow(const BulkCopy& copy, const Target& to, std::int64_t bytes) {
  Worker& k = copy.worker();
  Worker& block = *to.block;
  if (!block.shadowed || bytes == 0) return;
  const auto offset = static_cast<std::int64_t>(to.offset);
  const std::uint32_t phase = block.async_barriers[to.barrier].phase;
  if (&block != &k) {
    block.shadow.copy_from_outside(offset, bytes, to.barrier, phase);
    return;
  }
  const SharedFinding finding =
      k.shadow.bulk_copy(static_cast<int>(copy.warp.index), copy.lane, copy.warp.sync_count, offset,
                         bytes, to.barrier, phase);
  if (finding == SharedFinding::none) return;
  note_shared_finding(copy.warp, copy.i, finding, copy.lane, k.shadow.story().copy_offset, 1,
                      AccessIntent::write);
}

// The blocks of a lane's copy: the one that the destination names, or those of the mask, at the
// same places in their own memory. source: PTX ISA, "cp.async.bulk", .multicast::cluster.
std::vector<Target> targets_of(const BulkCopy& copy) {
  std::vector<Target> targets;
  std::uint64_t offset = copy.shared_address(), barrier = copy.barrier_address();
  Worker* const home = copy.block_told_at(offset, barrier);
  if (home == nullptr) return targets;
  const auto add = [&](Worker& block) {
    const int index = barrier_of(copy.warp, copy.i, copy.lane, block, barrier);
    if (index < 0) return;
    if (copy.warp.recorded && &block == &copy.worker())
      note_mbarrier_event(copy.warp, copy.i, BarrierMark::copy, index, copy.lane);
    targets.push_back({&block, offset, index});
  };
  if (copy.slot(3) == 0) {
    add(*home);
    return targets;
  }
  for (std::uint32_t rest = copy.value(3) & 0xffff; rest != 0; rest &= rest - 1) {
    const auto rank = static_cast<std::uint64_t>(std::countr_zero(rest));
    std::uint64_t at = mapped_address(copy.worker(), 0, rank);
    if (Worker* const block = block_at(copy.warp, copy.i, copy.lane, at)) add(*block);
  }
  return targets;
}

// `bytes` from an address on.
void load_bytes(const BulkCopy& copy, const std::vector<Target>& targets, WarpRequest& request) {
  const std::uint64_t source = copy.other_address();
  const std::int64_t bytes = copy.value(2);
  bool good = copy.aligned(static_cast<std::uint64_t>(bytes), kBulkAlignment, "a size of bytes,");
  good = copy.global_is_aligned(source) && good;
  for (const Target& to : targets) {
    good = copy.holds_shared(*to.block, to.offset, bytes, kBulkAlignment, true) && good;
  }
  const GlobalRange range{source, source + static_cast<std::uint64_t>(bytes)};
  const MemoryBuffer* b = good && bytes > 0 ? copy.buffer_of(range) : nullptr;
  for (const Target& to : targets) {
    if (b != nullptr) {
      write_shadow(copy, to, bytes);
      std::memcpy(to.block->shared.data() + to.offset, b->data + (source - b->address),
                  static_cast<std::size_t>(bytes));
    }
    // What a fault kept back counts as arrived, so that the run finds more than one.
    end_copy(*to.block, to.barrier, bytes);
  }
  if (b == nullptr) return;
  copy.count({range}, b, request);
  request.addresses[static_cast<std::size_t>(copy.lane)] = source;
}

// The bytes of a row, zeros around those that are inside the tensor.
void fill_row(std::byte* shared, std::uint64_t offset, std::uint32_t mode, const CopiedBox& box,
              const BoxRow& row, const MemoryBuffer* b) {
  const auto length = static_cast<std::int64_t>(row.range.end - row.range.first);
  if (mode == 0) {
    std::byte* const to = shared + offset + row.at;
    std::memset(to, 0, static_cast<std::size_t>(box.row_bytes));
    if (b != nullptr && length > 0) {
      std::memcpy(to + row.skip, b->data + (row.range.first - b->address),
                  static_cast<std::size_t>(length));
    }
    return;
  }
  for (std::int64_t k = 0; k < box.row_bytes; ++k) {
    const bool inside = b != nullptr && k >= row.skip && k < row.skip + length;
    shared[swizzled(offset + static_cast<std::uint64_t>(row.at + k), mode)] =
        inside ? b->data[row.range.first - b->address + static_cast<std::uint64_t>(k - row.skip)]
               : std::byte{0};
  }
}

// The box that begins at the lane's coordinates; elements outside the tensor arrive as zeros.
void load_box(const BulkCopy& copy, const std::vector<Target>& targets, WarpRequest& request) {
  EmulatedTensorMap map;
  if (!copy.map_at(copy.other_address(), map)) return;
  const CopiedBox box = copy.box_of(map);
  bool good = true;
  for (const Target& to : targets) {
    good = copy.holds_shared(*to.block, to.offset, box.bytes, kTensorAlignment, true) && good;
  }
  if (good) {
    for (const Target& to : targets) write_shadow(copy, to, box.bytes);
    std::vector<GlobalRange> ranges;
    const MemoryBuffer* last = nullptr;
    for (const BoxRow& row : box.rows) {
      const bool inside = row.range.end != row.range.first;
      const MemoryBuffer* const b = inside ? copy.buffer_of(row.range) : nullptr;
      for (const Target& to : targets) {
        fill_row(to.block->shared.data(), to.offset, map.swizzle, box, row, b);
      }
      if (b == nullptr) continue;
      last = b;
      ranges.push_back(row.range);
    }
    request.addresses[static_cast<std::size_t>(copy.lane)] =
        ranges.empty() ? map.address : ranges.front().first;
    copy.count(std::move(ranges), last, request);
  }
  for (const Target& to : targets) end_copy(*to.block, to.barrier, box.bytes);
}

}  // namespace

void run_bulk_load(Warp& w, const Instruction& i) {
  w.worker->watch.note_effect();
  WarpRequest request{i.site, w.index, w.worker->block_index, w.order, 0, {}, {}};
  for (std::uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
    const BulkCopy copy{w, i, std::countr_zero(rest), false};
    const std::vector<Target> targets = targets_of(copy);
    if (targets.empty()) continue;
    if (i.count == 0) {
      load_bytes(copy, targets, request);
    } else {
      load_box(copy, targets, request);
    }
  }
  keep_bulk_request(w, i, request, AccessKind::bulk_copy);
}

void run_bulk_prefetch(Warp& w, const Instruction& i) {
  // Nothing is kept of L2; what it names must be there all the same.
  for (std::uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
    const BulkCopy copy{w, i, std::countr_zero(rest), false};
    const std::uint64_t from = copy.other_address();
    if (i.count != 0) {
      EmulatedTensorMap map;
      copy.map_at(from, map);
      continue;
    }
    const std::int64_t bytes = copy.value(2);
    if (copy.aligned(static_cast<std::uint64_t>(bytes), kBulkAlignment, "a size of bytes,") &&
        copy.global_is_aligned(from) && bytes > 0) {
      copy.buffer_of({from, from + static_cast<std::uint64_t>(bytes)});
    }
  }
}

}  // namespace warpscope
