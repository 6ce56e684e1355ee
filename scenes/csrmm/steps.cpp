// scenes/csrmm/steps.cpp: what each kernel and library of csrmm runs: sources, defines, grids,
// arguments.
#include "scenes/csrmm/steps.h"

#include <algorithm>
#include <map>
#include <utility>

#include "scenes/csrmm/kernel_steps.h"

namespace warpscope::csrmm {
namespace {

// One block a (row, strip of 32 columns); the kernel's last parameter is n.
Step row_strip_step(const Workload& w, std::string source, std::string entry, Defines defines,
                    std::int64_t threads) {
  KernelLaunch kernel{
      std::move(source), std::move(entry), std::move(defines), {}, rows_of_a(w).arguments()};
  kernel.defines.push_back(homo(w));
  kernel.launch.grid = {w.integer("m"), ceil_divide(w.integer("n"), kWarpLanes), 1};
  kernel.launch.block = {threads, 1, 1};
  kernel.arguments.emplace_back(as_int(w.integer("n")));
  kernel.block_work = entries_of_rows("indptr", w.integer("m"), 1, w.integer("m"));
  return run_kernel("multiply", std::move(kernel));
}

// Blocks of eight warps, a row each.
KernelLaunch row_kernel(std::string source, std::string entry, std::int64_t rows,
                        std::int64_t strips, std::vector<Argument> arguments) {
  KernelLaunch kernel{std::move(source), std::move(entry), {}, {}, std::move(arguments)};
  kernel.launch.grid = {ceil_divide(rows, 8), strips, 1};
  kernel.launch.block = {kWarpLanes, 8, 1};
  return kernel;
}

// Libraries know no shared weight: a prepare step gives every entry its own.
std::string expanded_weights(const Workload& w, std::vector<Step>& steps) {
  if (!homogeneous(w)) return "weights";
  const std::int64_t nnz = entries(w);
  if (nnz > 0) {
    steps.push_back(prepare_kernel(
        "expand the weight",
        element_kernel(w, "csrmm/convert.cu", "expand_weight", nnz,
                       {BufferArgument{"weights"}, BufferArgument{"expanded_weights"}, nnz})));
  }
  return "expanded_weights";
}

std::map<std::string, double> sizes(const Workload& w) {
  return {{"m", w.real("m")},
          {"k", w.real("k")},
          {"n", w.real("n")},
          {"nnz", w.fact("nnz")},
          {"transpose", transposed(w.axes) ? 1.0 : 0.0}};
}

}  // namespace

bool transposed(const Configuration& axes) { return axes.text("op") == "T"; }

ElementType value_type(const Configuration& axes) {
  const std::string& type = axes.text("dtype");
  return type == "f16" ? ElementType::f16 : type == "bf16" ? ElementType::bf16 : ElementType::f32;
}

std::int64_t value_bytes(const Configuration& axes) { return element_bytes(value_type(axes)); }

std::vector<Step> warp_row_steps(const Workload& w, const WarpRow& form) {
  return {row_strip_step(
      w, "csrmm/warp_row.cu", "warp_row",
      {define("ZERO_TEST", form.zero_test), define("UNROLL", form.unroll),
       define("READ_ONLY", form.read_only), define("GROUPED", form.grouped), type(w)},
      kWarpLanes)};
}

std::vector<Step> block_row_steps(const Workload& w, const BlockRow& form) {
  const bool wide = !form.narrow || w.real("k") * w.real("n") >= 2147483648.0;
  return {row_strip_step(
      w, "csrmm/block_row.cu", "block_row",
      {define("ZERO_TEST", form.zero_test), define("UNROLL", form.unroll), define("WIDE", wide)},
      std::int64_t{8} * kWarpLanes)};
}

std::vector<Step> shuffle_steps(const Workload& w, std::int64_t in_flight) {
  return {row_strip_step(w, "csrmm/warp_row_shuffle.cu", "warp_row_shuffle",
                         {define("IN_FLIGHT", in_flight)}, kWarpLanes)};
}

std::vector<Step> rows_per_block_steps(const Workload& w) {
  return {rows_per_block_step(w, rows_of_a(w), w.integer("unroll"))};
}

std::vector<Step> row_pack_steps(const Workload& w) {
  constexpr std::int64_t kRows = 4, kMaximumBlocks = 4096;
  return {packed_step(w, rows_of_a(w), "csrmm/row_pack.cu", "row_pack", {}, kRows,
                      std::min(kMaximumBlocks, ceil_divide(w.integer("m"), kRows)),
                      w.integer("n"))};
}

std::vector<Step> float4_columns_steps(const Workload& w) {
  return {float4_columns_step(w, rows_of_a(w))};
}

bool short_rows(const Workload& w) {
  return w.fact("mean_row") <= static_cast<double>(w.integer("auto_threshold"));
}

std::vector<Step> gather_add_steps(const Workload& w) {
  const std::int64_t n = w.integer("n"), elements = entries(w) * n;
  const bool scatter = transposed(w.axes);
  std::vector<Step> steps;
  if (scatter) steps.push_back(clear("c"));
  if (elements > 0) {
    if (scatter) {
      KernelLaunch rows = row_kernel(
          "csrmm/gather_add.cu", "expand_rows", w.integer("m"), 1,
          {BufferArgument{"indptr"}, BufferArgument{"row_of_entry"}, as_int(w.integer("m"))});
      rows.defines = {homo(w)};
      steps.push_back(run_kernel("expand rows", std::move(rows)));
    }
    steps.push_back(run_kernel("gather and multiply",
                               element_kernel(w, "csrmm/gather_add.cu", "gather_multiply", elements,
                                              {BufferArgument{scatter ? "row_of_entry" : "indices"},
                                               BufferArgument{"weights"}, BufferArgument{"b"},
                                               BufferArgument{"products"}, elements, as_int(n)})));
  }
  if (!scatter) {
    KernelLaunch add =
        row_kernel("csrmm/gather_add.cu", "segment_add", w.integer("m"), ceil_divide(n, kWarpLanes),
                   {BufferArgument{"indptr"}, BufferArgument{"products"}, BufferArgument{"c"},
                    as_int(w.integer("m")), as_int(n)});
    add.defines = {homo(w)};
    add.block_work = entries_of_rows("indptr", w.integer("m"), 8, ceil_divide(w.integer("m"), 8));
    steps.push_back(run_kernel("segment add", std::move(add)));
  } else if (elements > 0) {
    steps.push_back(run_kernel(
        "scatter add", element_kernel(w, "csrmm/gather_add.cu", "scatter_add", elements,
                                      {BufferArgument{"indices"}, BufferArgument{"products"},
                                       BufferArgument{"c"}, elements, as_int(n)})));
  }
  return steps;
}

std::vector<BufferSpec> gather_add_scratch(const Workload& w) {
  const std::int64_t nnz = entries(w), n = w.integer("n");
  std::vector<BufferSpec> scratch = {
      {"products", ElementType::f32, nnz * n, BufferRole::scratch, {nnz, n}, "products[nnz, n]"}};
  if (transposed(w.axes)) {
    scratch.push_back(
        {"row_of_entry", ElementType::i32, nnz, BufferRole::scratch, {nnz}, "row_of_entry[nnz]"});
  }
  return scratch;
}

std::vector<Step> t_scatter_steps(const Workload& w, bool read_only) {
  Step scatter = row_strip_step(w, "csrmm/t_scatter.cu", "t_scatter",
                                {define("READ_ONLY", read_only)}, kWarpLanes);
  scatter.name = "scatter";
  return {clear("c"), std::move(scatter)};
}

std::vector<BufferSpec> expanded_weights_scratch(const Workload& w) {
  if (!homogeneous(w)) return {};
  return {{"expanded_weights",
           ElementType::f32,
           entries(w),
           BufferRole::scratch,
           {entries(w)},
           "expanded_weights[nnz]"}};
}

std::vector<Step> cusparse_steps(const Workload& w, const std::string& call) {
  std::vector<Step> steps;
  const std::string weights = expanded_weights(w, steps);
  std::map<std::string, double> numbers = sizes(w);
  // cuSPARSE 12.6.3 faults in the optional preprocessing of CSR_ALG3 where one row has nearly all
  // entries; the product itself is right without it.
  constexpr double kHugeRow = 5000;
  if (call == "cusparse.spmm.csr_alg3" && w.fact("longest_row") > kHugeRow &&
      2 * w.fact("longest_row") > w.fact("nnz"))
    numbers["skip_preprocess"] = 1;
  steps.push_back({"multiply", Phase::run,
                   LibraryCall{call,
                               {{"indptr", "indptr"},
                                {"indices", "indices"},
                                {"weights", weights},
                                {"b", "b"},
                                {"c", "c"}},
                               std::move(numbers)}});
  return steps;
}

std::vector<Step> cusparse_csc_steps(const Workload& w) {
  std::vector<Step> steps;
  const std::string weights = expanded_weights(w, steps);
  steps.push_back({"convert to CSC", Phase::prepare,
                   LibraryCall{"cusparse.csr2csc",
                               {{"indptr", "indptr"},
                                {"indices", "indices"},
                                {"weights", weights},
                                {"csc_indptr", "csc_indptr"},
                                {"csc_indices", "csc_indices"},
                                {"csc_weights", "csc_weights"}},
                               sizes(w)}});
  // The CSC arrays of A are the CSR arrays of Aᵀ: a plain product with m and k
  // exchanged.
  std::map<std::string, double> swapped = sizes(w);
  std::swap(swapped["m"], swapped["k"]);
  swapped["transpose"] = 0;
  steps.push_back({"multiply", Phase::run,
                   LibraryCall{"cusparse.spmm.default",
                               {{"indptr", "csc_indptr"},
                                {"indices", "csc_indices"},
                                {"weights", "csc_weights"},
                                {"b", "b"},
                                {"c", "c"}},
                               std::move(swapped)}});
  return steps;
}

std::vector<BufferSpec> cusparse_csc_scratch(const Workload& w) {
  const std::int64_t nnz = entries(w), k = w.integer("k");
  std::vector<BufferSpec> scratch = expanded_weights_scratch(w);
  scratch.push_back(
      {"csc_indptr", ElementType::i32, k + 1, BufferRole::scratch, {k + 1}, "csc_indptr[k + 1]"});
  scratch.push_back(
      {"csc_indices", ElementType::i32, nnz, BufferRole::scratch, {nnz}, "csc_indices[nnz]"});
  scratch.push_back(
      {"csc_weights", ElementType::f32, nnz, BufferRole::scratch, {nnz}, "csc_weights[nnz]"});
  return scratch;
}

std::vector<Step> cublas_steps(const Workload& w, const std::string& call) {
  std::vector<Step> steps = {clear("dense_a", Phase::prepare)};
  if (entries(w) > 0) {
    KernelLaunch densify =
        row_kernel("csrmm/convert.cu", "densify", w.integer("m"), 1,
                   {BufferArgument{"indptr"}, BufferArgument{"indices"}, BufferArgument{"weights"},
                    BufferArgument{"dense_a"}, as_int(w.integer("m")), as_int(w.integer("k"))});
    densify.defines = {homo(w)};
    steps.push_back({"densify", Phase::prepare, std::move(densify)});
  }
  steps.push_back({"multiply", Phase::run,
                   LibraryCall{call, {{"a", "dense_a"}, {"b", "b"}, {"c", "c"}}, sizes(w)}});
  return steps;
}

std::vector<BufferSpec> cublas_scratch(const Workload& w) {
  const std::int64_t m = w.integer("m"), k = w.integer("k");
  return {{"dense_a", ElementType::f32, m * k, BufferRole::scratch, {m, k}, "A[m, k]"}};
}

}  // namespace warpscope::csrmm
