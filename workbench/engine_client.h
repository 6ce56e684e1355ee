// workbench/engine_client.h: the engine's process: started, spoken to, watched, and started again.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/protocol.h"

// Nothing here blocks: `poll` returns the messages that have arrived.
//
//   EngineClient client(engine_command("", 0));
//   client.submit(job);
//   for (Message& message : client.poll()) session.apply(message);

namespace warpscope {

// The command line of the local engine (beside this executable, or $WARPSCOPE_ENGINE), or of
// `ssh host warpscope-engine` when `host` is not empty.
std::vector<std::string> engine_command(const std::string& host, int device);

class EngineClient {
 public:
  explicit EngineClient(std::vector<std::string> command);
  EngineClient(const EngineClient&) = delete;
  EngineClient& operator=(const EngineClient&) = delete;
  ~EngineClient();

  // Starts the engine when it does not run. Jobs may be submitted before it is up.
  void start();
  // Gives the job its number and sends it. A job whose tag waits here replaces the waiting one.
  std::int64_t submit(Job job);
  void cancel_all();
  // Cancels the outstanding jobs whose tags begin so.
  void cancel_tagged(std::string_view prefix);
  void restart();
  // What has arrived since the last call, with verdicts made up for jobs whose engine died.
  std::vector<Message> poll();
  // Waits until something can be polled, at most `seconds`.
  void wait(double seconds) const;

  bool ready() const { return ready_; }
  bool given_up() const { return given_up_; }  // it died before its hello, again and again
  const std::vector<Job>& outstanding() const { return outstanding_; }
  pid_t process() const { return process_; }

 private:
  using Clock = std::chrono::steady_clock;
  void send(const Message& message);
  void flush();
  void read_output(std::vector<Message>& messages);
  void read_errors(std::vector<Message>& messages);
  void take(Message message, std::vector<Message>& messages);
  void handle_death(std::vector<Message>& messages, Outcome outcome, const std::string& why);
  void fail_outstanding(std::vector<Message>& messages, std::size_t count, Outcome outcome,
                        const std::string& why);
  void close_pipes();
  void kill_process();

  std::vector<std::string> command_;
  pid_t process_ = -1;
  int to_engine_ = -1, from_engine_ = -1, errors_ = -1;
  std::string outgoing_, incoming_, error_text_;
  std::vector<Job> outstanding_;  // sent, no Done yet, in order
  std::int64_t next_job_ = 1;
  bool ready_ = false, given_up_ = false, restarting_ = false;
  int failed_starts_ = 0;
  Clock::time_point last_sign_, started_;
};

}  // namespace warpscope
