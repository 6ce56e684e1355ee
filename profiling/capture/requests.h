// profiling/capture/requests.h: what a person asks of the injected library while the program runs,
// a line of JSON each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "scenes/base/step.h"

// The socket of the reports is read for them, some times per second and only when the program
// launches. Every request gets one answer: the launch was taken, or it was not and why.

namespace warpscope {

// Take the next launch that is like this.
struct TakeRequest {
  std::int64_t id = 0;         // greater than that of any request before
  std::string symbol;          // exactly this kernel; empty: any
  std::string kernel, range;   // regular expressions, searched for in names; empty: any
  std::optional<Launch> like;  // grid, block and dynamic shared memory; no value: any
};
// Do not wait for it any more; a launch that is being saved is given up.
struct StopRequest {
  std::int64_t id = 0;
};
using CaptureRequest = std::variant<TakeRequest, StopRequest>;

std::string request_line(const CaptureRequest& request);  // ends in a newline
// No value: the line is not one of request_line.
std::optional<CaptureRequest> request_of(const std::string& line);

}  // namespace warpscope
