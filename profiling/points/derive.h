// profiling/points/derive.h: figures that follow from measured ones and from the work model.
#pragma once

#include "profiling/points/measurement.h"

namespace warpscope {

// Adds to measurement.metrics: times from the timings, conditions, the scene's work model at this
// workload, rates per level, hit rates, occupancy. A figure that cannot be made is there with its
// reason. Values already present are replaced.
void derive_metrics(Measurement& measurement);

// Makes the ratios and rates anew where their parts came in several measurements: a time in one,
// counters in another. What lacks a part stays as it is.
void derive_from_parts(Measurement& measurement);

// The shortest time of the points, cold or warm, whose unit their table has; 0: none has a time.
double shortest_time_ns(const std::vector<const Measurement*>& points);

// rate.useful_bytes of a point whose scene has useful bytes in its model: recordings of before the
// metric have none.
void add_useful_rate(Measurement& measurement);

// Bytes between the multiprocessors and L2, as counters say.
struct L2Bytes {
  double value = 0;       // unit: B
  const char* what = "";  // what the counter sums, in words
};

// 32 bytes for every sector that multiprocessors request from L2. A session without that counter
// has the bytes of all requests. These count again at the other half of L2 if an address has its
// home there: for copies and sums of arrays larger than L2 they are one and a half times as many
// (counted on an H200). No value if neither was counted.
std::optional<L2Bytes> counted_l2_bytes(const std::vector<MetricValue>& metrics);

// DRAM bytes over a time.
struct DramRate {
  double value = 0;                        // unit: B/s
  Origin bytes_origin = Origin::measured;  // counted, or the work model's (algorithmic)
};

// The bytes are the counted ones if the measurement has them, else model.dram_bytes. No value if
// there is no such time, if there are no bytes, or if the output is not correct.
std::optional<DramRate> dram_rate(const Measurement& measurement, CacheState cache);

}  // namespace warpscope
