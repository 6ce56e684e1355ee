// scenes/csrmm/seed_variants.cpp: the seed's ladders, and what its claims are taken apart by.
#include <cmath>
#include <string>
#include <utility>

#include "scenes/csrmm/seed_reading.h"
#include "scenes/csrmm/steps.h"
#include "scenes/csrmm/techniques.h"
#include "scenes/csrmm/variant_kinds.h"
#include "scenes/csrmm/work.h"

namespace warpscope::csrmm {
namespace {

std::string dispatch_choice(const Workload& w) {
  const std::string mean = std::to_string(std::llround(w.fact("mean_row")));
  const std::string limit = std::to_string(w.integer("auto_threshold"));
  return short_rows(w)
             ? "warp-row unroll ×4: the mean row of " + mean + " entries is not over " + limit
             : "block-row unroll ×4: the mean row of " + mean + " entries is over " + limit;
}

// The forms of the one kernel that takes every type.
Variant warp_row_variant(std::string name, std::string label, std::string family,
                         std::string sentence, std::string look_at, const WarpRow& form) {
  return gather_variant(std::move(name), std::move(label), std::move(family), std::move(sentence),
                        std::move(look_at),
                        [form](const Workload& w) { return warp_row_steps(w, form); });
}

// Eight warps share a row and add their parts in shared memory.
Variant block_row_variant(std::string name, std::string label, std::string family,
                          std::string sentence, std::string look_at, const BlockRow& form) {
  return gather_variant(std::move(name), std::move(label), std::move(family), std::move(sentence),
                        std::move(look_at),
                        [form](const Workload& w) { return block_row_steps(w, form); });
}

// One coalesced load brings 32 entries.
Variant shuffle_variant(std::string name, std::string label, std::string sentence,
                        std::string look_at, std::int64_t in_flight) {
  Variant v = gather_variant(std::move(name), std::move(label), "seed", std::move(sentence),
                             std::move(look_at),
                             [=](const Workload& w) { return shuffle_steps(w, in_flight); });
  if (in_flight == 1) return v;
  // source: its machine code for compute capability 9.0; 308 of 687 rows were empty, and an H200
  // counted 1232 requests less, one for each of their four warps.
  const auto one_weight = [](const Configuration& axes) { return axes.text("weights") == "homo"; };
  for (const char* figure : {"emulated.l1.requests_load", "emulated.l1.sectors_load"})
    explain(v, {figure, Side::above,
                "PTX loads the one weight before it looks whether the row has entries; the "
                "machine's compiler loads it behind that test: a request less for every warp of an "
                "empty row.",
                0.4, 0, one_weight});
  return v;
}

// Long: a table of the seed's gathers, with what a student reads of each.
std::vector<Variant> seed_gathers() {
  Variant baseline = warp_row_variant(
      "warp_row_zero_test", "warp-row zero test", "seed",
      "One warp walks one row for 32 columns and multiplies only where b is "
      "not zero.",
      "A block is one warp, and a multiprocessor holds a limited number of blocks: "
      "[[warp_row_zero_test.occupancy.theoretical <= 50 % => at most "
      "{occupancy.theoretical:warp_row_zero_test} of its warp slots can be full. | "
      "{occupancy.theoretical:warp_row_zero_test} of its warp slots can be full. || see "
      "which share of its warp slots that fills.]]",
      {.zero_test = true});
  baseline.reference = "skip_zero";
  Variant block_zero_test =
      block_row_variant("block_row_zero_test", "block-row zero test", "seed",
                        "Eight warps share a row and skip zeros of B, then add their "
                        "parts in shared memory.",
                        "The reduction costs the same for a row of 8 entries as for a "
                        "row of 8000.",
                        {.zero_test = true});
  block_zero_test.reference = "skip_zero";
  Variant dispatch = gather_variant(
      "length_dispatch", "length dispatch", "seed",
      "Picks warp-row or block-row, both unrolled by "
      "4, by the mean length of a row.",
      "[[length_dispatch@rows=power_law.time.warm > 1.5 * length_dispatch@rows=fixed.time.warm => "
      "One mean hides a power law: at the same mean it takes "
      "{ratio(length_dispatch@rows=power_law.time.warm, length_dispatch@rows=fixed.time.warm)} "
      "times as long as equal rows. | A power law of the same mean takes "
      "{length_dispatch@rows=power_law.time.warm} here, equal rows "
      "{length_dispatch@rows=fixed.time.warm}. || One mean says nothing of how rows differ: try a "
      "power law.]]",
      [](const Workload& w) {
        return short_rows(w) ? warp_row_steps(w, {.unroll = 4}) : block_row_steps(w, {.unroll = 4});
      });
  dispatch.choice = dispatch_choice;
  return {
      std::move(baseline),
      warp_row_variant(
          "warp_row_branch_free", "warp-row branch-free", "seed",
          "The same walk, but zeros of B are multiplied as well.",
          "0 · Inf is now NaN: the iteration changes results[[warp_row_branch_free.time.warm < "
          "warp_row_zero_test.time.warm => , and is faster: {ratio(warp_row_branch_free.time.warm, "
          "warp_row_zero_test.time.warm)} of the time | warp_row_branch_free.time.warm > "
          "warp_row_zero_test.time.warm => , and is slower: {ratio(warp_row_branch_free.time.warm, "
          "warp_row_zero_test.time.warm)} times as long | , and no time beyond the noise]].",
          {}),
      shuffle_variant(
          "warp_row_shuffle", "warp-row shuffle",
          "One coalesced load brings 32 indices; shuffles hand them round one "
          "at a time.",
          "[[warp_row_shuffle.l1.requests_load < warp_row_branch_free.l1.requests_load and "
          "warp_row_shuffle.time.warm > warp_row_branch_free.time.warm => Fewer load "
          "requests than branch-free, and more time: | warp_row_shuffle.l1.requests_load < "
          "warp_row_branch_free.l1.requests_load => Fewer load requests than branch-free, "
          "and no more time: || Requests and time beside branch-free:]] one gather of B is "
          "in flight at a time.",
          1),
      shuffle_variant(
          "warp_row_shuffle_4", "warp-row shuffle, 4 in flight",
          "The shuffled indices again, with four gathers of B issued "
          "before the first is used.",
          "[[warp_row_shuffle_4.time.warm < warp_row_shuffle.time.warm and "
          "warp_row_shuffle.time.warm > warp_row_branch_free.time.warm and "
          "warp_row_shuffle.time.warm - warp_row_shuffle_4.time.warm > 0.5 * "
          "(warp_row_shuffle.time.warm - warp_row_branch_free.time.warm) => Most of what one "
          "gather in flight lost against branch-free is back: it was parallelism, not the shuffle. "
          "| warp_row_shuffle_4.time.warm < warp_row_shuffle.time.warm => Four gathers in flight "
          "are faster than one: {time.warm:warp_row_shuffle_4} instead of "
          "{time.warm:warp_row_shuffle}. | Four gathers in flight are not faster than one here. || "
          "Is it the shuffle or the one gather in flight? Compare both forms with branch-free.]]",
          4),
      warp_row_variant(
          "warp_row_unroll4", "warp-row unroll ×4", "seed",
          "Four indices, four gathers of B, then four multiply-adds; a scalar "
          "tail.",
          "[[warp_row_unroll4.inst.executed >= warp_row_branch_free.inst.executed => It executes "
          "no fewer instructions than the plain loop, which the compiler unrolls by itself. | It "
          "executes {ratio(warp_row_unroll4.inst.executed, warp_row_branch_free.inst.executed)} of "
          "the plain loop's instructions. || Compare the instruction counts with the plain loop's: "
          "the compiler may unroll that as well.]]",
          {.unroll = 4}),
      std::move(block_zero_test),
      block_row_variant(
          "block_row", "block-row 8 warps", "seed",
          "Eight warps take every eighth entry of one row and add their parts.",
          "[[block_row@rows=one_huge_row.time.warm < "
          "warp_row_branch_free@rows=one_huge_row.time.warm => With one huge row the seven "
          "other warps pay: {block_row@rows=one_huge_row.time.warm}, warp-row takes "
          "{warp_row_branch_free@rows=one_huge_row.time.warm}. | With one huge row it takes "
          "{block_row@rows=one_huge_row.time.warm}, warp-row "
          "{warp_row_branch_free@rows=one_huge_row.time.warm}. || Choose one huge row and "
          "see what the seven other warps do for it.]]",
          {}),
      block_row_variant("block_row_unroll4", "block-row 8 warps unroll ×4", "seed",
                        "The shared row with four gathers in flight in each warp.",
                        "At 200 entries a warp has 25: six turns and a tail.", {.unroll = 4}),
      std::move(dispatch),
  };
}

std::vector<Variant> ablations() {
  return {
      warp_row_variant(
          "warp_row_plain_load", "warp-row unroll ×4, plain loads", "ablation",
          "The unrolled walk with ordinary loads of B instead of read-only "
          "ones.",
          "The seed claims 5 % for read-only loads: [[warp_row_plain_load.time.warm > "
          "warp_row_unroll4.time.warm => plain ones take {ratio(warp_row_plain_load.time.warm, "
          "warp_row_unroll4.time.warm)} times as long here. | warp_row_plain_load.time.warm < "
          "warp_row_unroll4.time.warm => plain ones are faster here. | the noise hides the "
          "difference here. || read the measured difference and its noise.]]",
          {.unroll = 4, .read_only = false}),
      warp_row_variant("warp_row_grouped", "warp-row unroll ×4, grouped sum", "ablation",
                       "The unrolled walk that adds four products first and the "
                       "accumulator last.",
                       "A shorter chain of dependent adds, and another rounding of "
                       "the same sum.",
                       {.unroll = 4, .grouped = true}),
      block_row_variant(
          "block_row_narrow", "block-row unroll ×4, 32-bit indices", "ablation",
          "The unrolled block-row with the 32-bit indices of its zero-testing form.",
          "[[block_row_narrow.time.warm < block_row_unroll4.time.warm => 64-bit addresses "
          "cost {ratio(block_row_unroll4.time.warm, block_row_narrow.time.warm)} times its "
          "time. | 64-bit addresses cost nothing beyond the noise here. || Compare it with "
          "the 64-bit addresses.]]",
          {.unroll = 4, .narrow = true}),
      gather_variant(
          "grid_capped_row_pack", "grid-capped row pack", "ablation",
          "Four row-warps a block, at most 4096 blocks, a plain loop "
          "that takes rows by stride.",
          "A simpler text than the unrolled kernel's[[grid_capped_row_pack.time.warm < "
          "warp_row_unroll4.time.warm => , and faster here | grid_capped_row_pack.time.warm > "
          "warp_row_unroll4.time.warm => , and slower here | , at the same time beyond the "
          "noise]]; its blocks of four warps leave no warp slot empty for want of blocks.",
          row_pack_steps),
  };
}

std::vector<Variant> seed_scatters() {
  std::vector<Variant> all = {
      scatter_variant(
          "t_scatter_plain_loads", "scatter atomics, plain loads", "seed",
          "One warp a row and strip adds every product into C with an atomic.",
          "A lane with b = 0 leaves at once; a warp can where b is zero for all of its lanes.",
          [](const Workload& w) { return t_scatter_steps(w, false); }),
      scatter_variant(
          "t_scatter_atomics", "scatter atomics", "seed",
          "The same scatter with indices and weights through read-only loads.",
          "The seed calls this an optimisation: [[t_scatter_atomics.time.warm < "
          "t_scatter_plain_loads.time.warm => here it takes {ratio(t_scatter_atomics.time.warm, "
          "t_scatter_plain_loads.time.warm)} of the plain loads' time. | "
          "t_scatter_atomics.time.warm > t_scatter_plain_loads.time.warm => here it is slower than "
          "the plain loads. | here it makes no difference beyond the noise. || compare it with the "
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
