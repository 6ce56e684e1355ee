// scenes/csrmm/variants/transposed_variants.cpp: variants for op T: scatters with fewer requests,
// and gathers.
#include "scenes/csrmm/csc.h"
#include "scenes/csrmm/steps/techniques.h"
#include "scenes/csrmm/variants/variant_kinds.h"
#include "scenes/csrmm/work.h"

namespace warpscope::csrmm {
namespace {

Variant vector_reductions(std::string name, std::string label, std::int64_t columns,
                          std::string sentence, std::string look_at) {
  Variant v = scatter_variant(
      std::move(name), std::move(label), "ours", std::move(sentence), std::move(look_at),
      [columns](const Workload& w) { return t_scatter_vector_steps(w, columns); });
  charge_walks(v, columns == 4 ? four_columns_a_lane : two_columns_a_lane);
  charge_clearing(v);
  v.constraints.push_back(columns == 4 ? columns_are_quads() : columns_are_pairs());
  v.constraints.push_back(capability_is_90("vector reductions"));
  return v;
}

}  // namespace

std::vector<Variant> transposed_variants() {
  Variant gather = gather_variant(
      "t_csc_gather", "transpose, then gather", "ours",
      "A is converted to CSC once. The product then gathers rows of B with float4 loads.",
      "No atomics, so every run gives the same bits. See after how many runs the conversion pays "
      "off.",
      t_csc_gather_steps);
  gather.applies = transposed;
  gather.scratch = csc_scratch;
  // The entries of a column are in ascending row order, so warps that run together read the same
  // rows of B. How many of them are in L1 is given as an interval.
  gather.own_formulas.clear();
  charge_walks(gather, sixteen_bytes_a_lane, Form::columns);
  Variant shared = gather_variant(
      "t_csc_block_row", "transpose, then shared rows", "ours",
      "A is converted to CSC once. Then eight warps share a row of Aᵀ and add their sums.",
      "Made for few and short rows: compare it with the gather at 1000 rows and 32 columns, and at "
      "the default.",
      t_csc_block_row_steps);
  shared.applies = transposed;
  shared.scratch = csc_scratch;
  shared.own_formulas.clear();
  charge_walks(shared, one_column_a_lane, Form::columns);
  return {
      scatter_variant("t_empty_strip_skip", "scatter, empty-strip skip", "ours",
                      "A warp votes on its strip of B and exits early if all of it is zero.",
                      "It skips 3.4 % of the strips if 10 % of B is nonzero at random; 90 % if "
                      "zeros come in strips.",
                      t_scatter_strip_skip_steps),
      vector_reductions(
          "t_vector_reductions_2", "scatter, pairs of columns", 2,
          "A lane adds two neighbouring columns with one vector reduction.",
          "A request adds two columns per lane, including zeros next to "
          "nonzeros[[t_vector_reductions_2.time.warm < t_scatter_atomics.time.warm => ; it is "
          "faster than column by column here | t_vector_reductions_2.time.warm > "
          "t_scatter_atomics.time.warm => ; it is slower than column by column here | ; it is no "
          "faster than column by column here]]."),
      vector_reductions(
          "t_vector_reductions", "scatter, vector reductions", 4,
          "A lane adds four neighbouring columns with one 16-byte reduction.",
          "A request adds four columns per lane: at 10 % density a third of the lanes has a "
          "nonzero[[t_vector_reductions.time.warm < t_scatter_atomics.time.warm => ; it is faster "
          "than column by column here | t_vector_reductions.time.warm > "
          "t_scatter_atomics.time.warm => ; it is slower than column by column here | ; it is no "
          "faster than column by column here]]."),
      std::move(gather),
      std::move(shared),
  };
}

}  // namespace warpscope::csrmm
