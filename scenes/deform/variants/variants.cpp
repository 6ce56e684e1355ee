// scenes/deform/variants/variants.cpp: deform's ladder: the published kernels and those between
// them.
#include "scenes/deform/variants/variants.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "scenes/deform/automatic.h"
#include "scenes/deform/axes.h"
#include "scenes/deform/constraints.h"
#include "scenes/deform/inputs/shapes.h"
#include "scenes/deform/work.h"

namespace warpscope::deform {
namespace {

constexpr std::int64_t kMostRegisters = 255;  // of a thread. source: CUDA C++ Programming Guide

// Steps of a sum in halves round by up to 2⁻¹¹ of the partial sum; what the reference calls
// accumulation is how they add up. Below 2⁻¹⁴ a step of f16 is 2⁻²⁴ whatever the number.
Tolerance half_sums(const Configuration&) { return {.accumulation = 0x1.0p-11, .absolute = 1e-5}; }

std::vector<Constraint> published() {
  return {whole_lanes(), halves(), short_offsets(), float_quotient()};
}

std::vector<Variant> seed_variants() {
  Variant loop = deform_variant(
      "runtime_point_loop", "loops at run time", "seed",
      "Levels and points are run-time loops. A thread has eight channels of a query. It loads a "
      "corner and adds it before it loads the next.",
      "Executed instructions: it computes addresses for every sample, and loads 4 bytes of "
      "location and 2 of weight at a time[[runtime_point_loop.inst.executed > "
      "interleaved_compile_time_points.inst.executed => : {inst.executed:runtime_point_loop}, and "
      "{inst.executed:interleaved_compile_time_points} with points known at compile time]].",
      runtime_point_loop_steps);
  Variant interleaved = deform_variant(
      "interleaved_compile_time_points", "points at compile time", "seed",
      "The published baseline: levels, points and channels are compile-time constants, and the "
      "loop over points is unrolled. Each corner is loaded, then added.",
      "Sectors and lines per gather request: 16 sectors, all of them needed, in up to 8 lines.",
      [](const Workload& w) { return lanes_steps(w, "interleaved_compile_time_points"); });
  for (Variant* v : {&loop, &interleaved}) v->constraints = published();
  return {std::move(loop), std::move(interleaved)};
}

std::vector<Variant> rungs() {
  return {
      lanes_variant("scalar_metadata", "metadata in small loads",
                    "The baseline with one load per location (4 bytes) and per weight (2 bytes).",
                    "Requests to loc and weight compared with the baseline, which loads 16 bytes. "
                    "They touch the same sectors."),
      lanes_variant("metadata_ahead", "metadata ahead",
                    "Addresses and weights of a level's points are computed before the first "
                    "corner is loaded. Each load is still followed by its addition.",
                    "Registers and executed instructions: the same work in another order."),
  };
}

// Registers go to warps in units of 256, and each quarter of a multiprocessor has 16384 of them:
// blocks beyond `most_threads` are refused.
std::function<std::optional<std::string>(const Workload&)> starts_up_to(
    std::int64_t most_threads, std::int64_t registers_per_thread) {
  return [=](const Workload& w) -> std::optional<std::string> {
    if (w.integer("block_size") <= most_threads) return std::nullopt;
    return "about " + std::to_string(registers_per_thread) + " registers for each of " +
           std::to_string(w.integer("block_size")) +
           " threads, allocated per warp in units of 256, exceed the 65536 of a multiprocessor";
  };
}

std::vector<Variant> two_phase_variants() {
  Variant unrolled = deform_variant(
      "two_phase_unrolled", "two phases, unrolled", "seed",
      "The published kernel. Phase 1 computes what eight points need, in the struct that the "
      "article prints. Phase 2 loads each corner of all eight and adds it.",
      "Registers: the data of eight points is live at once. [[two_phase_unrolled.outcome = 'launch "
      "failed' => The launch fails: {registers:two_phase_unrolled} registers per thread, allocated "
      "per warp in units of 256, exceed the 65536 of a multiprocessor. A smaller block starts. | "
      "It starts with this block size. || A multiprocessor has 65536 registers: 512 threads can "
      "have 128 each.]] Requests and sectors are the baseline's.",
      [](const Workload& w) { return two_phase_steps(w, "two_phase_unrolled", kMostRegisters); });
  unrolled.expected_launch_failure = starts_up_to(384, 145);
  Variant wide = deform_variant(
      "two_phase_wide_offsets", "two phases, wide offsets", "ours",
      "The same two phases with 64-bit offsets. Phase 1 already multiplies the bilinear weights by "
      "the attention weight.",
      "Registers per thread, which limit the size of a block[[two_phase_wide_offsets.registers > 0 "
      "and two_phase_unrolled.registers > 0 => : {registers:two_phase_wide_offsets}, and "
      "{registers:two_phase_unrolled} with the printed struct || ]]. Phase 2 multiplies no "
      "weights.",
      [](const Workload& w) {
        return two_phase_steps(w, "two_phase_wide_offsets", kMostRegisters);
      });
  wide.expected_launch_failure = starts_up_to(256, 253);
  Variant capped = deform_variant(
      "two_phase_capped", "two phases, fewer registers", "ablation",
      "The published kernel, limited to the registers per thread with which 512 threads start.",
      "Spilled bytes: local memory goes through L1, as the gather does.", [](const Workload& w) {
        return two_phase_steps(w, "two_phase_unrolled", w.integer("register_cap"));
      });
  for (Variant* v : {&unrolled, &wide, &capped}) {
    v->constraints = published();
    v->constraints.push_back(seed_shape());
  }
  Variant groups = deform_variant(
      "two_phase_unroll", "two phases, in groups", "ours",
      "Two phases for groups of 1, 2, 4 or 8 points and any shape: one level after the other, "
      "32-bit offsets, the attention weight multiplied at each corner. This form launches.",
      "Registers and occupancy as groups grow[[two_phase_unroll.time.warm > "
      "interleaved_compile_time_points.time.warm => : loading several points at once costs "
      "occupancy, and it takes {time.warm:two_phase_unroll}, the baseline "
      "{time.warm:interleaved_compile_time_points}]].",
      two_phase_unroll_steps);
  groups.constraints = {whole_lanes(), halves(), groups_divide_points()};
  return {std::move(unrolled), std::move(wide), std::move(capped), std::move(groups)};
}

std::vector<Variant> exhibits() {
  Variant second =
      deform_variant("second_weight_load", "second weight load (faulty)", "lesson",
                     "Wrong on purpose, like the published code: of eight weights it loads 16 "
                     "bytes from the first and 16 from the fifth, which is aligned to 8 bytes.",
                     "The emulator, which runs PTX, names the line and the lanes. In SASS, ptxas "
                     "narrows the second load to the 8 bytes that are used (LDG.E.64), so that a "
                     "GPU reports no fault and the result is right.",
                     [](const Workload& w) { return lanes_steps(w, "second_weight_load"); });
  second.constraints = {halves(), seed_shape()};
  second.applies = [](const Configuration& axes) { return axes.text("broken") == "on"; };
  second.expected_fault = [](const Workload&) -> std::optional<std::string> {
    return "in PTX a 16-byte load is aligned to 8 bytes; ptxas narrows it to 8 bytes, so a GPU "
           "reports no fault";
  };
  return {std::move(second)};
}

}  // namespace

std::vector<std::string> variants_of_blocks() {
  return {"runtime_point_loop",
          "interleaved_compile_time_points",
          "scalar_metadata",
          "metadata_ahead",
          "two_phase_unrolled",
          "two_phase_wide_offsets",
          "two_phase_capped",
          "two_phase_unroll",
          "branch_free",
          "fp32_coordinates",
          "unpadded_values",
          "sample_then_reduce",
          "fused_softmax",
          "bf16_values",
          "fp8_values",
          "lane_per_point_shuffle",
          "pair_row_gather",
          "async_metadata",
          "small_levels_in_shared",
          "bulk_staged_levels",
          "tma_box_per_sample",
          "sorted_queries",
          "sorted_windows",
          "second_weight_load"};
}

Variant deform_variant(std::string name, std::string label, std::string family,
                       std::string sentence, std::string look_at,
                       std::function<Steps(const Workload&)> steps) {
  Variant v;
  v.name = std::move(name);
  v.label = std::move(label);
  v.family = std::move(family);
  v.sentence = std::move(sentence);
  v.look_at = std::move(look_at);
  v.accuracy = "half precision";
  v.reference = "half";
  v.reported_references = {"exact", "file"};
  v.tolerance_at = half_sums;
  v.pipe = Pipe::half2;
  v.own_roof_at = [](const Configuration& axes) -> std::string {
    const bool corners_of_64_bytes =
        axes.integer("channels") == 32 && value_type(axes) == ElementType::f16;
    return corners_of_64_bytes ? "gather_64" : "";
  };
  v.steps = std::move(steps);
  return v;
}

Variant lanes_variant(const std::string& name, std::string label, std::string sentence,
                      std::string look_at) {
  Variant v =
      deform_variant(name, std::move(label), "ours", std::move(sentence), std::move(look_at),
                     [name](const Workload& w) { return lanes_steps(w, name); });
  v.constraints = {whole_lanes(), halves()};
  return v;
}

std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (const auto made : {seed_variants, rungs, two_phase_variants, exhibits, stored_variants,
                          placed_variants, pair_variants}) {
    for (Variant& v : made()) all.push_back(std::move(v));
  }
  all.push_back(automatic_variant(all, axes(), work_terms()));
  return all;
}

}  // namespace warpscope::deform
