// scenes/csrmm/skewed_variants.cpp: rows for inputs whose rows differ in length.
#include "scenes/csrmm/skewed.h"
#include "scenes/csrmm/techniques.h"
#include "scenes/csrmm/variant_kinds.h"
#include "scenes/csrmm/work.h"

namespace warpscope::csrmm {
namespace {

// What the machine's compiler makes of merge_path's shared memory. source: its machine code for
// compute capability 9.0.
void explain_joined(Variant& merge) {
  const auto four_columns = [](const Configuration& axes) { return axes.integer("n") % 4 == 0; };
  for (const char* figure : {"emulated.shared.wavefronts_load", "emulated.shared.wavefronts_store"})
    explain(merge,
            {figure, Side::above,
             "The machine's compiler joins loads and stores of neighbouring words that PTX makes "
             "one by one: fewer requests, and fewer conflicts between them. An H200 counted a "
             "third of the wavefronts.",
             2.6, 1.7, four_columns});
  const auto one_column = [](const Configuration& axes) { return axes.integer("n") % 4 != 0; };
  for (const Side side : {Side::above, Side::below})
    explain(merge,
            {"emulated.shared.wavefronts_load", side,
             "A block's last warp reads the rows in which the other warps stopped, which PTX makes "
             "one by one until the row is another. The machine's compiler joins them into reads of "
             "16 bytes: up to four at once, of two wavefronts each.",
             0.1, 0, one_column});
}

}  // namespace

std::vector<Variant> skewed_variants() {
  Variant swizzle = gather_variant(
      "row_swizzle", "row swizzle", "ours",
      "Warps take rows from the longest to the shortest, in an order made once.",
      "On rows of one length an order changes nothing by itself; on a power law the longest row "
      "starts first[[row_swizzle@rows=power_law.time.warm > 1.5 * row_swizzle@rows=fixed.time.warm "
      "=> , and still decides: {row_swizzle@rows=power_law.time.warm} instead of "
      "{row_swizzle@rows=fixed.time.warm} | : {row_swizzle@rows=power_law.time.warm}, "
      "{row_swizzle@rows=fixed.time.warm} with equal rows]].",
      row_swizzle_steps);
  swizzle.scratch = row_swizzle_scratch;
  Variant split = gather_variant(
      "row_split", "row split", "ours",
      "Rows are cut into segments of 512 entries and a residue, each with a warp of its own.",
      "The segments of one huge row run side by side[[row_split@rows=one_huge_row.time.warm < "
      "warp_row_branch_free@rows=one_huge_row.time.warm => : "
      "{row_split@rows=one_huge_row.time.warm} instead of "
      "{warp_row_branch_free@rows=one_huge_row.time.warm} for a warp a row | : "
      "{row_split@rows=one_huge_row.time.warm}, a warp a row "
      "{warp_row_branch_free@rows=one_huge_row.time.warm}]]; see the atomics.",
      row_split_steps);
  split.scratch = row_split_scratch;
  split.repeatable = false;
  Variant merge = gather_variant(
      "merge_path", "merge path", "ours",
      "Every warp takes as many rows and entries together; what it leaves open is carried on.",
      "The same bits in every run, and equal shares whatever the row lengths "
      "are[[merge_path@rows=power_law.time.warm < 1.2 * merge_path@rows=fixed.time.warm => : a "
      "power law takes {merge_path@rows=power_law.time.warm}, equal rows "
      "{merge_path@rows=fixed.time.warm} | ; a power law takes "
      "{merge_path@rows=power_law.time.warm} all the same, equal rows "
      "{merge_path@rows=fixed.time.warm}]].",
      merge_path_steps);
  merge.scratch = merge_path_scratch;
  explain_joined(merge);
  for (Variant* v : {&swizzle, &split, &merge}) charge_gathers(*v, sixteen_bytes_a_lane);
  charge_clearing(split);
  return {std::move(swizzle), std::move(split), std::move(merge)};
}

}  // namespace warpscope::csrmm
