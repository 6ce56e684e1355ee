// workbench/client/engine_endings.cpp: how an engine ends, what becomes of its jobs, and when it is
// started again.
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <utility>

#include "profiling/messages/job_verdict.h"
#include "workbench/client/engine_client.h"
#include "workbench/client/engine_waits.h"
#include "workbench/client/process_memory.h"

namespace warpscope {
namespace {

constexpr const char* kRestarts = "the engine restarts by itself";
constexpr const char* kAllowMore =
    "allow more with --limit, or ask for a smaller size; the engine restarts by itself";
constexpr double kWatchdogMarginS = 5;  // beyond the engine's own watchdog
constexpr int kSshFailed = 255;         // ssh's own exit status
constexpr int kNoSuchCommand = 127;     // a shell's
constexpr int kNotExecutable = 126;

std::chrono::steady_clock::duration seconds(double count) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(count));
}

// The job that an engine ended with gets a verdict, where it has a variant, and fails.
void fail(const Catalogue& catalogue, const Job& blamed, const EngineDeath& death,
          const char* remedy, const EngineWaits& waits, EngineJobs& jobs,
          std::vector<Message>& messages) {
  if (!blamed.variant.empty() && !blamed.is<TrainJob>()) {
    Measurement verdict = verdict_on(catalogue, blamed, {death.outcome, death.why, remedy});
    waits.name_device(verdict);
    messages.emplace_back(std::move(verdict));
  }
  jobs.answer(Done{blamed.job, DoneStatus::failed,
                   Error{ErrorKind::fault, death.why, blamed.variant, remedy}},
              messages);
}

}  // namespace

EngineDeath death_of(const EngineProcess& process, const std::vector<std::string>& command,
                     bool ready, int status) {
  const int code = process.start_failure();
  const bool never_ran = code != 0;
  const std::string& last_error = process.last_error();
  const std::string host = host_of(command);
  if (never_ran && !host.empty() && code == ENOENT)
    return {Outcome::engine_died, "ssh is not installed on this machine", "install openssh-client",
            true};
  if (never_ran)
    return {Outcome::engine_died, command.front() + ": " + std::strerror(code),
            "build warpscope-engine beside warpscope, or name it with --engine", true};
  const int exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (!host.empty() && exit_code == kSshFailed) {
    const std::string_view words = last_error;
    const std::string said(words.substr(words.starts_with("ssh: ") ? 5 : 0));
    return {Outcome::engine_died,
            "the connection to " + host + " failed" + (said.empty() ? "" : ": " + said),
            "try `ssh " + host + "` by hand"};
  }
  if (!host.empty() && !ready && (exit_code == kNoSuchCommand || exit_code == kNotExecutable)) {
    return {Outcome::engine_died, "there is no warpscope-engine to run on " + host,
            "install Warpscope there with warpscope-engine on its PATH, or name it with --engine",
            true};
  }
  std::string why = WIFSIGNALED(status)
                        ? "the engine was killed by signal " + std::to_string(WTERMSIG(status))
                        : "the engine ended with status " + std::to_string(exit_code);
  if (!ready && !last_error.empty()) why += ": " + last_error;
  return {Outcome::engine_died, std::move(why), ""};
}

void EngineClient::retire() {
  process_.retire();
  waits_.forget_process();
  jobs_.forget_begun();
}

void EngineClient::end_large(std::int64_t bytes) {
  if (!process_.runs() || !jobs_.empty() || !host_of(command_).empty()) return;
  if (resident_bytes(process_.id()).value_or(0) <= bytes) return;
  retire();
  restarts_.wanted = false;
}

void EngineClient::end_grown(std::int64_t bytes) {
  if (!process_.runs() || !jobs_.empty() || !host_of(command_).empty() || !restarts_.first_bytes)
    return;
  if (own_bytes(process_.id()).value_or(0) <= *restarts_.first_bytes + bytes) return;
  retire();
  start();
}

void EngineClient::Restarts::count(bool was_ready) {
  ++deaths;
  if (!was_ready) ++failed_starts;
  const double factor = std::pow(2.0, std::min(deaths - 1, 30));
  at += seconds(std::min(pacing.first_wait_s * factor, pacing.longest_wait_s));
}

void EngineClient::restart() {
  trouble_.reset();
  restarts_.refused = false;
  restarts_.deaths = restarts_.failed_starts = 0;
  if (process_.runs()) {
    read(made_up_);
    trouble_.reset();
  }
  const Job* hanging = ready() ? jobs_.in_hand() : jobs_.running();
  if (hanging != nullptr) jobs_.answer(Done{hanging->job, DoneStatus::cancelled}, made_up_);
  jobs_.answer_cancelled(made_up_);
  retire();
  restarts_.at = std::chrono::steady_clock::now();
  start();
}

void EngineClient::give_up(std::vector<Message>& messages, Error why) {
  messages.emplace_back(LogLine{"error", sentence(why)});
  trouble_ = std::move(why);
}

void EngineClient::watch(std::vector<Message>& messages) {
  if (!ready()) {
    if (waits_.quiet_s() <= waits_.start_limit_s()) return;
    const std::string host = host_of(command_);
    return handle_death(
        messages, {Outcome::engine_died,
                   (host.empty() ? "the engine" : "the engine on " + host) +
                       (waits_.spoken() ? " did not say hello within " : " said nothing for ") +
                       seconds_text(waits_.start_limit_s()),
                   "", true});
  }
  const Job* job = jobs_.in_hand();
  if (job == nullptr || waits_.quiet_s() <= waits_.limit_s(*job) + kWatchdogMarginS) return;
  jobs_.began(job->job);
  handle_death(messages, {Outcome::timed_out, "the engine did not answer within the limit of " +
                                                  seconds_text(waits_.limit_s(*job))});
}

void EngineClient::handle_death(std::vector<Message>& messages, const EngineDeath& death) {
  read(messages);
  const bool was_ready = ready(), expected = waits_.expects_end();
  const Job* running_job = running();
  const std::optional<Job> blamed = running_job ? std::optional(*running_job) : std::nullopt;
  retire();
  restarts_.at = std::chrono::steady_clock::now();
  if (given_up()) return jobs_.fail_all(*trouble_, messages);
  if (!expected) restarts_.count(was_ready);
  const bool does_not_start =
      !expected && !was_ready &&
      (death.hopeless || restarts_.failed_starts >= restarts_.pacing.most_failed_starts);
  const bool last =
      does_not_start || (!expected && restarts_.deaths >= restarts_.pacing.most_deaths);
  const bool unwanted =
      blamed && jobs_.is_cancelled(*blamed) && death.outcome == Outcome::engine_died;
  if (unwanted) {
    // Nobody waits for a verdict; it is answered below.
  } else if (blamed && jobs_.is_measured(*blamed)) {
    // It died after the answer, which stands.
    jobs_.answer(Done{blamed->job}, messages);
  } else if (blamed && !expected && !last && jobs_.goes_on(*blamed)) {
    messages.emplace_back(LogLine{"warning",
                                  "the training continues from step " +
                                      std::to_string(blamed->as<TrainJob>()->resume->step) +
                                      ", the last checkpoint",
                                  blamed->job});
  } else if (blamed && !expected) {
    const char* remedy = last                                  ? kStartAnew
                         : death.outcome == Outcome::timed_out ? kAllowMore
                                                               : kRestarts;
    fail(sources_.catalogue(), *blamed, death, remedy, waits_, jobs_, messages);
  }
  jobs_.answer_cancelled(messages);
  if (last) {
    const std::string what =
        does_not_start
            ? "the engine does not start: " + death.why
            : "the engine died " + std::to_string(restarts_.deaths) +
                  " times in a row without an answer to a job, the last time because " + death.why;
    give_up(messages,
            {ErrorKind::environment, what, "", death.remedy.empty() ? kStartAnew : death.remedy});
  }
  if (given_up()) return jobs_.fail_all(*trouble_, messages);
  if (!expected) messages.emplace_back(LogLine{"warning", death.why + "; it is restarted"});
}

}  // namespace warpscope
