// scenes/esmm/variants/variants.cpp: esmm's ladder: names, words, constraints and tolerances.
#include "scenes/esmm/variants/variants.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "scenes/esmm/automatic.h"
#include "scenes/esmm/axes.h"
#include "scenes/esmm/inputs/shapes.h"
#include "scenes/esmm/steps.h"
#include "scenes/esmm/tiles.h"
#include "scenes/esmm/variants/exhibits.h"
#include "scenes/esmm/work.h"

namespace warpscope::esmm {
namespace {

const double kF32 = std::ldexp(1.0, -24);  // unit roundoff. source: IEEE 754

Variant tiled(Variant v, Skips skips) {
  v.constraints = tile_constraints(v.name, skips.a, skips.b);
  charge_steps(v, skips);
  charge_patterns(v, skips);
  return v;
}

Variant with_scratch(Variant v, Buffers (*scratch)(const Workload&)) {
  v.scratch = scratch;
  return v;
}

constexpr const char* kByteReason =
    "a mask byte covers eight k, and the kernel takes one byte at a time";

Constraint bk_is_8() { return size_must_be("bk", "BK", kByteSteps, kByteReason); }

std::vector<Variant> dense_variants() {
  Variant dense = tiled(esmm_variant("dense_warp_tile", "dense warp tile", "seed",
                                     "The starting point: a warp-tiled product that skips nothing.",
                                     "Reads of shared memory. A lane reads 34 floats for 64 "
                                     "multiply-adds. With 8 × 8 outputs per lane it "
                                     "would read 16.",
                                     dense_warp_tile_steps),
                        {});
  Variant list = with_scratch(
      tiled(esmm_variant("global_list", "global offset list", "seed",
                         "One list of active k for the whole matrix, taken from A's first 32 rows.",
                         "It skips loads and arithmetic alike, without a test in any warp: what "
                         "skipping could save if all rows had zeros at the same k.",
                         global_list_steps),
            {}),
      global_list_scratch);
  charge_first_list(list);
  list.constraints.push_back(
      {"all rows of A must have the same pattern",
       [](const Workload& w, const DeviceLimits&) -> std::optional<std::string> {
         if (rows_are_alike(w.axes) || shows_broken(w.axes)) return std::nullopt;
         return "row groups differ: one list would drop nonzeros";
       },
       [](const Workload&, const DeviceLimits&) -> std::optional<AxisChange> {
         return AxisChange{"show it although it is wrong", {{"broken", "on"}}};
       }});
  list.expected_fault = [](const Workload& w) -> std::optional<std::string> {
    if (!shows_broken(w.axes) || w.fact("list_misses") == 0) return std::nullopt;
    return std::to_string(static_cast<std::int64_t>(w.fact("list_misses"))) +
           " k that other rows need are missing in the list of the first rows";
  };
  return {std::move(dense), std::move(list)};
}

std::vector<Variant> a_only() {
  Variant skip =
      tiled(esmm_variant(
                "a_skip", "A-pattern skip", "seed",
                "One mask byte per 32 rows of a warp says which of eight k have nonzeros. A switch "
                "over their number runs just those. Unlike in the published kernel, a block skips "
                "eight k only if all its warps skip them, because all must reach its barriers.",
                "Executed instructions compared with the executed share[[a_skip.l2.bytes_to_sm > "
                "0.95 * dense_warp_tile.l2.bytes_to_sm => . The bytes from L2 are still those of "
                "the dense tile | . From L2 come {ratio(a_skip.l2.bytes_to_sm, "
                "dense_warp_tile.l2.bytes_to_sm)} of the dense tile's bytes]].",
                [](const Workload& w) { return a_skip_steps(w, false); }),
            {.a = true});
  Variant tests =
      tiled(esmm_variant("a_bit_test", "A-pattern bit test", "seed",
                         "The same, but it tests eight bits instead of using a table and a switch.",
                         "Branches, instructions and registers compared with A-pattern skip.",
                         [](const Workload& w) { return a_skip_steps(w, true); }),
            {.a = true});
  Variant tuned = tiled(
      esmm_variant(
          "a_skip_tuned", "A-pattern skip, tuned tile", "seed",
          "Blocks of 64×128 and warps of 64×32: a warp skips a k if both of its row groups can.",
          "The executed share[[a_skip_tuned.model.executed_share > "
          "a_skip.model.executed_share => : {a_skip_tuned.model.executed_share} instead "
          "of {a_skip.model.executed_share}, because a warp joins two groups | : that of "
          "one group, because both have the same bits || of two groups joined]].",
          [](const Workload& w) { return a_skip_steps(w, false); }),
      {.a = true});
  for (Variant* v : {&skip, &tests, &tuned}) v->scratch = a_pattern_scratch;
  return {std::move(skip), std::move(tests), std::move(tuned)};
}

std::vector<Variant> fine_variants() {
  Variant fine = with_scratch(
      tiled(esmm_variant("ab_fine", "A and B skip per 8 columns", "seed",
                         "One mask byte of B per eight columns: each lane tests the byte of its "
                         "own columns. The axis “form” has five published forms.",
                         "Active lanes (inst.lanes): even and odd lanes have different columns, so "
                         "a warp diverges where their bytes differ. It shows with bits of 8 "
                         "columns or zeros anywhere, and not with bits of 32 columns.",
                         ab_fine_steps),
            {.a = true, .b = true}),
      ab_fine_scratch);
  fine.constraints = tile_constraints(fine.name, true, false);
  fine.constraints.push_back(bk_is_8());
  fine.constraints.push_back(
      size_must_be("tn", "TN", kByteSteps, "a lane owns the eight columns of a byte of B"));
  charge_lanes(fine, [](const Workload& w) { return Groups{tile_of(w).wm, kByteSteps}; });
  Variant bodies = with_scratch(
      esmm_variant("ab_bodies", "A and B skip, 256 bodies", "seed",
                   "The sixth form: a switch with its own code for each of the 256 values of the "
                   "joined byte.",
                   "The size of the kernel. A warp still cannot run two bodies at once.",
                   ab_bodies_steps),
      ab_fine_scratch);
  bodies.constraints = fixed_tile_constraints(bodies.name);
  charge_lanes(bodies, [](const Workload&) { return Groups{kGroup, kByteSteps}; });
  for (Variant* v : {&fine, &bodies}) charge_patterns(*v, {.a = true, .b = true});
  return {std::move(fine), std::move(bodies)};
}

std::vector<Variant> transposed_tiles() {
  const auto tile = [](const char* name, const char* label, const char* family,
                       const char* sentence, const char* look_at, std::int64_t blocks) {
    Variant v = with_scratch(
        tiled(esmm_variant(name, label, family, sentence, look_at,
                           [blocks](const Workload& w) { return transposed_b_steps(w, blocks); }),
              {.b = true}),
        transposed_b_scratch);
    charge_transpose(v);
    return v;
  };
  return {tile("transposed_b", "transposed-B tile", "seed",
               "A lane computes one column. B is transposed in global and shared memory, so that a "
               "warp has one mask byte of B. Unlike in the published kernel, a block skips eight k "
               "only if all its warps skip them.",
               "Wavefronts per request of B in shared memory: lanes are eight words apart, so "
               "eight of them hit the same bank. A is a broadcast. Then the "
               "registers[[transposed_b.kernel.bt_tile.occupancy.achieved > 0 % => : "
               "{registers:transposed_b} per thread, at an achieved occupancy of "
               "{transposed_b.kernel.bt_tile.occupancy.achieved} || ]].",
               0),
          tile("transposed_b_capped", "transposed-B tile, fewer registers", "ablation",
               "The transposed tile, limited to 128 registers per thread, so that two blocks share "
               "a multiprocessor.",
               "Registers and spilled bytes compared with the published tile, and the "
               "occupancy[[transposed_b_capped.kernel.bt_tile.occupancy.achieved > "
               "transposed_b.kernel.bt_tile.occupancy.achieved => : "
               "{transposed_b_capped.kernel.bt_tile.occupancy.achieved} instead of "
               "{transposed_b.kernel.bt_tile.occupancy.achieved} || ]].",
               2)};
}

Variant broadcast_variant() {
  Variant v = with_scratch(
      esmm_variant("broadcast_b", "broadcast-B loop", "seed",
                   "The published loop: a lane computes one row, and all lanes of a warp use the "
                   "same column of B. So a byte of B for eight columns is the same for all lanes.",
                   "Wavefronts per request of shared memory: B is a broadcast, and A is in "
                   "neighbouring banks. Then the stores of C: lanes are a row apart.",
                   broadcast_b_steps),
      broadcast_b_scratch);
  v.constraints = fixed_tile_constraints(v.name);
  charge_eights_of_b(v);
  charge_patterns(v, {.b = true});
  charge_transpose(v);
  return v;
}

std::vector<Variant> b_only() {
  std::vector<Variant> all = transposed_tiles();
  Variant plain = with_scratch(
      tiled(esmm_variant("k_major_b", "k-major B tile", "seed",
                         "The same mapping without a transpose: both tiles are k-major.",
                         "The bank conflict is gone, and the byte is still uniform: groups of 32 "
                         "columns made it so, not the transpose.",
                         k_major_b_steps),
            {.b = true}),
      b_pattern_scratch);
  all.push_back(broadcast_variant());
  all.push_back(std::move(plain));
  return all;
}

Variant joint_row(const char* name, const char* label, const char* sentence, const char* look_at,
                  std::function<Steps(const Workload&)> steps) {
  return with_scratch(tiled(esmm_variant(name, label, "seed", sentence, look_at, std::move(steps)),
                            {.a = true, .b = true}),
                      both_patterns_scratch);
}

std::vector<Variant> joint_variants() {
  const auto lookup = [](const Workload& w) { return joint_steps(w, false); };
  return {
      joint_row("joint_lists", "joint skip, two lists",
                "Mask bytes of both operands: a k is taken if it is in A's list and in B's.",
                "Instructions: searching two lists multiplies nothing.",
                [](const Workload& w) { return joint_steps(w, true); }),
      joint_row("joint_lookup", "joint skip, one lookup",
                "The same k, found by one table lookup of a & b.",
                "Instructions for the same arithmetic[[joint_lookup.inst.executed < "
                "joint_lists.inst.executed => : {ratio(joint_lookup.inst.executed, "
                "joint_lists.inst.executed)} of those with two lists | : no fewer than with "
                "two lists]].",
                lookup),
      joint_row(
          "joint_64", "joint skip, 64×64 warp tile",
          "The article's last question: a warp tile of 64×64 joins two bytes per side. It has one "
          "loop body, because a body for every count would take 90 KB of instructions.",
          "The executed share compared with 32×32[[joint_64.model.executed_share > "
          "joint_lookup.model.executed_share => : {joint_64.model.executed_share} instead of "
          "{joint_lookup.model.executed_share} | : no larger here]].",
          joint_wide_steps)};
}

Variant granularity_variant() {
  Variant v = joint_row("joint_granularity", "joint granularity",
                        "A byte of A stands for 8, 32 or 64 rows.",
                        "With 8 rows: four times the bytes, and divergent warps. With 64 rows: a "
                        "bit is 0 if all 64 rows are zero there.",
                        joint_granularity_steps);
  v.scratch = joint_granularity_scratch;
  v.constraints.push_back(
      {"WM must be a multiple of the group",
       [](const Workload& w, const DeviceLimits&) -> std::optional<std::string> {
         if (tile_of(w).wm % group_rows(w) == 0) return std::nullopt;
         return "a byte of " + w.text("a_group") +
                " rows would belong to two warps: WM = " + std::to_string(tile_of(w).wm) +
                " is not a multiple of it";
       },
       [](const Workload& w, const DeviceLimits&) -> std::optional<AxisChange> {
         if (tile_of(w).wm % kGroup != 0) return std::nullopt;
         return AxisChange{"use 32 rows per byte", {{"a_group", "32"}}};
       }});
  charge_lanes(v, [](const Workload& w) { return Groups{group_rows(w), tile_of(w).wn}; });
  return v;
}

std::vector<Variant> block_variants() {
  Variant table = joint_row("joint_table", "joint table with CTA skip",
                            "The joined bytes of all warps are computed before the loop. Their "
                            "union says what the block has to load.",
                            "The bytes from L2 compared with the executed share: a block loads "
                            "what any of its warps needs.",
                            joint_table_steps);
  table.constraints.push_back(bk_is_8());
  table.constraints.push_back(
      {"K must be at most 8192: the table has 128, 256, 512 or 1024 blocks of eight k",
       [](const Workload& w, const DeviceLimits&) -> std::optional<std::string> {
         const std::int64_t blocks = shape_of(w.axes).k_blocks();
         if (blocks <= kMostTableBlocks) return std::nullopt;
         return "K > 8192: the joint table is sized for 128, 256, 512 or 1024 blocks of eight k, "
                "not for " +
                std::to_string(blocks);
       },
       [](const Workload&, const DeviceLimits&) -> std::optional<AxisChange> {
         return AxisChange{"use K = 8192", {{"k", "8192"}}};
       }});
  Variant list = joint_row(
      "block_list", "active-block list",
      "A block first lists the blocks of eight k that it needs, then works through the list.",
      "What the list costs if nothing can be left out.", block_list_steps);
  list.constraints.push_back(bk_is_8());
  return {granularity_variant(), std::move(table), std::move(list)};
}

}  // namespace

Variant esmm_variant(std::string name, std::string label, std::string family, std::string sentence,
                     std::string look_at, std::function<Steps(const Workload&)> steps) {
  Variant v;
  v.name = std::move(name);
  v.label = std::move(label);
  v.family = std::move(family);
  v.sentence = std::move(sentence);
  v.look_at = std::move(look_at);
  v.accuracy = "f32 accumulation";
  v.league = "fp32";
  v.reference = "exact";
  v.tolerance = {.accumulation = 4 * kF32, .absolute = std::ldexp(1.0, -126)};
  v.steps = std::move(steps);
  return v;
}

std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (const auto made :
       {dense_variants, a_only, fine_variants, b_only, joint_variants, block_variants, exhibits,
        word_variants, list_variants, wgmma_variants, library_variants}) {
    for (Variant& v : made()) {
      v.steps = [steps = v.steps](const Workload& w) { return shared_by_products(w, steps(w)); };
      all.push_back(std::move(v));
    }
  }
  for (Variant& v : automatic_variants(all, axes())) all.push_back(std::move(v));
  return all;
}

std::vector<League> leagues() {
  return {
      {"fp32", "FP32",
       "Within the error bound of single precision, with single-precision products.",
       "dense_warp_tile", "cublas_sgemm"},
      {"fp32_tensor", "FP32-class, tensor cores",
       "Within the error bound of single precision, with several tensor-core products per term.",
       "dense_tf32x3", "dense_tf32x3"},
      {"tf32", "TF32", "Inputs are rounded to TF32.", "cublas_tf32", "cublas_tf32"},
      {"bf16", "BF16", "Inputs are rounded to bfloat16.", "cublas_bf16", "cublas_bf16"}};
}

}  // namespace warpscope::esmm
