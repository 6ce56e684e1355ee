// workbench/commands/captures/watched_program.h: a program of the person's own, run with our
// library in it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "profiling/capture/reports.h"
#include "profiling/capture/settings.h"

namespace warpscope {

struct ProgramRequest {
  std::vector<std::string> words;  // program and arguments
  CaptureSettings settings;        // but for the socket
  double time_limit_s = 0;         // after which the program is ended; 0: never
  bool output_to_errors = false;   // its standard output goes to standard error
};

struct ProgramEnd {
  std::string how;  // "ended with status 1", "was ended by signal 11 (…)"; empty: status 0
  bool interrupted = false;  // by Ctrl-C, SIGTERM, SIGHUP
  bool timed_out = false;
  int processes = 0;  // that used CUDA
  int cut = 0;        // of those: ended without saying so
};

// Runs the program until it ends and gives every report to `seen` as it comes. The processes that
// it starts are watched too. Ctrl-C goes to the program; the second one ends it at once.
// error: environment: there is no such program, or the library is not beside this one.
Result<ProgramEnd> run_watched(const ProgramRequest& request,
                               const std::function<void(const CaptureReport&)>& seen);

// libwarpscope-capture.so beside this program, or $WARPSCOPE_CAPTURE_LIBRARY. error: environment.
Result<std::string> capture_library();

}  // namespace warpscope
