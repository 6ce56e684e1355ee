// profiling/engine/process/watchdog.cpp: ends the process when a job is not done in time.
#include "profiling/engine/process/watchdog.h"

#include <unistd.h>

#include <algorithm>
#include <string>

#include "profiling/messages/job_verdict.h"

namespace warpscope {

void Watchdog::start(const Job& job) {
  const std::lock_guard lock(mutex_);
  job_ = job;
  touch_locked();
}

void Watchdog::touch() {
  const std::lock_guard lock(mutex_);
  touch_locked();
}

void Watchdog::allow(double seconds) {
  const std::lock_guard lock(mutex_);
  if (job_) set_limit(std::max(seconds, job_->hang_limit_s));
}

void Watchdog::finish() {
  const std::lock_guard lock(mutex_);
  job_.reset();
}

void Watchdog::touch_locked() {
  if (job_) set_limit(job_->hang_limit_s);
}

void Watchdog::set_limit(double seconds) {
  limit_s_ = seconds;
  deadline_ = Clock::now() +
              std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

void Watchdog::watch(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const std::lock_guard lock(mutex_);
    if (job_ && Clock::now() > deadline_) end(*job_);
  }
}

void Watchdog::end(const Job& job) {
  const std::string limit = format_value(limit_s_ * 1e9, "ns");
  const Measurement m =
      verdict_on(catalogue_, job,
                 {Outcome::timed_out, "it did not end within " + limit,
                  "look for a loop that never ends, or raise the limit with --limit"});
  output_.send(m);
  Done done{job.job, DoneStatus::failed,
            Error{ErrorKind::fault, m.verdict.sentence, job.variant, m.verdict.remedy}, true};
  output_.send(done);
  ::_exit(1);
}

}  // namespace warpscope
