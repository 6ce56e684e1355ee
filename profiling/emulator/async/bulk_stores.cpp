// profiling/emulator/async/bulk_stores.cpp: bulk copies and reductions out of shared memory, and
// the groups that are waited for.
#include <algorithm>
#include <bit>
#include <cstring>

#include "profiling/emulator/async/bulk_copy.h"
#include "profiling/emulator/async/bulk_reduction.h"
#include "profiling/emulator/instructions/warp_instructions.h"
#include "profiling/emulator/memory/access_path.h"
#include "profiling/emulator/state/async_barriers.h"

namespace warpscope {
namespace {

// What a tensor map's elements are to a reduction, by the number of elemtype.
AtomicType type_of_elements(std::uint32_t number) {
  constexpr AtomicType types[] = {AtomicType::u32, AtomicType::u16, AtomicType::u32,
                                  AtomicType::s32, AtomicType::u64, AtomicType::s64,
                                  AtomicType::f16, AtomicType::f32, AtomicType::f32,
                                  AtomicType::f64, AtomicType::bf16};
  return number < std::size(types) ? types[number] : AtomicType::u32;
}

// Bytes of shared memory on their way to `to`: copied, or combined with what is there.
void move_bytes(const BulkCopy& copy, std::byte* to, const std::byte* from, std::size_t bytes,
                const EmulatedTensorMap* map = nullptr) {
  if (copy.i.target == 0) {
    std::memcpy(to, from, bytes);
    return;
  }
  BulkReduction r = unpack_reduction(copy.i.target);
  if (map != nullptr) r.type = type_of_elements(map->type);
  reduce_bytes(r.type, r.operation, to, from, bytes, copy.worker().run->one_thread);
}

// What the shadow has against reading the source.
void read_shadow(const BulkCopy& copy, std::uint64_t offset, std::int64_t bytes,
                 bool in_group = true) {
  Worker& k = copy.worker();
  if (!k.shadowed || bytes == 0) return;
  const SharedFinding finding =
      k.shadow.begin_store(static_cast<int>(copy.warp.index), copy.lane, copy.warp.sync_count,
                           static_cast<std::int64_t>(offset), bytes, in_group);
  if (finding == SharedFinding::none) return;
  note_shared_finding(copy.warp, copy.i, finding, copy.lane, k.shadow.story().copy_offset, 1,
                      AccessIntent::read);
}

// Bytes of a buffer from `from` in shared memory; false: they go nowhere.
bool store_range(const BulkCopy& copy, const GlobalRange& range, const std::byte* from,
                 const MemoryBuffer*& buffer, const EmulatedTensorMap* map = nullptr) {
  MemoryBuffer* const b = copy.buffer_of(range);
  if (b == nullptr) return false;
  Worker& k = copy.worker();
  const std::uint64_t offset = range.first - b->address, bytes = range.end - range.first;
  if (k.run->read_only_loads != nullptr &&
      meets_read_only_load(copy.warp, copy.i, *b, offset, bytes, true)) {
    fault_stale_read(copy.warp, copy.i, *b, 1u << copy.lane, offset, bytes, true);
  }
  if (k.watch.active()) {
    k.watch.settle();
    k.watch.note_write(b->data + offset, static_cast<std::size_t>(bytes));
  }
  move_bytes(copy, b->data + offset, from, static_cast<std::size_t>(bytes), map);
  if (k.notes_writers) note_writer(k, *b, offset, bytes);
  buffer = b;
  return true;
}

void store_bytes(const BulkCopy& copy, WarpRequest& request) {
  const std::uint64_t to = copy.other_address(), offset = copy.shared_address();
  const std::int64_t bytes = copy.value(2);
  bool good = copy.aligned(static_cast<std::uint64_t>(bytes), kBulkAlignment, "a size of bytes,");
  good = copy.global_is_aligned(to) && good;
  good = copy.holds_shared(copy.worker(), offset, bytes, kBulkAlignment, false) && good;
  if (!good || bytes == 0) return;
  read_shadow(copy, offset, bytes);
  const GlobalRange range{to, to + static_cast<std::uint64_t>(bytes)};
  const MemoryBuffer* buffer = nullptr;
  if (!store_range(copy, range, copy.worker().shared.data() + offset, buffer)) return;
  copy.count({range}, buffer, request);
  request.addresses[static_cast<std::size_t>(copy.lane)] = to;
}

void store_box(const BulkCopy& copy, WarpRequest& request) {
  EmulatedTensorMap map;
  if (!copy.map_at(copy.other_address(), map)) return;
  if (copy.i.target != 0 && (map.type == 0 || map.type == 1 || map.type > 10)) {
    copy.fault(FaultKind::unsupported, " reduces elements of a type that it does not take");
    return;
  }
  const CopiedBox box = copy.box_of(map);
  const std::uint64_t offset = copy.shared_address();
  if (!copy.holds_shared(copy.worker(), offset, box.bytes, kTensorAlignment, false)) return;
  read_shadow(copy, offset, box.bytes);
  std::vector<GlobalRange> ranges;
  const MemoryBuffer* buffer = nullptr;
  std::vector<std::byte> dense(static_cast<std::size_t>(box.row_bytes));
  for (const BoxRow& row : box.rows) {
    if (row.range.end == row.range.first) continue;
    for (std::int64_t k = 0; k < box.row_bytes; ++k) {
      const std::uint64_t at = offset + static_cast<std::uint64_t>(row.at + k);
      dense[static_cast<std::size_t>(k)] = copy.worker().shared[swizzled(at, map.swizzle)];
    }
    if (store_range(copy, row.range, dense.data() + row.skip, buffer, &map)) {
      ranges.push_back(row.range);
    }
  }
  request.addresses[static_cast<std::size_t>(copy.lane)] =
      ranges.empty() ? map.address : ranges.front().first;
  copy.count(std::move(ranges), buffer, request);
}

// To shared memory of a block of the cluster, which its own barrier is told of.
void pass_bytes(const BulkCopy& copy) {
  std::uint64_t to = copy.other_address(), at = copy.barrier_address();
  const std::uint64_t from = copy.shared_address();
  const std::int64_t bytes = copy.value(2);
  Worker* const block = copy.block_told_at(to, at);
  if (block == nullptr) return;
  const int barrier = barrier_of(copy.warp, copy.i, copy.lane, *block, at);
  if (barrier < 0) return;
  bool good = copy.aligned(static_cast<std::uint64_t>(bytes), kBulkAlignment, "a size of bytes,");
  good = copy.holds_shared(copy.worker(), from, bytes, kBulkAlignment, false) && good;
  good = copy.holds_shared(*block, to, bytes, kBulkAlignment, true) && good;
  if (good && bytes > 0) {
    Worker& k = copy.worker();
    read_shadow(copy, from, bytes, false);
    move_bytes(copy, block->shared.data() + to, k.shared.data() + from,
               static_cast<std::size_t>(bytes));
    if (block->shadowed) {
      block->shadow.copy_from_outside(static_cast<std::int64_t>(to), bytes, barrier,
                                      block->async_barriers[barrier].phase);
    }
  }
  end_copy(*block, barrier, bytes);
}

}  // namespace

void run_bulk_store(Warp& w, const Instruction& i) {
  w.worker->watch.note_effect();
  WarpRequest request{i.site, w.index, w.worker->block_index, w.order, 0, {}, {}};
  for (std::uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
    const BulkCopy copy{w, i, std::countr_zero(rest), true};
    if (i.count == 0) {
      store_bytes(copy, request);
    } else {
      store_box(copy, request);
    }
  }
  keep_bulk_request(w, i, request,
                    i.target == 0 ? AccessKind::bulk_store : AccessKind::bulk_reduction);
}

void run_bulk_pass(Warp& w, const Instruction& i) {
  w.worker->watch.note_effect();
  for (std::uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
    pass_bytes({w, i, std::countr_zero(rest), true});
  }
}

void run_bulk_commit(Warp& w, const Instruction&) {
  if (w.worker->shadowed) w.worker->shadow.stores.commit(static_cast<int>(w.index), w.mask);
}

void run_bulk_wait(Warp& w, const Instruction& i) {
  if (!w.worker->shadowed) return;
  w.worker->shadow.stores.wait(w.worker->shadow.clocks, static_cast<int>(w.index), w.mask,
                               i.immediate);
}

}  // namespace warpscope
