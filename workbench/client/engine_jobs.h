// workbench/client/engine_jobs.h: the jobs that an engine was given and has not answered.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profiling/messages/protocol.h"

// They are in the order in which the engine runs them, which follows from what it is sent and what
// it answers; this list says what that leaves to do.

namespace warpscope {

class EngineJobs {
 public:
  EngineJobs() = default;
  EngineJobs(const EngineJobs&) = delete;  // places are of this list
  EngineJobs& operator=(const EngineJobs&) = delete;

  const std::list<Job>& all() const { return outstanding_; }
  bool empty() const { return outstanding_.empty(); }
  bool has_tagged(std::string_view prefix) const;
  // The job that the engine has begun; null when none.
  const Job* running() const;
  // That one, else the one that it begins next; null when there is no job.
  const Job* in_hand() const;

  // A job for an engine that runs: it takes the place that the engine's queue gives it.
  void add(const Job& job);
  // A job for an engine that is not up: it replaces a waiting one of its tag, whose number is
  // returned.
  std::optional<std::int64_t> wait_with(Job job);
  void sent(const Job& job);
  // The engine spoke of this job …
  void began(std::int64_t job) { begun_ = job; }
  // … and of none since it was started.
  void forget_begun() { begun_.reset(); }
  // The job's answer has come, though not its end.
  void measured(std::int64_t job) { measured_ = job; }
  bool is_measured(const Job& job) const { return measured_ == job.job; }
  // Keeps how far a training has come; returns whether that is further than when it was sent.
  bool note(const TrainingState& state);
  bool goes_on(const Job& job) const;  // a training that came further
  // Takes an answered job off the list.
  void finish(const Done& done);

  // Marks those whose tags begin so as cancelled; returns the numbers of those that were not yet.
  std::vector<std::int64_t> cancel_tagged(std::string_view prefix);
  bool is_cancelled(const Job& job) const { return cancelled_.count(job.job) != 0; }
  // An answer that we make up, for one, for all that are cancelled, and for all where there is no
  // engine to be had. That says nothing of their variants, so there are no verdicts.
  void answer(Done done, std::vector<Message>& messages);
  void answer_cancelled(std::vector<Message>& messages);
  void fail_all(const Error& why, std::vector<Message>& messages);

 private:
  using Place = std::list<Job>::iterator;
  Place place_of(std::int64_t job);  // the list's end: it is not outstanding
  void take_off(Place place);

  // A job is large, and any of them may be answered next. While a slider is dragged an engine that
  // is slow has thousands of cancelled ones to answer, so none is searched for.
  std::list<Job> outstanding_;
  std::unordered_map<std::int64_t, Place> places_;
  std::set<std::int64_t> cancelled_, standing_;     // the outstanding ones: cancelled, or not
  std::map<std::int64_t, std::int64_t> sent_from_;  // of trainings: the step that they began with
  std::optional<std::int64_t> begun_;               // the job that the engine last spoke of
  std::optional<std::int64_t> measured_;
};

}  // namespace warpscope
