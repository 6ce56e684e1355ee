// workbench/client/engine_waits.h: what an engine has said of itself, how long it is waited for,
// and in which words.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "profiling/messages/protocol.h"

namespace warpscope {

inline constexpr double kGraceS = 0.2;    // between SIGTERM and SIGKILL
inline constexpr double kReapLimitS = 5;  // a process stuck in the driver may not end at all
// What to do about an engine that is given up.
inline constexpr const char* kStartAnew = "see `warpscope doctor`, then start the engine anew";

std::string seconds_text(double seconds);  // "30 s"

// What keeps an answer from coming, in words for a person.
struct EngineDelay {
  double for_s = 0;
  bool held = false;  // another engine has the device
  std::string words;  // "no answer for 5 s from the engine about csrmm/x; it is ended after 30 s"
};

// Why an engine ended.
struct EngineDeath {
  Outcome outcome = Outcome::engine_died;
  std::string why, remedy;
  bool hopeless = false;  // another start would end the same way
};

// The signs of life of the process that runs: `begin` when it is started, `hear` at each message.
class EngineWaits {
 public:
  explicit EngineWaits(bool over_ssh) : over_ssh_(over_ssh) {}
  void begin();
  void hear(const Message& message);
  // What is waited for begins now: nothing was to be said before.
  void rest() { last_sign_ = Clock::now(); }
  // The process is gone; what is known of its device stays.
  void forget_process();

  // Empty until it has arrived.
  const std::optional<Hello>& hello() const { return hello_; }
  bool spoken() const { return spoken_; }             // it has sent a message
  bool expects_end() const { return end_expected_; }  // it said that it needs a restart
  double quiet_s() const;                             // since the last sign of life
  double start_limit_s() const;          // how long it may be quiet until the hello …
  double limit_s(const Job& job) const;  // … and while it has this job
  // Why an engine ended that waited for its device in vain. The wait is not a fault of a variant's.
  std::optional<Error> not_let_in(int status) const;
  // What ended before it was measured was on the engine's device.
  void name_device(Measurement& verdict) const;
  // `job`: that it has in hand; null: none.
  std::optional<EngineDelay> delay(const Job* job) const;

 private:
  using Clock = std::chrono::steady_clock;
  bool over_ssh_;
  std::optional<Hello> hello_;
  std::optional<DeviceDescription> device_;  // of the last hello, when the engine is gone too
  bool spoken_ = false, end_expected_ = false;
  double silence_s_ = 0;  // what the engine announced last
  std::string held_by_;   // … of the device it waits for
  double waited_s_ = 0;
  Clock::time_point last_sign_, started_;
};

}  // namespace warpscope
