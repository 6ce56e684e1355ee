// profiling/engine/process/conversation.h: an engine's half of the conversation, and when it ends.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "profiling/engine/process/device_lock.h"
#include "profiling/engine/process/job_queue.h"
#include "profiling/engine/process/kept_sources.h"
#include "profiling/engine/process/message_output.h"
#include "profiling/engine/run/job_channel.h"
#include "scenes/catalogue.h"

// Jobs come on standard input, answers go to standard output. Where the input ends, the workbench
// is gone: what waits is dropped, what runs is interrupted, and a process that is not done with
// that half a second later (an endless kernel, a driver that hangs) ends all the same.
//
//   Conversation conversation(catalogue, {.wait_s = 30});
//   conversation.hold_device(uuid);          // only an engine that measures
//   conversation.say_hello(hello);
//   conversation.answer(&runner, std::nullopt);

namespace warpscope {

class Watchdog;

struct ConversationTerms {
  double wait_s = 30;    // for the device, while another engine holds it
  double silence_s = 0;  // without a byte for so long the workbench is gone; 0: it may be silent
  double let_go_s = 5;   // after the last job the device is let go
};

// It never ends before the process: `answer` does not return.
class Conversation {
 public:
  // Scenes that come as texts are opened in the catalogue, which jobs find them in.
  explicit Conversation(std::shared_ptr<Catalogue> catalogue, ConversationTerms terms = {});
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  MessageOutput& output() { return output_; }
  // What the engine does before its hello; nothing may be heard for `silence_s`.
  void say_start(const std::string& text, double silence_s);
  void say_hello(const Hello& hello) { output_.send_hello(hello); }
  // Takes the device now, and before every job after it was let go. Where another engine holds it
  // longer than the terms allow, the process says so and ends with status 3.
  void hold_device(const std::string& uuid);
  // Answers jobs by `runner`, or with `missing` where there is none, until the workbench is gone.
  // Then the process ends: with 0, or with 1 when the device's context was lost.
  [[noreturn]] void answer(JobRunner* runner, const std::optional<Error>& missing);

 private:
  void read_jobs();
  void take_line(std::string_view line);
  // False: the job was cancelled, replaced, or the workbench is gone, while the device was held.
  // `wait_s`: after which the process ends.
  bool take_device(std::int64_t job, double wait_s);
  // What a job does on the host before it needs the device, which is let go meanwhile, and then the
  // device. False: as take_device.
  bool prepare(JobRunner& runner, const Job& job, const JobChannel& channel, Watchdog& watchdog);

  std::shared_ptr<Catalogue> catalogue_;
  ConversationTerms terms_;
  MessageOutput output_;
  JobQueue queue_;
  KeptSources sources_;  // of the thread that reads
  std::unique_ptr<DeviceLock> lock_;
  std::optional<std::chrono::steady_clock::time_point> waiting_since_;
};

}  // namespace warpscope
