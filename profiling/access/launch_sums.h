// profiling/access/launch_sums.h: what the memory instructions of a launch add up to, and its
// figures.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "profiling/access/access.h"

namespace warpscope {

// Sums over one launch, several launches, or one block.
struct LaunchSums {
  AccessTotals load, store;                // of global memory
  AccessTotals shared_load, shared_store;  // atomics of shared memory are in neither
  AccessTotals product_read;               // of shared memory, by wgmma
  std::int64_t passing = 0;                // sectors of atomics and bulk copies, which bypass L1
  std::int64_t instructions = 0, threads = 0;

  void add(Space space, AccessKind kind, const AccessTotals& totals);
  LaunchSums& operator+=(const LaunchSums& other);
};

// A figure that the emulator provides: a sum over blocks, or a ratio of two sums.
struct EmulatedFigure {
  std::string_view counter;  // the id that it answers to, or bounds
  double (*part)(const LaunchSums&);
  double (*whole)(const LaunchSums&) = nullptr;  // of a ratio: what `part` is divided by
  std::string_view whole_counter;                // the figure that sums `whole` alone
  std::string_view nothing;                      // why there may be none
};
// The rows of the metric table with source emulator, in its order.
std::span<const EmulatedFigure> emulated_figures();

// Its value is missing the distinct sectors that loads touch: they are not a sum over blocks.
inline constexpr std::string_view kUniqueSectorsFigure = "l2.unique_sectors";

// No value: a ratio whose denominator is zero.
std::optional<double> value_of(const EmulatedFigure& figure, const LaunchSums& sums);

}  // namespace warpscope
