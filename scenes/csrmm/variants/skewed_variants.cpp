// scenes/csrmm/variants/skewed_variants.cpp: variants for matrices whose rows differ in length.
#include "scenes/csrmm/steps/skewed.h"
#include "scenes/csrmm/steps/techniques.h"
#include "scenes/csrmm/variants/variant_kinds.h"
#include "scenes/csrmm/work.h"

namespace warpscope::csrmm {

std::vector<Variant> skewed_variants() {
  Variant swizzle = gather_variant(
      "row_swizzle", "row swizzle", "ours",
      "Warps take the rows from longest to shortest. The order is prepared once.",
      "With equal rows the order changes nothing. With a power law the longest row starts "
      "first[[row_swizzle@rows=power_law.time.warm > 1.5 * row_swizzle@rows=fixed.time.warm => , "
      "and still determines the time: {row_swizzle@rows=power_law.time.warm} instead of "
      "{row_swizzle@rows=fixed.time.warm} | : {row_swizzle@rows=power_law.time.warm}, "
      "{row_swizzle@rows=fixed.time.warm} with equal rows]].",
      row_swizzle_steps);
  swizzle.scratch = row_swizzle_scratch;
  Variant split = gather_variant(
      "row_split", "row split", "ours",
      "Rows are cut into segments of 512 entries and a rest, with one warp per segment.",
      "The segments of one huge row run in parallel[[row_split@rows=one_huge_row.time.warm < "
      "warp_row_branch_free@rows=one_huge_row.time.warm => : "
      "{row_split@rows=one_huge_row.time.warm} instead of "
      "{warp_row_branch_free@rows=one_huge_row.time.warm} with one warp per row | : "
      "{row_split@rows=one_huge_row.time.warm}; one warp per row takes "
      "{warp_row_branch_free@rows=one_huge_row.time.warm}]]; see the atomics.",
      row_split_steps);
  split.scratch = row_split_scratch;
  split.repeatable = false;
  Variant merge = gather_variant(
      "merge_path", "merge path", "ours",
      "Every warp gets the same number of rows plus entries. Unfinished sums are carried over.",
      "Every run gives the same bits, and warps have equal shares for any row "
      "lengths[[merge_path@rows=power_law.time.warm < 1.2 * merge_path@rows=fixed.time.warm => : a "
      "power law takes {merge_path@rows=power_law.time.warm}, equal rows "
      "{merge_path@rows=fixed.time.warm} | ; a power law takes "
      "{merge_path@rows=power_law.time.warm} nevertheless, equal rows "
      "{merge_path@rows=fixed.time.warm}]].",
      merge_path_steps);
  merge.scratch = merge_path_scratch;
  for (Variant* v : {&swizzle, &split, &merge}) charge_gathers(*v, sixteen_bytes_a_lane);
  charge_clearing(split);
  return {std::move(swizzle), std::move(split), std::move(merge)};
}

}  // namespace warpscope::csrmm
