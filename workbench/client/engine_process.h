// workbench/client/engine_process.h: one process of an engine with its pipes, and those before it
// that have not ended yet.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/messages/protocol.h"

// Nothing here blocks, except that the destructor waits a moment for what was told to end.
//
//   EngineProcess process;
//   if (const int error = process.start(command)) …  // errno
//   process.send(hello);
//   process.read_lines(0.004, [](std::string_view line) { … });

namespace warpscope {

class EngineProcess {
 public:
  static constexpr double kNoLimitS = 1e9;

  EngineProcess() = default;
  EngineProcess(const EngineProcess&) = delete;
  EngineProcess& operator=(const EngineProcess&) = delete;
  ~EngineProcess();

  // Returns 0, or the errno that says why no process can be started.
  int start(const std::vector<std::string>& command);
  bool runs() const { return process_ > 0; }
  pid_t id() const { return process_; }  // -1: none
  // Sends nothing if no process runs.
  void send(const Message& message);
  void flush();
  // An empty line every few seconds, a sign of life across a connection.
  void send_heartbeat();
  // Takes the lines of standard output that have come. Stops at the line after which the limit has
  // passed; the rest is for the next call. False: a line is longer than any message, and was
  // dropped.
  bool read_lines(double limit_s, const std::function<void(std::string_view)>& take);
  // The lines of standard error.
  void read_errors(const std::function<void(const std::string&)>& take);
  const std::string& last_error() const { return last_error_; }
  // Lines have come that `read_lines` did not take.
  bool has_more() const { return more_; }
  // If the process has ended, its status as waitpid gives it; from then on none runs.
  std::optional<int> ended();
  // The errno for which the program could not be run; 0: it ran.
  int start_failure() const;

  // Tells the process to end; `reap` sees to it that it does.
  void retire();
  void reap();
  // Processes that were told to end and have not.
  bool has_leaving() const { return !leaving_.empty(); }
  double leaving_s() const;  // for how long the last of them has been told
  // Where poll finds that something has come.
  int output() const { return from_engine_; }
  int errors() const { return errors_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Leaving {
    pid_t process;
    Clock::time_point since;
    bool killed = false;
  };
  void close_pipes();

  pid_t process_ = -1;
  int to_engine_ = -1, from_engine_ = -1, errors_ = -1, start_failure_ = -1;
  std::string outgoing_, incoming_, error_text_, last_error_;
  bool more_ = false;         // lines have come that were not taken in yet
  std::size_t searched_ = 0;  // of incoming_: without a newline
  std::vector<Leaving> leaving_;
  Clock::time_point last_heartbeat_;
};

}  // namespace warpscope
