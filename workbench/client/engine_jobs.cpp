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

EngineJobs::Place EngineJobs::place_of(std::int64_t job) {
  const auto found = places_.find(job);
  return found == places_.end() ? outstanding_.end() : found->second;
}

void EngineJobs::take_off(Place place) {
  if (place == outstanding_.end()) return;
  places_.erase(place->job);
  cancelled_.erase(place->job);
  standing_.erase(place->job);
  outstanding_.erase(place);
}

const Job* EngineJobs::running() const {
  if (!begun_) return nullptr;
  const auto found = places_.find(*begun_);
  return found == places_.end() ? nullptr : &*found->second;
}

const Job* EngineJobs::in_hand() const {
  if (const Job* job = running()) return job;
  return outstanding_.empty() ? nullptr : &outstanding_.front();
}

void EngineJobs::add(const Job& job) {
  const bool runs = !outstanding_.empty() && begun_ == outstanding_.front().job;
  const auto next = runs ? std::next(outstanding_.begin()) : outstanding_.begin();
  places_[job.job] = outstanding_.insert(job.first ? next : outstanding_.end(), job);
  standing_.insert(job.job);
}

std::optional<std::int64_t> EngineJobs::wait_with(Job job) {
  const auto waiting =
      std::find_if(outstanding_.begin(), outstanding_.end(),
                   [&job](const Job& other) { return !job.tag.empty() && other.tag == job.tag; });
  const std::int64_t number = job.job;
  standing_.insert(number);
  if (waiting == outstanding_.end()) {
    places_[number] = outstanding_.insert(outstanding_.end(), std::move(job));
    return std::nullopt;
  }
  const std::int64_t replaced = waiting->job;
  places_.erase(replaced);
  cancelled_.erase(replaced);
  standing_.erase(replaced);
  places_[number] = waiting;
  *waiting = std::move(job);
  return replaced;
}

void EngineJobs::sent(const Job& job) {
  if (const auto* training = job.as<TrainJob>())
    sent_from_[job.job] = training->resume ? training->resume->step : 0;
}

bool EngineJobs::note(const TrainingState& state) {
  const auto job = place_of(state.job);
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
  const auto place = place_of(done.job);
  // A waiting job is replaced in its place in the engine's queue, one that runs from the end.
  const bool waited = done.status == DoneStatus::replaced && begun_ != done.job;
  if (waited && place != outstanding_.end()) {
    const auto newer = std::find_if(std::next(place), outstanding_.end(), [&](const Job& job) {
      return !job.tag.empty() && job.tag == place->tag;
    });
    if (newer != outstanding_.end()) outstanding_.splice(place, outstanding_, newer);
  }
  take_off(place);
  if (begun_ == done.job) begun_.reset();
}

std::vector<std::int64_t> EngineJobs::cancel_tagged(std::string_view prefix) {
  std::vector<std::int64_t> numbers;
  for (const std::int64_t job : standing_) {
    if (places_.at(job)->tag.starts_with(prefix)) numbers.push_back(job);
  }
  for (const std::int64_t job : numbers) standing_.erase(job);
  cancelled_.insert(numbers.begin(), numbers.end());
  return numbers;
}

void EngineJobs::answer(Done done, std::vector<Message>& messages) {
  take_off(place_of(done.job));
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
  places_.clear();
  cancelled_.clear();
  standing_.clear();
}

}  // namespace warpscope
