// scenes/csrmm/article.cpp: what the seed behind the scene claims, as relations.
#include "scenes/csrmm/article.h"

namespace warpscope::csrmm {

// All at the scene's defaults: 10000 × 10000 at 2 %, 128 columns, a weight each, and the seed's
// rungs as they are listed. A figure that is quoted is tested on both sides.
// Long: a table of claims, one after the other.
std::vector<ArticleClaim> article() {
  return {
      {"The finished kernel is 7 to 8 times faster than cuSPARSE.",
       "ratio(best(cusparse_default, cusparse_alg1, cusparse_alg2, cusparse_alg3), "
       "warp_row_unroll4.time.warm) ~ 7.5 within 7 %",
       "The finished kernel takes {warp_row_unroll4.time.warm}, cuSPARSE {best(cusparse_default, "
       "cusparse_alg1, cusparse_alg2, cusparse_alg3)} ({fastest(cusparse_default, cusparse_alg1, "
       "cusparse_alg2, cusparse_alg3)}): {ratio(best(cusparse_default, cusparse_alg1, "
       "cusparse_alg2, cusparse_alg3), warp_row_unroll4.time.warm)}×. The column called cuSPARSE "
       "was an array program, which takes {gather_segment_add.time.warm}."},
      {"Transposed it is about 4 times faster than cuSPARSE.",
       "ratio(cusparse_t@op=T.time.warm, t_scatter_atomics@op=T.time.warm) ~ 4 within 15 %",
       "The scatter takes {t_scatter_atomics@op=T.time.warm}, cuSPARSE's transposition "
       "{cusparse_t@op=T.time.warm}: {ratio(cusparse_t@op=T.time.warm, "
       "t_scatter_atomics@op=T.time.warm)}×. On columns prepared once cuSPARSE takes "
       "{cusparse_csc@op=T.time.warm}."},
      {"Transposed it is 10.5 times faster, its text says elsewhere.",
       "ratio(cusparse_t@op=T.time.warm, t_scatter_atomics@op=T.time.warm) ~ 10.5 within 15 %",
       "{ratio(cusparse_t@op=T.time.warm, t_scatter_atomics@op=T.time.warm)}× against cuSPARSE's "
       "transposition, {ratio(cusparse_csc@op=T.time.warm, t_scatter_atomics@op=T.time.warm)}× "
       "against cuSPARSE on prepared columns."},
      {"Three iterations bring the product down to 55 % of its time.",
       "ratio(warp_row_unroll4.time.warm, warp_row_zero_test.time.warm) ~ 0.55 within 10 %",
       "{warp_row_zero_test.time.warm} before and {warp_row_unroll4.time.warm} after: "
       "{ratio(warp_row_unroll4.time.warm, warp_row_zero_test.time.warm)} of the time. With "
       "64-bit addresses and launch bounds of a warp it is "
       "{warp_row_zero_test@index_width=64,launch_bounds=32.time.warm} and "
       "{warp_row_unroll4@index_width=64,launch_bounds=32.time.warm}. The published 2.49 ms and "
       "1.38 ms were a host's clock around a whole call."},
      {"With one weight for all entries they bring it down to 46 %.",
       "ratio(warp_row_unroll4@weights=homo.time.warm, warp_row_zero_test@weights=homo.time.warm) "
       "~ "
       "0.46 within 10 %",
       "{warp_row_zero_test@weights=homo.time.warm} before and "
       "{warp_row_unroll4@weights=homo.time.warm} after. The published 2.83 ms and 1.31 ms were a "
       "host's clock as well."},
      {"Taking out the test for zero is a gain.",
       "warp_row_branch_free.time.warm < warp_row_zero_test.time.warm",
       "{warp_row_branch_free.time.warm} instead of {warp_row_zero_test.time.warm}, and another "
       "result where B has infinities. With 64-bit addresses and launch bounds of a warp: "
       "{warp_row_branch_free@index_width=64,launch_bounds=32.time.warm} instead of "
       "{warp_row_zero_test@index_width=64,launch_bounds=32.time.warm}."},
      {"Multiplying by zero is only a question of speed.",
       "warp_row_branch_free.reference = warp_row_zero_test.reference",
       "Zero times infinity is not a number: with the test a row is held to the reference "
       "“{warp_row_zero_test.reference}”, without it to “{warp_row_branch_free.reference}”, and "
       "they differ wherever an entry of A meets a zero of B and is not finite."},
      {"Unrolling by four is a further gain.",
       "warp_row_unroll4.time.warm < warp_row_branch_free.time.warm",
       "{warp_row_unroll4.time.warm} unrolled by hand, {warp_row_branch_free.time.warm} as the "
       "compiler unrolls it."},
      {"Handing indices round by shuffles costs 87 %.",
       "ratio(warp_row_shuffle.time.warm, warp_row_branch_free.time.warm) ~ 1.87 within 10 %",
       "{warp_row_shuffle.time.warm} with shuffles, {warp_row_branch_free.time.warm} without: "
       "{ratio(warp_row_shuffle.time.warm, warp_row_branch_free.time.warm)} times as long."},
      {"It is the synchronisation of the shuffles that costs.",
       "warp_row_shuffle_4.time.warm > 1.5 * warp_row_branch_free.time.warm",
       "With four gathers in flight the same shuffles take {warp_row_shuffle_4.time.warm}: "
       "{ratio(warp_row_shuffle_4.time.warm, warp_row_branch_free.time.warm)} times the kernel "
       "without."},
      {"Read-only loads are worth about 5 %.",
       "ratio(warp_row_plain_load.time.warm, warp_row_unroll4.time.warm) ~ 1.05 within 2 %",
       "{warp_row_plain_load.time.warm} with plain loads, {warp_row_unroll4.time.warm} with "
       "read-only ones: {ratio(warp_row_plain_load.time.warm, warp_row_unroll4.time.warm)} times "
       "as long."},
      {"The product moves 2.06 GB through DRAM.",
       "warp_row_unroll4.dram.bytes_read + warp_row_unroll4.dram.bytes_write ~ 2.06 GB within 10 %",
       "{warp_row_unroll4.dram.bytes_read} are read from DRAM and "
       "{warp_row_unroll4.dram.bytes_write} written; {warp_row_unroll4.l2.bytes_to_sm} cross from "
       "L2. A, B and C have {warp_row_unroll4.model.dram_bytes}."},
      {"It computes 51.2 million operations, those on nonzeros of B.",
       "warp_row_unroll4.model.flops ~ warp_row_unroll4.model.seed_flops within 10 %",
       "{warp_row_unroll4.model.flops} are computed, {warp_row_unroll4.model.seed_flops} of them "
       "on "
       "nonzeros: the finished kernel multiplies zeros as well."},
      {"DRAM lets it take 1.03 ms at best.", "1030 us <= warp_row_unroll4.time.warm",
       "It takes {warp_row_unroll4.time.warm}. That bound charges "
       "{warp_row_unroll4.model.seed_bytes}: "
       "no row of B is used twice, and every lane has an index of its own."},
      {"It is within 85 % of its bound.", "warp_row_unroll4.binding_ratio ~ 85 % within 5 %",
       "{warp_row_unroll4.binding_ratio} of the roof of {warp_row_unroll4.binds}."},
      {"It runs at 73 to 76 % of what DRAM allows.",
       "warp_row_unroll4.binds = 'DRAM' and warp_row_unroll4.binding_ratio ~ 74.5 % within 3 %",
       "{warp_row_unroll4.binds} binds, at {warp_row_unroll4.binding_ratio} of its roof."},
      {"It runs on an A100: 2000 GB/s from DRAM and about 15 TFLOP/s.",
       "roof.dram.read ~ 2000 GB/s within 15 %",
       "This is {device.name}: reads from DRAM reach {roof.dram.read}, f32 {roof.pipe.fp32}. A "
       "bound that was worked out for an A100 is none here."},
      {"A launch costs 0.1 to 0.2 ms.",
       "warp_row_unroll4@m=1000,k=1000,p=0.05,n=32.time.warm ~ 150 us within 34 %",
       "A whole product of 1000 × 1000 with 32 columns takes "
       "{warp_row_unroll4@m=1000,k=1000,p=0.05,n=32.time.warm}, launches one behind the other. "
       "What a host adds to a call that it waits for is not the kernel's."},
      {"L2 is too small, and thrashes.", "warp_row_unroll4.model.dram_bytes > device.l2_bytes",
       "A, B and C have {warp_row_unroll4.model.dram_bytes}, L2 has {device.l2_bytes}."},
      {"Shared memory does not help.", "k_tiles.time.warm >= float4_columns.time.warm",
       "{k_tiles.time.warm} with B streamed through shared memory, {float4_columns.time.warm} "
       "without."},
      {"One weight for all entries is slower than a weight each.",
       "warp_row_unroll4@weights=homo.time.warm > warp_row_unroll4@weights=hetero.time.warm",
       "{warp_row_unroll4@weights=homo.time.warm} with one weight, "
       "{warp_row_unroll4@weights=hetero.time.warm} with a weight each."},
      {"Its workload of 64 columns is half of the one of 128.",
       "warp_row_unroll4@p=0.01,n=64.model.flops ~ 0.5 * warp_row_unroll4.model.flops",
       "{warp_row_unroll4@p=0.01,n=64.model.flops} and {warp_row_unroll4.model.flops}: the density "
       "was halved as well."},
      {"Read-only loads make the scatter faster.",
       "t_scatter_atomics@op=T.time.warm < t_scatter_plain_loads@op=T.time.warm",
       "{t_scatter_atomics@op=T.time.warm} with them, {t_scatter_plain_loads@op=T.time.warm} with "
       "plain loads."},
  };
}

}  // namespace warpscope::csrmm
