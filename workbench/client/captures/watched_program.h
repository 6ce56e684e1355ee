// workbench/client/captures/watched_program.h: a program of the person's own, run with our library
// in it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "profiling/capture/reports.h"
#include "profiling/capture/settings.h"

//   Result<WatchedProgram> program = WatchedProgram::start({{"./train"}, settings});
//   while (program->runs()) program->serve(50, [&](const CaptureReport& report) { … });
//   program->ended().how;   // "ended with status 1"

namespace warpscope {

struct ProgramRequest {
  std::vector<std::string> words;  // program and arguments
  CaptureSettings settings;        // but for the socket
  double time_limit_s = 0;         // after which run_watched ends the program; 0: never
  bool output_to_errors = false;   // its standard output goes to standard error
  std::string folder;              // that it runs in; empty: this one's
  std::string output;              // a file for all its output; it has no input then, and a process
                                   // group of its own. Empty: this program's own streams
  bool no_input = false;           // its standard input is empty
};

struct ProgramEnd {
  std::string how;  // "ended with status 1", "was ended by signal 11 (…)"; empty: status 0
  int status = 0;   // as waitpid gives it
  bool interrupted = false;  // by Ctrl-C, SIGTERM, SIGHUP
  bool timed_out = false;
  int processes = 0;  // that used CUDA
  int cut = 0;        // of those: ended without saying so
};

class WatchedProgram {
 public:
  using Seen = std::function<void(const CaptureReport&)>;

  // error: environment: the library is not beside this program; usage: there is no such program.
  static Result<WatchedProgram> start(const ProgramRequest& request);
  WatchedProgram(WatchedProgram&&) noexcept;
  WatchedProgram& operator=(WatchedProgram&&) noexcept;
  ~WatchedProgram();  // the program goes on, and is not watched any more

  // Gives every report that has come, after at most `wait_ms` for the first one.
  void serve(int wait_ms, const Seen& seen);
  // Until the program has ended and its processes have said what they had to say.
  bool runs() const;
  bool has_ended() const;  // the program itself
  const ProgramEnd& ended() const;
  // Goes to every process that is watched.
  void ask(const CaptureRequest& request);
  void signal(int number);

 private:
  struct State;
  explicit WatchedProgram(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Runs the program until it ends and gives every report to `seen` as it comes. The processes that
// it starts are watched too. Ctrl-C goes to the program; the second one ends it at once.
// `between` is called some times per second. error: as WatchedProgram::start.
Result<ProgramEnd> run_watched(const ProgramRequest& request, const WatchedProgram::Seen& seen,
                               const std::function<void(WatchedProgram&)>& between = {});

// libwarpscope-capture.so beside this program or, where that is installed, in lib/; or
// $WARPSCOPE_CAPTURE_LIBRARY. error: environment.
Result<std::string> capture_library();

}  // namespace warpscope
