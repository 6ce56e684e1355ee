// scenes/csrmm/steps/kernel_steps.cpp: the parts that csrmm's kernel steps are put together from.
#include "scenes/csrmm/steps/kernel_steps.h"

#include <algorithm>

namespace warpscope::csrmm {

bool homogeneous(const Workload& w) { return w.text("weights") == "homo"; }

std::int64_t entries(const Workload& w) { return static_cast<std::int64_t>(w.fact("nnz")); }

std::pair<std::string, std::string> homo(const Workload& w) {
  return define("HOMO", homogeneous(w) ? 1 : 0);
}

Step clear(std::string buffer, Phase phase) {
  return {"clear " + buffer, phase, Memset{std::move(buffer), 0}};
}

KernelLaunch element_kernel(const Workload& w, std::string source, std::string entry,
                            std::int64_t elements, std::vector<Argument> arguments) {
  constexpr std::int64_t kThreads = 256;
  KernelLaunch kernel{std::move(source), std::move(entry), {homo(w)}, {}, std::move(arguments)};
  kernel.launch.grid = {ceil_divide(elements, kThreads), 1, 1};
  kernel.launch.block = {kThreads, 1, 1};
  return kernel;
}

KernelLaunch row_kernel(std::string source, std::string entry, std::int64_t rows,
                        std::int64_t strips, std::vector<Argument> arguments) {
  KernelLaunch kernel{std::move(source), std::move(entry), {}, {}, std::move(arguments)};
  kernel.launch.grid = {ceil_divide(rows, 8), strips, 1};
  kernel.launch.block = {kWarpLanes, 8, 1};
  return kernel;
}

std::vector<Argument> GatheredRows::arguments() const {
  return {BufferArgument{indptr}, BufferArgument{indices}, BufferArgument{weights},
          BufferArgument{"b"}, BufferArgument{"c"}};
}

GatheredRows rows_of_a(const Workload& w) {
  GatheredRows gathered;
  gathered.rows = w.integer("m");
  return gathered;
}

GatheredRows rows_of_a_transposed(const Workload& w) {
  return {"csc_indptr", "csc_indices", homogeneous(w) ? "weights" : "csc_weights", w.integer("k")};
}

std::function<double(const Inputs&, const Dim3&)> entries_of_rows(const std::string& indptr,
                                                                  std::int64_t rows,
                                                                  std::int64_t each,
                                                                  std::int64_t blocks) {
  return [=](const Inputs& inputs, const Dim3& block) {
    const auto found = inputs.find(indptr);
    if (found == inputs.end()) return 0.0;  // a prepare step makes it
    const auto begins = found->second.as<std::int32_t>();
    double entries = 0;
    for (std::int64_t first = block.x * each; first < rows; first += blocks * each) {
      const auto end = static_cast<std::size_t>(std::min(rows, first + each));
      entries += begins[end] - begins[static_cast<std::size_t>(first)];
    }
    return entries;
  };
}

Step packed_step(const Workload& w, const GatheredRows& gathered, std::string source,
                 std::string entry, Defines defines, std::int64_t rows, std::int64_t blocks,
                 std::int64_t width) {
  KernelLaunch kernel{
      std::move(source), std::move(entry), std::move(defines), {}, gathered.arguments()};
  kernel.defines.push_back(homo(w));
  kernel.launch.grid = {blocks, ceil_divide(width, kWarpLanes), 1};
  kernel.launch.block = {kWarpLanes, rows, 1};
  kernel.arguments.emplace_back(as_int(gathered.rows));
  kernel.arguments.emplace_back(as_int(width));
  kernel.block_work = entries_of_rows(gathered.indptr, gathered.rows, rows, blocks);
  return run_kernel("multiply", std::move(kernel));
}

std::pair<std::string, std::string> type(const Workload& w) {
  const ElementType value = value_type(w.axes);
  return define("TYPE", value == ElementType::f16    ? 1
                        : value == ElementType::bf16 ? 2
                        : value == ElementType::f64  ? 3
                                                     : 0);
}

std::int64_t columns_in_16_bytes(const Configuration& axes) { return 16 / value_bytes(axes); }

std::int64_t columns_per_lane(const Workload& w) {
  const std::int64_t columns = columns_in_16_bytes(w.axes);
  return w.integer("n") % columns == 0 ? columns : 1;
}

Step float4_columns_step(const Workload& w, const GatheredRows& gathered) {
  constexpr std::int64_t kRows = 4, kUnroll = 8;
  const std::int64_t columns = columns_in_16_bytes(w.axes);
  return packed_step(
      w, gathered, "csrmm/float4_columns.cu", "float4_columns",
      {define("ROWS", kRows), define("UNROLL", kUnroll), define("COLUMNS", columns), type(w)},
      kRows, ceil_divide(gathered.rows, kRows), w.integer("n") / columns);
}

Step rows_per_block_step(const Workload& w, const GatheredRows& gathered, std::int64_t unroll) {
  constexpr std::int64_t kRows = 8;
  return packed_step(w, gathered, "csrmm/rows_per_block.cu", "rows_per_block",
                     {define("ROWS", kRows), define("UNROLL", unroll), type(w)}, kRows,
                     ceil_divide(gathered.rows, kRows), w.integer("n"));
}

}  // namespace warpscope::csrmm
