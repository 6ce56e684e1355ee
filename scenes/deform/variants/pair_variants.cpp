// scenes/deform/variants/pair_variants.cpp: variants whose eight lanes read two corners of a row at
// once.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "scenes/deform/constraints.h"
#include "scenes/deform/inputs/shapes.h"
#include "scenes/deform/steps.h"
#include "scenes/deform/variants/variants.h"

namespace warpscope::deform {
namespace {

constexpr const char* kRoof = "gather_pairs";  // of the scene: two corners at once
constexpr std::int64_t kPairLanes = 8, kMostLevels = 5, kThreads = 512;

Steps gather_steps(const Workload& w) {
  return {run_kernel("sample",
                     kernel_of(w, "pair_row_gather", kPairLanes * shape_of(w.axes).groups()))};
}

// Queries that a warp samples at a time: four groups of lanes, each with as many as fill the four
// slots of a round (kernels/deform/pair_rows_tensor.cu).
std::int64_t warp_queries(const Shape& s, std::int64_t passes) {
  constexpr std::int64_t kGroups = 4, kSlots = 4, kSlotPoints = 8;
  const std::int64_t between = std::min<std::int64_t>(2, s.level_count() - 1);
  const std::int64_t levels =
      passes == 1 ? s.level_count() : std::min(between, s.level_count() - between);
  const std::int64_t slots = std::max<std::int64_t>(1, levels) * ceil_divide(s.points, kSlotPoints);
  return kGroups * (slots > kSlots / 2 ? 1 : kSlots / slots);
}

// Blocks that stay, one a multiprocessor; each takes `turns` shares of neighbouring queries.
Steps tensor_steps(const Workload& w, const std::string& technique, std::int64_t passes) {
  const Shape s = shape_of(w.axes);
  const std::int64_t all = s.batch * s.queries, whole = warp_queries(s, passes);
  const std::int64_t share =
      whole * ceil_divide(all, whole * kDesignDevice.multiprocessors * w.integer("turns"));
  KernelLaunch kernel = kernel_in_blocks(w, technique, 1, kThreads);
  kernel.launch.grid.x = resident_blocks(ceil_divide(all, share), 1);
  for (std::int64_t l = 0; l < kMostLevels; ++l) {
    const bool is_there = l < s.level_count();
    const auto n = static_cast<std::size_t>(l);
    kernel.defines.push_back(
        define("HEIGHT" + std::to_string(l), is_there ? s.levels[n].height : 0));
    kernel.defines.push_back(define("WIDTH" + std::to_string(l), is_there ? s.levels[n].width : 0));
  }
  kernel.defines.push_back(define("PASSES", passes));
  kernel.defines.push_back(define("THREADS", kThreads));
  kernel.arguments.emplace_back(as_int(share));
  return {run_kernel("sample", std::move(kernel))};
}

Variant tensor_variant(std::string name, std::string label, std::string sentence,
                       std::string look_at, std::int64_t passes) {
  Variant v = deform_variant(
      std::move(name), std::move(label), "ours", std::move(sentence), std::move(look_at),
      [passes](const Workload& w) { return tensor_steps(w, "pair_rows_tensor", passes); });
  v.own_roof_at = nullptr;
  v.own_roof = kRoof;
  v.constraints = {halves(), corners_of_half_a_line(), slots_hold_points(),
                   compute_capability(80, "products of f16 by mma.sync m16n8k16")};
  return v;
}

// Where `passes` is 2.
Constraint levels_for_passes() {
  return {"two passes need two levels or more",
          [](const Workload& w, const DeviceLimits&) -> std::optional<std::string> {
            if (w.integer("passes") == 1 || shape_of(w.axes).level_count() > 1) return std::nullopt;
            return "two passes need two levels, and there is one";
          },
          [](const Workload&, const DeviceLimits&) -> std::optional<AxisChange> {
            return AxisChange{"use one pass", {{"passes", "1"}}};
          }};
}

Constraint whole_weight_pieces() {
  constexpr std::int64_t kPiecePoints = 8;
  return {"points must be a multiple of 8",
          [](const Workload& w, const DeviceLimits&) -> std::optional<std::string> {
            const std::int64_t points = w.integer("points");
            if (points % kPiecePoints == 0) return std::nullopt;
            return "bulk copies move 16 bytes at a time, eight weights: " + std::to_string(points) +
                   " points are not a multiple of 8";
          },
          [](const Workload& w, const DeviceLimits&) -> std::optional<AxisChange> {
            if (from_dump(w.axes)) return std::nullopt;
            return AxisChange{"use 8 points", {{"points", "8"}}};
          }};
}

Variant bulk_variant() {
  Variant v = tensor_variant(
      "pair_rows_bulk", "metadata by bulk copy",
      "Bulk copies bring the locations and weights of a warp's queries, which are neighbours, to "
      "shared memory while the previous ones are sampled. Two passes over the levels, or one.",
      "L1's requests and misses: locations and weights, which a pass reads once, are not among "
      "them.",
      2);
  v.steps = [](const Workload& w) {
    return tensor_steps(w, "pair_rows_bulk", w.integer("passes"));
  };
  v.constraints.insert(
      v.constraints.end(),
      {levels_for_passes(), compute_capability(90, "bulk copies"), whole_weight_pieces()});
  return v;
}

}  // namespace

std::vector<Variant> pair_variants() {
  Variant gather = deform_variant("pair_row_gather", "corners in pairs", "ours",
                                  "Eight lanes read two neighbouring corners of a row: 128 bytes "
                                  "that touch every bank of L1 once.",
                                  "L1 wavefronts per gather request, compared with corners read "
                                  "one by one. The requests and their bytes are the same.",
                                  gather_steps);
  gather.own_roof_at = nullptr;
  gather.own_roof = kRoof;
  gather.constraints = {halves(), corners_of_half_a_line()};
  Variant one = tensor_variant(
      "pair_rows_tensor", "metadata by tensor cores",
      "Products of small matrices on tensor cores pass addresses and weights between lanes. "
      "Shuffles would use the same pipe as the gather. Blocks take neighbouring queries.",
      "Tensor-core instructions in a kernel without a matrix product. The wavefronts of shuffles "
      "are gone.",
      1);
  Variant two =
      tensor_variant("pair_rows_two_passes", "two passes over the levels",
                     "The same in two passes over a block's queries, so that L1 holds the levels "
                     "of a pass. The first pass has the largest level and the smallest ones.",
                     "L1's hit rate compared with metadata by tensor cores, and the DRAM bytes of "
                     "locations, weights and sums in both passes.",
                     2);
  two.constraints.push_back(more_levels_than_one());
  return {std::move(gather), std::move(one), std::move(two), bulk_variant()};
}

}  // namespace warpscope::deform
