// profiling/emulator/state/block_order.cpp: what a block knows of the others: by fences, releases,
// and strong accesses.
#include <algorithm>
#include <bit>

#include "profiling/emulator/state/block_races.h"
#include "profiling/emulator/state/worker.h"

namespace warpscope {

void BlockRaces::fence(Warp& warp) const {
  Worker& worker = *warp.worker;
  BlockClock& clock = worker.clock;
  clock.fenced_any = true;
  for (int v = 0; v < warps_; ++v) {
    std::uint32_t& fenced = clock.fenced[static_cast<std::size_t>(v)];
    fenced = std::max(fenced, worker.shadow.clocks.known(static_cast<int>(warp.index), v));
  }
}

void BlockRaces::publish(Warp& warp) {
  fence(warp);
  release(*warp.worker, warp, warp.worker->clock);
  now_.fetch_add(1);
}

void BlockRaces::learn(BlockState& block) const { block.clock.known = now_.load(); }

// What was loaded strongly was loaded by now: with several threads of the host, perhaps not when
// the access was looked at.
void BlockRaces::absorb(BlockClock& clock) const {
  for (const std::atomic<std::int64_t>* time : clock.loaded) {
    clock.known = std::max(clock.known, time->load());
  }
  clock.loaded.clear();
}

bool BlockRaces::is_before(const Stamp& stamp, const BlockState& block) {
  const std::unique_lock<std::mutex> lock =
      run_.one_thread ? std::unique_lock<std::mutex>() : std::unique_lock(mutex_);
  const auto found = releases_.find(stamp.block - 1);
  if (found == releases_.end()) return false;
  const std::vector<std::uint32_t>& list = found->second;
  const auto stride = static_cast<std::size_t>(warps_) + 1;
  const std::size_t warp = stamp.by & 31;
  std::size_t first = 0, end = list.size() / stride;
  while (first < end) {  // the first release that published it
    const std::size_t middle = (first + end) / 2;
    if (list[middle * stride + 1 + warp] >= stamp.clock) {
      end = middle;
    } else {
      first = middle + 1;
    }
  }
  return first * stride < list.size() && std::int64_t{list[first * stride]} <= block.clock.known;
}

void BlockRaces::release(const Worker& worker, const Warp& warp, BlockClock& clock) {
  if (!clock.fenced_any) return;
  const std::unique_lock<std::mutex> lock =
      run_.one_thread ? std::unique_lock<std::mutex>() : std::unique_lock(mutex_);
  const auto stride = static_cast<std::size_t>(warps_) + 1;
  if (clock.releases == nullptr) {
    clock.releases = &releases_[static_cast<std::uint32_t>(worker.block_index)];
  }
  std::vector<std::uint32_t>& list = *clock.releases;
  std::array<std::uint32_t, BlockClock::most_warps> now{};
  bool more = list.empty();
  const std::size_t last = list.empty() ? 0 : list.size() - stride;
  for (std::size_t v = 0; v < static_cast<std::size_t>(warps_); ++v) {
    const std::uint32_t before = list.empty() ? 0 : list[last + 1 + v];
    // What a fence published, and this warp comes after.
    now[v] = std::max(
        before, std::min(clock.fenced[v], worker.shadow.clocks.known(static_cast<int>(warp.index),
                                                                     static_cast<int>(v))));
    more = more || now[v] != before;
  }
  if (!more) return;
  list.push_back(static_cast<std::uint32_t>(now_.load() + 1));
  list.insert(list.end(), now.begin(), now.begin() + warps_);
}

void BlockRaces::strong_access(Warp& warp, const Instruction& i, Shadow& shadow,
                               const MemoryBuffer& buffer, const std::uint64_t* addresses,
                               std::uint32_t lanes, AccessIntent intent) {
  Worker& worker = *warp.worker;
  Sync* sync = shadow.sync_at.load(std::memory_order_acquire);
  const bool writes = intent != AccessIntent::read;
  if (sync == nullptr) {
    // Another thread of the host may make them between this look and the load.
    if (!writes && run_.one_thread) return;
    const std::lock_guard lock(mutex_);
    if (shadow.sync == nullptr) shadow.sync.reset(zeros<Sync>(shadow.words));
    sync = shadow.sync.get();
    shadow.sync_at.store(sync, std::memory_order_release);
    if (sync == nullptr) return;
  }
  const auto word_of = [&](int lane) -> Sync& {
    return sync[(addresses[lane] - buffer.address) / 4];
  };
  if (intent != AccessIntent::write) {
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      const Sync& word = word_of(std::countr_zero(rest));
      worker.clock.known = std::max(worker.clock.known, word.time.load());
      // Blocks that update a word wait for each other (look_at_parts): its time is exact now.
      if (!run_.one_thread && !writes) worker.clock.loaded.push_back(&word.time);
    }
  }
  if (!writes) return;
  release(worker, warp, worker.clock);
  const std::int64_t now = now_.fetch_add(1) + 1;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    Sync& word = word_of(std::countr_zero(rest));
    word.time.store(now);
    word.block = static_cast<std::uint32_t>(worker.block_index) + 1;
    word.by = i.source << 5 | warp.index;
  }
}

}  // namespace warpscope
