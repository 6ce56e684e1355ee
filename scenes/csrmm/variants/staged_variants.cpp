// scenes/csrmm/variants/staged_variants.cpp: variants that keep operands in shared memory, and the
// row queue.
#include "scenes/csrmm/steps/staged.h"
#include "scenes/csrmm/steps/techniques.h"
#include "scenes/csrmm/variants/variant_kinds.h"
#include "scenes/csrmm/work.h"

namespace warpscope::csrmm {
namespace {

// `columns` columns of `what`, of k rows, must fit the shared memory of a block.
Constraint slab_fits(const std::string& what, std::int64_t columns) {
  return {std::to_string(columns) + " columns of " + what + " must fit in shared memory",
          [what, columns](const Workload& w, const DeviceLimits& d) -> std::optional<std::string> {
            const std::int64_t each = 4 * columns, needed = each * w.integer("k");
            if (needed <= d.shared_bytes_per_block) return std::nullopt;
            return std::to_string(columns) + " columns of " + what + " need " +
                   std::to_string(each) + "·k = " + std::to_string(needed) +
                   " bytes of shared memory; the limit is " +
                   std::to_string(d.shared_bytes_per_block) + " (k ≤ " +
                   std::to_string(d.shared_bytes_per_block / each) + ")";
          }};
}

Variant slab_scatter(std::string name, std::string label, std::int64_t columns,
                     std::string sentence, std::string look_at) {
  Variant v = scatter_variant(std::move(name), std::move(label), "ours", std::move(sentence),
                              std::move(look_at),
                              [columns](const Workload& w) { return t_slab_steps(w, columns); });
  charge_one_walk(v, Form::rows);
  v.constraints = {slab_fits("C", columns)};
  return v;
}

Variant cache(std::string name, std::string label, std::int64_t coarsen, std::string look_at) {
  Variant v = gather_variant(
      std::move(name), std::move(label), "ours",
      "32 indices and weights are staged in shared memory. Each lane computes " +
          std::string(coarsen == 2 ? "two" : "four") + " columns.",
      std::move(look_at), [coarsen](const Workload& w) { return row_cache_steps(w, coarsen); });
  charge_gathers(v, coarsen == 2 ? two_columns_a_lane : four_columns_a_lane);
  return v;
}

}  // namespace

std::vector<Variant> staged_variants() {
  Variant queue =
      gather_variant("row_queue", "row queue", "ours",
                     "Persistent blocks: launched once; their warps take rows from a queue.",
                     "At 1000 × 1000, launching blocks takes a part of the time: compare with "
                     "float4 columns there and at the default.",
                     row_queue_steps);
  queue.scratch = row_queue_scratch;
  charge_gathers(queue, sixteen_bytes_a_lane);
  Variant slab = gather_variant(
      "column_slab", "column slab in shared", "ours",
      "A block keeps four columns of B, all rows, in shared memory and reads all of A for them.",
      "No gather reads from L2 any more, but A is read n / 4 times. Watch the bank conflicts.",
      column_slab_steps);
  charge_one_walk(slab, Form::rows);
  charge_slabs(slab, 4);
  slab.constraints = {columns_are_quads(), slab_fits("B", 4)};
  return {
      cache("row_cache_2", "row cache, 2 columns", 2,
            "Broadcast loads move from L1 to shared memory: [[row_cache_2.l1.requests_load < "
            "rows_per_block.l1.requests_load => {ratio(row_cache_2.l1.requests_load, "
            "rows_per_block.l1.requests_load)} of the load requests of rows per block | no fewer "
            "load requests than rows per block || compare the load requests with rows per "
            "block]][[row_cache_2.time.warm < rows_per_block.time.warm => , and less time | "
            "row_cache_2.time.warm > rows_per_block.time.warm => , and more time | , and equal "
            "time within the noise]]."),
      cache("row_cache", "row cache, 4 columns", 4,
            "One staged entry is now used for 128 columns: compare with float4 columns."),
      std::move(queue),
      std::move(slab),
      slab_scatter("t_shared_slab", "scatter into shared slab", 4,
                   "A block sums four columns of C in shared memory and writes them once.",
                   "No global atomics, but n / 4 blocks[[axis.n / 4 < device.multiprocessors => , "
                   "so some of the {device.multiprocessors} multiprocessors are idle | , enough "
                   "for all {device.multiprocessors} multiprocessors]]."),
      slab_scatter("t_shared_column", "scatter into a shared column", 1,
                   "A block sums one column of C and reads only rows of A whose b is not zero.",
                   "One block per column. Rows of A whose b is zero are not read: the density of B "
                   "decides how many."),
  };
}

}  // namespace warpscope::csrmm
