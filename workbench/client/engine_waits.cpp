// workbench/client/engine_waits.cpp: what an engine has said of itself, how long it is waited for,
// and in which words.
#include "workbench/client/engine_waits.h"

#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "scenes/host/clock.h"
#include "scenes/host/program.h"

namespace warpscope {
namespace {

// A process of ours speaks as soon as it runs; over ssh a person may be typing a password.
constexpr double kFirstSignS = 15, kFirstSignOverSshS = 60;
constexpr double kStartLimitS = 60;  // from sign to sign until the hello
constexpr double kNoticeS = 5;       // of silence, after which a person is told

// "csrmm/float4_columns", "the roofs": what a person asked for.
std::string name_of(const Job& job) {
  if (job.is<RoofsJob>()) return "the roofs";
  if (job.is<SelftestJob>()) return "the self-test of the counters";
  if (job.user && job.user->entry.empty())
    return std::filesystem::path(job.user->path).filename().string();
  if (job.user) return job.user->entry;
  return job.scene + "/" + job.variant;
}

}  // namespace

std::string seconds_text(double seconds) { return std::to_string(std::llround(seconds)) + " s"; }

void EngineWaits::begin() {
  forget_process();
  started_ = last_sign_ = Clock::now();
  spoken_ = false;
  silence_s_ = waited_s_ = 0;
  held_by_.clear();
}

void EngineWaits::hear(const Message& message) {
  last_sign_ = Clock::now();
  spoken_ = true;
  silence_s_ = waited_s_ = 0;
  held_by_.clear();
  if (const auto* hello = std::get_if<Hello>(&message)) {
    hello_ = *hello;
    device_ = hello->device;
  } else if (const auto* progress = std::get_if<Progress>(&message)) {
    silence_s_ = progress->silence_s;
    held_by_ = progress->held_by;
    waited_s_ = progress->waited_s;
  } else if (const auto* done = std::get_if<Done>(&message)) {
    if (done->restart) end_expected_ = true;
  }
}

void EngineWaits::forget_process() {
  hello_.reset();
  end_expected_ = false;
}

double EngineWaits::quiet_s() const { return seconds_since(last_sign_); }

double EngineWaits::start_limit_s() const {
  if (spoken_) return std::max(kStartLimitS, silence_s_);
  return over_ssh_ ? kFirstSignOverSshS : kFirstSignS;
}

double EngineWaits::limit_s(const Job& job) const { return std::max(job.hang_limit_s, silence_s_); }

void EngineWaits::name_device(Measurement& verdict) const {
  if (!verdict.conditions.device.empty() || !device_) return;
  verdict.conditions.device = device_->name, verdict.conditions.device_uuid = device_->uuid;
}

std::optional<Error> EngineWaits::not_let_in(int status) const {
  const bool lacked =
      WIFEXITED(status) && WEXITSTATUS(status) == exit_status(ErrorKind::environment);
  if (!lacked || held_by_.empty()) return std::nullopt;
  const std::string in_vain =
      waited_s_ < 0.5 ? "" : " and did not become free within " + seconds_text(waited_s_);
  return Error{ErrorKind::environment, "the device is held by " + held_by_ + in_vain, "",
               "wait until that ends, or wait longer with --wait"};
}

std::optional<EngineDelay> EngineWaits::delay(const Job* job) const {
  const double quiet = quiet_s();
  if (!held_by_.empty()) {
    const double waited_s = waited_s_ + quiet;
    return EngineDelay{
        waited_s, true,
        "waiting for the device since " + seconds_text(waited_s) + ": it is held by " + held_by_};
  }
  if (!hello_) {
    const double starting_s = seconds_since(started_);
    if (starting_s < kNoticeS) return std::nullopt;
    return EngineDelay{starting_s, false,
                       "the engine has not said hello for " + seconds_text(starting_s) +
                           "; without a sign of life it is given up after " +
                           seconds_text(start_limit_s())};
  }
  if (job == nullptr || quiet < kNoticeS) return std::nullopt;
  // Host work is announced, because it cannot be interrupted: inputs, compilers, libraries' plans.
  const std::string words =
      silence_s_ > job->hang_limit_s
          ? name_of(*job) + " has been prepared on the host for " + seconds_text(quiet)
          : "no answer for " + seconds_text(quiet) + " from the engine about " + name_of(*job);
  return EngineDelay{quiet, false, words + "; it is ended after " + seconds_text(limit_s(*job))};
}

}  // namespace warpscope
