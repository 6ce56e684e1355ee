// scenes/deform/constraints.cpp: where deform's variants cannot run, and what mends it.
#include "scenes/deform/constraints.h"

#include <algorithm>
#include <string>

#include "scenes/deform/inputs/shapes.h"
#include "scenes/deform/steps.h"

namespace warpscope::deform {
namespace {

using Violation = std::optional<std::string>;

AxisChange change(const std::string& words, const char* axis, std::int64_t value) {
  return {words + std::to_string(value), {{axis, std::to_string(value)}}};
}

// As many queries an image as `samples` of all images allow.
std::optional<AxisChange> fewer_queries(const Workload& w, std::int64_t most_groups) {
  const std::int64_t queries =
      most_groups / std::max<std::int64_t>(1, w.integer("batch") * w.integer("heads"));
  if (queries < 1 || from_dump(w.axes)) return std::nullopt;
  return change("lower the queries to ", "queries", queries);
}

}  // namespace

Constraint whole_lanes() {
  return {"channels must be a multiple of 8: a thread owns 8 channels, 16-byte loads",
          [](const Workload& w, const DeviceLimits&) -> Violation {
            if (w.integer("channels") % kLaneChannels == 0) return std::nullopt;
            return "a thread owns 8 channels: 16-byte loads would be misaligned at " +
                   std::to_string(w.integer("channels"));
          },
          [](const Workload& w, const DeviceLimits&) -> std::optional<AxisChange> {
            if (from_dump(w.axes)) return std::nullopt;
            return change("use channels of ", "channels",
                          ceil_divide(w.integer("channels"), kLaneChannels) * kLaneChannels);
          }};
}

Constraint halves() {
  return {"type must be fp16",
          [](const Workload& w, const DeviceLimits&) -> Violation {
            if (value_type(w.axes) == ElementType::f16) return std::nullopt;
            return "it computes in half precision, but the values are " + w.text("dtype");
          },
          [](const Workload&, const DeviceLimits&) -> std::optional<AxisChange> {
            return AxisChange{"use fp16", {{"dtype", "fp16"}}};
          }};
}

Constraint short_offsets() {
  constexpr std::int64_t kMost = (1LL << 31) - 1;
  return {"offsets must fit 32 bits",
          [](const Workload& w, const DeviceLimits&) -> Violation {
            const Shape s = shape_of(w.axes);
            const std::int64_t locations = 2 * s.samples();
            const std::int64_t most = std::max({locations, s.values(), s.outputs()});
            if (most <= kMost) return std::nullopt;
            return "its offsets have 32 bits, and " +
                   std::string(most == locations    ? "loc"
                               : most == s.values() ? "value"
                                                    : "out") +
                   " has " + std::to_string(most) + " elements";
          },
          [](const Workload& w, const DeviceLimits&) -> std::optional<AxisChange> {
            const Shape s = shape_of(w.axes);
            if (s.values() > kMost) return std::nullopt;
            return fewer_queries(w, kMost / std::max(2 * s.group_samples(), s.channels));
          }};
}

Constraint float_quotient() {
  constexpr std::int64_t kMost = (1LL << 24) - 1;
  return {"the queries of all images must be fewer than 2^24",
          [](const Workload& w, const DeviceLimits&) -> Violation {
            const std::int64_t queries = w.integer("batch") * w.integer("queries");
            if (queries <= kMost) return std::nullopt;
            return "the image of a query is a float quotient, exact below 2^24: there are " +
                   std::to_string(queries) + " queries";
          },
          [](const Workload& w, const DeviceLimits&) {
            return fewer_queries(w, kMost * w.integer("heads"));
          }};
}

Constraint seed_shape() {
  return {"fixed to P 8, heads 1, L 4, C 32",
          [](const Workload& w, const DeviceLimits&) -> Violation {
            const Shape s = shape_of(w.axes);
            if (s.points == 8 && s.heads == 1 && s.level_count() == 4 && s.channels == 32)
              return std::nullopt;
            return "unsupported by this variant: fixed to P 8, heads 1, L 4, C 32; here are P " +
                   std::to_string(s.points) + ", heads " + std::to_string(s.heads) + ", L " +
                   std::to_string(s.level_count()) + ", C " + std::to_string(s.channels);
          },
          [](const Workload& w, const DeviceLimits&) -> std::optional<AxisChange> {
            if (from_dump(w.axes)) return std::nullopt;
            return AxisChange{"use the published shape",
                              {{"points", "8"},
                               {"heads", "1"},
                               {"level_sizes", "halving"},
                               {"levels", "4"},
                               {"channels", "32"}}};
          }};
}

Constraint groups_divide_points() {
  return {"points must be a multiple of the group",
          [](const Workload& w, const DeviceLimits&) -> Violation {
            if (w.integer("points") % w.integer("unroll") == 0) return std::nullopt;
            return "groups of " + std::to_string(w.integer("unroll")) + " points do not divide " +
                   std::to_string(w.integer("points"));
          },
          [](const Workload& w, const DeviceLimits&) -> std::optional<AxisChange> {
            std::int64_t group = w.integer("unroll");
            while (w.integer("points") % group != 0) --group;
            return change("use groups of ", "unroll", group);
          }};
}

namespace {

// The next number of channels whose lanes are a power of two.
std::optional<AxisChange> even_channels(const Workload& w) {
  if (from_dump(w.axes)) return std::nullopt;
  std::int64_t channels = kLaneChannels;
  while (channels < w.integer("channels")) channels *= 2;
  return change("use channels of ", "channels", channels);
}

}  // namespace

Constraint lanes_divide_a_warp() {
  return {"the lanes of a query must divide a warp",
          [](const Workload& w, const DeviceLimits&) -> Violation {
            const std::int64_t lanes = ceil_divide(w.integer("channels"), kLaneChannels);
            if (kWarpLanes % lanes == 0) return std::nullopt;
            return "a query has " + std::to_string(lanes) + " lanes, which do not divide 32";
          },
          [](const Workload& w, const DeviceLimits&) { return even_channels(w); }};
}

Constraint query_lanes_hold_channels() {
  return {"the lanes of a query must be a multiple of those that its channels need, and divide 32",
          [](const Workload& w, const DeviceLimits&) -> Violation {
            const std::int64_t needed = ceil_divide(w.integer("channels"), kLaneChannels);
            const std::int64_t lanes = w.integer("query_lanes");
            if (lanes % needed == 0 && kWarpLanes % lanes == 0) return std::nullopt;
            return std::to_string(w.integer("channels")) + " channels need " +
                   std::to_string(needed) + " lanes or a multiple of them that divides 32, not " +
                   std::to_string(lanes);
          },
          [](const Workload& w, const DeviceLimits&) -> std::optional<AxisChange> {
            const std::int64_t needed = ceil_divide(w.integer("channels"), kLaneChannels);
            if (needed <= 8 && kWarpLanes % needed == 0)
              return change("use lanes of ", "query_lanes", 8);
            if (from_dump(w.axes)) return std::nullopt;
            return AxisChange{"use 32 channels and 4 lanes",
                              {{"channels", "32"}, {"query_lanes", "4"}}};
          }};
}

Constraint whole_warps() {
  return {"a block must have whole warps",
          [](const Workload& w, const DeviceLimits&) -> Violation {
            if (w.integer("block_size") % kWarpLanes == 0) return std::nullopt;
            return std::to_string(w.integer("block_size")) +
                   " threads are not whole warps, and lanes wait for each other";
          },
          [](const Workload& w, const DeviceLimits&) -> std::optional<AxisChange> {
            return change("use blocks of ", "block_size",
                          ceil_divide(w.integer("block_size"), kWarpLanes) * kWarpLanes);
          }};
}

Constraint ring_of_zeros() {
  return {"the ring must be zero",
          [](const Workload& w, const DeviceLimits&) -> Violation {
            if (from_dump(w.axes))
              return "without a ring the operator differs if the ring is not zero, which is not "
                     "known of a dump";
            if (ring_is_zero(w.axes)) return std::nullopt;
            return "without a ring the operator differs: the ring holds data";
          },
          [](const Workload& w, const DeviceLimits&) -> std::optional<AxisChange> {
            if (from_dump(w.axes)) return std::nullopt;
            return AxisChange{"use a ring of zeros", {{"ring", "zero"}}};
          }};
}

Constraint softmax_weights() {
  return {"weights must be a softmax",
          [](const Workload& w, const DeviceLimits&) -> Violation {
            if (has_logits(w.axes)) return std::nullopt;
            return "these weights are not a softmax: they have no logits";
          },
          [](const Workload& w, const DeviceLimits&) -> std::optional<AxisChange> {
            if (from_dump(w.axes)) return std::nullopt;
            return AxisChange{"use the softmax of random numbers", {{"weights", "softmax"}}};
          }};
}

Constraint whole_metadata_pieces() {
  constexpr std::int64_t kSamples = 8;  // weights of 16 bytes
  return {"levels times points must be a multiple of 8: copies of 16 bytes",
          [](const Workload& w, const DeviceLimits&) -> Violation {
            const std::int64_t samples = shape_of(w.axes).group_samples();
            if (samples % kSamples == 0) return std::nullopt;
            return "copies of 16 bytes would be misaligned: the weights of a query are " +
                   std::to_string(2 * samples) + " bytes";
          },
          [](const Workload& w, const DeviceLimits&) -> std::optional<AxisChange> {
            if (from_dump(w.axes)) return std::nullopt;
            return change(
                "use points of ", "points",
                std::min<std::int64_t>(16, ceil_divide(w.integer("points"), kSamples) * kSamples));
          }};
}

Constraint whole_boxes() {
  constexpr std::int64_t kChannels = 16;  // four corners of 128 bytes
  return {
      "channels must be a multiple of 16: a box fills multiples of 128 bytes",
      [](const Workload& w, const DeviceLimits&) -> Violation {
        if (w.integer("channels") % kChannels == 0) return std::nullopt;
        return "a box begins at a multiple of 128 bytes of shared memory, and four corners of " +
               std::to_string(w.integer("channels")) + " channels are " +
               std::to_string(8 * w.integer("channels"));
      },
      [](const Workload& w, const DeviceLimits&) -> std::optional<AxisChange> {
        if (from_dump(w.axes)) return std::nullopt;
        return change("use channels of ", "channels",
                      ceil_divide(w.integer("channels"), kChannels) * kChannels);
      }};
}

namespace {

// 86.9 KB, rounded up so that what does not fit never seems to.
std::string kilobytes(std::int64_t bytes) {
  const std::int64_t tenths = ceil_divide(10 * bytes, 1000);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " kB";
}

}  // namespace

Constraint levels_fit_shared() {
  return {"the staged levels must fit the shared memory of a block",
          [](const Workload& w, const DeviceLimits& d) -> Violation {
            const std::int64_t bytes = staged_bytes(w), count = shape_of(w.axes).level_count();
            if (bytes <= d.shared_bytes_per_block) return std::nullopt;
            return "levels " + std::to_string(count - std::min(count, w.integer("staged_levels"))) +
                   " to " + std::to_string(count - 1) + " need " + kilobytes(bytes) +
                   ", a block has " + kilobytes(d.shared_bytes_per_block);
          },
          [](const Workload& w, const DeviceLimits& d) -> std::optional<AxisChange> {
            Workload fewer = w;
            for (std::int64_t staged = w.integer("staged_levels") - 1; staged > 0; --staged) {
              fewer.axes.set("staged_levels", staged);
              if (staged_bytes(fewer) <= d.shared_bytes_per_block)
                return change("stage fewer levels: ", "staged_levels", staged);
            }
            return std::nullopt;
          }};
}

namespace {

// What a block stages, which grows with its threads.
Constraint block_fits_shared(const char* rule, const char* what,
                             std::int64_t (*bytes)(const Workload&)) {
  constexpr std::int64_t kFewest = 64;
  return {rule,
          [what, bytes](const Workload& w, const DeviceLimits& d) -> Violation {
            if (bytes(w) <= d.shared_bytes_per_block) return std::nullopt;
            return std::string(what) + " of a block need " + kilobytes(bytes(w)) + ", it has " +
                   kilobytes(d.shared_bytes_per_block);
          },
          [bytes](const Workload& w, const DeviceLimits& d) -> std::optional<AxisChange> {
            Workload fewer = w;
            for (std::int64_t block = 512; block >= kFewest; block /= 2) {
              fewer.axes.set("block_size", block);
              if (block < w.integer("block_size") && bytes(fewer) <= d.shared_bytes_per_block)
                return change("use blocks of ", "block_size", block);
            }
            return std::nullopt;
          }};
}

}  // namespace

Constraint boxes_fit_shared() {
  return block_fits_shared("the boxes must fit the shared memory of a block", "the boxes",
                           tma_box_bytes);
}

Constraint metadata_fits_shared() {
  return block_fits_shared("two tiles of metadata must fit the shared memory of a block",
                           "locations and weights", async_metadata_bytes);
}

namespace {

// Bulk copies of tensors write to multiples of these. source: PTX ISA, cp.async.bulk.tensor.
constexpr std::int64_t kCopyAlignment = 128;

bool halves_are_aligned(const Workload& w) {
  return w.integer("window_side") % 2 == 0 && window_bytes(w) / 2 % kCopyAlignment == 0;
}

}  // namespace

Constraint windows_have_halves() {
  return {"each half of a window must have whole rows and begin at a multiple of 128 bytes",
          [](const Workload& w, const DeviceLimits&) -> Violation {
            if (halves_are_aligned(w)) return std::nullopt;
            const std::string side = std::to_string(w.integer("window_side"));
            if (w.integer("window_side") % 2 != 0)
              return "each of two blocks copies half of the rows of a window, and " + side +
                     " is odd";
            return "half a window of side " + side + " has " + std::to_string(window_bytes(w) / 2) +
                   " bytes, so the second half does not begin at a multiple of 128";
          },
          [](const Workload& w, const DeviceLimits&) -> std::optional<AxisChange> {
            Workload smaller = w;
            for (std::int64_t side = w.integer("window_side") - 1; side > 1; --side) {
              smaller.axes.set("window_side", side);
              if (halves_are_aligned(smaller)) return change("use a side of ", "window_side", side);
            }
            return std::nullopt;
          }};
}

Constraint windows_fit_shared() {
  return {"the window must fit the shared memory of a block",
          [](const Workload& w, const DeviceLimits& d) -> Violation {
            if (window_bytes(w) <= d.shared_bytes_per_block) return std::nullopt;
            return "a window needs " + kilobytes(window_bytes(w)) + ", a block has " +
                   kilobytes(d.shared_bytes_per_block);
          },
          [](const Workload& w, const DeviceLimits& d) -> std::optional<AxisChange> {
            Workload smaller = w;
            for (const std::int64_t side : {48, 32, 24, 16, 8}) {
              smaller.axes.set("window_side", side);
              if (side < w.integer("window_side") &&
                  window_bytes(smaller) <= d.shared_bytes_per_block) {
                return change("use a side of ", "window_side", side);
              }
            }
            return std::nullopt;
          }};
}

Constraint samples_fit_memory() {
  return {"all samples must fit the free memory",
          [](const Workload& w, const DeviceLimits& d) -> Violation {
            if (sample_bytes(w) <= d.free_bytes) return std::nullopt;
            return "all samples need " + std::to_string(sample_bytes(w) >> 20) + " MiB, " +
                   std::to_string(d.free_bytes >> 20) + " are free";
          }};
}

Constraint corners_of_half_a_line() {
  constexpr std::int64_t kChannels = 32;
  return {"channels must be 32 of one head",
          [](const Workload& w, const DeviceLimits&) -> Violation {
            if (w.integer("channels") == kChannels && w.integer("heads") == 1) return std::nullopt;
            return "eight lanes read two neighbouring corners of 64 bytes: 32 channels of one head";
          },
          [](const Workload& w, const DeviceLimits&) -> std::optional<AxisChange> {
            if (from_dump(w.axes)) return std::nullopt;
            return AxisChange{"use 32 channels and one head", {{"channels", "32"}, {"heads", "1"}}};
          }};
}

Constraint slots_hold_points() {
  constexpr std::int64_t kSlotPoints = 8;
  return {"points must be at most 8, or a multiple of 8",
          [](const Workload& w, const DeviceLimits&) -> Violation {
            const std::int64_t points = w.integer("points");
            if (points <= kSlotPoints || points % kSlotPoints == 0) return std::nullopt;
            return "a lane computes up to eight points of a level: " + std::to_string(points) +
                   " are neither at most 8 nor a multiple of 8";
          },
          [](const Workload& w, const DeviceLimits&) -> std::optional<AxisChange> {
            if (from_dump(w.axes)) return std::nullopt;
            return change("use points of ", "points", kSlotPoints);
          }};
}

Constraint more_levels_than_one() {
  return {"there must be two levels or more",
          [](const Workload& w, const DeviceLimits&) -> Violation {
            if (shape_of(w.axes).level_count() > 1) return std::nullopt;
            return "two passes need two levels, and there is one";
          },
          {}};
}

Constraint compute_capability(int least, const char* what) {
  return {"compute capability " + std::to_string(least / 10) + "." + std::to_string(least % 10) +
              " (" + what + ")",
          [least, what](const Workload&, const DeviceLimits& d) -> Violation {
            if (d.compute_capability >= least) return std::nullopt;
            return std::string(what) + " need sm_" + std::to_string(least) +
                   ", this device is sm_" + std::to_string(d.compute_capability);
          }};
}

}  // namespace warpscope::deform
