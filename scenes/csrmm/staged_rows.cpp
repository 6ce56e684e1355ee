// scenes/csrmm/staged_rows.cpp: rows that keep operands in shared memory, and the row queue.
#include "scenes/csrmm/families.h"
#include "scenes/csrmm/rows.h"
#include "scenes/csrmm/staged.h"

namespace warpscope::csrmm {
namespace {

// `columns` columns of `what`, of k rows, must fit the shared memory of a block.
Constraint slab_fits(std::string what, std::int64_t columns) {
  return {std::to_string(columns) + " columns of " + what + " must fit shared memory",
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
  Variant v = scatter_row(std::move(name), std::move(label), "ours", std::move(sentence),
                          std::move(look_at),
                          [columns](const Workload& w) { return t_slab_steps(w, columns); });
  v.traits = {{"atomic", 1}, {"slab_columns", static_cast<double>(columns)}};
  v.constraints = {slab_fits("C", columns)};
  explain(v, "emulated.shared.wavefronts", Side::below,
          "An addition of f32 in shared memory is a loop of loads and compare-and-swap in machine "
          "code: the loads are in the counter, and how often they repeat depends on timing.");
  return v;
}

Variant cache(std::string name, std::string label, std::int64_t coarsen, std::string look_at) {
  Variant v = gather_row(std::move(name), std::move(label), "ours",
                         "32 indices and weights wait in shared memory; a lane owns " +
                             std::string(coarsen == 2 ? "two" : "four") + " columns.",
                         std::move(look_at),
                         [coarsen](const Workload& w) { return row_cache_steps(w, coarsen); });
  v.traits["columns_per_warp"] = static_cast<double>(kLanes * coarsen);
  v.traits["columns_per_lane"] = static_cast<double>(coarsen);
  explain_shared_wavefronts(v);
  v.traits["row_cache"] = 1;
  v.traits["entries_a_load"] = static_cast<double>(kLanes);
  explain(
      v, "emulated.shared.wavefronts", Side::above,
      "The machine's compiler joins loads and stores of neighbouring words that PTX makes one by "
      "one: fewer requests, and fewer conflicts between them.");
  return v;
}

}  // namespace

std::vector<Variant> staged_rows() {
  Variant queue = gather_row(
      "row_queue", "row queue", "ours",
      "Blocks are launched once and stay; their warps take rows from a queue.",
      "At 1000 × 1000 the launch of blocks is part of the time; at the default it is not.",
      row_queue_steps);
  queue.scratch = row_queue_scratch;
  own_quads_or_scalars(queue);
  queue.traits["any_type"] = 1;
  Variant slab = gather_row(
      "column_slab", "column slab in shared", "ours",
      "A block holds four columns of all of B in shared memory and walks A for them.",
      "No gather crosses L2 any more, but A does, n / 4 times; watch the bank conflicts.",
      column_slab_steps);
  slab.traits = {
      {"gather", 1}, {"columns_per_warp", 4}, {"slab_columns", 4}, {"entries_a_load", 32}};
  slab.constraints = {columns_are_quads(), slab_fits("B", 4)};
  explain_shared_wavefronts(slab);
  explain(slab, "model.l1_bytes", Side::below,
          "The compiler unrolls the walk along a row by four: lanes with four entries left and "
          "lanes with fewer go apart there and load one after the other.");
  explain(slab, "model.l2_bytes", Side::below,
          "The model reads each entry once a slab. Rows that begin inside a sector share it with "
          "the row before, which another warp fetches.");
  return {
      cache("row_cache_2", "row cache, 2 columns", 2,
            "Broadcast loads move from L1 tags to shared memory: fewer requests, more steps."),
      cache("row_cache", "row cache, 4 columns", 4,
            "One staged entry now serves 128 columns: compare with float4 columns."),
      std::move(queue),
      std::move(slab),
      slab_scatter("t_shared_slab", "scatter into shared slab", 4,
                   "A block holds four columns of C in shared memory and writes them once.",
                   "No global atomics, but only n / 4 blocks: most multiprocessors are idle."),
      slab_scatter("t_shared_column", "scatter into a shared column", 1,
                   "A block holds one column of C and walks only rows where its b is not zero.",
                   "Four times the blocks, and nine rows in ten are never read."),
  };
}

}  // namespace warpscope::csrmm
