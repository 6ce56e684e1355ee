// profiling/engine/process/job_queue.h: waiting jobs: the newest of a tag wins.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "profiling/messages/protocol.h"

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
  // Nobody is there to answer (the workbench closed the pipe): jobs that wait are dropped, the one
  // that runs is interrupted.
  void close();
  // Waits for a job at most so long. False: none came.
  bool wait(double seconds);
  // Waits for a job; no value if the queue is closed. The job counts as running until `finish`.
  std::optional<Job> pop();
  void finish();
  // Instead: the job that runs has more to do, and waits after the others. Until it has run again
  // nothing takes its place: cancelled, or with a newer one of its tag after it, it is interrupted
  // from the beginning.
  void set_aside();
  // Whether others wait while one runs.
  bool others_wait() const;
  // The first waiting jobs, at most `most`.
  std::vector<Job> next(std::size_t most) const;
  // Whether the running job was cancelled, a newer one with its tag waits, or the queue is closed.
  bool interrupted() const;
  bool cancelled() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  struct Waiting {
    Job job;
    bool begun = false, cancelled = false, replaced = false;  // all but the first need the first
  };
  std::deque<Waiting> waiting_;
  std::optional<Job> running_;
  bool cancelled_ = false, replaced_ = false;  // the job that runs
  bool closed_ = false;
};

}  // namespace warpscope
