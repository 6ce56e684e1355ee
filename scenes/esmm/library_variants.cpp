// scenes/esmm/library_variants.cpp: the libraries' calls beside esmm's kernels.
#include <cmath>
#include <utility>

#include "scenes/esmm/shapes.h"
#include "scenes/esmm/variants.h"

namespace warpscope::esmm {
namespace {

Steps dense_call(const Workload& w, const char* call) {
  const Shape s = shape_of(w.axes);
  return {{"multiply", Phase::run,
           LibraryCall{call,
                       {{"a", "a"}, {"b", "b"}, {"c", "c"}},
                       {{"m", static_cast<double>(s.m)},
                        {"k", static_cast<double>(s.k)},
                        {"n", static_cast<double>(s.n)},
                        {"transpose", 0}}}}};
}

Variant dense_library(std::string name, std::string label, std::string sentence,
                      std::string look_at, const char* call) {
  Variant v =
      esmm_variant(std::move(name), std::move(label), "library", std::move(sentence),
                   std::move(look_at), [call](const Workload& w) { return dense_call(w, call); });
  v.own_kernels = false;
  return v;
}

}  // namespace

std::vector<Variant> library_variants() {
  Variant sgemm =
      dense_library("cublas_sgemm", "cuBLAS SGEMM",
                    "The library's product in FP32, pedantic: it may not round inputs to TF32.",
                    "The FP32 rate of a product that skips nothing: what skipping has to beat.",
                    "cublas.gemm.fp32");
  Variant tf32 = dense_library(
      "cublas_tf32", "cuBLAS TF32", "The library's product with inputs rounded to TF32.",
      "Tensor cores multiply every zero, and it costs them little.", "cublas.gemm.tf32");
  tf32.accuracy = "TF32 products";
  tf32.league = "tf32";
  tf32.pipe = Pipe::wgmma_tf32;
  // Inputs are rounded to 11 bits, to nearest or toward zero: the library does not say.
  tf32.tolerance.magnitude = 2 * std::ldexp(1.0, -10);
  return {std::move(sgemm), std::move(tf32)};
}

}  // namespace warpscope::esmm
