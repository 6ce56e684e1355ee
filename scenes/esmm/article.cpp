// scenes/esmm/article.cpp: what the seed behind the scene claims, as relations.
#include "scenes/esmm/article.h"

namespace warpscope::esmm {

// All at the scene's defaults but for what they name: 4096³, a random bit for each 32 rows, or
// columns, and k.
// Long: a table of claims, one after the other.
std::vector<ArticleClaim> article() {
  return {
      {"In the transposed tile shared reads of B are a broadcast, and those of A go to other "
       "banks.",
       "transposed_b.shared.bank_conflicts < 1.1 * k_major_b.shared.bank_conflicts",
       "{transposed_b.shared.bank_conflicts} conflicts are counted, "
       "{k_major_b.shared.bank_conflicts} without the transpose. It is the other way round: "
       "A is the broadcast, and lanes read B at a stride of eight words."},
      {"A warp's check of B is uniform because B is transposed.",
       "k_major_b.inst.lanes < 0.98 * transposed_b.inst.lanes",
       "Active lanes of an instruction: {transposed_b.inst.lanes} with B turned, "
       "{k_major_b.inst.lanes} with B as it lies. Groups of 32 columns make the check uniform."},
      {"The transposed tile loses by its transpose alone.",
       "transposed_b@preprocessing=both_prepared.time.warm <= "
       "k_major_b@preprocessing=both_prepared.time.warm",
       "With the transpose outside of the time "
       "{transposed_b@preprocessing=both_prepared.time.warm}, the same mapping without it "
       "{k_major_b@preprocessing=both_prepared.time.warm}."},
      {"A is read badly: its rows lie K apart.", "a_skip.l1.sectors_per_request_load > 20",
       "{a_skip.l1.sectors_per_request_load} sectors a load request, of pattern bytes too. Eight k "
       "of a row are one full sector; what suffers are lines: 16 a request instead of 4."},
      {"C is written badly by A-pattern skip and well by the transposed tile.",
       "a_skip.l1.requests_store > transposed_b.l1.requests_store",
       "{a_skip.l1.requests_store} store requests, {transposed_b.l1.requests_store} with a lane a "
       "column. Half sectors of 16-byte stores meet in L2."},
      {"A-pattern skip has bank conflicts where it multiplies.",
       "a_skip.shared.bank_conflicts > 1.5 * k_major_b.shared.bank_conflicts",
       "{a_skip.shared.bank_conflicts} conflicts, {k_major_b.shared.bank_conflicts} in the k-major "
       "tile, which reads other words. The stores that turn A make them; the reads have none."},
      {"98 floats a thread are about 40 registers.", "a_skip.registers ~ 40 within 10 %",
       "{a_skip.registers} registers a thread, {transposed_b.registers} of the transposed tile: a "
       "float is a register."},
      {"The transposed tile needs 31 % more registers.",
       "ratio(transposed_b.registers, a_skip.registers) ~ 1.31 within 5 %",
       "{transposed_b.registers} registers against {a_skip.registers}."},
      {"1638 threads of A-pattern skip share a multiprocessor.", "a_skip.occupancy.achieved > 70 %",
       "{a_skip.occupancy.achieved} of 2048 threads are there."},
      {"Rows of B that are zero are not loaded.",
       "joint_table.l2.bytes_to_sm < 0.9 * dense_warp_tile.l2.bytes_to_sm",
       "{joint_table.l2.bytes_to_sm} cross from L2, {dense_warp_tile.l2.bytes_to_sm} in the dense "
       "tile: a row can be left out where no warp of a block needs it."},
      {"Skipping half of A's k halves the time.",
       "ratio(a_skip@preprocessing=both_prepared.time.warm, dense_warp_tile.time.warm) ~ 0.5 "
       "within 10 %",
       "{ratio(a_skip@preprocessing=both_prepared.time.warm, dense_warp_tile.time.warm)} of the "
       "dense tile's time, for {a_skip.model.executed_share} of its arithmetic."},
      {"Skipping half of A's k is faster than the library's dense product.",
       "a_skip@preprocessing=both_prepared.time.warm < cublas_sgemm.time.warm",
       "{a_skip@preprocessing=both_prepared.time.warm} with patterns made before, cuBLAS "
       "{cublas_sgemm.time.warm}."},
      {"A byte of B for every eight columns is better than none.",
       "ab_fine.time.warm < a_skip.time.warm",
       "{ab_fine.time.warm} with bytes of B, {a_skip.time.warm} with A's alone."},
      {"Intersecting two lists is as good as one lookup.",
       "joint_lists.inst.executed ~ joint_lookup.inst.executed within 10 %",
       "{joint_lists.inst.executed} instructions with lists, {joint_lookup.inst.executed} with a "
       "lookup of a & b, for the same products."},
      {"The architecture is sound: skipping both sides gives the share that is left.",
       "ratio(joint_table.time.warm, dense_warp_tile.time.warm) < 1.5 * "
       "joint_table.model.executed_share",
       "{ratio(joint_table.time.warm, dense_warp_tile.time.warm)} of the dense tile's time for "
       "{joint_table.model.executed_share} of its arithmetic, with patterns made in the call."},
  };
}

}  // namespace warpscope::esmm
