// scenes/csrmm/variants/seed_variants.cpp: the published kernels, and the ablations that test their
// claims.
#include <cmath>
#include <string>
#include <utility>

#include "scenes/csrmm/inputs/seed_reading.h"
#include "scenes/csrmm/steps/steps.h"
#include "scenes/csrmm/steps/techniques.h"
#include "scenes/csrmm/variants/variant_kinds.h"
#include "scenes/csrmm/work.h"

namespace warpscope::csrmm {
namespace {

std::string dispatch_choice(const Workload& w) {
  const std::string mean = std::to_string(std::llround(w.fact("mean_row")));
  const std::string limit = std::to_string(w.integer("auto_threshold"));
  return short_rows(w) ? "warp-row unroll ×4: the mean row length " + mean +
                             " is at or below the threshold " + limit
                       : "block-row unroll ×4: the mean row length " + mean +
                             " is above the threshold " + limit;
}

// The forms of the one kernel that takes every type.
Variant warp_row_variant(std::string name, std::string label, std::string family,
                         std::string sentence, std::string look_at, const WarpRow& form) {
  return gather_variant(std::move(name), std::move(label), std::move(family), std::move(sentence),
                        std::move(look_at),
                        [form](const Workload& w) { return warp_row_steps(w, form); });
}

// Eight warps share a row and add their sums in shared memory.
Variant block_row_variant(std::string name, std::string label, std::string family,
                          std::string sentence, std::string look_at, const BlockRow& form) {
  return gather_variant(std::move(name), std::move(label), std::move(family), std::move(sentence),
                        std::move(look_at),
                        [form](const Workload& w) { return block_row_steps(w, form); });
}

// One coalesced load brings 32 entries.
Variant shuffle_variant(std::string name, std::string label, std::string sentence,
                        std::string look_at, std::int64_t in_flight) {
  return gather_variant(std::move(name), std::move(label), "seed", std::move(sentence),
                        std::move(look_at),
                        [=](const Workload& w) { return shuffle_steps(w, in_flight); });
}

// Long: a table of the published gathers, with their texts.
std::vector<Variant> seed_gathers() {
  Variant baseline = warp_row_variant(
      "warp_row_zero_test", "warp-row zero test", "seed",
      "A warp computes 32 columns of a row. It multiplies only where b is not zero.",
      "Occupancy. A block has one warp, and the number of blocks on a "
      "multiprocessor is limited: [[warp_row_zero_test.occupancy.theoretical <= 50 % => at most "
      "{occupancy.theoretical:warp_row_zero_test} of its warp slots can be used. "
      "| {occupancy.theoretical:warp_row_zero_test} of its warp slots can be "
      "used. || see what share of its warp slots that fills.]]",
      {.zero_test = true});
  baseline.reference = "skip_zero";
  Variant block_zero_test = block_row_variant(
      "block_row_zero_test", "block-row zero test", "seed",
      "Eight warps share a row, skip zeros of B, and add their partial sums in shared memory.",
      "The reduction costs the same for a row of 8 entries and for one of 8000.",
      {.zero_test = true});
  block_zero_test.reference = "skip_zero";
  Variant dispatch = gather_variant(
      "length_dispatch", "length dispatch", "seed",
      "Picks the warp-row or the block-row kernel (both unrolled by 4) by the mean row length.",
      "[[length_dispatch@rows=power_law.time.warm > 1.5 * length_dispatch@rows=fixed.time.warm => "
      "The mean hides a power law: with the same mean it takes "
      "{ratio(length_dispatch@rows=power_law.time.warm, length_dispatch@rows=fixed.time.warm)} "
      "times as long as with equal rows. | A power law with the same mean takes "
      "{length_dispatch@rows=power_law.time.warm} here, equal rows "
      "{length_dispatch@rows=fixed.time.warm}. || The mean does not say how much row lengths "
      "differ: try a power law.]]",
      [](const Workload& w) {
        return short_rows(w) ? warp_row_steps(w, {.unroll = 4}) : block_row_steps(w, {.unroll = 4});
      });
  dispatch.choice = dispatch_choice;
  return {
      std::move(baseline),
      warp_row_variant(
          "warp_row_branch_free", "warp-row branch-free", "seed",
          "The same loop without the test: zeros of B are multiplied too.",
          "0 · Inf is now NaN, so results change. [[warp_row_branch_free.time.warm < "
          "warp_row_zero_test.time.warm => It takes {ratio(warp_row_branch_free.time.warm, "
          "warp_row_zero_test.time.warm)} of the zero test's time. | "
          "warp_row_branch_free.time.warm > warp_row_zero_test.time.warm => It takes "
          "{ratio(warp_row_branch_free.time.warm, warp_row_zero_test.time.warm)} times as long as "
          "the zero test. | It takes as long as "
          "the zero test within the noise.]]",
          {}),
      shuffle_variant(
          "warp_row_shuffle", "warp-row shuffle",
          "One coalesced load reads 32 indices. Shuffles then broadcast them one at a time.",
          "[[warp_row_shuffle.l1.requests_load < warp_row_branch_free.l1.requests_load and "
          "warp_row_shuffle.time.warm > warp_row_branch_free.time.warm => Fewer load requests than "
          "branch-free, but more time: | warp_row_shuffle.l1.requests_load < "
          "warp_row_branch_free.l1.requests_load => Fewer load requests than branch-free, and no "
          "more time: || Compare requests and time with branch-free:]] one gather of B is in "
          "flight at a time.",
          1),
      shuffle_variant(
          "warp_row_shuffle_4", "warp-row shuffle, 4 in flight",
          "Shuffled indices, with four gathers of B issued before the first is used.",
          "[[warp_row_shuffle_4.time.warm < warp_row_shuffle.time.warm and "
          "warp_row_shuffle.time.warm > warp_row_branch_free.time.warm and "
          "warp_row_shuffle.time.warm - warp_row_shuffle_4.time.warm > 0.5 * "
          "(warp_row_shuffle.time.warm - warp_row_branch_free.time.warm) => It makes up most of "
          "the slowdown against branch-free: the cause was missing parallelism, not the shuffle. | "
          "warp_row_shuffle_4.time.warm < warp_row_shuffle.time.warm => Four gathers in flight are "
          "faster than one: {time.warm:warp_row_shuffle_4} instead of "
          "{time.warm:warp_row_shuffle}. | Four gathers in flight are not faster than one here. || "
          "Is the shuffle slow, or is one gather in flight not enough? Compare both with "
          "branch-free.]]",
          4),
      warp_row_variant(
          "warp_row_unroll4", "warp-row unroll ×4", "seed",
          "Loads four indices and four values of B, then does four multiply-adds. The remaining "
          "entries go one by one.",
          "[[warp_row_unroll4.inst.executed >= warp_row_branch_free.inst.executed => It executes "
          "no fewer instructions than the plain loop, which the compiler unrolls by itself. | It "
          "executes {ratio(warp_row_unroll4.inst.executed, warp_row_branch_free.inst.executed)} of "
          "the plain loop's instructions. || Compare the instruction count with the plain loop's: "
          "the compiler may unroll that too.]]",
          {.unroll = 4}),
      std::move(block_zero_test),
      block_row_variant(
          "block_row", "block-row 8 warps", "seed",
          "Eight warps share a row. Each takes every eighth entry; then they add their sums.",
          "[[block_row@rows=one_huge_row.time.warm < "
          "warp_row_branch_free@rows=one_huge_row.time.warm => With one huge row, the seven other "
          "warps pay off: {block_row@rows=one_huge_row.time.warm}; warp-row branch-free takes "
          "{warp_row_branch_free@rows=one_huge_row.time.warm}. | With one huge row it takes "
          "{block_row@rows=one_huge_row.time.warm}; warp-row branch-free takes "
          "{warp_row_branch_free@rows=one_huge_row.time.warm}. || Choose one huge row and see what "
          "the seven other warps gain.]]",
          {}),
      block_row_variant("block_row_unroll4", "block-row 8 warps unroll ×4", "seed",
                        "Eight warps share a row, each with four gathers in flight.",
                        "Each warp gets 25 of 200 entries: six unrolled iterations and one left "
                        "over.",
                        {.unroll = 4}),
      std::move(dispatch),
  };
}

std::vector<Variant> ablations() {
  return {
      warp_row_variant(
          "warp_row_plain_load", "warp-row unroll ×4, plain loads", "ablation",
          "The unrolled kernel with ordinary loads of B instead of read-only ones.",
          "The article claims 5 % for read-only loads: [[warp_row_plain_load.time.warm > "
          "warp_row_unroll4.time.warm => plain ones take {ratio(warp_row_plain_load.time.warm, "
          "warp_row_unroll4.time.warm)} times as long here. | warp_row_plain_load.time.warm < "
          "warp_row_unroll4.time.warm => plain ones are faster here. | the difference is within "
          "the noise here. || see the measured difference and its noise.]]",
          {.unroll = 4, .read_only = false}),
      warp_row_variant(
          "warp_row_grouped", "warp-row unroll ×4, grouped sum", "ablation",
          "The unrolled kernel, but four products are added up before the accumulator.",
          "A shorter chain of dependent additions; the sum is rounded differently.",
          {.unroll = 4, .grouped = true}),
      block_row_variant(
          "block_row_narrow", "block-row unroll ×4, 32-bit indices", "ablation",
          "The unrolled block-row kernel with 32-bit indices, like block-row zero test.",
          "[[block_row_narrow.time.warm < block_row_unroll4.time.warm => With 64-bit addresses it "
          "takes {ratio(block_row_unroll4.time.warm, block_row_narrow.time.warm)} times as long. | "
          "With 64-bit addresses it is not slower here beyond the noise. || Compare it with 64-bit "
          "addresses.]]",
          {.unroll = 4, .narrow = true}),
      gather_variant(
          "grid_capped_row_pack", "grid-capped row pack", "ablation",
          "Four warps per block, one row per warp; at most 4096 blocks, which loop over the rows.",
          "Simpler code than the unrolled kernel[[grid_capped_row_pack.time.warm < "
          "warp_row_unroll4.time.warm => , and faster here | grid_capped_row_pack.time.warm > "
          "warp_row_unroll4.time.warm => , and slower here | , and equally fast within the "
          "noise]]. With four warps per block, the limit on blocks leaves no warp slot empty.",
          row_pack_steps),
  };
}

std::vector<Variant> seed_scatters() {
  std::vector<Variant> all = {
      scatter_variant(
          "t_scatter_plain_loads", "scatter atomics, plain loads", "seed",
          "One warp per row and strip adds every product to C with an atomic.",
          "A lane with b = 0 exits early; a warp does if b is zero in all of its lanes.",
          [](const Workload& w) { return t_scatter_steps(w, false); }),
      scatter_variant(
          "t_scatter_atomics", "scatter atomics", "seed",
          "The same scatter, but indices and weights go through read-only loads.",
          "The article calls this an optimisation: [[t_scatter_atomics.time.warm < "
          "t_scatter_plain_loads.time.warm => here it takes {ratio(t_scatter_atomics.time.warm, "
          "t_scatter_plain_loads.time.warm)} of the plain loads' time. | "
          "t_scatter_atomics.time.warm > t_scatter_plain_loads.time.warm => here it is slower than "
          "the plain loads. | here the difference is within the noise. || compare it with the "
          "plain loads.]]",
          [](const Workload& w) { return t_scatter_steps(w, true); }),
  };
  for (Variant& v : all) {
    v.scratch = t_scatter_scratch;
    charge_rounding(v);
  }
  return all;
}

}  // namespace

std::vector<Variant> seed_variants() {
  const Axis index_width = index_width_axis();
  std::vector<Variant> all = seed_gathers();
  for (Variant& v : ablations()) all.push_back(std::move(v));
  for (Variant& v : seed_scatters()) all.push_back(std::move(v));
  for (Variant& v : all) {
    if (of_variant(index_width, v.name)) v.constraints.push_back(products_fit_index_width());
  }
  return all;
}

}  // namespace warpscope::csrmm
