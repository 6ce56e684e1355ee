// scenes/csrmm/article.cpp: what the published article claims, as relations.
#include "scenes/csrmm/article.h"

#include <utility>

namespace warpscope::csrmm {
namespace {

// All at the scene's defaults: 10000 × 10000 at 2 %, 128 columns, one weight per entry, and the
// published kernels as listed. A quoted figure is tested on both sides.

// The final table beside cuSPARSE.
// Long: a table of claims, one after the other.
std::vector<ArticleClaim> performance() {
  return {
      {"The finished kernel is 7 to 8 times faster than cuSPARSE.",
       "ratio(best(cusparse_default, cusparse_alg1, cusparse_alg2, cusparse_alg3), "
       "warp_row_unroll4.time.warm) >= 7 and ratio(best(cusparse_default, cusparse_alg1, "
       "cusparse_alg2, cusparse_alg3), warp_row_unroll4.time.warm) <= 8",
       "The finished kernel takes {warp_row_unroll4.time.warm}, cuSPARSE {best(cusparse_default, "
       "cusparse_alg1, cusparse_alg2, cusparse_alg3)} ({fastest(cusparse_default, cusparse_alg1, "
       "cusparse_alg2, cusparse_alg3)}): {ratio(best(cusparse_default, cusparse_alg1, "
       "cusparse_alg2, cusparse_alg3), warp_row_unroll4.time.warm)}×. The column called cuSPARSE "
       "was an array program, which takes {gather_segment_add.time.warm}."},
      {"With one weight for all entries it is 7.37 times faster.",
       "ratio(min(cusparse_default@weights=homo.time.warm, cusparse_alg1@weights=homo.time.warm, "
       "cusparse_alg2@weights=homo.time.warm, cusparse_alg3@weights=homo.time.warm), "
       "warp_row_unroll4@weights=homo.time.warm) ~ 7.37 within 10 %",
       "The finished kernel takes {warp_row_unroll4@weights=homo.time.warm}, cuSPARSE "
       "{min(cusparse_default@weights=homo.time.warm, cusparse_alg1@weights=homo.time.warm, "
       "cusparse_alg2@weights=homo.time.warm, cusparse_alg3@weights=homo.time.warm)}: "
       "{ratio(min(cusparse_default@weights=homo.time.warm, "
       "cusparse_alg1@weights=homo.time.warm, cusparse_alg2@weights=homo.time.warm, "
       "cusparse_alg3@weights=homo.time.warm), warp_row_unroll4@weights=homo.time.warm)}×."},
      {"The first kernel is 4.37 times faster than cuSPARSE, and 3.81 times with one weight.",
       "ratio(best(cusparse_default, cusparse_alg1, cusparse_alg2, cusparse_alg3), "
       "warp_row_zero_test.time.warm) ~ 4.37 within 10 % and "
       "ratio(min(cusparse_default@weights=homo.time.warm, cusparse_alg1@weights=homo.time.warm, "
       "cusparse_alg2@weights=homo.time.warm, cusparse_alg3@weights=homo.time.warm), "
       "warp_row_zero_test@weights=homo.time.warm) ~ 3.81 within 10 %",
       "The first kernel takes {warp_row_zero_test.time.warm}, a speed-up of "
       "{ratio(best(cusparse_default, cusparse_alg1, cusparse_alg2, cusparse_alg3), "
       "warp_row_zero_test.time.warm)}× over cuSPARSE; with one weight "
       "{warp_row_zero_test@weights=homo.time.warm}, "
       "{ratio(min(cusparse_default@weights=homo.time.warm, cusparse_alg1@weights=homo.time.warm, "
       "cusparse_alg2@weights=homo.time.warm, cusparse_alg3@weights=homo.time.warm), "
       "warp_row_zero_test@weights=homo.time.warm)}×. The published 2.49 ms and 2.83 ms are host "
       "times around a whole call."},
      {"With 64 columns the finished kernel is 2.68 times faster than cuSPARSE.",
       "ratio(cusparse_alg3@n=64.time.warm, warp_row_unroll4@n=64.time.warm) ~ 2.68 within 10 %",
       "With 64 columns it takes {warp_row_unroll4@n=64.time.warm}, cuSPARSE's ALG3 "
       "{cusparse_alg3@n=64.time.warm}: {ratio(cusparse_alg3@n=64.time.warm, "
       "warp_row_unroll4@n=64.time.warm)}×. With half the density of A as well, they take "
       "{warp_row_unroll4@n=64,p=0.01.time.warm} and {cusparse_alg3@n=64,p=0.01.time.warm}: "
       "{ratio(cusparse_alg3@n=64,p=0.01.time.warm, warp_row_unroll4@n=64,p=0.01.time.warm)}×."},
      {"Transposed it is 3.73 times faster than cuSPARSE.",
       "ratio(cusparse_t@op=T.time.warm, t_scatter_atomics@op=T.time.warm) ~ 3.73 within 10 %",
       "The scatter takes {t_scatter_atomics@op=T.time.warm}, cuSPARSE's transposition "
       "{cusparse_t@op=T.time.warm}: {ratio(cusparse_t@op=T.time.warm, "
       "t_scatter_atomics@op=T.time.warm)}×. On a CSC copy prepared once, cuSPARSE takes "
       "{cusparse_csc@op=T.time.warm}."},
      {"Transposed and with one weight it is 4.03 times faster than cuSPARSE.",
       "ratio(cusparse_t@op=T,weights=homo.time.warm, "
       "t_scatter_atomics@op=T,weights=homo.time.warm) ~ 4.03 within 10 %",
       "The scatter takes {t_scatter_atomics@op=T,weights=homo.time.warm}, cuSPARSE's "
       "transposition {cusparse_t@op=T,weights=homo.time.warm}: "
       "{ratio(cusparse_t@op=T,weights=homo.time.warm, "
       "t_scatter_atomics@op=T,weights=homo.time.warm)}×."},
      {"Transposed it is 3.7 to 10.5 times faster, its summary says.",
       "ratio(cusparse_t@op=T.time.warm, t_scatter_atomics@op=T.time.warm) >= 3.7 and "
       "ratio(cusparse_t@op=T.time.warm, t_scatter_atomics@op=T.time.warm) <= 10.5",
       "{ratio(cusparse_t@op=T.time.warm, t_scatter_atomics@op=T.time.warm)}× compared with "
       "cuSPARSE's transposition, {ratio(cusparse_csc@op=T.time.warm, "
       "t_scatter_atomics@op=T.time.warm)}× compared with cuSPARSE on a prepared CSC copy."},
      {"One weight for all entries is slower than one weight per entry.",
       "warp_row_unroll4@weights=homo.time.warm > warp_row_unroll4@weights=hetero.time.warm",
       "{warp_row_unroll4@weights=homo.time.warm} with one weight, "
       "{warp_row_unroll4@weights=hetero.time.warm} with one weight per entry."},
  };
}

// Its roofline.
// Long: a table of claims, one after the other.
std::vector<ArticleClaim> roofline() {
  return {
      {"It runs on an A100: 2000 GB/s from DRAM and about 15 TFLOP/s.",
       "roof.dram.read ~ 2000 GB/s within 15 % and roof.pipe.fp32 ~ 15 TFLOP/s within 15 %",
       "This is {device.name}: reads from DRAM reach {roof.dram.read}, f32 {roof.pipe.fp32}. A "
       "bound computed for an A100 does not apply here."},
      {"The product moves 2.055 GB through DRAM.",
       "warp_row_unroll4.dram.bytes_read + warp_row_unroll4.dram.bytes_write ~ 2.055 GB within "
       "10 %",
       "{warp_row_unroll4.dram.bytes_read} are read from DRAM and "
       "{warp_row_unroll4.dram.bytes_write} written; {warp_row_unroll4.l2.bytes_to_sm} come from "
       "L2. A, B and C have {warp_row_unroll4.model.dram_bytes}."},
      {"It computes 51.2 million operations, those on nonzeros of B.",
       "warp_row_unroll4.model.flops ~ 51.2 MFLOP within 10 %",
       "{warp_row_unroll4.model.flops} are computed, {warp_row_unroll4.model.seed_flops} of them "
       "on nonzeros: the finished kernel multiplies zeros too."},
      {"Its intensity is 0.025 FLOP/B.",
       "warp_row_unroll4.model.flops / (warp_row_unroll4.dram.bytes_read + "
       "warp_row_unroll4.dram.bytes_write) ~ 0.025 FLOP/B within 10 %",
       "{warp_row_unroll4.model.flops / (warp_row_unroll4.dram.bytes_read + "
       "warp_row_unroll4.dram.bytes_write)} at DRAM, {warp_row_unroll4.model.flops / "
       "warp_row_unroll4.l2.bytes_to_sm} at L2 and {warp_row_unroll4.model.flops / "
       "warp_row_unroll4.l1.bytes} at L1. The article's figure is "
       "{warp_row_unroll4.model.seed_flops} over {warp_row_unroll4.model.seed_bytes}: it counts "
       "only operations on nonzeros of B, and assumes that DRAM delivers a row of B for every "
       "entry."},
      {"DRAM lets it take 1.03 ms at best.", "1.03 ms <= warp_row_unroll4.time.warm",
       "It takes {warp_row_unroll4.time.warm}. That bound assumes "
       "{warp_row_unroll4.model.seed_bytes}: no row of B is reused, and every lane loads its own "
       "index."},
      {"The first kernel reaches 41 % of its bound.",
       "warp_row_zero_test.binding_ratio ~ 41 % within 10 %",
       "{warp_row_zero_test.binding_ratio} of the roof of {warp_row_zero_test.binds}."},
      {"Without the test it reaches 68 %, 27 points more.",
       "warp_row_branch_free.binding_ratio ~ 68 % within 10 % and "
       "warp_row_branch_free.binding_ratio - warp_row_zero_test.binding_ratio ~ 27 % within 20 %",
       "{warp_row_branch_free.binding_ratio} of the roof of {warp_row_branch_free.binds}; the "
       "first kernel reaches {warp_row_zero_test.binding_ratio}."},
      {"Unrolled it reaches 75 to 79 %.",
       "warp_row_unroll4.binding_ratio >= 75 % and warp_row_unroll4.binding_ratio <= 79 %",
       "{warp_row_unroll4.binding_ratio} of the roof of {warp_row_unroll4.binds}."},
      {"It ends at 73 to 76 % of what DRAM allows.",
       "warp_row_unroll4.binds = 'DRAM' and warp_row_unroll4.binding_ratio >= 73 % and "
       "warp_row_unroll4.binding_ratio <= 76 %",
       "{warp_row_unroll4.binds} limits it, at {warp_row_unroll4.binding_ratio} of its roof."},
      {"It is within 85 % of its bound.", "warp_row_unroll4.binding_ratio ~ 85 % within 5 %",
       "{warp_row_unroll4.binding_ratio} of the roof of {warp_row_unroll4.binds}."},
      {"Random access lets 80 to 85 % of the bound be reached at most.",
       "max(warp_row_branch_free.binding_ratio, merge_path.binding_ratio, "
       "row_swizzle.binding_ratio) >= 80 % and max(warp_row_branch_free.binding_ratio, "
       "merge_path.binding_ratio, row_swizzle.binding_ratio) <= 85 %",
       "{warp_row_branch_free.binding_ratio} of the roof of {warp_row_branch_free.binds} without "
       "the test, {merge_path.binding_ratio} by merge path, {row_swizzle.binding_ratio} with rows "
       "ordered by length: all gather rows of B at random."},
      {"A launch costs 0.1 to 0.2 ms.",
       "warp_row_unroll4@m=1000,k=1000,p=0.05,n=32.time.warm >= 0.1 ms and "
       "warp_row_unroll4@m=1000,k=1000,p=0.05,n=32.time.warm <= 0.2 ms",
       "A whole product of the smallest preset takes "
       "{warp_row_unroll4@m=1000,k=1000,p=0.05,n=32.time.warm} with launches back to back. What "
       "the host adds to a call that it waits for is not kernel time."},
  };
}

// Its iterations.
// Long: a table of claims, one after the other.
std::vector<ArticleClaim> iterations() {
  return {
      {"Removing the test for zero is a gain.",
       "warp_row_branch_free.time.warm < warp_row_zero_test.time.warm",
       "{warp_row_branch_free.time.warm} instead of {warp_row_zero_test.time.warm}, and another "
       "result if A has infinities. With 64-bit addresses and launch bounds of one warp: "
       "{warp_row_branch_free@index_width=64,launch_bounds=32.time.warm} instead of "
       "{warp_row_zero_test@index_width=64,launch_bounds=32.time.warm}."},
      {"It makes the product 39 % faster, 20 % with one weight.",
       "1 - ratio(warp_row_branch_free.time.warm, warp_row_zero_test.time.warm) ~ 39 % within 10 "
       "% and 1 - ratio(warp_row_branch_free@weights=homo.time.warm, "
       "warp_row_zero_test@weights=homo.time.warm) ~ 20 % within 10 %",
       "It takes {ratio(warp_row_branch_free.time.warm, warp_row_zero_test.time.warm)} of the "
       "time before, and with one weight {ratio(warp_row_branch_free@weights=homo.time.warm, "
       "warp_row_zero_test@weights=homo.time.warm)}."},
      {"The test makes the lanes of a warp diverge.", "warp_row_zero_test.inst.lanes < 31",
       "On average, {warp_row_zero_test.inst.lanes} lanes of a warp are active with the test and "
       "{warp_row_branch_free.inst.lanes} without. Both execute {warp_row_zero_test.inst.branches} "
       "branches: the compiler does not make the test a branch. It costs "
       "{(warp_row_zero_test.inst.executed - warp_row_branch_free.inst.executed) / (fact.nnz * "
       "axis.n / 32)} instructions per entry and warp: the comparison that predicates the "
       "multiply-add."},
      {"Multiplying by zero is cheaper than predication, 1 cycle instead of 2 to 3.",
       "(warp_row_zero_test.inst.executed - warp_row_branch_free.inst.executed) / (fact.nnz * "
       "axis.n / 32) + 1 >= 2 and (warp_row_zero_test.inst.executed - "
       "warp_row_branch_free.inst.executed) / (fact.nnz * axis.n / 32) + 1 <= 3 and "
       "warp_row_branch_free.time.warm < warp_row_zero_test.time.warm",
       "A product takes {(warp_row_zero_test.inst.executed - warp_row_branch_free.inst.executed) / "
       "(fact.nnz * axis.n / 32) + 1} instructions with the test and one without: in all, "
       "{warp_row_zero_test.inst.executed} are executed instead of "
       "{warp_row_branch_free.inst.executed}, and the time is {warp_row_zero_test.time.warm} "
       "instead of {warp_row_branch_free.time.warm}."},
      {"Not in the article: removing the test changes no result.",
       "warp_row_branch_free.reference = warp_row_zero_test.reference",
       "Zero times infinity is NaN. With the test, results are compared with the reference "
       "“{warp_row_zero_test.reference}”; without it, with “{warp_row_branch_free.reference}”. "
       "They differ wherever an entry of A that is not finite meets a zero of B."},
      {"Shuffles reduce the traffic of the indices by 32×.",
       "ratio(warp_row_branch_free.l1.sectors_load, warp_row_shuffle.l1.sectors_load) ~ 32 "
       "within 10 %",
       "{warp_row_branch_free.l1.sectors_load} sectors are loaded without them and "
       "{warp_row_shuffle.l1.sectors_load} with them: 32 lanes that load the same index already "
       "load a single sector."},
      {"Broadcasting indices with shuffles costs 87 %.",
       "ratio(warp_row_shuffle.time.warm, warp_row_branch_free.time.warm) - 1 ~ 87 % within 10 %",
       "{warp_row_shuffle.time.warm} with shuffles, {warp_row_branch_free.time.warm} without: "
       "{ratio(warp_row_shuffle.time.warm, warp_row_branch_free.time.warm)} times as long."},
      {"It is the synchronisation of the shuffles that costs.",
       "warp_row_shuffle_4.time.warm > 1.5 * warp_row_branch_free.time.warm",
       "With four gathers in flight the same shuffles take {warp_row_shuffle_4.time.warm}: "
       "{ratio(warp_row_shuffle_4.time.warm, warp_row_branch_free.time.warm)} times as long as the "
       "kernel without."},
      {"Unrolling by four makes it 8.6 % faster, 42 % with one weight.",
       "1 - ratio(warp_row_unroll4.time.warm, warp_row_branch_free.time.warm) ~ 8.6 % within 10 "
       "% and 1 - ratio(warp_row_unroll4@weights=homo.time.warm, "
       "warp_row_branch_free@weights=homo.time.warm) ~ 42 % within 10 %",
       "{warp_row_unroll4.time.warm} unrolled by hand, {warp_row_branch_free.time.warm} as the "
       "compiler unrolls it; with one weight {warp_row_unroll4@weights=homo.time.warm} and "
       "{warp_row_branch_free@weights=homo.time.warm}."},
      {"Unrolling lets instructions run in parallel.",
       "warp_row_unroll4.inst.per_cycle > 1.05 * warp_row_branch_free.inst.per_cycle",
       "{warp_row_unroll4.inst.per_cycle} instructions per cycle unrolled by hand, "
       "{warp_row_branch_free.inst.per_cycle} before, and {ratio(warp_row_unroll4.inst.executed, "
       "warp_row_branch_free.inst.executed)} times as many instructions."},
      {"Three iterations bring 2.49 ms down to 1.38 ms.",
       "ratio(warp_row_unroll4.time.warm, warp_row_zero_test.time.warm) ~ 1.38 / 2.49 within 10 %",
       "{warp_row_zero_test.time.warm} before and {warp_row_unroll4.time.warm} after: "
       "{ratio(warp_row_unroll4.time.warm, warp_row_zero_test.time.warm)} of the time. With 64-bit "
       "addresses and launch bounds of one warp: "
       "{warp_row_zero_test@index_width=64,launch_bounds=32.time.warm} and "
       "{warp_row_unroll4@index_width=64,launch_bounds=32.time.warm}."},
      {"With one weight for all entries they bring 2.83 ms down to 1.31 ms.",
       "ratio(warp_row_unroll4@weights=homo.time.warm, "
       "warp_row_zero_test@weights=homo.time.warm) ~ 1.31 / 2.83 within 10 %",
       "{warp_row_zero_test@weights=homo.time.warm} before and "
       "{warp_row_unroll4@weights=homo.time.warm} after: "
       "{ratio(warp_row_unroll4@weights=homo.time.warm, "
       "warp_row_zero_test@weights=homo.time.warm)} of the time."},
      {"Read-only loads are worth about 5 %.",
       "ratio(warp_row_plain_load.time.warm, warp_row_unroll4.time.warm) - 1 ~ 5 % within 40 %",
       "{warp_row_plain_load.time.warm} with plain loads, {warp_row_unroll4.time.warm} with "
       "read-only ones: {ratio(warp_row_plain_load.time.warm, warp_row_unroll4.time.warm)} times "
       "as long."},
      {"Separate multiply-adds are worth about 5 %.",
       "ratio(warp_row_grouped.time.warm, warp_row_unroll4.time.warm) - 1 ~ 5 % within 40 %",
       "{warp_row_grouped.time.warm} if four products are added up first, "
       "{warp_row_unroll4.time.warm} with separate multiply-adds: "
       "{ratio(warp_row_grouped.time.warm, warp_row_unroll4.time.warm)} times as long."},
  };
}

// Its block kernel, and what it says limits it.
std::vector<ArticleClaim> rows() {
  return {
      {"Rows of over 256 entries take as long in the block kernel as in the warp kernel.",
       "fact@p=0.03.mean_row > 256 and max(abs(ratio(block_row_unroll4.time.warm, "
       "warp_row_unroll4.time.warm) - 1) over "
       "points@p=0.03/0.05/0.1,n=128,weights=hetero,rows=fixed,dtype=f32,sorted=off) <= 10 %",
       "The block kernel takes {min(ratio(block_row_unroll4.time.warm, "
       "warp_row_unroll4.time.warm) over "
       "points@p=0.03/0.05/0.1,n=128,weights=hetero,rows=fixed,dtype=f32,sorted=off)} to "
       "{max(ratio(block_row_unroll4.time.warm, warp_row_unroll4.time.warm) over "
       "points@p=0.03/0.05/0.1,n=128,weights=hetero,rows=fixed,dtype=f32,sorted=off)} of the "
       "warp kernel's time over {points(ratio(block_row_unroll4.time.warm, "
       "warp_row_unroll4.time.warm) over "
       "points@p=0.03/0.05/0.1,n=128,weights=hetero,rows=fixed,dtype=f32,sorted=off)}."},
      {"Short rows lose nothing.",
       "max(ratio(length_dispatch.time.warm, warp_row_unroll4.time.warm) over "
       "points@p=0.005/0.01/0.02,n=128,weights=hetero,rows=fixed,dtype=f32,sorted=off) <= 1.03",
       "The dispatch takes at most {max(ratio(length_dispatch.time.warm, "
       "warp_row_unroll4.time.warm) over "
       "points@p=0.005/0.01/0.02,n=128,weights=hetero,rows=fixed,dtype=f32,sorted=off)} of the "
       "warp kernel's time over {points(ratio(length_dispatch.time.warm, "
       "warp_row_unroll4.time.warm) over "
       "points@p=0.005/0.01/0.02,n=128,weights=hetero,rows=fixed,dtype=f32,sorted=off)}: it picks "
       "that kernel. With {fact.mean_row} entries per row, the block kernel itself takes "
       "{block_row_unroll4.time.warm}, the warp kernel {warp_row_unroll4.time.warm}."},
      {"75 % of the traffic is the gather of rows of B.",
       "4 B * fact.nnz * axis.n / warp_row_unroll4.l1.bytes ~ 75 % within 10 %",
       "Rows of B are {4 B * fact.nnz * axis.n} of the {warp_row_unroll4.l1.bytes} requested from "
       "L1: {4 B * fact.nnz * axis.n / warp_row_unroll4.l1.bytes}. The rest are indices and "
       "weights: each warp loads a whole sector for 4 bytes."},
      {"L2 is too small and thrashes.", "warp_row_unroll4.l2.hit_ratio < 50 %",
       "Its L2 hit rate is {warp_row_unroll4.l2.hit_ratio}: A, B and C have "
       "{warp_row_unroll4.model.dram_bytes}, L2 has {device.l2_bytes}."},
      {"Shared memory does not help.", "k_tiles.time.warm >= float4_columns.time.warm",
       "{k_tiles.time.warm} with B streamed through shared memory, {float4_columns.time.warm} "
       "without."},
      {"Not in the article: read-only loads make the scatter faster.",
       "t_scatter_atomics@op=T.time.warm < t_scatter_plain_loads@op=T.time.warm",
       "{t_scatter_atomics@op=T.time.warm} with them, {t_scatter_plain_loads@op=T.time.warm} "
       "with plain loads."},
  };
}

// What it would try.
// Long: a table of claims, one after the other.
std::vector<ArticleClaim> directions() {
  return {
      {"Tiles would reuse rows of B.",
       "k_tiles.l2.bytes_to_sm < 0.5 * float4_columns.l2.bytes_to_sm",
       "{k_tiles.l2.bytes_to_sm} come from L2 with tiles of B in shared memory, "
       "{float4_columns.l2.bytes_to_sm} without, and the time is {k_tiles.time.warm} instead of "
       "{float4_columns.time.warm}."},
      {"A segmented reduction would help.", "row_split.time.warm < warp_row_branch_free.time.warm",
       "{row_split.time.warm} with rows cut into segments, {warp_row_branch_free.time.warm} "
       "without; with a power law of row lengths {row_split@rows=power_law.time.warm} and "
       "{warp_row_branch_free@rows=power_law.time.warm}."},
      {"Sorting the indices first would help.",
       "warp_row_branch_free@sorted=on.time.warm < warp_row_branch_free.time.warm",
       "{warp_row_branch_free@sorted=on.time.warm} with sorted indices, "
       "{warp_row_branch_free.time.warm} unsorted; with 16 bytes per lane "
       "{float4_columns@sorted=on.time.warm} and {float4_columns.time.warm}; with tiles of B "
       "{k_tiles@sorted=on.time.warm} and {k_tiles.time.warm}."},
      {"CSC would help the transposed product.",
       "t_csc_gather@op=T.time.warm < t_scatter_atomics@op=T.time.warm",
       "{t_csc_gather@op=T.time.warm} as a gather over columns, "
       "{t_scatter_atomics@op=T.time.warm} with atomics."},
      {"ELL suits regular patterns.", "axis.m * fact.longest_row / fact.nnz <= 1.1",
       "If all rows are equal, ELL stores {axis.m * fact.longest_row / fact.nnz} entries per entry "
       "of A, and saves the {4 B * (axis.m + 1)} of row pointers, next to {8 B * fact.nnz} of "
       "entries. With a power law of row lengths it stores {axis.m * "
       "fact@rows=power_law.longest_row / fact@rows=power_law.nnz} per entry."},
      {"SELL-C-sigma suits regular patterns.",
       "fact@rows=binomial.sell_entries / fact@rows=binomial.nnz <= 1.1",
       "With binomial row lengths, rows sorted in windows and padded in slices store "
       "{fact@rows=binomial.sell_entries / fact@rows=binomial.nnz} entries per entry of A, ELL "
       "{axis.m * fact@rows=binomial.longest_row / fact@rows=binomial.nnz}. With a steep power law "
       "they store {fact@rows=power_law,alpha=2.5.sell_entries / "
       "fact@rows=power_law,alpha=2.5.nnz} and ELL {axis.m * "
       "fact@rows=power_law,alpha=2.5.longest_row / fact@rows=power_law,alpha=2.5.nnz}."},
      {"A hybrid of COO and CSR would help where patterns differ.",
       "cusparse_coo_alg4@rows=one_huge_row.time.warm < "
       "cusparse_alg3@rows=one_huge_row.time.warm and cusparse_coo_alg4.time.warm > "
       "cusparse_alg3.time.warm",
       "With one huge row cuSPARSE takes {cusparse_coo_alg4@rows=one_huge_row.time.warm} on COO "
       "and {cusparse_alg3@rows=one_huge_row.time.warm} on CSR, with equal rows "
       "{cusparse_coo_alg4.time.warm} and {cusparse_alg3.time.warm}. Rows cut into pieces take "
       "{merge_path@rows=one_huge_row.time.warm} on CSR: the automatic choice changes the "
       "kernel, not the format."},
      {"Persistent kernels would save launches.",
       "row_queue.time.warm < warp_row_branch_free.time.warm",
       "{row_queue.time.warm} with persistent warps that take row after row, "
       "{warp_row_branch_free.time.warm} with one block per row."},
      {"CUDA graphs would reduce the overhead of each call.",
       "compressed_b_quads@m=1000,k=1000.time.warm > 1.1 * "
       "compressed_b_quads@m=1000,k=1000.steps.time",
       "The finished kernel is {warp_row_unroll4.steps.count} launch. The product that compacts B "
       "first has {compressed_b_quads@m=1000,k=1000.steps.count}. On a small matrix they take "
       "{compressed_b_quads@m=1000,k=1000.time.warm} in all; the kernels alone take "
       "{compressed_b_quads@m=1000,k=1000.steps.time}. A graph could save the difference."},
      {"Tensor cores would pay off if more than half of B is nonzero.",
       "bitmap_tensor_cores@weights=homo,duplicates=off,db=0.5.time.warm < "
       "warp_row_branch_free@weights=homo,duplicates=off,db=0.5.time.warm",
       "If half of B is nonzero, the product with bitmaps of A takes "
       "{bitmap_tensor_cores@weights=homo,duplicates=off,db=0.5.time.warm} on tensor cores, "
       "{warp_row_branch_free@weights=homo,duplicates=off,db=0.5.time.warm} without and "
       "{cublas_dense_tf32@weights=homo,duplicates=off,db=0.5.time.warm} as cuBLAS's dense "
       "product. At the density of the article it takes "
       "{bitmap_tensor_cores@weights=homo,duplicates=off,db=0.1.time.warm}: its work does not "
       "depend on the density of B."},
      {"Fusing an activation with the product would pay off.",
       "2 * 4 B * axis.m * axis.n / roof.l2 > 0.05 * warp_row_unroll4.time.warm",
       "A separate activation reads and writes the {4 B * axis.m * axis.n} of C, and so does a row "
       "normalisation: {2 * 4 B * axis.m * axis.n / roof.l2} at the roof of L2. The product takes "
       "{warp_row_unroll4.time.warm}."},
      {"Many small products in one launch would help.",
       "warp_row_branch_free@rows=block_diagonal.time.warm < 0.5 * axis.m / 128 * "
       "warp_row_branch_free@m=128,k=128,p=1.time.warm",
       "A block-diagonal matrix is {axis.m / 128} products of 128 × 128: in one launch they take "
       "{warp_row_branch_free@rows=block_diagonal.time.warm}, and one of them alone takes "
       "{warp_row_branch_free@m=128,k=128,p=1.time.warm}."},
      {"Kernels specialised for a known pattern would help.",
       "k_tiles.time.warm < warp_row_unroll4.time.warm",
       "Every kernel here is compiled at run time for its types and constants. With its entries "
       "ordered for the pattern, the product takes {k_tiles.time.warm}, {ratio(k_tiles.time.warm, "
       "warp_row_unroll4.time.warm)} of the finished kernel's time."},
  };
}

}  // namespace

std::vector<ArticleClaim> article() {
  std::vector<ArticleClaim> all = performance();
  for (auto* part : {&roofline, &iterations, &rows, &directions}) {
    for (ArticleClaim& claim : (*part)()) all.push_back(std::move(claim));
  }
  return all;
}

}  // namespace warpscope::csrmm
