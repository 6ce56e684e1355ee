// profiling/points/roof.h: measured ceilings of a device and where a measurement stands below them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiling/points/measurement.h"

// DRAM has a family of roofs, one for each mix of reads and writes. L2, L1, shared memory and
// instruction issue have one each; arithmetic has one per pipe. A scene may add one for its own
// access shape. A point is compared with the ceiling of the mix that was counted for it.
//
//   const std::optional<DramCeiling> ceiling = dram_ceiling(roofs, 0.2);   // 20 % writes
//   const Roof* pipe = find_roof(roofs, Pipe::mma_bf16);
//   const auto standing = stand(measurement, CacheState::warm, roofs);     // which one limits it

namespace warpscope {

// How the bytes of a DRAM roof go to and fro.
struct Mix {
  std::string name = "copy";  // "read", "write", "copy", "triad", "scale", "gather of 32 B"
  double write_share = 0.5;   // of the bytes: read 0, triad 1/3, copy 1/2, write 1
  int segment_bytes = 0;      // 0: it streams; else segments of this many bytes lie at random
                              // places
  double moved_ratio = 1;     // gathers: DRAM bytes counted for each byte that was asked for
};

struct Roof {
  Level level = Level::dram;
  double value = 0;  // B/s, FLOP/s, OP/s, or warp instructions/s for issue
  std::string unit;
  std::string method;      // "copy, float4, 1 GiB each way, best of 3 shapes, median of 30"
  bool trusted = true;     // checked against its own counters
  std::string note;        // why not trusted, or what to know
  Mix mix = {};            // of level DRAM
  Pipe pipe = Pipe::fp32;  // of level pipe
  // Not empty: the rate of this library on that pipe, which stands beside the roofs and is none.
  std::string library = {};
  std::string scene = {}, name = {};  // of a scene's own roof
};

// "DRAM copy", "L2", "mma.sync BF16", "cuBLAS TF32", "deform gather_64".
std::string label(const Roof& roof);

// Roofs measured together on one device and toolkit.
struct RoofSet {
  std::vector<Roof> roofs;
  Conditions conditions;
};

// The roof of L2, L1, shared memory or issue. Null: not in the set.
const Roof* find_roof(const RoofSet& set, Level level);
// The roof of a pipe; where a device has no wgmma, that of mma.sync of the same type.
const Roof* find_roof(const RoofSet& set, Pipe pipe);
// Whether the roofs of DRAM are a family: reads and writes have roofs of their own. Sessions of
// before have that of a copy alone.
bool holds_mixes(const RoofSet& set);
// A scene's own roof.
const Roof* find_roof(const RoofSet& set, const std::string& scene, const std::string& name);

// The most that DRAM gives at a mix of reads and writes.
struct DramCeiling {
  double value = 0;        // unit: B/s
  double write_share = 0;  // of the point
  bool measured = true;    // the mix lies between mixes that were measured
  std::string name;        // "DRAM roof at 20 % writes"
};
// The time of a byte is interpolated between the nearest measured mixes. If a mix has two shapes,
// the better one counts; beyond the last mix, the last one's time holds. No value: there is no roof
// of DRAM.
std::optional<DramCeiling> dram_ceiling(const RoofSet& set, double write_share);
// The best rate of any mix. No value: there is no roof of DRAM.
std::optional<double> best_dram_rate(const RoofSet& set);
// The roof of random segments as short as those that a kernel asks for; null where it asks for more
// than 2 of a line's 4 sectors at once, or nothing of the kind was measured.
const Roof* gather_roof(const RoofSet& set, double sectors_per_line);

// One measurement at one memory level: x = FLOP/B, y = FLOP/s; both 0 where the work has no
// arithmetic (a copy), which has floors but no place on the plot.
struct RooflinePoint {
  Level level = Level::dram;
  double intensity = 0;                     // FLOP per byte moved at this level
  double rate = 0;                          // FLOP/s
  double bytes = 0;                         // moved at this level
  Origin bytes_origin = Origin::measured;   // measured counters or the work model
  std::string bytes_of;                     // what was counted, where there is a choice
  std::optional<double> floor_ns;           // bytes / roof
  std::optional<double> least_ns, most_ns;  // where the bytes lie in an interval, drawn as a bar
  std::string between;                      // why: "what L1 has is not emulated"
  std::optional<double> ceiling;            // the roof it is compared with; unit: B/s
  std::string roof;                         // its name: "DRAM roof at 20 % writes"
  // The sentence when the point lies above its roof, else empty; never of a borrowed roof, which
  // another card reached.
  std::string impossible;
};

struct RooflineStanding {
  std::vector<RooflinePoint> points;  // one per level whose bytes are known
  std::optional<Level> binding;       // longest floor among all levels, the pipe and issue
  std::string binding_name;           // "DRAM roof at 20 % writes", "L2 roof"
  double binding_floor_ns = 0;
  double binding_ratio = 0;                // floor / time: 1.0 stands on the roof
  Pipe pipe = Pipe::fp32;                  // of the variant
  std::optional<double> write_share;       // of the DRAM bytes counted
  std::optional<double> sectors_per_line;  // that L2 was asked for at once
  // "82 % of the L2 roof, which limits it: 151 µs of 184 µs", or why none is named.
  std::string sentence;
};

// What a variant says of the roofs that may limit it.
struct Bounds {
  Pipe pipe = Pipe::fp32;
  std::string own_roof = {};  // of its scene; empty: none
  // How far the scene's expectation of L2 may lie from the counter; no value if there is no
  // expectation.
  std::optional<double> l2_bound_ratio = {};
};
// As the measurement's scene has it; the defaults for scenes and variants that are not there.
Bounds bounds_of(const Measurement& measurement);

// Uses the time of `cache` and the measured bytes, or without them those of `emulated`
// (modelled_beside of trace_metrics.h). For L2 it uses counted_l2_bytes, else the scene's
// expectation within its bound, else the interval that the emulated addresses leave. Bytes of L1
// are those of its data path if these are more: 128 for every wavefront. A roof is named as the
// limit only if the bytes of DRAM, L2 and L1 were counted or emulated, as far as the set has their
// roofs, and if no value inside the intervals makes another one the limit. Otherwise the sentence
// says which roofs may limit. No value if the measurement has no such time, or its outcome no
// figures. Bytes and time are what they are, also where nothing checks the outputs.
std::optional<RooflineStanding> stand(const Measurement& measurement, CacheState cache,
                                      const RoofSet& roofs, const Bounds& bounds,
                                      const std::vector<MetricValue>& emulated = {});
std::optional<RooflineStanding> stand(const Measurement& measurement, CacheState cache,
                                      const RoofSet& roofs,
                                      const std::vector<MetricValue>& emulated = {});

}  // namespace warpscope
