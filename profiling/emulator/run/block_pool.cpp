// profiling/emulator/run/block_pool.cpp: which block a worker runs next, and when none can go on.
#include "profiling/emulator/run/block_pool.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <utility>

namespace warpscope {
namespace {

constexpr std::chrono::milliseconds kAskEvery{1};
constexpr std::int64_t kTurnsBeforeWindow = 64;  // of each block
// Where blocks change memory and change it back, when one is interrupted may matter to the others;
// slices differ in length, and so often all must have come back to one state.
constexpr int kBusyRecurrences = 64;

}  // namespace

void BlockPool::changed() {
  ++state_;
  turns_ = 0;
  window_begin_ = 0;
  alone_ = nullptr;
  recurrences_ = 0;
  condition_.notify_all();
}

BlockPool::Task BlockPool::next(Worker& worker, const std::function<void()>& asked) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (run_.stop.load(std::memory_order_relaxed) || stuck_) return {};
    const bool others_run = running_ > 0;
    if (alone_ == nullptr || (alone_ == &worker && !others_run)) {
      if (begun_ < count_ && resident_ < run_.resident_blocks) {
        Task task;
        task.begin = begun_++;
        ++running_;
        ++resident_;
        if (worker.warps.empty() && !spare_.empty()) {
          task.empty = std::move(spare_.back());
          spare_.pop_back();
        }
        return task;
      }
      if (!others_run) look_for_circles(worker);
      if (stuck_) continue;
      const auto ready = std::find_if(aside_.begin(), aside_.end(), [&](const auto& state) {
        return state->looked_at != state_;
      });
      if (ready != aside_.end()) {
        Task task;
        task.resume = std::move(*ready);
        aside_.erase(ready);
        ++running_;
        task.resume->looked_at = state_;
        return task;
      }
      if (!others_run) {
        stuck_ = !aside_.empty();
        condition_.notify_all();
        return {};
      }
    }
    condition_.wait_for(lock, kAskEvery);
    if (asked) {
      lock.unlock();
      asked();
      lock.lock();
    }
  }
}

void BlockPool::ended(std::unique_ptr<BlockState> other) {
  const std::lock_guard lock(mutex_);
  --running_;
  --resident_;
  ++ended_;
  if (other != nullptr && !other->warps.empty()) spare_.push_back(std::move(other));
  changed();
}

void BlockPool::put_aside(Worker& worker, std::unique_ptr<BlockState> state, bool waits,
                          bool moved) {
  const std::lock_guard lock(mutex_);
  --running_;
  if (waits || state->suspect) ++turns_;
  const bool others_moved = state->looked_at >= 0 && state->looked_at != state_;
  const bool begun_now = state->looked_at < 0;
  if (moved || !waits) ++state_;
  // Its last round came after what it changed itself.
  state->looked_at = waits && !others_moved && !begun_now ? state_ : 0;
  if (worker.watch.run_) state->state_hash = hash_of(worker, *state);
  aside_.push_back(std::move(state));
  const auto blocks = static_cast<std::int64_t>(aside_.size()) + running_;
  if (turns_ > kTurnsBeforeWindow * blocks + kTurnsBeforeWindow && alone_ == nullptr) {
    alone_ = &worker;
  }
  condition_.notify_all();
}

// Alone, with all resident blocks put aside: has this state of all of them been there before?
void BlockPool::look_for_circles(Worker& worker) {
  if (alone_ == nullptr || aside_.empty()) {
    worker.watch.run_ = false;
    return;
  }
  const auto blocks = static_cast<std::int64_t>(aside_.size());
  if (window_begin_ == 0 || (!worker.watch.run_ && turns_ >= 2 * window_begin_)) {
    window_begin_ = turns_;
    window_end_ = turns_ + std::max(turns_ / 16, (kBusyRecurrences + 16) * (4 * blocks));
    recurrence_ = {};
    recurrences_ = 0;
    worker.watch.run_ = true;
    for (const auto& state : aside_) state->state_hash = hash_of(worker, *state);
  }
  if (!worker.watch.run_) return;
  if (turns_ > window_end_) {
    worker.watch.run_ = false;
    return;
  }
  std::uint64_t all = 0;
  for (const auto& state : aside_) {
    const std::uint64_t seen = state->looked_at == state_ ? 1 : 0;
    all = std::rotl(all * 0xff51afd7ed558ccdull + state->state_hash + seen +
                        static_cast<std::uint64_t>(state->block_index) * 2,
                    29);
  }
  const Recurrence::Answer answer =
      recurrence_.next(all, worker.watch.memory(), worker.watch.effects());
  if (answer == Recurrence::Answer::none) return;
  ++recurrences_;
  if (recurrences_ < kBusyRecurrences) return;
  stuck_ = in_circles_ = true;
  condition_.notify_all();
}

bool BlockPool::has_others() {
  const std::lock_guard lock(mutex_);
  return !aside_.empty() || (begun_ < count_ && resident_ < run_.resident_blocks);
}

}  // namespace warpscope
