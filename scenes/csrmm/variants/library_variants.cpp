// scenes/csrmm/variants/library_variants.cpp: rows that call a library, and array programs.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "scenes/csrmm/steps/library_steps.h"
#include "scenes/csrmm/steps/steps.h"
#include "scenes/csrmm/steps/techniques.h"
#include "scenes/csrmm/variants/variant_kinds.h"
#include "scenes/csrmm/work.h"

namespace warpscope::csrmm {
namespace {

Variant cusparse_variant(std::string name, std::string label, std::string call,
                         std::string sentence, std::string look_at) {
  return library_variant(
      std::move(name), std::move(label), std::move(sentence), std::move(look_at),
      [call = std::move(call)](const Workload& w) { return cusparse_steps(w, call); },
      expanded_weights_scratch);
}

Variant coo_variant() {
  return library_variant(
      "cusparse_coo_alg4", "cuSPARSE COO_ALG4",
      "cusparseSpMM with COO_ALG4, the row-major algorithm for COO. The row index of every entry "
      "is prepared.",
      "Work is distributed by entries, not by rows[[cusparse_coo_alg4@rows=power_law.time.warm < "
      "1.2 * cusparse_coo_alg4@rows=fixed.time.warm => : a power law takes "
      "{cusparse_coo_alg4@rows=power_law.time.warm}, equal rows "
      "{cusparse_coo_alg4@rows=fixed.time.warm} | ; a power law takes "
      "{cusparse_coo_alg4@rows=power_law.time.warm} nevertheless, equal rows "
      "{cusparse_coo_alg4@rows=fixed.time.warm}]].",
      cusparse_coo_steps, cusparse_coo_scratch);
}

// Blocks of at most 128 rows. No value if A's rows do not make whole tiles.
std::optional<AxisChange> blocks_on_diagonal(const Workload& w) {
  const std::int64_t m = w.integer("m"), side = std::min<std::int64_t>(128, m);
  if (m != w.integer("k") || m % kTile != 0 || m == 0) return std::nullopt;
  return AxisChange{"use blocks of " + std::to_string(side) + " on the diagonal",
                    {{"rows", "block_diagonal"}, {"b", std::to_string(side)}}};
}

Variant tile_variant(std::string name, std::string label, std::string sentence, std::string look_at,
                     Steps (*steps)(const Workload&), Buffers (*scratch)(const Workload&)) {
  Variant v = library_variant(std::move(name), std::move(label), std::move(sentence),
                              std::move(look_at), steps, scratch);
  v.constraints = {{"A must have blocks on its diagonal made of whole 16 × 16 tiles",
                    [](const Workload& w, const DeviceLimits&) { return has_no_tiles(w); },
                    [](const Workload& w, const DeviceLimits&) { return blocks_on_diagonal(w); }}};
  return v;
}

// Its products take inputs rounded to TF32, as esmm's did on an H200.
Variant blocked_ell_variant() {
  Variant v = tile_variant(
      "cusparse_blocked_ell", "cuSPARSE Blocked-ELL",
      "cusparseSpMM with BLOCKED_ELL_ALG1 on the same tiles; every row of tiles has equally many.",
      "The library multiplies tiles on tensor cores: compare the accuracy class.",
      cusparse_blocked_ell_steps, cusparse_blocked_ell_scratch);
  v.accuracy = "TF32 products";
  v.pipe = Pipe::mma_tf32;
  v.tolerance.magnitude = 2 * std::ldexp(1.0, -10);
  v.constraints.push_back(scratch_fits("dense A (m·k·4 bytes)", dense_bytes));
  return v;
}

}  // namespace

std::vector<Variant> array_programs() {
  Variant segment = gather_variant(
      "gather_segment_add", "gather and segment-add", "library",
      "Writes all nnz × n products to memory, then adds them row by row.",
      "The article's “cuSPARSE” column shows this program. [[gather_segment_add.time.warm > "
      "cusparse_default.time.warm => It takes {ratio(gather_segment_add.time.warm, "
      "cusparse_default.time.warm)} times as long as cuSPARSE's default. | "
      "gather_segment_add.time.warm < cusparse_default.time.warm => It is faster "
      "than cuSPARSE's default here. || See the DRAM bytes.]]",
      gather_add_steps);
  segment.scratch = gather_add_scratch;
  segment.own_formulas.clear();
  charge_products(segment);
  segment.constraints.push_back(scratch_fits("the nnz × n products", product_bytes));
  Variant scatter = segment;
  scatter.name = "gather_scatter_add";
  scatter.label = "gather and scatter-add";
  scatter.sentence = "Writes all nnz × n products to memory, then adds them to C with atomics.";
  scatter.applies = transposed;
  scatter.repeatable = false;
  charge_clearing(scatter);
  return {std::move(segment), std::move(scatter)};
}

// Long: a table of library calls, with what a student reads of each.
std::vector<Variant> library_variants() {
  Variant transpose =
      cusparse_variant("cusparse_t", "cuSPARSE transposed", "cusparse.spmm.default",
                       "cusparseSpMM with opA = TRANSPOSE on the CSR arrays.",
                       "The library scatters too, so results may differ from run to run.");
  transpose.applies = transposed;
  transpose.repeatable = false;
  Variant csc =
      library_variant("cusparse_csc", "cuSPARSE on CSC",
                      "A is converted to CSC once. The product is then a plain gather.",
                      "The conversion is a prepare step: see after how many runs it pays off.",
                      cusparse_csc_steps, cusparse_csc_scratch);
  csc.applies = transposed;
  const auto dense = [](std::string name, std::string label, const std::string& call,
                        std::string sentence) {
    Variant v = library_variant(
        std::move(name), std::move(label), std::move(sentence),
        "Its work does not depend on the density of A; a gather's does. Find where they cross.",
        [call](const Workload& w) { return cublas_steps(w, call); }, cublas_scratch);
    v.applies = nullptr;
    v.constraints = {scratch_fits("dense A (m·k·4 bytes)", dense_bytes)};
    return v;
  };
  Variant tf32 = dense("cublas_dense_tf32", "cuBLAS dense TF32", "cublas.gemm.tf32",
                       "A is made dense once. The product runs on tensor cores with TF32 inputs.");
  tf32.accuracy = "TF32 products";
  tf32.pipe = Pipe::wgmma_tf32;
  tf32.tolerance = tf32_tolerance();
  Variant bf16 = dense("cublas_dense_bf16", "cuBLAS dense BF16", "cublas.gemm.bf16",
                       "A is made dense and rounded to bfloat16 once. Every run rounds B and "
                       "multiplies on tensor cores.");
  bf16.accuracy = "BF16 products";
  bf16.pipe = Pipe::wgmma_bf16;
  bf16.tolerance = bf16_tolerance();
  bf16.own_kernels = true;  // that rounds B
  bf16.steps = cublas_bf16_steps;
  bf16.scratch = cublas_bf16_scratch;
  bf16.constraints = {scratch_fits("dense A (m·k·6 bytes)", dense_bf16_bytes)};
  return {
      cusparse_variant(
          "cusparse_default", "cuSPARSE default", "cusparse.spmm.default",
          "cusparseSpMM with the algorithm that the library picks for CSR.",
          "[[abs(ratio(cusparse_default.time.warm, float4_columns.time.warm) - 1) < 10 % "
          "=> Within 10 % of a plain float4 gather. | cusparse_default.time.warm > "
          "float4_columns.time.warm => A plain float4 gather is faster here: "
          "{ratio(float4_columns.time.warm, cusparse_default.time.warm)} of its time. | "
          "cusparse_default.time.warm < float4_columns.time.warm => It takes "
          "{ratio(cusparse_default.time.warm, float4_columns.time.warm)} of a plain "
          "float4 gather's time here. || Compare it with a plain float4 gather.]]"),
      cusparse_variant(
          "cusparse_alg1", "cuSPARSE CSR_ALG1", "cusparse.spmm.csr_alg1",
          "cusparseSpMM with CSR_ALG1, which is meant for "
          "column-major B and C.",
          "[[cusparse_alg1.time.warm > cusparse_default.time.warm => The wrong choice for this "
          "layout: {ratio(cusparse_alg1.time.warm, cusparse_default.time.warm)} times as long as "
          "the default. | Here it is no slower than the default. || Is it the right choice for "
          "this layout? Compare it with the default.]]"),
      cusparse_variant(
          "cusparse_alg2", "cuSPARSE CSR_ALG2", "cusparse.spmm.csr_alg2",
          "cusparseSpMM with CSR_ALG2, the row-major algorithm.",
          "[[abs(ratio(cusparse_alg2.time.warm, cusparse_default.time.warm) - 1) < 2 % => It takes "
          "as long as the default, so the default probably is this one. | The default takes "
          "{ratio(cusparse_default.time.warm, cusparse_alg2.time.warm)} of its time here, so it is "
          "another one. || Is this what the default picks? Compare their times.]]"),
      cusparse_variant(
          "cusparse_alg3", "cuSPARSE CSR_ALG3", "cusparse.spmm.csr_alg3",
          "cusparseSpMM with CSR_ALG3 after its preprocessing. The preprocessing is left out if "
          "the entries of a row outnumber the columns of A: it writes outside of its buffers "
          "there.",
          "[[cusparse_alg3.time.warm <= best(cusparse_default, cusparse_alg1, cusparse_alg2) => "
          "None of cuSPARSE's algorithms is faster here. | {fastest(cusparse_default, "
          "cusparse_alg1, cusparse_alg2)} is faster here. || Compare it with cuSPARSE's other "
          "algorithms.]] [[cusparse_alg3@rows=one_huge_row.time.warm > 2 * "
          "cusparse_alg3@rows=fixed.time.warm => With one huge row it takes "
          "{ratio(cusparse_alg3@rows=one_huge_row.time.warm, cusparse_alg3@rows=fixed.time.warm)} "
          "times as long as with equal rows.]]"),
      coo_variant(),
      tile_variant("cusparse_bsr", "cuSPARSE BSR_ALG1",
                   "cusparseSpMM with BSR_ALG1 on 16 × 16 tiles, which are prepared.",
                   "Whole tiles are multiplied, zeros included: see what share of them A fills.",
                   cusparse_bsr_steps, cusparse_bsr_scratch),
      blocked_ell_variant(),
      std::move(transpose),
      std::move(csc),
      dense("cublas_dense_fp32", "cuBLAS dense FP32", "cublas.gemm.fp32",
            "A is made dense once, zeros included. The product is an ordinary SGEMM."),
      std::move(tf32),
      std::move(bf16),
  };
}

}  // namespace warpscope::csrmm
