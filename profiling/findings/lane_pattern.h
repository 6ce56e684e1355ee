// profiling/findings/lane_pattern.h: how the addresses of neighbouring lanes lie to each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "profiling/access/trace.h"

// Looks only at kept requests that cost more than they need to: the others are not what a finding
// is about.

namespace warpscope {

enum class LaneShape : std::uint8_t {
  unknown,     // no such request was kept, or each has one lane
  contiguous,  // neighbours access neighbouring elements
  strided,     // neighbours are `stride_bytes` apart
  runs,        // `run_lanes` neighbours are `stride_bytes` apart, then there is a jump
  scattered,   // distances follow no rule
};

struct LanePattern {
  LaneShape shape = LaneShape::unknown;
  bool elsewhere = false;  // requests were kept, and none of them costs more than it needs to
  std::int64_t stride_bytes = 0;     // strided, runs: above 0 …
  std::int64_t stride_to_bytes = 0;  // … up to this in other requests; the same: all have one
  std::int64_t run_lanes = 0;        // of runs
  std::int64_t run_step_bytes = 0;   // from the begin of a run to that of the next; 0: it varies
  // Neighbours that share one address and count as one above; 1: each has its own.
  std::int64_t sharing_lanes = 1;
  // Contiguous: how far a request's first byte lies past a sector of 32 B; −1: it varies.
  std::int64_t offset_bytes = -1;
  double dominance_ratio = 0;  // of the distances between neighbours, that are as the shape says
  std::int64_t requests = 0;   // that were looked at
  double active_mean = 0;      // lanes per request that take part
};

// All of these look at kept requests of one access: indices into Trace::requests, by warp.

LanePattern lane_pattern(const Trace& trace, std::span<const std::size_t> requests);

// How often one warp asks for a sector, on average: 1 if for each once. 0: no request was kept.
double asks_per_sector(const Trace& trace, std::span<const std::size_t> requests);

struct SharedAddresses {
  bool one = false;          // all lanes of all of them access one address
  bool in_requests = false;  // lanes of one request share an address
};
SharedAddresses shared_addresses(const Trace& trace, std::span<const std::size_t> requests);

}  // namespace warpscope
