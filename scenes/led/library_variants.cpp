// scenes/led/library_variants.cpp: the libraries' calls beside led's kernels.
#include <optional>
#include <string>
#include <utility>

#include "scenes/led/constraints.h"
#include "scenes/led/library_steps.h"
#include "scenes/led/shapes.h"
#include "scenes/led/variants.h"

namespace warpscope::led {

std::vector<Variant> library_variants() {
  const auto only_f32 = [](const Configuration& axes) { return !integers(axes); };
  Variant sparse = led_variant(
      "cusparse_csr", "cuSPARSE CSR_ALG2", "library",
      "All blocks as one CSR matrix of N·C rows, times the frames laid out as columns; BSR and "
      "Blocked-ELL would need square blocks on a grid, and a pattern starts at any row.",
      "Beside each pattern value stands a 4-byte index that a block makes needless.",
      [](const Workload& w) { return cusparse_steps(w, "cusparse.spmm.csr_alg2"); });
  sparse.scratch = cusparse_scratch;
  explain(
      sparse, "model.dram_read_bytes", Side::below, 0.52,
      "Frames are laid out anew, and the library reads entries or frames again: 49 % of what an "
      "H200 read.");
  sparse.applies = only_f32;
  sparse.constraints = {
      {"N·C·B² must fit 32-bit row pointers",
       [](const Workload& w, const DeviceLimits&) -> Violation {
         const std::int64_t entries = shape_of(w.axes).values();
         if (entries <= 2147483647) return std::nullopt;
         return std::to_string(entries) + " entries do not fit 32-bit row pointers";
       }},
      {"C·H·W must fit 32-bit columns", [](const Workload& w, const DeviceLimits&) -> Violation {
         const Shape s = shape_of(w.axes);
         if (s.channels * s.height * s.width <= 2147483647) return std::nullopt;
         return "a frame has more pixels than 32-bit columns can name";
       }}};

  Variant batched = led_variant(
      "cublas_batched", "gather, cuBLAS batched", "library",
      "The pixels under every block are gathered to a patch of its own, then one call takes "
      "N·C products of F×B² by B²×1; a batched product straight on the image cannot be "
      "expressed: a patch has two strides.",
      "DRAM: the gather writes, and the product reads again, every pixel once for every block "
      "over it.",
      cublas_batched_steps);
  batched.scratch = cublas_batched_scratch;
  batched.constraints = {
      {"type must be fp32",
       [](const Workload& w, const DeviceLimits&) -> Violation {
         if (!integers(w.axes)) return std::nullopt;
         return "cuBLAS multiplies f32 or signed bytes: these bytes are unsigned";
       }},
      memory_fits("patches need", cublas_batched_bytes)};

  Variant dense = led_variant(
      "cublas_dense", "cuBLAS dense", "library",
      "One matrix a channel with a row an LED and a column a pixel, zeros and all, times the "
      "frames.",
      "DRAM: a matrix element a pixel is read, and those outside the block are zero.",
      cublas_dense_steps);
  dense.scratch = cublas_dense_scratch;
  dense.applies = only_f32;
  dense.constraints = {memory_fits("dense Aᵀ needs", cublas_dense_bytes)};
  return {std::move(sparse), std::move(batched), std::move(dense)};
}

}  // namespace warpscope::led
