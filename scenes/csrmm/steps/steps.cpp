// scenes/csrmm/steps/steps.cpp: what each kernel and library of csrmm runs: sources, defines,
// grids, arguments.
#include "scenes/csrmm/steps/steps.h"

#include <algorithm>
#include <map>
#include <utility>

#include "scenes/csrmm/inputs/seed_reading.h"
#include "scenes/csrmm/steps/kernel_steps.h"

namespace warpscope::csrmm {
namespace {

// One block per (row, strip of 32 columns); the kernel's last parameter is n.
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

}  // namespace

bool transposed(const Configuration& axes) { return axes.text("op") == "T"; }

ElementType value_type(const Configuration& axes) {
  const std::string& type = axes.text("dtype");
  return type == "f16"    ? ElementType::f16
         : type == "bf16" ? ElementType::bf16
         : type == "f64"  ? ElementType::f64
                          : ElementType::f32;
}

std::int64_t value_bytes(const Configuration& axes) { return element_bytes(value_type(axes)); }

std::vector<Step> warp_row_steps(const Workload& w, const WarpRow& form) {
  Defines defines = {define("ZERO_TEST", form.zero_test), define("UNROLL", form.unroll),
                     define("READ_ONLY", form.read_only), define("GROUPED", form.grouped), type(w)};
  if (recorded_first(w) && value_type(w.axes) != ElementType::f64)
    return {row_strip_step(w, "csrmm/warp_row.cu", "warp_row", std::move(defines), kWarpLanes)};
  add_reading(w, defines);
  return {
      row_strip_step(w, "csrmm/seed_warp_row.cu", "seed_warp_row", std::move(defines), kWarpLanes)};
}

std::vector<Step> block_row_steps(const Workload& w, const BlockRow& form) {
  constexpr std::int64_t kThreads = 8 * kWarpLanes;
  const bool wide =
      form.narrow ? w.real("k") * w.real("n") >= kMost32BitElements : index_width(w) == 64;
  Defines defines = {define("ZERO_TEST", form.zero_test), define("UNROLL", form.unroll)};
  if (value_type(w.axes) == ElementType::f32) {
    defines.push_back(define("WIDE", wide));
    return {row_strip_step(w, "csrmm/block_row.cu", "block_row", std::move(defines), kThreads)};
  }
  defines.push_back(type(w));
  defines.push_back(define("INDEX_WIDTH", wide ? 64 : 32));
  defines.push_back(define("LAUNCH_BOUNDS", kThreads));
  return {
      row_strip_step(w, "csrmm/seed_block_row.cu", "seed_block_row", std::move(defines), kThreads)};
}

std::vector<Step> shuffle_steps(const Workload& w, std::int64_t in_flight) {
  Defines defines = {define("IN_FLIGHT", in_flight)};
  if (recorded_first(w) && value_type(w.axes) == ElementType::f32)
    return {row_strip_step(w, "csrmm/warp_row_shuffle.cu", "warp_row_shuffle", std::move(defines),
                           kWarpLanes)};
  defines.push_back(type(w));
  add_reading(w, defines);
  return {
      row_strip_step(w, "csrmm/seed_shuffle.cu", "seed_shuffle", std::move(defines), kWarpLanes)};
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
  Defines defines = {define("READ_ONLY", read_only)};
  if (recorded_first(w) && value_type(w.axes) == ElementType::f32) {
    Step scatter =
        row_strip_step(w, "csrmm/t_scatter.cu", "t_scatter", std::move(defines), kWarpLanes);
    scatter.name = "scatter";
    return {clear("c"), std::move(scatter)};
  }
  defines.push_back(type(w));
  add_reading(w, defines);
  const bool beside = value_bytes(w.axes) == 2;
  const std::string sums = beside ? "sums" : "c";
  Step scatter =
      row_strip_step(w, "csrmm/seed_scatter.cu", "seed_scatter", std::move(defines), kWarpLanes);
  scatter.name = "scatter";
  auto& kernel = std::get<KernelLaunch>(scatter.action);
  kernel.arguments[4] = BufferArgument{sums};
  if (!beside) return {clear("c"), std::move(scatter)};
  const std::int64_t elements = w.integer("k") * w.integer("n");
  KernelLaunch round = element_kernel(w, "csrmm/seed_scatter.cu", "round_sums", elements,
                                      {BufferArgument{"sums"}, BufferArgument{"c"}, elements});
  round.defines = kernel.defines;
  return {clear("sums"), std::move(scatter), run_kernel("round", std::move(round))};
}

std::vector<BufferSpec> t_scatter_scratch(const Workload& w) {
  if (value_bytes(w.axes) != 2) return {};
  const std::int64_t k = w.integer("k"), n = w.integer("n");
  return {{"sums", ElementType::f32, k * n, BufferRole::scratch, {k, n}, "sums[k, n]"}};
}

}  // namespace warpscope::csrmm
