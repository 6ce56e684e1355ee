// workbench/client/engine_waits.h: how long an engine is waited for, and in which words.
#pragma once

#include <string>

namespace warpscope {

inline constexpr double kGraceS = 0.2;    // between SIGTERM and SIGKILL
inline constexpr double kReapLimitS = 5;  // a process stuck in the driver may not end at all
// What to do about an engine that is given up.
inline constexpr const char* kStartAnew = "see `warpscope doctor`, then start the engine anew";

std::string seconds_text(double seconds);  // "30 s"

}  // namespace warpscope
