// scenes/csrmm/variants/variants.cpp: csrmm's variants: names, words, constraints and tolerances.
#include "scenes/csrmm/variants/variants.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "scenes/csrmm/automatic.h"
#include "scenes/csrmm/steps/steps.h"
#include "scenes/csrmm/steps/techniques.h"
#include "scenes/csrmm/variants/variant_kinds.h"
#include "scenes/csrmm/work.h"

namespace warpscope {
namespace {

using namespace csrmm;

// Whose kernels and calls take every type.
constexpr std::string_view kEveryType[] = {
    "warp_row_zero_test",  "warp_row_branch_free",  "warp_row_shuffle",
    "warp_row_shuffle_4",  "warp_row_unroll4",      "block_row_zero_test",
    "block_row",           "block_row_unroll4",     "length_dispatch",
    "warp_row_plain_load", "warp_row_grouped",      "block_row_narrow",
    "t_scatter_atomics",   "t_scatter_plain_loads", "auto",
    "cusparse_default",    "cusparse_alg1",         "cusparse_alg2",
    "cusparse_alg3",       "cusparse_coo_alg4",     "cusparse_t",
    "cusparse_csc"};
// Whose kernels take f16 and bf16 as well as f32.
constexpr std::string_view kSumsOfF32[] = {"rows_per_block", "float4_columns", "row_swizzle",
                                           "row_queue", "t_csc_gather"};

void admit_types(Variant& v) {
  if (std::ranges::count(kEveryType, v.name) > 0) {
    v.tolerance_at = tolerance_of_type;
  } else if (std::ranges::count(kSumsOfF32, v.name) > 0) {
    v.constraints.push_back(values_are_not_f64());
  } else {
    v.constraints.push_back(values_are_f32());
  }
}

std::vector<Variant> ours() {
  Variant rows = gather_variant(
      "rows_per_block", "rows per block", "ours",
      "Eight row-warps share a block, so that the limit on blocks leaves no warp slot empty.",
      "[[rows_per_block.occupancy.achieved > warp_row_zero_test.occupancy.achieved => Achieved "
      "occupancy rises from {occupancy.achieved:warp_row_zero_test} to "
      "{occupancy.achieved:rows_per_block}. | Achieved occupancy does not rise here. || Compare "
      "the achieved occupancy with that of one-warp blocks.]] "
      "[[abs(ratio(rows_per_block.l2.bytes_to_sm, warp_row_zero_test.l2.bytes_to_sm) - 1) < 5 % => "
      "The bytes from L2 stay the same.]]",
      rows_per_block_steps);
  Variant quads = gather_variant(
      "float4_columns", "float4 columns", "ours",
      "A lane owns four columns: one 16-byte load, and indices are read once.",
      "A request of the gather is 16 sectors in 4 lines. [[float4_columns.l1.requests_load < "
      "warp_row_branch_free.l1.requests_load => The variant makes "
      "{float4_columns.l1.requests_load / warp_row_branch_free.l1.requests_load * 100 %} of the "
      "load requests of warp-row branch-free. | The variant makes no fewer load requests than "
      "warp-row branch-free here. || Compare the load requests with those of warp-row "
      "branch-free.]]",
      float4_columns_steps);
  charge_gathers(quads, sixteen_bytes_a_lane);
  quads.constraints = {columns_fill_16_bytes()};
  return {std::move(rows), std::move(quads)};
}

}  // namespace

std::vector<Variant> csrmm_variants(const std::vector<Axis>& axes) {
  std::vector<Variant> all;
  const auto append = [&all](std::vector<Variant> some) {
    std::move(some.begin(), some.end(), std::back_inserter(all));
  };
  append(seed_variants());
  append(ours());
  append(streamed_variants());
  append(skewed_variants());
  append(staged_variants());
  append(compressed_variants());
  append(tensor_core_variants());
  append(transposed_variants());
  std::vector<Variant> libraries = library_variants();
  std::vector<Variant> arrays = array_programs();
  std::vector<Variant> among = all;
  among.insert(among.end(), arrays.begin(), arrays.end());
  among.insert(among.end(), libraries.begin(), libraries.end());
  for (Variant& v : among) admit_types(v);
  Variant automatic = automatic_variant(among, axes, work_terms());
  for (Variant& v : all) admit_types(v);
  for (Variant& v : libraries) admit_types(v);
  admit_types(automatic);
  all.push_back(std::move(automatic));
  for (Variant& v : arrays) admit_types(v);
  append(std::move(arrays));
  append(std::move(libraries));
  return all;
}

}  // namespace warpscope
