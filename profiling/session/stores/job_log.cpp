// profiling/session/stores/job_log.cpp: the jobs of a session, how far they are, and what engines
// said.
#include "profiling/session/stores/job_log.h"

#include <algorithm>
#include <utility>

#include "profiling/session/kept_bytes.h"

namespace warpscope {

void JobLog::keep(Job job) {
  job.sources.clear();
  if (auto* training = job.as<TrainJob>()) training->resume.reset();
  bytes_ += kept_bytes(job);
  const std::int64_t number = job.job;
  jobs_.emplace_back(number, std::move(job));
}

void JobLog::keep(const Done& done) {
  progress_.erase(done.job);
  done_[done.job] = done;
}

void JobLog::keep(const LogLine& line) {
  constexpr std::size_t kMostLines = 2000;
  if (lines_.size() >= kMostLines) lines_.erase(lines_.begin(), lines_.begin() + kMostLines / 2);
  lines_.push_back(line);
}

std::optional<Progress> JobLog::progress(std::int64_t job) const {
  const auto found = progress_.find(job);
  return found == progress_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Done> JobLog::done(std::int64_t job) const {
  const auto found = done_.find(job);
  return found == done_.end() ? std::nullopt : std::optional(found->second);
}

void JobLog::forget(const Numbered& numbered) {
  bytes_ -= kept_bytes(numbered.second);
  progress_.erase(numbered.first);
  done_.erase(numbered.first);
}

void JobLog::let_go(std::size_t most) {
  while (jobs_.size() > most) {
    forget(jobs_.front());
    jobs_.pop_front();
  }
}

void JobLog::keep_measuring(std::size_t most) {
  const auto measures = [](const Numbered& numbered) { return numbered.second.is<MeasureJob>(); };
  auto surplus =
      std::count_if(jobs_.begin(), jobs_.end(), measures) - static_cast<std::ptrdiff_t>(most);
  std::erase_if(jobs_, [&](const Numbered& numbered) {
    if (surplus <= 0 || !measures(numbered)) return false;
    --surplus;
    forget(numbered);
    return true;
  });
}

}  // namespace warpscope
