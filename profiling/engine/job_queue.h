// profiling/engine/job_queue.h: waiting jobs: the newest of a tag wins.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "profiling/protocol.h"

namespace warpscope {

// Filled by the thread that reads stdin, emptied by the thread that measures. A new job with the
// tag of a waiting one takes its place; with the tag of the running one it interrupts it.
class JobQueue {
 public:
  // A job that goes first is put before all that wait. Returns the waiting job that was replaced,
  // to be answered with Done{replaced}.
  std::optional<Job> push(Job job);
  // Returns the waiting job that was taken out; a running one is marked as interrupted.
  std::optional<Job> cancel(std::int64_t job);
  // No more jobs will come (the workbench closed the pipe).
  void close();
  // Waits for a job; nothing when closed. The job counts as running until `finish`.
  std::optional<Job> pop();
  void finish();
  // Whether the running job was cancelled or a newer one with its tag waits.
  bool interrupted() const;
  bool cancelled() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> waiting_;
  std::optional<Job> running_;
  bool cancelled_ = false;
  bool closed_ = false;
};

}  // namespace warpscope
