// profiling/roof.h: measured ceilings of a device and where a measurement stands below them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profiling/measurement.h"

namespace warpscope {

enum class Level { dram, l2, l1, shared, fp32, fp16, tf32, bf16, issue };
const char* to_text(Level level);

struct Roof {
  Level level = Level::dram;
  double value = 0;  // B/s, FLOP/s, or warp instructions/s for issue
  std::string unit;
  std::string method;   // "copy, float4, 1 GiB each way, best of 3 shapes, median of 30"
  bool trusted = true;  // checked against its own counters
  std::string note;     // why not trusted, or what to know
};

// Roofs measured together on one device and toolkit.
struct RoofSet {
  std::vector<Roof> roofs;
  Conditions conditions;
};

const Roof* find_roof(const RoofSet& set, Level level);

// One measurement at one memory level: x = FLOP/B, y = FLOP/s; both 0 where the work has no
// arithmetic (a copy), which has floors but no place on the plot.
struct RooflinePoint {
  Level level = Level::dram;
  double intensity = 0;                    // FLOP per byte moved at this level
  double rate = 0;                         // FLOP/s
  Origin bytes_origin = Origin::measured;  // measured counters or the work model
  std::string bytes_of;                    // what was counted, where there is a choice
  std::optional<double> floor_ns;          // bytes / roof
  std::string impossible;  // the sentence when the point lies above its roof, else empty
};

struct RooflineStanding {
  std::vector<RooflinePoint> points;  // one per level whose bytes are known
  std::optional<Level> binding;       // longest floor among all levels, pipes and issue
  double binding_floor_ns = 0;
  double binding_ratio = 0;  // floor / time: 1.0 stands on the roof
  std::string sentence;      // "82 % of the L2 roof binds: 151 µs of 184 µs"
};

// Uses the time of `cache` and measured bytes where the measurement has them, the model's
// elsewhere; of L2 those of counted_l2_bytes. Bytes of L1 are those of its data path where they are
// more: 128 for every wavefront. Nothing when the measurement has no such time.
std::optional<RooflineStanding> stand(const Measurement& measurement, CacheState cache,
                                      const RoofSet& roofs);

}  // namespace warpscope
