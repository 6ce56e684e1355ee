// profiling/engine/run/job_channel.h: between the conversation and the code that answers jobs.
#pragma once

#include <functional>
#include <vector>

#include "profiling/messages/protocol.h"

namespace warpscope {

// What a job may say and ask while it runs.
struct JobChannel {
  std::function<void(const Message&)> send;
  std::function<bool()> interrupted;
  // Work on the host follows that cannot report life (inputs, a compilation, a library's plan): it
  // gets this many seconds instead of the job's limit. The next message ends that.
  std::function<void(double seconds)> host_work = [](double) {};
  // Whether other jobs wait: a job that goes on (see JobRunner) lets them run between its slices.
  std::function<bool()> others_wait = [] { return false; };
  // The first of them, at most `most`, which can be prepared meanwhile.
  std::function<std::vector<Job>(std::size_t most)> next = [](std::size_t) {
    return std::vector<Job>{};
  };
};

// Generous: the largest inputs that fit a device take half a minute on one core.
inline constexpr double kHostWorkLimitS = 300;

class JobRunner {
 public:
  virtual ~JobRunner() = default;
  // Whether much is to be done on the host before the device is needed: inputs, compilations.
  virtual bool has_host_work(const Job&) { return false; }
  // Does it, without touching the device, which another engine may be using. What goes wrong is
  // found again by `run`.
  virtual void do_host_work(const Job&, const JobChannel&) {}
  // error: what kept the job from being done; fault means that the process must end.
  virtual Result<void> run(const Job& job, const JobChannel& channel) = 0;
  // Whether the job that `run` came back from has more to do: it is then run again after those
  // that wait, and once more, to end in good order, where it was cancelled meanwhile.
  virtual bool goes_on(const Job&) const { return false; }
};

}  // namespace warpscope
