// scenes/esmm/library_variants.cpp: the libraries' calls beside esmm's kernels.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenes/base/kernel_parts.h"
#include "scenes/esmm/shapes.h"
#include "scenes/esmm/variants.h"
#include "scenes/esmm/work.h"

namespace warpscope::esmm {
namespace {

constexpr std::int64_t kThreads = 256;

Step dense_product(const Workload& w, const char* call, const char* a, const char* b) {
  const Shape s = shape_of(w.axes);
  return {"multiply", Phase::run,
          LibraryCall{call,
                      {{"a", a}, {"b", b}, {"c", "c"}},
                      {{"m", static_cast<double>(s.m)},
                       {"k", static_cast<double>(s.k)},
                       {"n", static_cast<double>(s.n)},
                       {"transpose", 0}}}};
}

// One thread, or one warp, an item of `items`.
Step prepared(std::string name, std::string source, std::string entry, std::int64_t threads,
              std::vector<Argument> arguments) {
  KernelLaunch kernel{std::move(source), std::move(entry), {}, {}, std::move(arguments)};
  kernel.launch.grid = {ceil_divide(threads, kThreads), 1, 1};
  kernel.launch.block = {kThreads, 1, 1};
  return prepare_kernel(std::move(name), std::move(kernel));
}

Steps bf16_steps(const Workload& w) {
  const Shape s = shape_of(w.axes);
  const auto round = [](const char* name, const char* from, const char* to, std::int64_t count) {
    return prepared(name, "esmm/to_bf16.cu", "to_bf16", count,
                    {BufferArgument{from}, BufferArgument{to}, count});
  };
  return {round("round A", "a", "a_bf16", s.a_elements()),
          round("round B", "b", "b_bf16", s.b_elements()),
          dense_product(w, "cublas.gemm.bf16", "a_bf16", "b_bf16")};
}

Buffers bf16_scratch(const Workload& w) {
  const Shape s = shape_of(w.axes);
  return {
      {"a_bf16", ElementType::bf16, s.a_elements(), BufferRole::scratch, {s.m, s.k}, "A[m, k]"},
      {"b_bf16", ElementType::bf16, s.b_elements(), BufferRole::scratch, {s.k, s.n}, "B[k, n]"}};
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
  const auto array = [](const char* name, ElementType type, std::int64_t count,
                        const char* symbol) {
    return BufferSpec{name, type, count, BufferRole::scratch, {count}, symbol};
  };
  return {array("counts", ElementType::i32, s.m, "counts[M]"),
          array("indptr", ElementType::i32, s.m + 1, "indptr[M + 1]"),
          array("indices", ElementType::i32, nnz, "indices[nnz]"),
          array("weights", ElementType::f32, nnz, "weights[nnz]")};
}

Variant csr_variant(std::string name, std::string label, const char* call) {
  Variant v = esmm_variant(
      std::move(name), std::move(label), "library",
      "The library's sparse product: every nonzero of A on its own, with an index each. The "
      "conversion of A to CSR is prepared, and timed apart.",
      "An entry costs a row of B and eight bytes of its own: compare that with multiplying "
      "zeros[[cusparse_csr_alg2.time.warm > cublas_sgemm.time.warm => , which takes cuBLAS "
      "{ratio(cublas_sgemm.time.warm, cusparse_csr_alg2.time.warm)} of the time]].",
      [call](const Workload& w) { return csr_steps(w, call); });
  v.own_kernels = false;
  v.scratch = csr_scratch;
  charge_entries(v);
  v.constraints = {{"A must have less than 2³¹ elements",
                    [](const Workload& w, const DeviceLimits&) -> std::optional<std::string> {
                      const std::int64_t elements = shape_of(w.axes).a_elements();
                      if (elements <= std::numeric_limits<std::int32_t>::max()) return std::nullopt;
                      return std::to_string(elements) +
                             " elements of A may be more nonzeros than 32-bit row pointers name";
                    }}};
  return v;
}

Variant dense_library(std::string name, std::string label, std::string sentence,
                      std::string look_at, const char* call) {
  Variant v = esmm_variant(
      std::move(name), std::move(label), "library", std::move(sentence), std::move(look_at),
      [call](const Workload& w) -> Steps { return {dense_product(w, call, "a", "b")}; });
  v.own_kernels = false;
  return v;
}

}  // namespace

std::vector<Variant> library_variants() {
  Variant sgemm =
      dense_library("cublas_sgemm", "cuBLAS SGEMM",
                    "The library's product in FP32, pedantic: it may not round inputs to TF32.",
                    "The FP32 rate of a product that skips nothing: what skipping is held to.",
                    "cublas.gemm.fp32");
  Variant tf32 = dense_library(
      "cublas_tf32", "cuBLAS TF32", "The library's product with inputs rounded to TF32.",
      "Tensor cores multiply every zero, and it costs them little.", "cublas.gemm.tf32");
  tf32.accuracy = "TF32 products";
  tf32.league = "tf32";
  tf32.pipe = Pipe::wgmma_tf32;
  // Inputs are rounded to 11 bits, to nearest or toward zero: the library does not say.
  tf32.tolerance.magnitude = 2 * std::ldexp(1.0, -10);
  Variant bf16 = tf32;
  bf16.name = "cublas_bf16";
  bf16.label = "cuBLAS BF16";
  bf16.sentence =
      "The library's product of A and B rounded to bfloat16 before the time begins, summed in f32.";
  bf16.look_at = "Two bytes an element instead of four, and eight bits of each number.";
  bf16.accuracy = "BF16 products";
  bf16.league = "bf16";
  bf16.pipe = Pipe::wgmma_bf16;
  bf16.tolerance.magnitude = 2 * std::ldexp(1.0, -8);
  bf16.steps = bf16_steps;
  bf16.scratch = bf16_scratch;
  return {std::move(sgemm), std::move(tf32), std::move(bf16),
          csr_variant("cusparse_csr_alg2", "cuSPARSE CSR_ALG2", "cusparse.spmm.csr_alg2"),
          csr_variant("cusparse_csr_alg3", "cuSPARSE CSR_ALG3", "cusparse.spmm.csr_alg3")};
}

}  // namespace warpscope::esmm
