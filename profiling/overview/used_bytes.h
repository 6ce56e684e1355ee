// profiling/overview/used_bytes.h: how many of the bytes that a kernel's requests move are used.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "profiling/access/trace.h"
#include "profiling/points/measurement.h"
#include "profiling/points/roof.h"

// Memory moves whole sectors of 32 bytes. What the lanes of a request do not use of them is wasted,
// unless a later request finds it in a cache.
//
//   const std::optional<UsedBytes> used = used_bytes(trace);
//   if (used && used->wasteful()) show(used_sentence(*used));

namespace warpscope {

// Below this share the waste is said beside the roof.
inline constexpr double kWasteful = 0.5;

struct UsedBytes {
  bool loads = true;           // else stores
  double used = 0, moved = 0;  // unit: B, of global memory, request by request
  double all_ratio = 1;        // of loads and stores together
  std::string step = {};       // whose they are; empty: the run has no other
  double ratio() const { return used / moved; }
  // Whether the waste is most of what is moved.
  bool wasteful() const { return ratio() < kWasteful && all_ratio < kWasteful; }
};

// The loads or the stores of a launch, whichever waste more bytes. No value if there is no trace,
// or if it has no request to global memory. `steps`: of the run that the launch belongs to.
std::optional<UsedBytes> used_bytes(const Trace* trace, std::size_t steps = 1);

// "The kernel's loads use 12.50 % of the bytes in the sectors that they request (emulated)."; of
// one step of several: "… (emulated for the step “frame 0”)."
std::string used_sentence(const UsedBytes& used);

// "87.50 % of the bytes that its loads move are wasted: …", with what to change.
std::string wasted_sentence(const UsedBytes& used);

// Where the roof that a point is near carries wasted bytes: the sentence that says so; else empty.
std::string waste_at_roof(const Measurement& point, const RooflineStanding& standing);

}  // namespace warpscope
