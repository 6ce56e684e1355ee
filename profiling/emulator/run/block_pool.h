// profiling/emulator/run/block_pool.h: which block a worker runs next, and when none can go on.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

#include "profiling/emulator/state/repetition.h"
#include "profiling/emulator/state/worker.h"

// Ordinary blocks run one after the other, from beginning to end. One that waits for another block
// is put aside with all it has, and later ones begin, in the order of their indices, until as many
// are resident as a device holds; then those put aside take turns. So what ends on a device ends
// here: a device guarantees no more than that resident blocks go on. When each of them has been
// asked since the last change and none could, and no block is left that may begin, none ever will.

namespace warpscope {

class BlockPool {
 public:
  BlockPool(RunShared& run, std::int64_t count) : run_(run), count_(count) {}

  struct Task {
    std::int64_t begin = -1;             // a place in the list of blocks to run
    std::unique_ptr<BlockState> resume;  // or one that was put aside
    std::unique_ptr<BlockState> empty;   // to begin in, where the last one was put aside
    bool any() const { return begin >= 0 || resume != nullptr; }
  };
  // Waits until there is something to run. The task is empty if all have ended, if none can go on,
  // or if the run was stopped. `asked` is called while it waits.
  Task next(Worker& worker, const std::function<void()>& asked);
  void ended(std::unique_ptr<BlockState> other);
  // `waits`: it cannot go on unless another block changes something; otherwise its turn was over.
  // `moved`: in this turn it changed something that others may see.
  void put_aside(Worker& worker, std::unique_ptr<BlockState> state, bool waits, bool moved);

  bool has_others();
  std::int64_t ended_count() const { return ended_; }
  std::int64_t begun_count() const { return begun_; }
  // After the workers are done: those that can never go on; why.
  bool stuck() const { return stuck_; }
  bool in_circles() const { return in_circles_; }  // they do go on, to where they had been
  std::deque<std::unique_ptr<BlockState>>& aside() { return aside_; }

 private:
  void look_for_circles(Worker& worker);
  void changed();  // a block began or ended

  RunShared& run_;
  const std::int64_t count_;
  std::mutex mutex_;
  std::condition_variable condition_;
  std::deque<std::unique_ptr<BlockState>> aside_, spare_;
  std::int64_t begun_ = 0, running_ = 0, resident_ = 0;
  std::int64_t state_ = 1;  // counts changes that those put aside have not seen
  std::atomic<std::int64_t> ended_{0};
  bool stuck_ = false, in_circles_ = false;
  // Turns since a block began or ended. Once they are many one worker alone goes on, and the
  // states of all blocks are compared, a part of the time.
  std::int64_t turns_ = 0, window_begin_ = 0, window_end_ = 0;
  const Worker* alone_ = nullptr;
  Recurrence recurrence_;
  int recurrences_ = 0;
};

}  // namespace warpscope
