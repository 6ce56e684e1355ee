// scenes/csrmm/steps/library_steps.cpp: what library rows of csrmm run, and the forms of A they
// prepare.
#include "scenes/csrmm/steps/library_steps.h"

#include <algorithm>
#include <map>
#include <utility>

#include "scenes/csrmm/steps/kernel_steps.h"

namespace warpscope::csrmm {
namespace {

// Libraries have no shared weight: a prepare step writes one for every entry.
std::string expanded_weights(const Workload& w, std::vector<Step>& steps) {
  if (!homogeneous(w)) return "weights";
  const std::int64_t nnz = entries(w);
  if (nnz > 0) {
    const bool f32 = value_type(w.axes) == ElementType::f32;
    KernelLaunch expand =
        element_kernel(w, f32 ? "csrmm/convert.cu" : "csrmm/library_inputs.cu",
                       f32 ? "expand_weight" : "expand_stored_weight", nnz,
                       {BufferArgument{"weights"}, BufferArgument{"expanded_weights"}, nnz});
    if (!f32) expand.defines.push_back(type(w));
    steps.push_back(prepare_kernel("expand the weight", std::move(expand)));
  }
  return "expanded_weights";
}

std::map<std::string, double> sizes(const Workload& w) {
  return {{"m", w.real("m")},
          {"k", w.real("k")},
          {"n", w.real("n")},
          {"nnz", w.fact("nnz")},
          {"transpose", transposed(w.axes) ? 1.0 : 0.0},
          {"type", static_cast<double>(value_type(w.axes))}};
}

// A dense in f32: a prepare step.
void densify(const Workload& w, std::vector<Step>& steps) {
  steps.push_back(clear("dense_a", Phase::prepare));
  if (entries(w) == 0) return;
  KernelLaunch kernel =
      row_kernel("csrmm/convert.cu", "densify", w.integer("m"), 1,
                 {BufferArgument{"indptr"}, BufferArgument{"indices"}, BufferArgument{"weights"},
                  BufferArgument{"dense_a"}, as_int(w.integer("m")), as_int(w.integer("k"))});
  kernel.defines = {homo(w)};
  steps.push_back(prepare_kernel("densify", std::move(kernel)));
}

Step rounding(const Workload& w, std::string name, Phase phase, const char* from, const char* to,
              std::int64_t elements) {
  KernelLaunch kernel = element_kernel(w, "csrmm/library_inputs.cu", "round_to_bf16", elements,
                                       {BufferArgument{from}, BufferArgument{to}, elements});
  kernel.defines.push_back(type(w));
  return {std::move(name), phase, std::move(kernel)};
}

// Rows of tiles of A, and how many tiles each has.
std::int64_t rows_of_tiles(const Workload& w) { return w.integer("m") / kTile; }
std::int64_t tiles_of_row(const Workload& w) { return w.integer("b") / kTile; }

Step listing_of_tiles(const Workload& w) {
  KernelLaunch list = element_kernel(w, "csrmm/library_inputs.cu", "list_tiles", rows_of_tiles(w),
                                     {BufferArgument{"tile_begins"}, BufferArgument{"tile_columns"},
                                      rows_of_tiles(w), as_int(w.integer("b"))});
  list.defines.push_back(type(w));
  list.defines.push_back(define("TILE", kTile));
  return prepare_kernel("list tiles", std::move(list));
}

Buffers tile_lists(const Workload& w) {
  const std::int64_t rows = rows_of_tiles(w), each = tiles_of_row(w);
  const auto role = BufferRole::scratch;
  return {{"tile_begins", ElementType::i32, rows + 1, role, {rows + 1}, "tile_begins[m/16 + 1]"},
          {"tile_columns",
           ElementType::i32,
           rows * each,
           role,
           {rows, each},
           "tile_columns[m/16, b/16]"}};
}

Step tile_product(const Workload& w, const char* call, std::map<std::string, std::string> a,
                  std::map<std::string, double> more) {
  std::map<std::string, double> numbers = sizes(w);
  numbers["block"] = static_cast<double>(kTile);
  for (const auto& [name, value] : more) numbers[name] = value;
  a.insert({{"b", "b"}, {"c", "c"}});
  return {"multiply", Phase::run, LibraryCall{call, std::move(a), std::move(numbers)}};
}

}  // namespace

std::vector<BufferSpec> expanded_weights_scratch(const Workload& w) {
  if (!homogeneous(w)) return {};
  return {{"expanded_weights",
           value_type(w.axes),
           entries(w),
           BufferRole::scratch,
           {entries(w)},
           "expanded_weights[nnz]"}};
}

std::vector<Step> cusparse_steps(const Workload& w, const std::string& call) {
  std::vector<Step> steps;
  const std::string weights = expanded_weights(w, steps);
  std::map<std::string, double> numbers = sizes(w);
  // The optional preprocessing of CSR_ALG3 writes outside of its buffers (cuSPARSE 12.6.3) if a row
  // has more entries than A has columns, which duplicates make possible. With it, 22 of 23 such
  // drawn matrices were wrong or faulted on an H200, and 0 of 600 others. Without it, 25 of 25 such
  // matrices were right.
  if (call == "cusparse.spmm.csr_alg3" && w.fact("longest_row") > numbers.at("k"))
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
      {"csc_weights", value_type(w.axes), nnz, BufferRole::scratch, {nnz}, "csc_weights[nnz]"});
  return scratch;
}

std::vector<Step> cublas_steps(const Workload& w, const std::string& call) {
  std::vector<Step> steps;
  densify(w, steps);
  steps.push_back({"multiply", Phase::run,
                   LibraryCall{call, {{"a", "dense_a"}, {"b", "b"}, {"c", "c"}}, sizes(w)}});
  return steps;
}

std::vector<BufferSpec> cublas_scratch(const Workload& w) {
  const std::int64_t m = w.integer("m"), k = w.integer("k");
  return {{"dense_a", ElementType::f32, m * k, BufferRole::scratch, {m, k}, "A[m, k]"}};
}

std::vector<Step> cublas_bf16_steps(const Workload& w) {
  const std::int64_t m = w.integer("m"), k = w.integer("k"), n = w.integer("n");
  const std::int64_t of_b = (transposed(w.axes) ? m : k) * n;
  std::vector<Step> steps;
  densify(w, steps);
  if (m * k > 0)
    steps.push_back(rounding(w, "round A", Phase::prepare, "dense_a", "a_bf16", m * k));
  if (of_b > 0) steps.push_back(rounding(w, "round B", Phase::run, "b", "b_bf16", of_b));
  steps.push_back(
      {"multiply", Phase::run,
       LibraryCall{"cublas.gemm.bf16", {{"a", "a_bf16"}, {"b", "b_bf16"}, {"c", "c"}}, sizes(w)}});
  return steps;
}

std::vector<BufferSpec> cublas_bf16_scratch(const Workload& w) {
  const std::int64_t m = w.integer("m"), k = w.integer("k"), n = w.integer("n");
  const std::int64_t rows = transposed(w.axes) ? m : k;
  std::vector<BufferSpec> scratch = cublas_scratch(w);
  const auto role = BufferRole::scratch;
  scratch.push_back({"a_bf16", ElementType::bf16, m * k, role, {m, k}, "A[m, k] in bf16"});
  scratch.push_back({"b_bf16", ElementType::bf16, rows * n, role, {rows, n}, "B[k, n] in bf16"});
  return scratch;
}

std::vector<Step> cusparse_coo_steps(const Workload& w) {
  std::vector<Step> steps;
  const std::string weights = expanded_weights(w, steps);
  if (w.integer("m") > 0) {
    KernelLaunch rows = row_kernel(
        "csrmm/gather_add.cu", "expand_rows", w.integer("m"), 1,
        {BufferArgument{"indptr"}, BufferArgument{"row_of_entry"}, as_int(w.integer("m"))});
    rows.defines = {homo(w)};
    steps.push_back(prepare_kernel("expand rows", std::move(rows)));
  }
  steps.push_back({"multiply", Phase::run,
                   LibraryCall{"cusparse.spmm.coo_alg4",
                               {{"rows", "row_of_entry"},
                                {"indices", "indices"},
                                {"weights", weights},
                                {"b", "b"},
                                {"c", "c"}},
                               sizes(w)}});
  return steps;
}

std::vector<BufferSpec> cusparse_coo_scratch(const Workload& w) {
  const std::int64_t nnz = entries(w);
  std::vector<BufferSpec> scratch = expanded_weights_scratch(w);
  scratch.push_back(
      {"row_of_entry", ElementType::i32, nnz, BufferRole::scratch, {nnz}, "row_of_entry[nnz]"});
  return scratch;
}

std::optional<std::string> has_no_tiles(const Workload& w) {
  const std::int64_t m = w.integer("m"), side = w.integer("b");
  if (w.text("rows") != "block_diagonal")
    return "the matrix has no block structure: rows are " + w.text("rows");
  if (m != w.integer("k")) return "A is not square: its diagonal blocks are not whole tiles";
  if (side % kTile != 0 || m % kTile != 0 || side > m)
    return "blocks of " + std::to_string(side) + " rows in " + std::to_string(m) +
           " rows do not make whole tiles of 16 × 16";
  return std::nullopt;
}

std::vector<Step> cusparse_bsr_steps(const Workload& w) {
  KernelLaunch fill =
      row_kernel("csrmm/library_inputs.cu", "fill_tiles", w.integer("m"), 1,
                 {BufferArgument{"indptr"}, BufferArgument{"indices"}, BufferArgument{"weights"},
                  BufferArgument{"tiles"}, as_int(w.integer("m")), as_int(w.integer("b"))});
  fill.defines = {homo(w), type(w), define("TILE", kTile)};
  return {
      listing_of_tiles(w), clear("tiles", Phase::prepare),
      prepare_kernel("fill tiles", std::move(fill)),
      tile_product(w, "cusparse.spmm.bsr_alg1",
                   {{"indptr", "tile_begins"}, {"indices", "tile_columns"}, {"weights", "tiles"}},
                   {{"nnz", static_cast<double>(rows_of_tiles(w) * tiles_of_row(w))}})};
}

std::vector<BufferSpec> cusparse_bsr_scratch(const Workload& w) {
  std::vector<BufferSpec> scratch = tile_lists(w);
  const std::int64_t tiles = rows_of_tiles(w) * tiles_of_row(w);
  scratch.push_back({"tiles",
                     ElementType::f32,
                     tiles * kTile * kTile,
                     BufferRole::scratch,
                     {tiles, kTile, kTile},
                     "tiles[·, 16, 16]"});
  return scratch;
}

std::vector<Step> cusparse_blocked_ell_steps(const Workload& w) {
  const double columns = w.real("b");
  std::vector<Step> steps = {listing_of_tiles(w)};
  densify(w, steps);
  const std::map<std::string, std::string> sparse = {{"indices", "tile_columns"},
                                                     {"weights", "tiles"}};
  std::map<std::string, std::string> with_a = sparse;
  with_a.insert({"a", "dense_a"});
  steps.push_back({"fill Blocked-ELL", Phase::prepare,
                   LibraryCall{"cusparse.dense_to_blocked_ell",
                               with_a,
                               {{"m", w.real("m")},
                                {"k", w.real("k")},
                                {"block", static_cast<double>(kTile)},
                                {"ell_columns", columns}}}});
  steps.push_back(tile_product(w, "cusparse.spmm.blocked_ell", sparse, {{"ell_columns", columns}}));
  return steps;
}

std::vector<BufferSpec> cusparse_blocked_ell_scratch(const Workload& w) {
  std::vector<BufferSpec> scratch = cusparse_bsr_scratch(w);
  for (BufferSpec& dense : cublas_scratch(w)) scratch.push_back(std::move(dense));
  return scratch;
}

}  // namespace warpscope::csrmm
