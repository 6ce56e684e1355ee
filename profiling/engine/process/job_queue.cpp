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
    for (Waiting& waiting : waiting_) {
      if (waiting.job.tag != job.tag) continue;
      if (!waiting.begun) return std::exchange(waiting.job, std::move(job));
      waiting.replaced = true;
    }
  }
  if (job.first) {
    waiting_.push_front({std::move(job)});
  } else {
    waiting_.push_back({std::move(job)});
  }
  return std::nullopt;
}

std::optional<Job> JobQueue::cancel(std::int64_t job) {
  const std::lock_guard lock(mutex_);
  if (running_ && running_->job == job) cancelled_ = true;
  const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                  [job](const Waiting& waiting) { return waiting.job.job == job; });
  if (found == waiting_.end()) return std::nullopt;
  if (found->begun) {
    found->cancelled = true;
    return std::nullopt;
  }
  Job taken = std::move(found->job);
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
  Waiting& next = waiting_.front();
  cancelled_ = next.cancelled;
  replaced_ = next.replaced;
  running_ = std::move(next.job);
  waiting_.pop_front();
  return running_;
}

void JobQueue::finish() {
  const std::lock_guard lock(mutex_);
  running_.reset();
}

void JobQueue::set_aside() {
  const std::lock_guard lock(mutex_);
  if (closed_ || !running_) return running_.reset();
  const auto same = [this](const Waiting& waiting) { return waiting.job.tag == running_->tag; };
  const bool replaced =
      !running_->tag.empty() && std::any_of(waiting_.begin(), waiting_.end(), same);
  Waiting aside{std::move(*running_), true, cancelled_, replaced_ || replaced};
  running_.reset();
  // One that is only to end does so before what takes its place.
  if (aside.cancelled || aside.replaced) return waiting_.push_front(std::move(aside));
  waiting_.push_back(std::move(aside));
}

bool JobQueue::others_wait() const {
  const std::lock_guard lock(mutex_);
  return !waiting_.empty();
}

std::vector<Job> JobQueue::next(std::size_t most) const {
  const std::lock_guard lock(mutex_);
  std::vector<Job> jobs;
  for (const Waiting& waiting : waiting_) {
    if (jobs.size() == most) break;
    jobs.push_back(waiting.job);
  }
  return jobs;
}

bool JobQueue::interrupted() const {
  const std::lock_guard lock(mutex_);
  if (cancelled_ || replaced_ || closed_) return true;
  if (!running_ || running_->tag.empty()) return false;
  return std::any_of(waiting_.begin(), waiting_.end(), [this](const Waiting& waiting) {
    return !waiting.begun && waiting.job.tag == running_->tag;
  });
}

bool JobQueue::cancelled() const {
  const std::lock_guard lock(mutex_);
  return cancelled_;
}

}  // namespace warpscope
