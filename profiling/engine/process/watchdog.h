// profiling/engine/process/watchdog.h: ends the process when a job is not done in time.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <thread>

#include "profiling/engine/process/message_output.h"
#include "scenes/catalogue.h"

namespace warpscope {

// A kernel that never ends cannot be stopped otherwise. A thread, because the measuring one is
// stuck in the driver by then.
class Watchdog {
 public:
  Watchdog(MessageOutput& output, const Catalogue& catalogue)
      : output_(output),
        catalogue_(catalogue),
        thread_([this](const std::stop_token& stop) { watch(stop); }) {}
  void start(const Job& job);
  // The job showed life.
  void touch();
  // The job will be silent for up to `seconds`, where that is more than its limit.
  void allow(double seconds);
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  void touch_locked();
  void set_limit(double seconds);
  void watch(const std::stop_token& stop);
  [[noreturn]] void end(const Job& job);

  MessageOutput& output_;
  const Catalogue& catalogue_;
  std::mutex mutex_;
  std::optional<Job> job_;
  Clock::time_point deadline_;
  double limit_s_ = 0;
  std::jthread thread_;
};

}  // namespace warpscope
