// scenes/esmm/variants/library_variants.cpp: the libraries' calls beside esmm's kernels.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "scenes/base/kernel_parts.h"
#include "scenes/esmm/inputs/pattern_counts.h"
#include "scenes/esmm/inputs/shapes.h"
#include "scenes/esmm/variants/variants.h"
#include "scenes/esmm/work.h"

namespace warpscope::esmm {
namespace {

Step prepared(std::string name, std::string source, std::string entry, std::int64_t threads,
              std::vector<Argument> arguments) {
  return prepare_kernel(std::move(name), kernel_of_threads(std::move(source), std::move(entry),
                                                           threads, std::move(arguments)));
}

Steps bf16_steps(const Workload& w) {
  const Shape s = shape_of(w.axes);
  const auto round = [](const char* name, const char* from, const char* to, std::int64_t count) {
    return prepared(name, "esmm/to_bf16.cu", "to_bf16", count,
                    {BufferArgument{from}, BufferArgument{to}, count});
  };
  return {round("round A", "a", "a_bf16", s.a_elements()),
          round("round B", "b", "b_bf16", s.b_elements()),
          dense_product(w, "multiply", "cublas.gemm.bf16", "a_bf16", "b_bf16")};
}

Buffers bf16_scratch(const Workload& w) {
  const Shape s = shape_of(w.axes);
  return {
      {"a_bf16", ElementType::bf16, s.a_elements(), BufferRole::scratch, {s.m, s.k}, "A[m, k]"},
      {"b_bf16", ElementType::bf16, s.b_elements(), BufferRole::scratch, {s.k, s.n}, "B[k, n]"}};
}

BufferSpec scratch_array(const char* name, ElementType type, std::int64_t count,
                         const char* symbol) {
  return {name, type, count, BufferRole::scratch, {count}, symbol};
}

std::int64_t nonzeros_of_a(const Workload& w) {
  return static_cast<std::int64_t>(w.fact("a_nonzeros"));
}

Steps csr_steps(const Workload& w, const char* call) {
  const Shape s = shape_of(w.axes);
  const std::int64_t threads = s.m * kWarpLanes;
  KernelLaunch begins{"esmm/to_csr.cu",
                      "row_begins",
                      {},
                      {{1, 1, 1}, {kWarpLanes, 1, 1}, 0, {}},
                      {BufferArgument{"counts"}, BufferArgument{"indptr"}, s.m}};
  return {prepared("count nonzeros", "esmm/to_csr.cu", "count_nonzeros", threads,
                   {BufferArgument{"a"}, BufferArgument{"counts"}, s.m, s.k}),
          prepare_kernel("row pointers", std::move(begins)),
          prepared("fill CSR", "esmm/to_csr.cu", "fill_csr", threads,
                   {BufferArgument{"a"}, BufferArgument{"indptr"}, BufferArgument{"indices"},
                    BufferArgument{"weights"}, s.m, s.k}),
          {"multiply", Phase::run,
           LibraryCall{call,
                       {{"indptr", "indptr"},
                        {"indices", "indices"},
                        {"weights", "weights"},
                        {"b", "b"},
                        {"c", "c"}},
                       {{"m", static_cast<double>(s.m)},
                        {"k", static_cast<double>(s.k)},
                        {"n", static_cast<double>(s.n)},
                        {"nnz", static_cast<double>(nonzeros_of_a(w))},
                        {"transpose", 0}}}}};
}

Buffers csr_scratch(const Workload& w) {
  const Shape s = shape_of(w.axes);
  const std::int64_t nnz = std::max<std::int64_t>(1, nonzeros_of_a(w));
  return {scratch_array("counts", ElementType::i32, s.m, "counts[M]"),
          scratch_array("indptr", ElementType::i32, s.m + 1, "indptr[M + 1]"),
          scratch_array("indices", ElementType::i32, nnz, "indices[nnz]"),
          scratch_array("weights", ElementType::f32, nnz, "weights[nnz]")};
}

Variant csr_variant(std::string name, std::string label, const char* call) {
  Variant v = esmm_variant(
      std::move(name), std::move(label), "library",
      "cuSPARSE's product with A in CSR, which stores one index per nonzero. The conversion to CSR "
      "is preparation and is timed apart.",
      "Each entry costs a row of B and eight bytes of its own. "
      "[[cusparse_csr_alg2.time.warm > cublas_sgemm.time.warm => cuBLAS multiplies the zeros, and "
      "takes {ratio(cublas_sgemm.time.warm, cusparse_csr_alg2.time.warm)} of the time. || Compare "
      "it with cuBLAS, which multiplies the zeros.]]",
      [call](const Workload& w) { return csr_steps(w, call); });
  v.own_kernels = false;
  v.scratch = csr_scratch;
  charge_entries(v);
  v.constraints = {
      {"A must have less than 2³¹ elements",
       [](const Workload& w, const DeviceLimits&) -> std::optional<std::string> {
         const std::int64_t elements = shape_of(w.axes).a_elements();
         if (elements <= std::numeric_limits<std::int32_t>::max()) return std::nullopt;
         return std::to_string(elements) +
                " elements of A may be more nonzeros than 32-bit row pointers can count";
       }}};
  return v;
}

// Rows and columns of a block that the library keeps or leaves out.
std::int64_t side_of(const Workload& w) { return std::stoll(w.text("block_side")); }
std::int64_t blocks_of_a(const Workload& w) {
  return static_cast<std::int64_t>(w.fact(group_fact("a_sparse_blocks", side_of(w))));
}
std::int64_t most_blocks_of_a(const Workload& w) {
  const double most = w.fact(group_fact("a_most_blocks", side_of(w)));
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(most));
}

Step block_step(const Workload& w, std::string name, std::string entry,
                std::vector<Argument> arguments) {
  Step step = prepared(std::move(name), "esmm/to_blocks.cu", std::move(entry),
                       shape_of(w.axes).m / side_of(w) * kWarpLanes, std::move(arguments));
  std::get<KernelLaunch>(step.action).defines = {define("SIDE", side_of(w))};
  return step;
}

Step block_product(const Workload& w, const char* call, std::map<std::string, std::string> a,
                   std::map<std::string, double> numbers) {
  const Shape s = shape_of(w.axes);
  a.insert({{"b", "b"}, {"c", "c"}});
  numbers.insert({{"m", static_cast<double>(s.m)},
                  {"k", static_cast<double>(s.k)},
                  {"n", static_cast<double>(s.n)},
                  {"block", static_cast<double>(side_of(w))},
                  {"transpose", 0}});
  return {"multiply", Phase::run, LibraryCall{call, std::move(a), std::move(numbers)}};
}

Steps bsr_steps(const Workload& w) {
  const Shape s = shape_of(w.axes);
  KernelLaunch begins{"esmm/to_csr.cu",
                      "row_begins",
                      {},
                      {{1, 1, 1}, {kWarpLanes, 1, 1}, 0, {}},
                      {BufferArgument{"counts"}, BufferArgument{"indptr"}, s.m / side_of(w)}};
  return {block_step(w, "count blocks", "count_blocks",
                     {BufferArgument{"a"}, BufferArgument{"counts"}, s.m, s.k}),
          prepare_kernel("row pointers", std::move(begins)),
          block_step(w, "fill BSR", "fill_bsr",
                     {BufferArgument{"a"}, BufferArgument{"indptr"}, BufferArgument{"indices"},
                      BufferArgument{"weights"}, s.m, s.k}),
          block_product(w, "cusparse.spmm.bsr_alg1",
                        {{"indptr", "indptr"}, {"indices", "indices"}, {"weights", "weights"}},
                        {{"nnz", static_cast<double>(blocks_of_a(w))}})};
}

Buffers bsr_scratch(const Workload& w) {
  const std::int64_t rows = shape_of(w.axes).m / side_of(w);
  const std::int64_t blocks = std::max<std::int64_t>(1, blocks_of_a(w));
  return {scratch_array("counts", ElementType::i32, rows, "counts[M/S]"),
          scratch_array("indptr", ElementType::i32, rows + 1, "indptr[M/S + 1]"),
          scratch_array("indices", ElementType::i32, blocks, "indices[blocks]"),
          scratch_array("weights", ElementType::f32, blocks * side_of(w) * side_of(w),
                        "weights[blocks·S·S]")};
}

Steps blocked_ell_steps(const Workload& w) {
  const Shape s = shape_of(w.axes);
  const std::map<std::string, std::string> sparse = {{"indices", "indices"},
                                                     {"weights", "weights"}};
  const auto columns = static_cast<double>(most_blocks_of_a(w) * side_of(w));
  std::map<std::string, std::string> with_a = sparse;
  with_a.insert({"a", "a"});
  return {
      block_step(w, "list blocks", "list_blocks",
                 {BufferArgument{"a"}, BufferArgument{"indices"}, s.m, s.k, most_blocks_of_a(w)}),
      {"fill Blocked-ELL", Phase::prepare,
       LibraryCall{"cusparse.dense_to_blocked_ell",
                   with_a,
                   {{"m", static_cast<double>(s.m)},
                    {"k", static_cast<double>(s.k)},
                    {"block", static_cast<double>(side_of(w))},
                    {"ell_columns", columns}}}},
      block_product(w, "cusparse.spmm.blocked_ell", sparse, {{"ell_columns", columns}})};
}

Buffers blocked_ell_scratch(const Workload& w) {
  const std::int64_t side = side_of(w), rows = shape_of(w.axes).m / side;
  const std::int64_t blocks = rows * most_blocks_of_a(w);
  return {scratch_array("indices", ElementType::i32, blocks, "indices[M/S·width]"),
          scratch_array("weights", ElementType::f32, blocks * side * side, "weights[M·width·S]")};
}

Variant block_variant(std::string name, std::string label, std::string sentence,
                      std::string look_at, Steps (*steps)(const Workload&),
                      Buffers (*scratch)(const Workload&)) {
  Variant v = esmm_variant(std::move(name), std::move(label), "library", std::move(sentence),
                           std::move(look_at), steps);
  v.own_kernels = false;
  v.scratch = scratch;
  v.constraints = {
      {"zeros of A must come in blocks",
       [](const Workload& w, const DeviceLimits&) -> std::optional<std::string> {
         const std::string& zeros = w.text("a_zeros");
         for (const char* whole : {"zero_k_blocks", "causal", "banded", "file"}) {
           if (zeros == whole) return std::nullopt;
         }
         return "no zero blocks at this block size: the zeros of A do not come in blocks of " +
                w.text("block_side") + "×" + w.text("block_side");
       },
       [](const Workload&, const DeviceLimits&) -> std::optional<AxisChange> {
         return AxisChange{"use zeros in blocks", {{"a_zeros", "zero_k_blocks"}}};
       }},
      {"M and K must be multiples of the block",
       [](const Workload& w, const DeviceLimits&) -> std::optional<std::string> {
         const Shape s = shape_of(w.axes);
         if (s.m % side_of(w) == 0 && s.k % side_of(w) == 0) return std::nullopt;
         return std::to_string(s.m) + " × " + std::to_string(s.k) + " is not a whole number of " +
                w.text("block_side") + "×" + w.text("block_side") + " blocks";
       }}};
  return v;
}

Variant bsr_variant() {
  Variant v = block_variant(
      "cusparse_bsr", "cuSPARSE BSR_ALG1",
      "cuSPARSE's product with A in square blocks (BSR), without the blocks that are all zero. The "
      "conversion is preparation and is timed apart.",
      "The share of blocks that are stored, compared with the share of k that 32 rows need.",
      bsr_steps, bsr_scratch);
  charge_blocks(v, [](const Workload& w) { return blocks_of_a(w) * side_of(w) * side_of(w); });
  return v;
}

Variant blocked_ell_variant() {
  Variant v = block_variant("cusparse_blocked_ell", "cuSPARSE Blocked-ELL",
                            "The same blocks on tensor cores, with equally many in each row of "
                            "blocks. The conversion is preparation and is timed apart.",
                            "Executed arithmetic: each row of blocks is padded to the longest one.",
                            blocked_ell_steps, blocked_ell_scratch);
  v.accuracy = "TF32 products";
  v.league = "tf32";
  v.pipe = Pipe::mma_tf32;
  v.tolerance.magnitude = 2 * std::ldexp(1.0, -10);
  charge_blocks(v, [](const Workload& w) {
    return shape_of(w.axes).m / side_of(w) * most_blocks_of_a(w) * side_of(w) * side_of(w);
  });
  return v;
}

Variant dense_library(std::string name, std::string label, std::string sentence,
                      std::string look_at, const char* call) {
  Variant v = esmm_variant(std::move(name), std::move(label), "library", std::move(sentence),
                           std::move(look_at), [call](const Workload& w) -> Steps {
                             return {dense_product(w, "multiply", call, "a", "b")};
                           });
  v.own_kernels = false;
  return v;
}

}  // namespace

std::vector<Variant> library_variants() {
  Variant sgemm = dense_library(
      "cublas_sgemm", "cuBLAS SGEMM",
      "cuBLAS's product in FP32, pedantic mode: it may not round inputs to TF32.",
      "The FP32 rate of a product that skips nothing. Compare skipping with its time.",
      "cublas.gemm.fp32");
  Variant tf32 = dense_library(
      "cublas_tf32", "cuBLAS TF32", "cuBLAS's product with inputs rounded to TF32.",
      "The rate of tensor cores, which multiply every zero. Compare skipping with their time.",
      "cublas.gemm.tf32");
  tf32.accuracy = "TF32 products";
  tf32.league = "tf32";
  tf32.pipe = Pipe::wgmma_tf32;
  // Inputs are rounded to 11 bits, to nearest or toward zero: the library does not say.
  tf32.tolerance.magnitude = 2 * std::ldexp(1.0, -10);
  Variant bf16 = tf32;
  bf16.name = "cublas_bf16";
  bf16.label = "cuBLAS BF16";
  bf16.sentence =
      "cuBLAS's product of A and B, rounded to bfloat16 before timing starts and summed in f32.";
  bf16.look_at = "Two bytes per element instead of four, and eight significant bits.";
  bf16.accuracy = "BF16 products";
  bf16.league = "bf16";
  bf16.pipe = Pipe::wgmma_bf16;
  bf16.tolerance.magnitude = 2 * std::ldexp(1.0, -8);
  bf16.steps = bf16_steps;
  bf16.scratch = bf16_scratch;
  return {std::move(sgemm),
          std::move(tf32),
          std::move(bf16),
          csr_variant("cusparse_csr_alg2", "cuSPARSE CSR_ALG2", "cusparse.spmm.csr_alg2"),
          csr_variant("cusparse_csr_alg3", "cuSPARSE CSR_ALG3", "cusparse.spmm.csr_alg3"),
          bsr_variant(),
          blocked_ell_variant()};
}

}  // namespace warpscope::esmm
