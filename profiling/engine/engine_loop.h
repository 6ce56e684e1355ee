// profiling/engine/engine_loop.h: the conversation on stdin and stdout.
#pragma once

namespace warpscope {

enum class EngineRole {
  measure,  // on a device
  emulate,  // on the CPU: traces and verdicts, no driver needed
};

struct EngineOptions {
  EngineRole role = EngineRole::measure;
  int device = 0;
  bool hands_off = false;  // load no profiler, so that another one can work
};

// Says hello, then answers jobs until stdin ends. Returns the exit status: 0 at the end of stdin, 1
// when the device context was lost and the process must be started anew.
int run_engine(const EngineOptions& options);

}  // namespace warpscope
