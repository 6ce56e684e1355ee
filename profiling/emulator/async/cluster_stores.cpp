// profiling/emulator/async/cluster_stores.cpp: st.async and red.async, which tell the mbarrier of
// the block that they store to.
#include "profiling/emulator/async/cluster_stores.h"

#include <bit>
#include <cstring>

#include "profiling/emulator/async/bulk_copy.h"
#include "profiling/emulator/async/bulk_reduction.h"
#include "profiling/emulator/state/async_barriers.h"

namespace warpscope {
namespace {

void store(Warp& w, const Instruction& i, int lane) {
  const BulkCopy copy{w, i, lane, true};
  std::uint64_t to = copy.shared_address(), at = copy.barrier_address();
  Worker* const block = block_at(w, i, lane, to);
  Worker* const told = block_at(w, i, lane, at);
  if (block == nullptr || told == nullptr) return;
  if (block != told) {
    copy.fault(FaultKind::out_of_bounds,
               " signals a barrier of a block other than its destination");
    return;
  }
  const int barrier = barrier_of(w, i, lane, *block, at);
  if (barrier < 0) return;
  const std::int64_t bytes = std::int64_t{i.width} * i.count;
  if (copy.holds_shared(*block, to, bytes, bytes, true)) {
    std::byte* place = block->shared.data() + to;
    for (std::uint32_t k = 0; k < i.count; ++k, place += i.width) {
      std::uint64_t value = i.width == 8 ? w.slot<std::uint64_t>(copy.slot(2 + k))[lane]
                                         : w.slot<std::uint32_t>(copy.slot(2 + k))[lane];
      if (i.target == 0) {
        std::memcpy(place, &value, i.width);
      } else {
        const BulkReduction r = unpack_reduction(i.target);
        reduce_bytes(r.type, r.operation, place, reinterpret_cast<const std::byte*>(&value),
                     i.width, true);
      }
    }
    if (block->shadowed) {
      block->shadow.copy_from_outside(static_cast<std::int64_t>(to), bytes, barrier,
                                      block->async_barriers[barrier].phase);
    }
  }
  end_copy(*block, barrier, bytes);
}

}  // namespace

void run_store_async(Warp& w, const Instruction& i) {
  w.worker->watch.note_effect();
  for (std::uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
    store(w, i, std::countr_zero(rest));
  }
}

}  // namespace warpscope
