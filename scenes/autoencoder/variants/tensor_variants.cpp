// scenes/autoencoder/variants/tensor_variants.cpp: the convolutions on tensor cores.
#include <optional>
#include <utility>

#include "scenes/autoencoder/constraints.h"
#include "scenes/autoencoder/net.h"
#include "scenes/autoencoder/step/step.h"
#include "scenes/autoencoder/step/tensor_product.h"
#include "scenes/autoencoder/step/tensor_step.h"
#include "scenes/autoencoder/variants/variants.h"
#include "scenes/autoencoder/work.h"

namespace warpscope::autoencoder {
namespace {

// Shares of Σ|a·b|. Both factors are rounded: to 11 bits, each by 2⁻¹¹ of itself at most; to 8 bits
// by 2⁻⁸. Products are exact; sums are in f32, and their errors stay below the rest of the bound.
// Factors in two parts lose 2⁻²² of themselves each, and leaving out the product of the second
// parts loses as much.
constexpr Tolerance kOfTf32 = {.magnitude = 1e-3}, kOfBf16 = {.magnitude = 8e-3},
                    kOfThreeProducts = {.magnitude = 1e-5};

// What a row says of itself.
struct Words {
  const char *name, *label, *accuracy, *sentence, *look_at;
};
Words words_of_product(TensorType type) {
  switch (type) {
    case TensorType::bf16:
      return {"implicit_gemm_bf16", "tensor cores, bf16", "bf16 products",
              "implicit_gemm_tf32 with two-byte factors. In wgrad, warpgroups multiply boxes "
              "without transposing them.",
              "Time and bytes from L2 compared with implicit_gemm_tf32, and the error."};
    case TensorType::tf32x3:
      return {"implicit_gemm_tf32x3", "tensor cores, 3×TF32", "FP32-class, three TF32 products",
              "implicit_gemm_tf32 with every factor split into two TF32 numbers: the rounded value "
              "and the remainder, stored after all first parts of a pixel. A stage multiplies "
              "three times: first by second, second by first, first by first. The product of the "
              "second parts is below f32's own rounding. Tensor cores add within a stage, where "
              "they truncate. Stages are added with ordinary multiply-adds, which round.",
              "The largest error compared with implicit_gemm_tf32's, and the cost of three "
              "products instead of one. Then the time compared with implicit_gemm_fp32 and "
              "register_tiles, which have the same error bound."};
    case TensorType::tf32:
      break;
  }
  return {
      "implicit_gemm_tf32", "tensor cores, TF32", "TF32 products",
      "Pixels by outputs as a product of warpgroups. For each tap, tensor copies bring the filter "
      "and a box of the map, shifted by a pixel, with zeros beyond the border. No column is "
      "written. wgrad is a product over all pixels, split into shares that a second kernel adds in "
      "a fixed order. Before timing starts, inputs are rounded and converted to NHWC, with "
      "channels padded to whole slices. Outputs stay NHWC.",
      "Executed arithmetic compared with the operator's: a tile has 128 pixels and 64 or 128 "
      "outputs, however little of it the layer fills. And blocks compared with multiprocessors: "
      "Conv3 has 32 tiles at the defaults, each split over a cluster of four."};
}

const char* league_of(TensorType type) {
  return type == TensorType::bf16 ? "bf16" : type == TensorType::tf32 ? "tf32" : "fp32_tensor";
}

Variant of_words(Part part, TensorType type, const Words& words,
                 std::function<Steps(const Workload&)> steps) {
  Variant v =
      part_variant(part, words.name, words.label, words.sentence, words.look_at, std::move(steps));
  v.accuracy = words.accuracy;
  v.league = league_of(type);
  return v;
}

Variant product(TensorType type) {
  Variant v = of_words(Part::conv, type, words_of_product(type),
                       [type](const Workload& w) { return tensor_conv_steps(w, type); });
  v.reference = "direct_nhwc";
  v.tolerance = type == TensorType::bf16   ? kOfBf16
                : type == TensorType::tf32 ? kOfTf32
                                           : kOfThreeProducts;
  v.pipe_at = [type](const Configuration& axes) {
    if (type == TensorType::bf16) return Pipe::wgmma_bf16;
    return direction_of(axes) == Direction::wgrad ? Pipe::mma_tf32 : Pipe::wgmma_tf32;
  };
  v.constraints = {warpgroups_multiply()};
  v.scratch = [type](const Workload& w) { return tensor_conv_scratch(w, type); };
  charge(v, "model.executed_flops",
         [type](const Workload& w) -> std::optional<double> { return tensor_conv_flops(w, type); });
  return v;
}

Words words_of_step(TensorType type) {
  switch (type) {
    case TensorType::bf16:
      return {"step_fused_bf16", "fused step on bf16", "bf16 products, chained",
              "step_fused_tf32 with two-byte maps, gradients of maps and filters. Sums, parameters "
              "and the update stay in f32.",
              "Times by layer compared with step_fused_tf32, and its loss curve."};
    case TensorType::tf32x3:
      return {"step_fused_tf32x3", "fused step on 3×TF32",
              "FP32-class, three TF32 products, chained",
              "step_fused_tf32 with maps, their gradients and filters in two TF32 parts, as in "
              "implicit_gemm_tf32x3: three products instead of one, and two numbers in memory "
              "instead of one. It must stay within the error bound of f32.",
              "Time compared with step_fused_fp32, which uses no tensor cores, and "
              "step_fused_tf32, whose arithmetic it does three times. The largest error compared "
              "with both. And its loss, which is that of f32."};
    case TensorType::tf32:
      break;
  }
  return {"step_fused_tf32", "fused step on TF32", "TF32 products, chained",
          "Each convolution is a tensor-core product, and what follows it is in the same kernel: "
          "bias, ReLU and pool with two bits per window, and backward their gradients. Upsamplings "
          "are folded into the filters after them. The loss computes its own gradient. Weight "
          "gradients come in shares, which the updates add. One graph: 19 kernels in a chain, or "
          "21 in two branches. Images are already on the GPU.",
          "Times by layer compared with step_cudnn_tf32, without its separate pools, upsamplings "
          "and masks. And executed arithmetic: 4/9 of Conv4's and Conv5's."};
}

Variant whole_step(TensorType type) {
  Variant v = of_words(Part::step, type, words_of_step(type),
                       [type](const Workload& w) { return tensor_step_steps(w, type); });
  v.reference = type == TensorType::bf16   ? "direct_bf16"
                : type == TensorType::tf32 ? "direct_tf32"
                                           : "direct";
  v.tolerance = {.accumulation = kBound * kRoundoff};
  v.pipe = type == TensorType::bf16 ? Pipe::wgmma_bf16 : Pipe::wgmma_tf32;
  v.scratch = [type](const Workload& w) { return tensor_step_scratch(w, type); };
  v.constraints = {warpgroups_multiply(), step_fits_memory(v.scratch)};
  v.submission = [](const Configuration&) { return Submission::graph; };
  charge(v, "model.flops",
         [](const Workload& w) -> std::optional<double> { return tensor_step_flops(w); });
  charge(v, "model.executed_flops", [type](const Workload& w) -> std::optional<double> {
    return tensor_step_executed_flops(w, type);
  });
  return v;
}

}  // namespace

std::vector<Variant> tensor_step_variants() {
  return {whole_step(TensorType::tf32x3), whole_step(TensorType::tf32),
          whole_step(TensorType::bf16)};
}

std::vector<Variant> tensor_variants() {
  return {product(TensorType::tf32), product(TensorType::tf32x3), product(TensorType::bf16)};
}

Constraint warpgroups_multiply() {
  constexpr int kCapability = 90;
  return {"warpgroup products (wgmma) need exactly compute capability 9.0",
          [](const Workload&, const DeviceLimits& d) -> std::optional<std::string> {
            if (d.compute_capability == kCapability) return std::nullopt;
            return "this device has compute capability " +
                   std::to_string(d.compute_capability / 10) + "." +
                   std::to_string(d.compute_capability % 10) + ": wgmma (sm_90a) needs exactly 9.0";
          }};
}

}  // namespace warpscope::autoencoder
