// scenes/csrmm/steps/staged.cpp: products that keep part of their operands in shared memory, and a
// row queue.
#include "scenes/csrmm/steps/staged.h"

#include <algorithm>
#include <utility>

#include "scenes/csrmm/steps/kernel_steps.h"

namespace warpscope::csrmm {
namespace {

constexpr std::int64_t kMultiprocessors = kDesignDevice.multiprocessors;
constexpr std::int64_t kSlabWarps = 32;

// A kernel of blocks of kSlabWarps warps that own a slab each, CSR arguments and `sizes`.
Step slab_step(const Workload& w, std::string name, const std::string& entry, Defines defines,
               Dim3 grid, std::int64_t shared_bytes, const std::vector<std::int64_t>& sizes) {
  KernelLaunch kernel{"csrmm/" + entry + ".cu",
                      entry,
                      std::move(defines),
                      {grid, {kWarpLanes, kSlabWarps, 1}, shared_bytes, {}},
                      rows_of_a(w).arguments()};
  kernel.defines.push_back(define("WARPS", kSlabWarps));
  kernel.defines.push_back(homo(w));
  for (const std::int64_t size : sizes) kernel.arguments.emplace_back(as_int(size));
  return run_kernel(std::move(name), std::move(kernel));
}

}  // namespace

std::int64_t column_slab_parts(const Workload& w) {
  const std::int64_t slabs = w.integer("n") / 4, rows = ceil_divide(w.integer("m"), kSlabWarps);
  return std::clamp<std::int64_t>(kMultiprocessors / std::max<std::int64_t>(1, slabs), 1, rows);
}

std::vector<Step> column_slab_steps(const Workload& w) {
  const std::int64_t m = w.integer("m"), k = w.integer("k");
  return {slab_step(w, "multiply", "column_slab", {}, {w.integer("n") / 4, column_slab_parts(w), 1},
                    16 * k, {m, k})};
}

std::vector<Step> t_slab_steps(const Workload& w, std::int64_t columns) {
  const std::int64_t m = w.integer("m"), k = w.integer("k"), n = w.integer("n");
  return {slab_step(w, "scatter", "t_slab", {define("COLUMNS", columns)},
                    {ceil_divide(n, columns), 1, 1}, 4 * columns * k, {m, k, n})};
}

std::vector<Step> row_cache_steps(const Workload& w, std::int64_t coarsen) {
  constexpr std::int64_t kRows = 4, kUnroll = 4;
  Step step =
      packed_step(w, rows_of_a(w), "csrmm/row_cache.cu", "row_cache",
                  {define("COARSEN", coarsen), define("UNROLL", kUnroll), define("ROWS", kRows)},
                  kRows, ceil_divide(w.integer("m"), kRows), w.integer("n"));
  std::get<KernelLaunch>(step.action).launch.grid.y =
      ceil_divide(w.integer("n"), kWarpLanes * coarsen);
  return {std::move(step)};
}

std::vector<Step> row_queue_steps(const Workload& w) {
  constexpr std::int64_t kRows = 8, kBlocksEach = 4, kTaken = 2;
  const std::int64_t columns = columns_per_lane(w), width = w.integer("n") / columns;
  const std::int64_t blocks =
      ceil_divide(kMultiprocessors * kBlocksEach, ceil_divide(width, kWarpLanes));
  Step step =
      packed_step(w, rows_of_a(w), "csrmm/row_queue.cu", "row_queue",
                  {define("COLUMNS", columns), define("UNROLL", 8), define("ROWS", kRows),
                   define("TAKEN", kTaken), type(w)},
                  kRows, std::min(blocks, ceil_divide(w.integer("m"), kRows * kTaken)), width);
  std::get<KernelLaunch>(step.action).arguments.emplace_back(BufferArgument{"next_row"});
  return {clear("next_row"), std::move(step)};
}

std::vector<BufferSpec> row_queue_scratch(const Workload& w) {
  const std::int64_t strips = ceil_divide(w.integer("n") / columns_per_lane(w), kWarpLanes);
  return {
      {"next_row", ElementType::i32, strips, BufferRole::scratch, {strips}, "next_row[strips]"}};
}

}  // namespace warpscope::csrmm
