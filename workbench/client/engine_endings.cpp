// workbench/client/engine_endings.cpp: how an engine ends, what becomes of its jobs, and when it is
// started again.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <utility>

#include "profiling/messages/job_verdict.h"
#include "scenes/host/clock.h"
#include "workbench/client/engine_client.h"
#include "workbench/client/engine_waits.h"

namespace warpscope {
namespace {

constexpr int kSshFailed = 255;      // ssh's own exit status
constexpr int kNoSuchCommand = 127;  // a shell's
constexpr int kNotExecutable = 126;

std::chrono::steady_clock::duration seconds(double count) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(count));
}

}  // namespace

// Tells the process to end; `reap` sees to it that it does.
void EngineClient::retire() {
  close_pipes();
  end_expected_ = false;
  hello_.reset();
  begun_.reset();
  if (process_ <= 0) return;
  ::kill(process_, SIGTERM);
  leaving_.push_back({std::exchange(process_, -1), Clock::now()});
}

void EngineClient::reap() {
  for (Leaving& l : leaving_) {
    if (::waitpid(l.process, nullptr, WNOHANG) != 0) {
      l.process = -1;
    } else if (!l.killed && seconds_since(l.since) >= kGraceS) {
      ::kill(l.process, SIGKILL);
      l.killed = true;
    }
  }
  std::erase_if(leaving_, [](const Leaving& l) { return l.process < 0; });
}

void EngineClient::restart() {
  trouble_.reset();
  refused_ = false;
  deaths_ = failed_starts_ = 0;
  if (process_ > 0) {
    read_output(made_up_);
    read_errors(made_up_);
    trouble_.reset();
  }
  const Job* hanging = running();
  if (hanging == nullptr && ready() && !outstanding_.empty()) hanging = &outstanding_.front();
  if (hanging != nullptr) {
    const std::int64_t job = hanging->job;
    answer(job, Done{job, DoneStatus::cancelled}, made_up_);
  }
  answer_cancelled(made_up_);
  retire();
  start_at_ = Clock::now();
  start();
}

// All outstanding jobs fail: there is no engine to be had. That says nothing of their variants, so
// there are no verdicts.
void EngineClient::fail_outstanding(std::vector<Message>& messages) {
  for (const Job& job : std::exchange(outstanding_, {})) {
    if (cancelled_.count(job.job) != 0) {
      messages.emplace_back(Done{job.job, DoneStatus::cancelled});
      continue;
    }
    messages.emplace_back(Done{job.job, DoneStatus::failed, *trouble_});
  }
  cancelled_.clear();
}

void EngineClient::give_up(std::vector<Message>& messages, Error why) {
  messages.emplace_back(LogLine{"error", sentence(why)});
  trouble_ = std::move(why);
}

EngineClient::Death EngineClient::death_of(int status) {
  int code = 0;
  const bool never_ran = start_failure_ >= 0 && ::read(start_failure_, &code, sizeof code) ==
                                                    static_cast<ssize_t>(sizeof code);
  const std::string host = host_of(command_);
  if (never_ran && !host.empty() && code == ENOENT)
    return {Outcome::engine_died, "ssh is not installed on this machine", "install openssh-client",
            true};
  if (never_ran)
    return {Outcome::engine_died, command_.front() + ": " + std::strerror(code),
            "build warpscope-engine beside warpscope, or name it with --engine", true};
  const int exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (!host.empty() && exit_code == kSshFailed) {
    const std::string_view words = last_error_;
    const std::string said(words.substr(words.starts_with("ssh: ") ? 5 : 0));
    return {Outcome::engine_died,
            "the connection to " + host + " failed" + (said.empty() ? "" : ": " + said),
            "try `ssh " + host + "` by hand"};
  }
  if (!host.empty() && !ready() && (exit_code == kNoSuchCommand || exit_code == kNotExecutable)) {
    return {Outcome::engine_died, "there is no warpscope-engine to run on " + host,
            "install Warpscope there with warpscope-engine on its PATH, or name it with --engine",
            true};
  }
  std::string why = WIFSIGNALED(status)
                        ? "the engine was killed by signal " + std::to_string(WTERMSIG(status))
                        : "the engine ended with status " + std::to_string(exit_code);
  if (!ready() && !last_error_.empty()) why += ": " + last_error_;
  return {Outcome::engine_died, std::move(why), ""};
}

void EngineClient::handle_death(std::vector<Message>& messages, const Death& death) {
  read_output(messages);
  const bool was_ready = ready(), expected = end_expected_;
  const Job* running_job = running();
  const std::optional<Job> blamed = running_job ? std::optional(*running_job) : std::nullopt;
  retire();
  start_at_ = Clock::now();
  if (given_up()) return fail_outstanding(messages);
  if (!expected) {
    ++deaths_;
    if (!was_ready) ++failed_starts_;
    const double factor = std::pow(2.0, std::min(deaths_ - 1, 30));
    start_at_ += seconds(std::min(pacing_.first_wait_s * factor, pacing_.longest_wait_s));
  }
  const bool does_not_start =
      !expected && !was_ready && (death.hopeless || failed_starts_ >= pacing_.most_failed_starts);
  const bool last = does_not_start || (!expected && deaths_ >= pacing_.most_deaths);
  const bool unwanted =
      blamed && cancelled_.count(blamed->job) != 0 && death.outcome == Outcome::engine_died;
  if (unwanted) {
    // Nobody waits for a verdict; it is answered below.
  } else if (blamed && blamed->job == measured_) {
    // It died after the answer, which stands.
    answer(blamed->job, Done{blamed->job}, messages);
  } else if (blamed && !expected && !last && goes_on(*blamed)) {
    messages.emplace_back(LogLine{"warning",
                                  "the training continues from step " +
                                      std::to_string(blamed->resume->step) +
                                      ", the last checkpoint",
                                  blamed->job});
  } else if (blamed && !expected) {
    const char* remedy = last ? kStartAnew : "the engine restarts by itself";
    if (!blamed->variant.empty() && blamed->kind != JobKind::train) {
      Measurement verdict =
          verdict_on(sources_.catalogue(), *blamed, {death.outcome, death.why, remedy});
      name_device(verdict);
      messages.emplace_back(std::move(verdict));
    }
    answer(blamed->job,
           Done{blamed->job, DoneStatus::failed,
                Error{ErrorKind::fault, death.why, blamed->variant, remedy}},
           messages);
  }
  answer_cancelled(messages);
  if (last) {
    const std::string what =
        does_not_start
            ? "the engine does not start: " + death.why
            : "the engine died " + std::to_string(deaths_) +
                  " times in a row without an answer to a job, the last time because " + death.why;
    give_up(messages,
            {ErrorKind::environment, what, "", death.remedy.empty() ? kStartAnew : death.remedy});
  }
  if (given_up()) return fail_outstanding(messages);
  if (!expected) messages.emplace_back(LogLine{"warning", death.why + "; it is restarted"});
}

}  // namespace warpscope
