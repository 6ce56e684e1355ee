// profiling/points/level_bytes.h: the bytes that a point moved at each level, and how they are
// known.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/figures/metric.h"
#include "profiling/points/roof.h"

namespace warpscope {

// That a wavefront moves through the data path of L1 in a clock. source: the measured roofs of L1.
inline constexpr double kWavefrontBytes = 128;
// What bytes of L1 are where its data path passes more than its sectors hold. Shared memory has the
// same data path: its wavefronts are among them.
inline constexpr const char* kOfWavefronts = "wavefronts, 128 B each";

// Below this share of the nearest roof no roof limits a point: its warps wait for latencies.
// source: the speed-of-light rule of Nsight Compute, 60 %.
inline constexpr double kFarFromRoofs = 0.6;
// Whether the binding roof is near enough to limit the point; else it is the nearest one alone.
inline bool is_limited(const RooflineStanding& standing) {
  return standing.binding && standing.binding_ratio >= kFarFromRoofs;
}

// What was measured of a point, and beside it what was emulated of it.
struct PointFigures {
  const std::vector<MetricValue>& measured;
  const std::vector<MetricValue>& emulated;
  std::optional<double> operator()(std::string_view id) const;
  // How far a figure may lie from what all blocks would give: 0 where it was counted, or all ran.
  double spread(std::string_view id) const;
  double spread(std::initializer_list<const char*> ids) const;  // of their sum, at most
  // Nothing unless all are there.
  std::optional<double> sum(std::initializer_list<const char*> ids) const;
};

struct LevelBytes {
  double value = 0;
  Origin origin = Origin::measured;
  std::string of = {};
  bool known = true;  // counted or emulated; else the scene's model, which no roof is named from
  // Where they lie in an interval.
  std::optional<double> least = {}, most = {};
  std::string between = {};  // why
};

// The bytes at DRAM, L2, L1 or shared memory. No value if neither counters nor addresses nor the
// scene tell.
std::optional<LevelBytes> bytes_at(Level level, const PointFigures& figures, const Bounds& bounds);

}  // namespace warpscope
