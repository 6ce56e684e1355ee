// scenes/deform/article.cpp: claims of the article that the scene follows, as relations.
#include "scenes/deform/article.h"

#include <utility>

namespace warpscope::deform {
namespace {

// All at the scene's defaults but for what they name: 48 images of 20522 queries, the article's
// window. The article expects and measures nothing. Its kernel stands at 256 threads per block
// here, where it starts.

// What it says of the memory.
std::vector<ArticleClaim> of_memory() {
  return {
      {"The optimisation focuses on memory access patterns.",
       "not (interleaved_compile_time_points.binds = 'FP32' or "
       "interleaved_compile_time_points.binds = 'half2' or "
       "interleaved_compile_time_points.binds = 'issue')",
       "The nearest roof of the baseline is {interleaved_compile_time_points.binds}: L1 delivers "
       "{interleaved_compile_time_points.l1.bytes}, and DRAM reads "
       "{interleaved_compile_time_points.dram.bytes_read}."},
      {"Batch loading reduces the total number of memory requests.",
       "two_phase_unrolled@block_size=256.l1.requests_load < 0.95 * "
       "interleaved_compile_time_points.l1.requests_load",
       "{two_phase_unrolled@block_size=256.l1.requests_load} requests in two phases, "
       "{interleaved_compile_time_points.l1.requests_load} in the baseline: the same loads in "
       "another order."},
      {"Memory transfers become larger and more efficient.",
       "two_phase_unrolled@block_size=256.l1.sectors_per_request_load > 1.02 * "
       "interleaved_compile_time_points.l1.sectors_per_request_load",
       "{two_phase_unrolled@block_size=256.l1.sectors_per_request_load} sectors per load request "
       "in two phases, {interleaved_compile_time_points.l1.sectors_per_request_load} in the "
       "baseline."},
      {"The memory bandwidth is used better.",
       "two_phase_unrolled@block_size=256.rate.l1_bytes > 1.02 * "
       "interleaved_compile_time_points.rate.l1_bytes",
       "{two_phase_unrolled@block_size=256.rate.l1_bytes} from L1 and "
       "{two_phase_unrolled@block_size=256.rate.dram_bytes} from DRAM in two phases, "
       "{interleaved_compile_time_points.rate.l1_bytes} and "
       "{interleaved_compile_time_points.rate.dram_bytes} in the baseline."},
      {"The hit rates of L1 and L2 are better.",
       "two_phase_unrolled@block_size=256.l1.hit_ratio > 1.02 * "
       "interleaved_compile_time_points.l1.hit_ratio",
       "{two_phase_unrolled@block_size=256.l1.hit_ratio} of the sectors hit in L1, "
       "{interleaved_compile_time_points.l1.hit_ratio} in the baseline; in L2 "
       "{two_phase_unrolled@block_size=256.l2.hit_ratio} and "
       "{interleaved_compile_time_points.l2.hit_ratio}."},
      {"Vectorised 128-bit loads of locations and weights pay off.",
       "interleaved_compile_time_points.time.warm < scalar_metadata.time.warm",
       "{interleaved_compile_time_points.time.warm} with 128-bit loads, "
       "{scalar_metadata.time.warm} with one load per number."},
      {"Batch loading is particularly effective if L1 and L2 hit rates are good.",
       "ratio(two_phase_unroll.time.warm, interleaved_compile_time_points.time.warm) < "
       "ratio(two_phase_unroll@locality=uniform.time.warm, "
       "interleaved_compile_time_points@locality=uniform.time.warm)",
       "{ratio(two_phase_unroll.time.warm, interleaved_compile_time_points.time.warm)} of the "
       "baseline's time in the window, where {interleaved_compile_time_points.l1.hit_ratio} of the "
       "sectors hit in L1; {ratio(two_phase_unroll@locality=uniform.time.warm, "
       "interleaved_compile_time_points@locality=uniform.time.warm)} with samples anywhere, where "
       "{interleaved_compile_time_points@locality=uniform.l1.hit_ratio} do."},
      {"It pays to use hardly any shared memory.",
       "interleaved_compile_time_points.time.warm < small_levels_in_shared.time.warm",
       "{interleaved_compile_time_points.time.warm} without shared memory, "
       "{small_levels_in_shared.time.warm} with the small levels in it."},
  };
}

// What it says of instructions, and what it expects to gain.
// Long: a table of claims, one after the other.
std::vector<ArticleClaim> of_instructions() {
  return {
      {"Unrolling the loop over points gains 10 to 20 %.",
       "1 - ratio(interleaved_compile_time_points.time.warm, runtime_point_loop.time.warm) >= 10 % "
       "and 1 - ratio(interleaved_compile_time_points.time.warm, runtime_point_loop.time.warm) <= "
       "20 %",
       "{interleaved_compile_time_points.time.warm} unrolled, {runtime_point_loop.time.warm} with "
       "a run-time loop over points: a gain of {(1 - "
       "ratio(interleaved_compile_time_points.time.warm, runtime_point_loop.time.warm)) * 100 %}. "
       "The baseline published with the kernel is already unrolled."},
      {"Unrolled loops expose more independent instructions.",
       "interleaved_compile_time_points.inst.per_cycle > 1.02 * runtime_point_loop.inst.per_cycle",
       "{interleaved_compile_time_points.inst.per_cycle} instructions per cycle unrolled, "
       "{runtime_point_loop.inst.per_cycle} with a run-time loop over points; "
       "{interleaved_compile_time_points.inst.executed} and {runtime_point_loop.inst.executed} "
       "instructions in all."},
      {"No loop conditions are left to check.",
       "interleaved_compile_time_points.inst.branches < 0.9 * runtime_point_loop.inst.branches",
       "{interleaved_compile_time_points.inst.branches} branches unrolled, "
       "{runtime_point_loop.inst.branches} with a run-time loop over points."},
      {"Separate phases of loads and additions overlap better.",
       "two_phase_unrolled@block_size=256.inst.per_cycle > 1.02 * "
       "interleaved_compile_time_points.inst.per_cycle",
       "{two_phase_unrolled@block_size=256.inst.per_cycle} instructions per cycle in two phases, "
       "{interleaved_compile_time_points.inst.per_cycle} in the baseline. A warp waits "
       "{two_phase_unrolled@block_size=256.stall.long_scoreboard} cycles per instruction for "
       "memory, {interleaved_compile_time_points.stall.long_scoreboard} in the baseline, and fewer "
       "warps are resident to hide the wait."},
      {"Computing metadata once per point gains 5 to 10 %.",
       "1 - ratio(metadata_ahead.time.warm, interleaved_compile_time_points.time.warm) >= 5 % and "
       "1 - ratio(metadata_ahead.time.warm, interleaved_compile_time_points.time.warm) <= 10 %",
       "{metadata_ahead.time.warm} with metadata computed ahead, "
       "{interleaved_compile_time_points.time.warm} without. The baseline computes coordinates "
       "once per point too. Just the product with the attention weight is formed at each corner."},
      {"Loading a corner of all points before using it gains 5 to 15 %.",
       "1 - ratio(two_phase_unroll.time.warm, metadata_ahead.time.warm) >= 5 % and "
       "1 - ratio(two_phase_unroll.time.warm, metadata_ahead.time.warm) <= 15 %",
       "{two_phase_unroll.time.warm} with groups of {axis.unroll} points, "
       "{metadata_ahead.time.warm} with each load followed by its addition."},
      {"In total, 20 to 45 % are gained over the baseline.",
       "1 - ratio(two_phase_unrolled@block_size=256.time.warm, "
       "interleaved_compile_time_points.time.warm) >= 20 % and "
       "1 - ratio(two_phase_unrolled@block_size=256.time.warm, "
       "interleaved_compile_time_points.time.warm) <= 45 %",
       "{two_phase_unrolled@block_size=256.time.warm}, "
       "{ratio(two_phase_unrolled@block_size=256.time.warm, "
       "interleaved_compile_time_points.time.warm)} of the baseline's time, with blocks half as "
       "large as the baseline's[[two_phase_wide_offsets@block_size=256.time.warm > 0 ns => , and "
       "{two_phase_wide_offsets@block_size=256.time.warm} with wide offsets || ]]. The claim was "
       "never measured. It adds up gains that compound."},
      {"Using more registers may affect occupancy.",
       "two_phase_unrolled@block_size=256.registers > interleaved_compile_time_points.registers "
       "and "
       "two_phase_unrolled@block_size=256.occupancy.achieved < 0.9 * "
       "interleaved_compile_time_points.occupancy.achieved",
       "{two_phase_unrolled@block_size=256.registers} registers per thread and an occupancy of "
       "{two_phase_unrolled@block_size=256.occupancy.achieved}; in the baseline "
       "{interleaved_compile_time_points.registers} and "
       "{interleaved_compile_time_points.occupancy.achieved}[[two_phase_unrolled@block_size=512."
       "outcome = 'launch failed' => ; with the baseline's blocks it does not launch]]."},
  };
}

// What it leaves for later, and what is hoped for.
std::vector<ArticleClaim> of_future_and_goals() {
  return {
      {"Future: shared memory caches frequently accessed data.",
       "best(small_levels_in_shared, bulk_staged_levels) < "
       "interleaved_compile_time_points.time.warm",
       "{small_levels_in_shared.time.warm} with the small levels in shared memory, "
       "{bulk_staged_levels.time.warm} if bulk copies bring them, "
       "{interleaved_compile_time_points.time.warm} without."},
      {"Future: warp shuffles share data within a warp.",
       "lane_per_point_shuffle.time.warm < interleaved_compile_time_points.time.warm",
       "{lane_per_point_shuffle.time.warm} if lanes share the points, "
       "{interleaved_compile_time_points.time.warm} if each computes all: "
       "{lane_per_point_shuffle.inst.executed} and {interleaved_compile_time_points.inst.executed} "
       "instructions."},
      {"Future: asynchronous copies overlap better.",
       "best(async_metadata, bulk_staged_levels) < interleaved_compile_time_points.time.warm",
       "{async_metadata.time.warm} for metadata, {bulk_staged_levels.time.warm} for the small "
       "levels, {interleaved_compile_time_points.time.warm} without."},
      {"Future: a thread block processes several queries.",
       "best(query_tiles, sorted_queries) < interleaved_compile_time_points.time.warm",
       "{query_tiles.time.warm} in tiles, {sorted_queries.time.warm} sorted, "
       "{interleaved_compile_time_points.time.warm} as they come. If all queries sample one "
       "window, it makes no difference which come together."},
      {"A goal, the article's window: at most 320 µs.", "pair_rows_two_passes.time.warm <= 320 us",
       "{pair_rows_two_passes.time.warm}."},
      {"A goal, further: at most 280 µs.", "pair_rows_two_passes.time.warm <= 280 us",
       "{pair_rows_two_passes.time.warm}."},
      {"A goal, the article's window: at most 0.69 times the published baseline's time.",
       "pair_rows_two_passes.time.warm <= 0.69 * interleaved_compile_time_points.time.warm",
       "{ratio(interleaved_compile_time_points.time.warm, pair_rows_two_passes.time.warm)} times "
       "as fast: {interleaved_compile_time_points.time.warm} in the baseline, "
       "{pair_rows_two_passes.time.warm} here."},
      {"A goal, samples anywhere: at most 480 µs.",
       "pair_rows_two_passes@locality=uniform.time.warm <= 480 us",
       "{pair_rows_two_passes@locality=uniform.time.warm}."},
      {"A goal, samples anywhere, further: at most 430 µs.",
       "pair_rows_two_passes@locality=uniform.time.warm <= 430 us",
       "{pair_rows_two_passes@locality=uniform.time.warm}."},
  };
}

}  // namespace

std::vector<ArticleClaim> article() {
  std::vector<ArticleClaim> all = of_memory();
  for (const auto more : {of_instructions, of_future_and_goals}) {
    for (ArticleClaim& claim : more()) all.push_back(std::move(claim));
  }
  return all;
}

}  // namespace warpscope::deform
