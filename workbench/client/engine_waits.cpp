// workbench/client/engine_waits.cpp: how long an engine is waited for, and in which words.
#include "workbench/client/engine_waits.h"

#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "scenes/host/clock.h"
#include "scenes/host/program.h"
#include "workbench/client/engine_client.h"

namespace warpscope {
namespace {

// A process of ours speaks as soon as it runs; over ssh a person may be typing a password.
constexpr double kFirstSignS = 15, kFirstSignOverSshS = 60;
constexpr double kStartLimitS = 60;  // from sign to sign until the hello
constexpr double kNoticeS = 5;       // of silence, after which a person is told

// "csrmm/float4_columns", "the roofs": what a person asked for.
std::string name_of(const Job& job) {
  if (job.kind == JobKind::roofs) return "the roofs";
  if (job.kind == JobKind::selftest) return "the self-test of the counters";
  if (job.user && job.user->entry.empty())
    return std::filesystem::path(job.user->path).filename().string();
  if (job.user) return job.user->entry;
  return job.scene + "/" + job.variant;
}

}  // namespace

std::string seconds_text(double seconds) { return std::to_string(std::llround(seconds)) + " s"; }

double EngineClient::start_limit_s() const {
  if (spoken_) return std::max(kStartLimitS, silence_s_);
  return host_of(command_).empty() ? kFirstSignS : kFirstSignOverSshS;
}

// Why an engine ended that waited for its device in vain. The wait is not a fault of a variant's.
std::optional<Error> EngineClient::not_let_in(int status) const {
  const bool lacked =
      WIFEXITED(status) && WEXITSTATUS(status) == exit_status(ErrorKind::environment);
  if (!lacked || held_by_.empty()) return std::nullopt;
  const std::string in_vain =
      waited_s_ < 0.5 ? "" : " and did not become free within " + seconds_text(waited_s_);
  return Error{ErrorKind::environment, "the device is held by " + held_by_ + in_vain, "",
               "wait until that ends, or wait longer with --wait"};
}

std::optional<EngineDelay> EngineClient::delay() const {
  if (process_ <= 0 || given_up()) return std::nullopt;
  const double quiet_s = seconds_since(last_sign_);
  if (!held_by_.empty()) {
    const double waited_s = waited_s_ + quiet_s;
    return EngineDelay{
        waited_s, true,
        "waiting for the device since " + seconds_text(waited_s) + ": it is held by " + held_by_};
  }
  if (!ready()) {
    const double starting_s = seconds_since(started_);
    if (starting_s < kNoticeS) return std::nullopt;
    return EngineDelay{starting_s, false,
                       "the engine has not said hello for " + seconds_text(starting_s) +
                           "; without a sign of life it is given up after " +
                           seconds_text(start_limit_s())};
  }
  if (outstanding_.empty() || quiet_s < kNoticeS) return std::nullopt;
  const Job* run = running();
  const Job& job = run != nullptr ? *run : outstanding_.front();
  const double limit_s = std::max(job.hang_limit_s, silence_s_);
  // Host work is announced, because it cannot be interrupted: inputs, compilers, libraries' plans.
  const std::string words =
      silence_s_ > job.hang_limit_s
          ? name_of(job) + " has been prepared on the host for " + seconds_text(quiet_s)
          : "no answer for " + seconds_text(quiet_s) + " from the engine about " + name_of(job);
  return EngineDelay{quiet_s, false, words + "; it is ended after " + seconds_text(limit_s)};
}

}  // namespace warpscope
