// profiling/engine/process/job_queue.cpp: waiting jobs: the newest of a tag wins.
#include "profiling/engine/process/job_queue.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace warpscope {

std::optional<Job> JobQueue::push(Job job) {
  const std::lock_guard lock(mutex_);
  if (closed_) return std::nullopt;
  changed_.notify_one();
  if (!job.tag.empty()) {
    for (Job& waiting : waiting_) {
      if (waiting.tag == job.tag) return std::exchange(waiting, std::move(job));
    }
  }
  if (job.first) {
    waiting_.push_front(std::move(job));
  } else {
    waiting_.push_back(std::move(job));
  }
  return std::nullopt;
}

std::optional<Job> JobQueue::cancel(std::int64_t job) {
  const std::lock_guard lock(mutex_);
  if (running_ && running_->job == job) cancelled_ = true;
  const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                  [job](const Job& waiting) { return waiting.job == job; });
  if (found == waiting_.end()) return std::nullopt;
  Job taken = std::move(*found);
  waiting_.erase(found);
  return taken;
}

void JobQueue::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  waiting_.clear();
  changed_.notify_all();
}

bool JobQueue::wait(double seconds) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::duration<double>(seconds),
                           [this] { return closed_ || !waiting_.empty(); });
}

std::optional<Job> JobQueue::pop() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
  if (waiting_.empty()) return std::nullopt;
  running_ = std::move(waiting_.front());
  waiting_.pop_front();
  cancelled_ = false;
  return running_;
}

void JobQueue::finish() {
  const std::lock_guard lock(mutex_);
  running_.reset();
}

bool JobQueue::interrupted() const {
  const std::lock_guard lock(mutex_);
  if (cancelled_ || closed_) return true;
  if (!running_ || running_->tag.empty()) return false;
  return std::any_of(waiting_.begin(), waiting_.end(),
                     [this](const Job& waiting) { return waiting.tag == running_->tag; });
}

bool JobQueue::cancelled() const {
  const std::lock_guard lock(mutex_);
  return cancelled_;
}

}  // namespace warpscope
