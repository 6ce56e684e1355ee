// workbench/client/engine_jobs.cpp: the jobs that an engine was given and has not answered.
#include "workbench/client/engine_jobs.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace warpscope {

bool EngineJobs::has_tagged(std::string_view prefix) const {
  return std::any_of(outstanding_.begin(), outstanding_.end(),
                     [&](const Job& job) { return job.tag.starts_with(prefix); });
}

const Job* EngineJobs::running() const {
  const auto found = std::find_if(outstanding_.begin(), outstanding_.end(),
                                  [this](const Job& job) { return job.job == begun_; });
  return found == outstanding_.end() ? nullptr : &*found;
}

const Job* EngineJobs::in_hand() const {
  if (const Job* job = running()) return job;
  return outstanding_.empty() ? nullptr : &outstanding_.front();
}

void EngineJobs::add(const Job& job) {
  const bool runs =
      running() != nullptr && !outstanding_.empty() && running()->job == outstanding_.front().job;
  const auto next = runs ? std::next(outstanding_.begin()) : outstanding_.begin();
  outstanding_.insert(job.first ? next : outstanding_.end(), job);
}

std::optional<std::int64_t> EngineJobs::wait_with(Job job) {
  const auto waiting =
      std::find_if(outstanding_.begin(), outstanding_.end(),
                   [&job](const Job& other) { return !job.tag.empty() && other.tag == job.tag; });
  if (waiting == outstanding_.end()) {
    outstanding_.push_back(std::move(job));
    return std::nullopt;
  }
  const std::int64_t replaced = waiting->job;
  *waiting = std::move(job);
  return replaced;
}

void EngineJobs::sent(const Job& job) {
  if (const auto* training = job.as<TrainJob>())
    sent_from_[job.job] = training->resume ? training->resume->step : 0;
}

bool EngineJobs::note(const TrainingState& state) {
  const auto job = std::find_if(outstanding_.begin(), outstanding_.end(),
                                [&](const Job& one) { return one.job == state.job; });
  if (job == outstanding_.end()) return false;
  if (auto* training = job->as<TrainJob>()) training->resume = state;
  return goes_on(*job);
}

bool EngineJobs::goes_on(const Job& job) const {
  const auto from = sent_from_.find(job.job);
  const auto* training = job.as<TrainJob>();
  return training != nullptr && training->resume && from != sent_from_.end() &&
         training->resume->step > from->second;
}

void EngineJobs::finish(const Done& done) {
  sent_from_.erase(done.job);
  const auto place = std::find_if(outstanding_.begin(), outstanding_.end(),
                                  [&](const Job& job) { return job.job == done.job; });
  cancelled_.erase(done.job);
  if (place != outstanding_.end()) {
    // A waiting job is replaced in its place in the engine's queue, one that runs from the end.
    const bool waited = done.status == DoneStatus::replaced && begun_ != done.job;
    const auto newer = std::find_if(std::next(place), outstanding_.end(), [&](const Job& job) {
      return !job.tag.empty() && job.tag == place->tag;
    });
    if (waited && newer != outstanding_.end()) outstanding_.splice(place, outstanding_, newer);
    outstanding_.erase(place);
  }
  if (begun_ == done.job) begun_.reset();
}

std::vector<std::int64_t> EngineJobs::cancel_tagged(std::string_view prefix) {
  std::vector<std::int64_t> numbers;
  for (const Job& job : outstanding_) {
    if (job.tag.starts_with(prefix) && cancelled_.insert(job.job).second)
      numbers.push_back(job.job);
  }
  return numbers;
}

void EngineJobs::answer(Done done, std::vector<Message>& messages) {
  std::erase_if(outstanding_, [&](const Job& other) { return other.job == done.job; });
  cancelled_.erase(done.job);
  messages.emplace_back(std::move(done));
}

void EngineJobs::answer_cancelled(std::vector<Message>& messages) {
  for (const std::int64_t job : std::set<std::int64_t>(cancelled_))
    answer(Done{job, DoneStatus::cancelled}, messages);
}

void EngineJobs::fail_all(const Error& why, std::vector<Message>& messages) {
  for (const Job& job : std::exchange(outstanding_, {})) {
    if (is_cancelled(job)) {
      messages.emplace_back(Done{job.job, DoneStatus::cancelled});
      continue;
    }
    messages.emplace_back(Done{job.job, DoneStatus::failed, why});
  }
  cancelled_.clear();
}

}  // namespace warpscope
