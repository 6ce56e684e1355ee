// profiling/overview/occupancy_change.h: how occupancy follows from block size, registers and
// shared memory, and what the next block per multiprocessor would take.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiling/points/measurement.h"
#include "profiling/points/occupancy.h"

namespace warpscope {

// What a curve goes over; the rest of the launch stays as it is.
enum class OccupancyAxis { block_size, registers, shared_memory };
inline constexpr int kOccupancyAxes = 3;
const char* to_text(OccupancyAxis axis);  // "threads per block"

struct OccupancyPoint {
  std::int64_t at = 0;  // threads, registers per thread, or bytes of shared memory per block
  std::int64_t blocks = 0, warps = 0;
  OccupancyLimit limit = OccupancyLimit::warps;
};
struct OccupancyCurve {
  OccupancyAxis axis = OccupancyAxis::block_size;
  std::vector<OccupancyPoint> points;  // by rising `at`, as far as the launch starts
  OccupancyPoint here;                 // the launch as it is
  std::int64_t most_at = 0;            // where the axis ends: what an architecture allows at all
  std::int64_t most_warps = 0;         // that a multiprocessor can hold
};
// No value if the launch fails, or nothing is known of the architecture. Blocks are in steps of 32
// threads, registers of 1, shared memory of 1 KiB.
std::optional<OccupancyCurve> occupancy_curve(const KernelResources& resources,
                                              const Launch& launch, const DeviceLimits& device,
                                              OccupancyAxis axis);

// What has to change at the same time for one more block.
struct OccupancyNeed {
  OccupancyAxis axis = OccupancyAxis::registers;
  std::int64_t at_most = 0, now = 0;
};
struct NextBlock {
  std::int64_t blocks = 0;           // one more than now
  std::vector<OccupancyNeed> needs;  // empty: a multiprocessor never holds so many
  double ratio = 0;                  // the occupancy then
};
// No value if the launch fails, or nothing is known of the architecture. Registers and shared
// memory change first; the block's size only if they are not enough.
std::optional<NextBlock> next_block(const KernelResources& resources, const Launch& launch,
                                    const DeviceLimits& device);

// "4 blocks of 256 threads fit on a multiprocessor: 32 of 64 warps (50 %). Registers limit it. A
// fifth block needs at most 48 registers per thread, 16 fewer: 62.5 %." Empty where next_block has
// no value.
std::string occupancy_sentence(const KernelResources& resources, const Launch& launch,
                               const DeviceLimits& device);

// What was counted beside what is possible in theory, both of the same launch: "achieved 46.10 %,
// counted; 50.00 % in theory". Over several launches they are those of the longest one, which is
// named. Where only their mean was counted, it is called one and has no theory beside it. Empty if
// the point has no figures.
std::string achieved_sentence(const Measurement& point);
// The counted occupancy of a step as a ratio; no value if it was not counted for this step.
std::optional<double> achieved_occupancy(const Measurement& point, const std::string& step);

}  // namespace warpscope
