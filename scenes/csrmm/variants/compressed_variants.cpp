// scenes/csrmm/variants/compressed_variants.cpp: variants that gather from a B without its zeros.
#include "scenes/csrmm/steps/compressed.h"
#include "scenes/csrmm/steps/techniques.h"
#include "scenes/csrmm/variants/variant_kinds.h"
#include "scenes/csrmm/work.h"

namespace warpscope::csrmm {
namespace {

double compressed_bytes(const Workload& w) {
  const double strips = static_cast<double>(ceil_divide(w.integer("n"), kStripColumns));
  return w.real(transposed(w.axes) ? "m" : "k") * strips * (512.0 + 16.0);
}

Variant compressed(std::string name, std::string label, std::int64_t granule, std::string sentence,
                   std::string look_at) {
  Variant v = gather_variant(
      std::move(name), std::move(label), "ours", std::move(sentence), std::move(look_at),
      [granule](const Workload& w) { return compressed_gather_steps(w, granule); });
  v.applies = nullptr;
  v.reference = "skip_zero";
  v.scratch = [granule](const Workload& w) { return compressed_gather_scratch(w, granule); };
  // How many masks and kept values are in L1 is given as an interval.
  v.own_formulas.clear();
  charge_walks(v, four_columns_a_lane, Form::columns);
  v.constraints.push_back(scratch_fits("packed B with its masks", compressed_bytes));
  return v;
}

}  // namespace

std::vector<Variant> compressed_variants() {
  return {
      compressed("compressed_b_gather", "compressed-B gather", 1,
                 "Every run removes the zeros of B. A mask and a bit count then find the values.",
                 "Four bit counts per entry[[compressed_b_gather.l2.bytes_to_sm < "
                 "float4_columns.l2.bytes_to_sm => , and "
                 "{ratio(compressed_b_gather.l2.bytes_to_sm, float4_columns.l2.bytes_to_sm)} times "
                 "the bytes that float4 columns fetches from L2 | , and no fewer bytes from L2 "
                 "than float4 columns]]. [[compressed_b_gather.binds = 'L2' => L2 still limits it. "
                 "| {compressed_b_gather.binds} limits it, not L2. || Which roof limits it?]]"),
      compressed("compressed_b_pairs", "compressed-B gather, pairs", 2,
                 "Two columns are kept or dropped together, so half the bit counts remain.",
                 "[[compressed_b_pairs.l2.bytes_to_sm > compressed_b_gather.l2.bytes_to_sm and "
                 "compressed_b_pairs.inst.executed < compressed_b_gather.inst.executed => More "
                 "bytes from L2 and fewer instructions than column by column: | Compare bytes from "
                 "L2 and instructions with column by column:]] move the density of B and see how "
                 "the two times change."),
      compressed("compressed_b_quads", "compressed-B gather, quads", 4,
                 "Four columns are kept or dropped together and loaded with one 16-byte load.",
                 "At 10 % density a third of the quads has a nonzero. Find the density where this "
                 "stops paying off."),
  };
}

}  // namespace warpscope::csrmm
