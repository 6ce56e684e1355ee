// scenes/deform/constraints.cpp: where deform's variants cannot run, and what mends it.
#include "scenes/deform/constraints.h"

#include <algorithm>
#include <string>

#include "scenes/deform/shapes.h"

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
            return "it computes in half precision, and the values are " + w.text("dtype");
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
            return "the image of a query is a quotient of floats, exact below 2^24: there are " +
                   std::to_string(queries) + " queries";
          },
          [](const Workload& w, const DeviceLimits&) {
            return fewer_queries(w, kMost * w.integer("heads"));
          }};
}

}  // namespace warpscope::deform
