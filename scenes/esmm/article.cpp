// scenes/esmm/article.cpp: claims of the article that the scene follows and expectations, as
// relations.
#include "scenes/esmm/article.h"

#include <string>
#include <utility>

namespace warpscope::esmm {
namespace {

// A time of an H200, preparation of both operands included, at 4096³ with one density of both.
struct Goal {
  const char *league, *row, *library, *density;
  int microseconds, stretch;  // the same: nothing is hoped for beyond
};
constexpr Goal kGoals[] = {
    {"FP32", "class_lists", "cublas_sgemm", "0.5", 780, 720},
    {"FP32", "class_lists", "cublas_sgemm", "0.25", 230, 210},
    {"FP32", "class_lists", "cublas_sgemm", "0.125", 100, 95},
    {"FP32-class on tensor cores", "class_lists_tf32x3", "dense_tf32x3", "0.5", 520, 520},
    {"FP32-class on tensor cores", "class_lists_tf32x3", "dense_tf32x3", "0.25", 180, 180},
    {"FP32-class on tensor cores", "class_lists_tf32x3", "dense_tf32x3", "0.125", 95, 95},
    {"TF32", "class_lists_tf32", "cublas_tf32", "0.5", 323, 300},
    {"TF32", "class_lists_tf32", "cublas_tf32", "0.25", 160, 160},
    {"TF32", "class_lists_tf32", "cublas_tf32", "0.125", 95, 95},
};

ArticleClaim claim_of(const Goal& goal, int microseconds) {
  const std::string at = std::string("@da=") + goal.density + ",db=" + goal.density + ".time.warm";
  const std::string ours = goal.row + at, library = goal.library + at;
  const std::string bound = std::to_string(microseconds);
  return {std::string("A goal, ") + goal.league + ", density " + goal.density +
              " of both operands, both prepared in the call: at most " + bound + " µs.",
          ours + " <= " + bound + " us",
          "{" + ours + "}, and {" + library + "} for the library's dense product."};
}

// What a row prepares in a call, and what a product saves then against another row: the one over
// the other are the products after which the preparation is paid back.
ArticleClaim break_even(const std::string& said, const std::string& row, const std::string& other,
                        const std::string& words) {
  const std::string own = row + ".time.warm", rival = other + ".time.warm";
  const std::string prepared = row + "@preprocessing=both_prepared.time.warm";
  const std::string cost = "(" + own + " - " + prepared + ")";
  const std::string saved = "(" + rival + " - " + prepared + ")";
  return {said, own + " < " + rival,
          "{" + prepared + "} with everything prepared, {" + own + "} if the call prepares it, {" +
              rival + "} for " + words + "[[" + prepared + " < " + rival +
              " => : it pays off after {" + cost + " / " + saved +
              "} products that share it | : it never pays off]]."};
}

// All at the scene's defaults but for what they name: 4096³, a random bit for each 32 rows, or
// columns, and k. Counters of a kernel's name are of the product alone, without its preparation.

// How the two kernels read and write.
std::vector<ArticleClaim> of_memory() {
  return {
      {"A is loaded badly by both kernels: its rows are K apart.",
       "dense_warp_tile.kernel.dense_warp_tile.l1.sectors_per_request_load > 20",
       "{dense_warp_tile.kernel.dense_warp_tile.l1.sectors_per_request_load} sectors per load "
       "request in the dense tile, which reads both operands as A-pattern skip does, and nothing "
       "else. 32 quads fill 16 sectors, and eight k of a row are one full sector. What suffers are "
       "the lines: 16 per request of A, 4 per request of B."},
      {"B is loaded badly when it is transposed, and well as it is stored.",
       "transposed_b.kernel.bt_tile.l1.sectors_load > 1.25 * "
       "k_major_b.kernel.k_major.l1.sectors_load",
       "{transposed_b.kernel.bt_tile.l1.sectors_load} sectors with B transposed, "
       "{k_major_b.kernel.k_major.l1.sectors_load} as stored: 16 full ones per request either way. "
       "The lines are worse: 16 per request of Bᵀ, 4 per request of B."},
      {"Preprocessing removes the cost of the transpose.",
       "transposed_b@preprocessing=both_prepared.time.warm <= "
       "k_major_b@preprocessing=both_prepared.time.warm",
       "{transposed_b@preprocessing=both_prepared.time.warm} without the time of the transpose, "
       "{k_major_b@preprocessing=both_prepared.time.warm} for the same mapping that needs none."},
      {"If B is reused many times, its transpose is amortised.",
       "transposed_b@reuse=256.time.warm < k_major_b@reuse=256.time.warm",
       "{transposed_b@reuse=256.time.warm} per product if 256 products share the preparation, "
       "{transposed_b.time.warm} if each has its own. Without the transpose "
       "{k_major_b@reuse=256.time.warm}."},
      {"In the transposed tile, shared-memory reads of B are a broadcast, and those of A go to "
       "different banks.",
       "transposed_b.kernel.bt_tile.shared.bank_conflicts < 1.1 * "
       "k_major_b.kernel.k_major.shared.bank_conflicts",
       "{transposed_b.kernel.bt_tile.shared.bank_conflicts} bank conflicts are counted, "
       "{k_major_b.kernel.k_major.shared.bank_conflicts} without the transpose. With one lane per "
       "column it is the other way round: A is the broadcast, and lanes read B at a stride of "
       "eight words[[broadcast_b.time.warm > 0 ns => . In the published loop, where all lanes use "
       "the same column, the claim holds: {broadcast_b.kernel.broadcast_b.shared.bank_conflicts} "
       "conflicts, {broadcast_b.time.warm} || ]]."},
      {"A-pattern skip has bank conflicts where it multiplies.",
       "a_skip.kernel.a_skip.shared.bank_conflicts > 1.5 * "
       "k_major_b.kernel.k_major.shared.bank_conflicts",
       "{a_skip.kernel.a_skip.shared.bank_conflicts} bank conflicts, "
       "{k_major_b.kernel.k_major.shared.bank_conflicts} in the k-major tile, which reads other "
       "words. The stores that transpose A cause them; the reads have none."},
      {"C is written badly by A-pattern skip and well by the transposed tile.",
       "a_skip.kernel.a_skip.l1.sectors_store > 1.5 * transposed_b.kernel.bt_tile.l1.sectors_store",
       "{a_skip.kernel.a_skip.l1.sectors_store} sectors for C, "
       "{a_skip.kernel.a_skip.l1.sectors_per_request_store} per request, of which half is used. "
       "{transposed_b.kernel.bt_tile.l1.sectors_store} full ones with one lane per column, "
       "{transposed_b.kernel.bt_tile.l1.sectors_per_request_store} per request, in "
       "{ratio(transposed_b.kernel.bt_tile.l1.requests_store, "
       "a_skip.kernel.a_skip.l1.requests_store)} times as many requests."},
      {"Rows of B that are all zero are not loaded.",
       "joint_table.l2.bytes_to_sm < 0.9 * dense_warp_tile.l2.bytes_to_sm",
       "{joint_table.l2.bytes_to_sm} come from L2, {dense_warp_tile.l2.bytes_to_sm} in the dense "
       "tile: a row can be left out only if no warp of a block needs it."},
  };
}

// What they take of a multiprocessor.
std::vector<ArticleClaim> of_registers() {
  return {
      {"98 floats per thread are about 40 registers.",
       "a_skip.model.seed_floats = 98 and a_skip.registers ~ 40 within 10 %",
       "{a_skip.registers} registers per thread for {a_skip.model.seed_floats} floats: a float is "
       "a register."},
      {"129 floats per thread are about 52 registers.",
       "transposed_b.model.seed_floats = 129 and transposed_b.registers ~ 52 within 10 %",
       "{transposed_b.registers} registers per thread for {transposed_b.model.seed_floats} "
       "floats."},
      {"The transposed tile needs 31 % more registers.",
       "ratio(transposed_b.registers, a_skip.registers) - 1 ~ 31 % within 10 %",
       "{transposed_b.registers} registers compared with {a_skip.registers}, "
       "{(ratio(transposed_b.registers, a_skip.registers) - 1) * 100 %} more, for "
       "{transposed_b.model.seed_floats} floats compared with "
       "{a_skip.model.seed_floats}[[transposed_b_capped.time.warm > 0 ns => . Limited to two "
       "blocks per multiprocessor it has {transposed_b_capped.registers} and takes "
       "{transposed_b_capped.time.warm} instead of {transposed_b.time.warm} || ]]."},
      {"It might reduce occupancy.",
       "transposed_b.kernel.bt_tile.occupancy.achieved < 0.95 * "
       "a_skip.kernel.a_skip.occupancy.achieved",
       "{transposed_b.kernel.bt_tile.occupancy.achieved} occupancy, "
       "{a_skip.kernel.a_skip.occupancy.achieved} in A-pattern skip."},
      {"1638 threads of A-pattern skip share a multiprocessor.",
       "a_skip.kernel.a_skip.occupancy.achieved / 100 % * 2048 ~ 1638 within 10 %",
       "{a_skip.kernel.a_skip.occupancy.achieved / 100 % * 2048} threads of 2048 are resident."},
      {"1260 threads of the transposed tile share a multiprocessor.",
       "transposed_b.kernel.bt_tile.occupancy.achieved / 100 % * 2048 ~ 1260 within 10 %",
       "{transposed_b.kernel.bt_tile.occupancy.achieved / 100 % * 2048} threads of 2048 are "
       "resident."},
      {"It keeps 1024 to 2048 threads on a multiprocessor.",
       "transposed_b.kernel.bt_tile.occupancy.achieved / 100 % * 2048 >= 1024 and "
       "transposed_b.kernel.bt_tile.occupancy.achieved / 100 % * 2048 <= 2048",
       "{transposed_b.kernel.bt_tile.occupancy.achieved / 100 % * 2048} threads."},
      {"Another WMITER and WNITER can reduce registers.",
       "a_skip_tuned.registers < a_skip.registers",
       "{a_skip_tuned.registers} registers with the tuned tile of A-pattern skip, "
       "{a_skip.registers} before."},
  };
}

// What skipping gains.
std::vector<ArticleClaim> of_skipping() {
  return {
      {"A warp's check of B is uniform because B is transposed.",
       "k_major_b.kernel.k_major.inst.lanes < 0.98 * transposed_b.kernel.bt_tile.inst.lanes",
       "Active lanes per instruction: {transposed_b.kernel.bt_tile.inst.lanes} with B transposed, "
       "{k_major_b.kernel.k_major.inst.lanes} with B as stored. Groups of 32 columns make the "
       "check uniform."},
      {"The gain from uniform checks outweighs the cost of loading Bᵀ.",
       "transposed_b.time.warm < a_skip.time.warm",
       "{transposed_b.time.warm} if the transposed tile skips B's zeros, {a_skip.time.warm} if "
       "A-pattern skip skips A's, which are as many."},
      {"The approach is architecturally sound: checking B pays off.",
       "transposed_b@preprocessing=both_prepared.time.warm < "
       "dense_warp_tile@preprocessing=both_prepared.time.warm",
       "{transposed_b@preprocessing=both_prepared.time.warm} with everything prepared, for "
       "{transposed_b.model.executed_share} of the arithmetic; the dense tile takes "
       "{dense_warp_tile@preprocessing=both_prepared.time.warm}."},
      {"A square warp tile may give balance.", "joint_64.time.warm < joint_lookup.time.warm",
       "{joint_64.time.warm} with warp tiles of 64×64, {joint_lookup.time.warm} with 32×32; both "
       "skip both sides. They execute {joint_64.model.executed_share} and "
       "{joint_lookup.model.executed_share} of the arithmetic."},
      {"Not in the article: skipping half of A's k halves the time.",
       "ratio(a_skip@preprocessing=both_prepared.time.warm, dense_warp_tile.time.warm) ~ 0.5 "
       "within 10 %",
       "{ratio(a_skip@preprocessing=both_prepared.time.warm, dense_warp_tile.time.warm)} of the "
       "dense tile's time, for {a_skip.model.executed_share} of its arithmetic."},
      {"Not in the article: skipping half of A's k is faster than the library's dense product.",
       "a_skip@preprocessing=both_prepared.time.warm < cublas_sgemm.time.warm",
       "{a_skip@preprocessing=both_prepared.time.warm} with masks prepared; cuBLAS takes "
       "{cublas_sgemm.time.warm}."},
      {"Not in the article: a byte of B for every eight columns is better than none.",
       "ab_fine.time.warm < a_skip.time.warm",
       "{ab_fine.time.warm} with bytes of B, {a_skip.time.warm} with A's only."},
      {"Not in the article: intersecting two lists is as good as one lookup.",
       "joint_lists.inst.executed ~ joint_lookup.inst.executed within 10 %",
       "{joint_lists.inst.executed} instructions with lists, {joint_lookup.inst.executed} with a "
       "lookup of a & b, for the same products."},
      {"Not in the article: skipping both sides saves as much time as arithmetic.",
       "ratio(joint_table.time.warm, dense_warp_tile.time.warm) < 1.5 * "
       "joint_table.model.executed_share",
       "{ratio(joint_table.time.warm, dense_warp_tile.time.warm)} of the dense tile's time for "
       "{joint_table.model.executed_share} of its arithmetic, with masks made in the call."},
      break_even("Not in the article: the transpose of B pays off at once.", "transposed_b",
                 "k_major_b@preprocessing=both_prepared", "the same mapping without the transpose"),
      break_even("Not in the article: lists of active k pay off at once.", "class_lists",
                 "cublas_sgemm", "cuBLAS, which prepares nothing"),
      break_even("Not in the article: so does the joint table.", "joint_table", "cublas_sgemm",
                 "cuBLAS, which prepares nothing"),
  };
}

}  // namespace

std::vector<ArticleClaim> article() {
  std::vector<ArticleClaim> all = of_memory();
  for (const auto more : {of_registers, of_skipping}) {
    for (ArticleClaim& claim : more()) all.push_back(std::move(claim));
  }
  for (const Goal& goal : kGoals) {
    all.push_back(claim_of(goal, goal.microseconds));
    if (goal.stretch != goal.microseconds) all.push_back(claim_of(goal, goal.stretch));
  }
  return all;
}

}  // namespace warpscope::esmm
