// scenes/csrmm/csc.cpp: A in columns (CSC), which are the rows of Aᵀ: a transposed product that
// gathers.
#include "scenes/csrmm/csc.h"

#include <utility>

#include "scenes/csrmm/steps/kernel_steps.h"

namespace warpscope::csrmm {

std::vector<Step> csc_prepare_steps(const Workload& w) {
  const std::int64_t nnz = entries(w), k = w.integer("k");
  std::vector<Step> steps = {clear("csc_counts", Phase::prepare)};
  if (nnz > 0) {
    steps.push_back(prepare_kernel(
        "count columns",
        element_kernel(w, "csrmm/csc.cu", "csc_count", nnz,
                       {BufferArgument{"indices"}, BufferArgument{"csc_counts"}, as_int(nnz)})));
  }
  KernelLaunch sums{"csrmm/prefix_sum.cu",
                    "exclusive_sums",
                    {},
                    {{1, 1, 1}, {1024, 1, 1}, 0, {}},
                    {BufferArgument{"csc_counts"}, BufferArgument{"csc_indptr"}, as_int(k)}};
  steps.push_back(prepare_kernel("sum columns", std::move(sums)));
  if (nnz > 0) {
    const GatheredRows csc = rows_of_a_transposed(w);
    KernelLaunch fill = element_kernel(
        w, "csrmm/csc.cu", "csc_fill", nnz,
        {BufferArgument{"indptr"}, BufferArgument{"indices"}, BufferArgument{"weights"},
         BufferArgument{csc.indptr}, BufferArgument{"csc_counts"}, BufferArgument{csc.indices},
         BufferArgument{csc.weights}, as_int(w.integer("m")), as_int(nnz)});
    fill.defines.push_back(type(w));
    steps.push_back(prepare_kernel("fill columns", std::move(fill)));
  }
  return steps;
}

std::vector<BufferSpec> csc_scratch(const Workload& w) {
  const std::int64_t nnz = entries(w), k = w.integer("k");
  const auto role = BufferRole::scratch;
  std::vector<BufferSpec> scratch = {
      {"csc_indptr", ElementType::i32, k + 1, role, {k + 1}, "csc_indptr[k + 1]"},
      {"csc_indices", ElementType::i32, nnz, role, {nnz}, "csc_indices[nnz]"},
      {"csc_counts", ElementType::i32, k, role, {k}, "csc_counts[k]"}};
  if (!homogeneous(w)) {
    scratch.push_back({"csc_weights", value_type(w.axes), nnz, role, {nnz}, "csc_weights[nnz]"});
  }
  return scratch;
}

std::vector<Step> t_csc_gather_steps(const Workload& w) {
  std::vector<Step> steps = csc_prepare_steps(w);
  const GatheredRows csc = rows_of_a_transposed(w);
  steps.push_back(columns_per_lane(w) > 1 ? float4_columns_step(w, csc)
                                          : rows_per_block_step(w, csc, 4));
  return steps;
}

std::vector<Step> t_csc_block_row_steps(const Workload& w) {
  std::vector<Step> steps = csc_prepare_steps(w);
  const GatheredRows csc = rows_of_a_transposed(w);
  KernelLaunch kernel{"csrmm/block_row.cu",
                      "block_row",
                      {define("ZERO_TEST", 0), define("UNROLL", 4), define("WIDE", 1), homo(w)},
                      {{csc.rows, ceil_divide(w.integer("n"), kWarpLanes), 1},
                       {std::int64_t{8} * kWarpLanes, 1, 1},
                       0,
                       {}},
                      csc.arguments()};
  kernel.arguments.emplace_back(as_int(w.integer("n")));
  kernel.block_work = entries_of_rows(csc.indptr, csc.rows, 1, csc.rows);
  steps.push_back(run_kernel("multiply", std::move(kernel)));
  return steps;
}

std::vector<Step> t_scatter_vector_steps(const Workload& w, std::int64_t columns) {
  constexpr std::int64_t kRows = 4;
  Step scatter = packed_step(w, rows_of_a(w), "csrmm/t_scatter_vector.cu", "t_scatter_vector",
                             {define("COLUMNS", columns), define("ROWS", kRows)}, kRows,
                             ceil_divide(w.integer("m"), kRows), w.integer("n") / columns);
  scatter.name = "scatter";
  return {clear("c"), std::move(scatter)};
}

std::vector<Step> t_scatter_strip_skip_steps(const Workload& w) {
  constexpr std::int64_t kRows = 4;
  Step scatter = packed_step(w, rows_of_a(w), "csrmm/t_scatter_strip_skip.cu",
                             "t_scatter_strip_skip", {define("ROWS", kRows)}, kRows,
                             ceil_divide(w.integer("m"), kRows), w.integer("n"));
  scatter.name = "scatter";
  return {clear("c"), std::move(scatter)};
}

}  // namespace warpscope::csrmm
