// scenes/host/clock.h: the date and time of day, and how long something takes.
#pragma once

#include <chrono>
#include <string>

namespace warpscope {

std::string now_utc();  // "2026-03-01T12:34:56Z"

// From a clock that setting the date does not change.
inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}
inline double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

}  // namespace warpscope
