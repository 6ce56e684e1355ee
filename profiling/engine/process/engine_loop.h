// profiling/engine/process/engine_loop.h: the engine of either role: its hello, and what answers
// its jobs.
#pragma once

#include "profiling/engine/process/conversation.h"

namespace warpscope {

enum class EngineRole {
  measure,  // on a device
  emulate,  // on the CPU: traces and verdicts, no driver needed
};

struct EngineOptions {
  EngineRole role = EngineRole::measure;
  int device = 0;
  std::string device_uuid;  // or the beginning of one: instead of `device`
  bool hands_off = false;   // load no profiler, so that another one can work
  bool samples = false;     // take samples of where warps wait, and do nothing else
  ConversationTerms terms;
};

// Says hello, then answers jobs until stdin ends, and ends the process: with 0 at the end of stdin,
// 1 when the device context was lost and the process must be started anew, 3 when another engine
// holds the device.
[[noreturn]] void run_engine(const EngineOptions& options);

}  // namespace warpscope
