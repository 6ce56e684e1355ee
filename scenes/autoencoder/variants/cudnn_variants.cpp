// scenes/autoencoder/variants/cudnn_variants.cpp: the convolutions of a library, beside ours.
#include <utility>

#include "scenes/autoencoder/variants/variants.h"

namespace warpscope::autoencoder {
namespace {

// Either factor is rounded to 11 bits, by 2⁻¹¹ of it at most.
constexpr Tolerance kOfTf32 = {.magnitude = 1e-3};

Variant library(std::string name, std::string label, std::string sentence, std::string look_at,
                std::function<Steps(const Workload&)> steps, bool tf32) {
  Variant v = part_variant(Part::conv, std::move(name), std::move(label), std::move(sentence),
                           std::move(look_at), std::move(steps));
  v.family = "library";
  v.own_kernels = false;
  v.repeatable = false;  // the algorithm that is chosen may add up by atomics
  v.tolerance_at = tolerance_of_sums;
  if (!tf32) return v;
  v.accuracy = "TF32 products";
  v.league = "tf32";
  v.tolerance_at = nullptr;
  v.tolerance = kOfTf32;
  v.pipe = Pipe::wgmma_tf32;
  return v;
}

Variant calls(bool tf32) {
  return library(
      tf32 ? "cudnn_tf32" : "cudnn_fp32", tf32 ? "cuDNN, TF32 allowed" : "cuDNN, FMAs alone",
      tf32 ? "cudnn_fp32 with tensor cores allowed. They round the factors of each product to "
             "TF32; sums are in f32."
           : "cuDNN's convolution on NCHW in the math mode that allows just FMAs, with the "
             "algorithm that a timed search or its heuristic puts first. The bias, the ReLU, which "
             "keeps NaN, and the bias gradient are separate calls.",
      tf32 ? "Its time compared with cudnn_fp32, layer by layer, and the algorithm that it chose."
           : "The chosen algorithm and its workspace, shown with the measurement, and the three "
             "steps of the forward pass: bias and ReLU read and write the outputs again.",
      [tf32](const Workload& w) { return cudnn_steps(w, tf32); }, tf32);
}

Variant fused(bool tf32) {
  Variant v = library(
      tf32 ? "cudnn_fused_tf32" : "cudnn_fused_fp32",
      tf32 ? "cuDNN in one call, TF32" : "cuDNN in one call, FMAs",
      std::string(tf32 ? "cudnn_tf32" : "cudnn_fp32") +
          " with bias and ReLU in the convolution's call; forward. cuDNN does not promise that "
          "this ReLU keeps NaN.",
      std::string("DRAM bytes compared with ") + (tf32 ? "cudnn_tf32" : "cudnn_fp32") +
          ": the outputs are written once.",
      [tf32](const Workload& w) { return cudnn_fused_steps(w, tf32); }, tf32);
  v.applies = [](const Configuration& axes) {
    return part_of(axes) == Part::conv && direction_of(axes) == Direction::forward;
  };
  return v;
}

}  // namespace

std::vector<Variant> cudnn_variants() {
  return {calls(false), fused(false), calls(true), fused(true)};
}

}  // namespace warpscope::autoencoder
