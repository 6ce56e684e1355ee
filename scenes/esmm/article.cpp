// scenes/esmm/article.cpp: what the seed behind the scene claims, and what is hoped for, as
// relations.
#include "scenes/esmm/article.h"

#include <string>

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

ArticleClaim claim_of(const Goal& goal) {
  const std::string at = std::string("@da=") + goal.density + ",db=" + goal.density + ".time.warm";
  const std::string ours = goal.row + at, library = goal.library + at;
  const auto within = [&](int microseconds) {
    return ours + " <= " + std::to_string(microseconds) + " us";
  };
  std::string shown = "{" + ours + "}, and {" + library + "} for the library's dense product";
  const std::string further = std::to_string(goal.stretch) + " µs";
  if (goal.stretch != goal.microseconds)
    shown += "[[" + within(goal.stretch) + " => ; the further goal of " + further +
             " is met | ; the further goal is " + further + "]]";
  return {std::string("A goal, ") + goal.league + ", density " + goal.density +
              " of both operands, both prepared in the call: at most " +
              std::to_string(goal.microseconds) + " µs.",
          within(goal.microseconds), shown + "."};
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
          "{" + prepared + "} where all is prepared before, {" + own +
              "} where the call does it, {" + rival + "} of " + words + "[[" + prepared + " < " +
              rival + " => : paid back after {" + cost + " / " + saved +
              "} products that share it | : there is nothing that pays it "
              "back]]."};
}

}  // namespace

// All at the scene's defaults but for what they name: 4096³, a random bit for each 32 rows, or
// columns, and k.
// Long: a table of claims, one after the other.
std::vector<ArticleClaim> article() {
  std::vector<ArticleClaim> all = {
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
      break_even("The transpose of B is paid back at the first product.", "transposed_b",
                 "k_major_b@preprocessing=both_prepared", "the same mapping without the transpose"),
      break_even("Preparing lists of active k is paid back at the first product.", "class_lists",
                 "cublas_sgemm", "cuBLAS, which prepares nothing"),
      break_even("So is preparing the seed's joint table.", "joint_table", "cublas_sgemm",
                 "cuBLAS, which prepares nothing"),
  };
  for (const Goal& goal : kGoals) all.push_back(claim_of(goal));
  return all;
}

}  // namespace warpscope::esmm
