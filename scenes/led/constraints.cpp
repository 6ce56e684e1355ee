// scenes/led/constraints.cpp: where led's variants cannot run, and what mends it.
#include "scenes/led/constraints.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "scenes/led/shapes.h"
#include "scenes/led/steps.h"

namespace warpscope::led {
namespace {

// To the next width that is a multiple, and to such a side of a block that fits the frame.
std::optional<AxisChange> wider(const Workload& w, std::int64_t multiple) {
  const std::string width = std::to_string(ceil_divide(w.integer("width"), multiple) * multiple);
  return AxisChange{"use a width of " + width, {{"width", width}}};
}
std::optional<AxisChange> whole_blocks(const Workload& w, std::int64_t multiple) {
  const std::int64_t most = std::min(w.integer("width"), w.integer("height"));
  std::int64_t side = ceil_divide(w.integer("block"), multiple) * multiple;
  if (side > most) side = most / multiple * multiple;
  if (side == 0) return std::nullopt;
  return AxisChange{"use blocks of " + std::to_string(side), {{"block", std::to_string(side)}}};
}

std::string kilobytes(std::int64_t bytes) {
  return std::to_string(ceil_divide(bytes, 1024)) + " KB";
}

std::string in_gigabytes(std::int64_t bytes) {
  const std::int64_t tenths = ceil_divide(bytes, 100'000'000);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " GB";
}

}  // namespace

Constraint lanes_own_rows() {
  return {"block must be a multiple of 32: a lane sums B/32 whole rows",
          [](const Workload& w, const DeviceLimits&) -> Violation {
            const std::int64_t block = w.integer("block");
            if (block % kWarpLanes == 0) return std::nullopt;
            return "a lane sums B/32 whole rows, so of " + std::to_string(block) + " rows " +
                   std::to_string(block / kWarpLanes * kWarpLanes) + " would be summed";
          },
          [](const Workload& w, const DeviceLimits&) { return whole_blocks(w, kWarpLanes); }};
}

Constraint quads_aligned() {
  return {"block, width and all columns must be multiples of 4",
          [](const Workload& w, const DeviceLimits&) -> Violation {
            if (quads_are_aligned(w)) return std::nullopt;
            const std::string loads = integers(w.axes) ? "4-byte" : "16-byte";
            if (w.integer("width") % kQuad != 0)
              return loads + " loads need column and width divisible by 4: width is " +
                     std::to_string(w.integer("width"));
            if (w.integer("block") % kQuad != 0)
              return loads + " loads would be misaligned: block is " +
                     std::to_string(w.integer("block"));
            return loads +
                   " loads need column and width divisible by 4: a block starts at a column that "
                   "is not";
          },
          [](const Workload& w, const DeviceLimits&) -> std::optional<AxisChange> {
            if (w.integer("width") % kQuad != 0) return wider(w, kQuad);
            if (w.integer("block") % kQuad != 0) return whole_blocks(w, kQuad);
            return std::nullopt;  // positions decide
          }};
}

Constraint shared_bytes_fit(std::int64_t (*bytes)(const Workload&)) {
  return {"the block's shared memory must fit the device's limit",
          [bytes](const Workload& w, const DeviceLimits& d) -> Violation {
            const std::int64_t needed = bytes(w);
            if (needed <= d.shared_bytes_per_block) return std::nullopt;
            return "a block needs " + kilobytes(needed) +
                   " of shared memory; the device's limit is " +
                   kilobytes(d.shared_bytes_per_block);
          }};
}

Constraint frames_fit_grid_z() {
  constexpr std::int64_t kMost = 65535;  // source: CUDA C++ Programming Guide, table of limits
  return {"at most 65535 frames (grid.z)",
          [](const Workload& w, const DeviceLimits&) -> Violation {
            if (w.integer("frames") <= kMost) return std::nullopt;
            return "grid.z allows 65535 frames; there are " + std::to_string(w.integer("frames"));
          },
          [](const Workload&, const DeviceLimits&) -> std::optional<AxisChange> {
            return AxisChange{"use 65535 frames", {{"frames", "65535"}}};
          }};
}

Constraint blocks_fit_the_seeds_array() {
  return {
      "with the side as an argument, a block must fit the published 64×64 shared array",
      [](const Workload& w, const DeviceLimits&) -> Violation {
        const std::int64_t block = w.integer("block");
        if (!block_known_at_run_time(w) || block <= kSideOfSeedArray) return std::nullopt;
        const std::string side = std::to_string(block);
        return "a block of " + side + "×" + side +
               " would be written past the end of the published 64×64 shared array";
      },
      [](const Workload&, const DeviceLimits&) -> std::optional<AxisChange> {
        return AxisChange{"make the side known at compile time", {{"block_known", "compile time"}}};
      }};
}

Constraint listed_copies_know_no_side() {
  return {"the published copy loop takes the side as an argument",
          [](const Workload& w, const DeviceLimits&) -> Violation {
            if (!copies_as_listed(w) || block_known_at_run_time(w)) return std::nullopt;
            return "the published loop copies the pattern with a side that is a run-time argument";
          },
          [](const Workload&, const DeviceLimits&) -> std::optional<AxisChange> {
            return AxisChange{"make the side an argument", {{"block_known", "run time"}}};
          }};
}

Constraint bulk_tensor_copies() {
  return {"compute capability 9.0 (bulk tensor copies)",
          [](const Workload&, const DeviceLimits& d) -> Violation {
            if (d.compute_capability >= 90) return std::nullopt;
            return "bulk tensor copies need sm_90; this device is sm_" +
                   std::to_string(d.compute_capability);
          }};
}

Constraint frame_rows_aligned() {
  return {
      "rows of a frame must be multiples of 16 bytes",
      [](const Workload& w, const DeviceLimits&) -> Violation {
        if (frame_rows_fill_16_bytes(w)) return std::nullopt;
        return "a tensor map needs rows that are multiples of 16 bytes: a row of a frame has " +
               std::to_string(w.integer("width") * (integers(w.axes) ? 1 : 4)) + " bytes";
      },
      [](const Workload& w, const DeviceLimits&) { return wider(w, integers(w.axes) ? 16 : 4); }};
}

Constraint byte_sums_fit_32_bits() {
  return {"byte sums must fit in 32 signed bits",
          [](const Workload& w, const DeviceLimits&) -> Violation {
            constexpr std::int64_t kMostBlock = 181;  // 255²·B² < 2³¹
            if (!integers(w.axes) || w.integer("block") <= kMostBlock) return std::nullopt;
            return "signed 32-bit sums would overflow: block is " +
                   std::to_string(w.integer("block")) + ", the limit is 181";
          }};
}

Constraint pattern_rows_aligned() {
  return {"rows of a pattern must be multiples of 16 bytes",
          [](const Workload& w, const DeviceLimits&) -> Violation {
            if (pattern_rows_fill_16_bytes(w)) return std::nullopt;
            return "bulk copies move multiples of 16 bytes: a row of a pattern has " +
                   std::to_string(w.integer("block") * (integers(w.axes) ? 1 : 4)) + " bytes";
          }};
}

Constraint memory_fits(const std::string& who_needs, std::int64_t (*bytes)(const Workload&)) {
  return {"scratch must fit in the free memory",
          [who_needs, bytes](const Workload& w, const DeviceLimits& d) -> Violation {
            const std::int64_t needed = bytes(w);
            if (needed <= d.free_bytes) return std::nullopt;
            return who_needs + " " + in_gigabytes(needed) + ", " + in_gigabytes(d.free_bytes) +
                   " are free";
          }};
}

}  // namespace warpscope::led
