// scenes/autoencoder/variants/variants.cpp: what the rows of every part share.
#include "scenes/autoencoder/variants/variants.h"

#include <utility>

#include "scenes/autoencoder/automatic.h"
#include "scenes/autoencoder/axes.h"

namespace warpscope::autoencoder {

Variant part_variant(Part part, std::string name, std::string label, std::string sentence,
                     std::string look_at, std::function<Steps(const Workload&)> steps) {
  Variant v;
  v.name = std::move(name);
  v.label = std::move(label);
  v.family = "ours";
  v.sentence = std::move(sentence);
  v.look_at = std::move(look_at);
  v.accuracy = "f32";
  v.league = "fp32";
  v.reference = "direct";
  v.applies = [part](const Configuration& axes) { return part_of(axes) == part; };
  v.steps = std::move(steps);
  return v;
}

// Shares of Σ|a·b|: a sum of 9·in products in f32, one after the other, and one over all pixels of
// a batch, 65536 of them at the defaults.
Tolerance tolerance_of_sums(const Configuration& axes) {
  constexpr double kOfChannels = 1e-5, kOfPixels = 3e-5;
  const bool of_weights = direction_of(axes) == Direction::wgrad ||
                          (part_of(axes) == Part::conv_pool && backward(axes));
  return {.magnitude = of_weights ? kOfPixels : kOfChannels};
}

std::vector<Variant> variants() {
  std::vector<Variant> all = conv_variants();
  for (Variant& v : layer_variants()) all.push_back(std::move(v));
  for (const auto made : {step_variants, fused_variants, tensor_step_variants}) {
    for (Variant& v : made()) all.push_back(std::move(v));
  }
  for (Variant& v : automatic_variants(all, axes())) all.push_back(std::move(v));
  return all;
}

std::vector<League> leagues() {
  return {{"fp32", "FP32",
           "Within the error bound of single precision, with single-precision products.",
           "naive_nhwc", ""},
          {"fp32_tensor", "FP32-class, tensor cores",
           "Within the error bound of single precision, with three TF32 products per term.",
           "implicit_gemm_tf32x3", ""},
          {"tf32", "TF32", "The factors of convolutions are rounded to TF32.", "cudnn_tf32", ""},
          {"bf16", "BF16", "The factors of convolutions are rounded to bfloat16.",
           "implicit_gemm_bf16", ""}};
}

}  // namespace warpscope::autoencoder
