// profiling/access/launch_sums.h: what the memory instructions of a launch add up to, and its
// figures.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "profiling/access/access.h"

namespace warpscope {

// Of a launch, of several, or of one block.
struct LaunchSums {
  AccessTotals load, store;                // of global memory
  AccessTotals shared_load, shared_store;  // atomics of shared memory are in neither
  AccessTotals product_read;               // of shared memory, by wgmma
  std::int64_t passing = 0;                // sectors of atomics and bulk copies: they pass by L1
  std::int64_t instructions = 0, threads = 0;

  void add(Space space, AccessKind kind, const AccessTotals& totals);
  LaunchSums& operator+=(const LaunchSums& other);
};

// A figure that the emulator answers: a sum over blocks, or a ratio of two.
struct EmulatedFigure {
  std::string_view counter;  // the id that it answers to, or bounds
  double (*part)(const LaunchSums&);
  double (*whole)(const LaunchSums&) = nullptr;  // of a ratio: what `part` is divided by
  std::string_view whole_counter;                // the figure that sums `whole` alone
  std::string_view nothing;                      // why there may be none
};
// The rows of the metric table with source emulator, in its order.
std::span<const EmulatedFigure> emulated_figures();

// Its value lacks the distinct sectors that loads touch: they are no sum over blocks.
inline constexpr std::string_view kUniqueSectorsFigure = "l2.unique_sectors";

// Nothing: a ratio of nothing.
std::optional<double> value_of(const EmulatedFigure& figure, const LaunchSums& sums);

}  // namespace warpscope
