// scenes/autoencoder/tensor_variants.cpp: the convolutions on tensor cores.
#include <optional>
#include <utility>

#include "scenes/autoencoder/constraints.h"
#include "scenes/autoencoder/net.h"
#include "scenes/autoencoder/step.h"
#include "scenes/autoencoder/tensor_product.h"
#include "scenes/autoencoder/tensor_step.h"
#include "scenes/autoencoder/variants.h"
#include "scenes/autoencoder/work.h"

namespace warpscope::autoencoder {
namespace {

// Shares of Σ|a·b|. Both factors are rounded: to 11 bits, each by 2⁻¹¹ of itself at most; to 8 bits
// by 2⁻⁸. Products are exact, and sums in f32, whose errors stay below the rest of the bound. Of
// factors in two parts 2⁻²² of each is lost, and as much with the product of the second ones.
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
              "implicit_gemm_tf32 with factors of two bytes; in wgrad, warpgroups multiply boxes "
              "as they lie.",
              "Time and bytes from L2 beside implicit_gemm_tf32, and the error."};
    case TensorType::tf32x3:
      return {"implicit_gemm_tf32x3", "tensor cores, 3×TF32", "FP32-class, three TF32 products",
              "implicit_gemm_tf32 with every factor as two of TF32, rounded and what that left, a "
              "pixel's second parts behind its first. A stage brings both parts of both factors "
              "and multiplies three times: first by second, second by first, first by first; what "
              "the second ones give is below f32's own rounding. Tensor cores add up a stage, "
              "which they cut off, and multiply-adds the stages, which round.",
              "The largest error beside that of implicit_gemm_tf32, and what three products cost "
              "in place of one. Then time beside implicit_gemm_fp32 and register_tiles, which are "
              "held to the same."};
    case TensorType::tf32:
      break;
  }
  return {
      "implicit_gemm_tf32", "tensor cores, TF32", "TF32 products",
      "Pixels by outputs as a product of warpgroups: for each tap the copy unit brings a box of "
      "the map, a pixel further, with zeros beyond the border, and the filter; no column is "
      "written. wgrad is a product over all pixels, split into shares that a second kernel "
      "adds up in one order. Inputs are rounded and brought to NHWC, channels padded to whole "
      "slices, before the time begins; outputs stay NHWC.",
      "Executed arithmetic beside the operator's: a tile has 128 pixels and 64 or 128 outputs, "
      "whatever the layer fills of it. And blocks beside the multiprocessors: Conv3 has 32 "
      "tiles at the defaults, each shared out to a cluster of four."};
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
              "step_fused_tf32 with maps, their gradients and filters of two bytes; sums, "
              "parameters and the descent stay in f32.",
              "Times by layer beside step_fused_tf32, and the curve of its loss."};
    case TensorType::tf32x3:
      return {"step_fused_tf32x3", "fused step on 3×TF32",
              "FP32-class, three TF32 products, chained",
              "step_fused_tf32 with maps, their gradients and filters in two parts of TF32, as in "
              "implicit_gemm_tf32x3: three products for one, and two numbers in memory for one. It "
              "is held to "
              "what f32 is held to.",
              "Time beside step_fused_fp32, which multiplies without tensor cores, and "
              "step_fused_tf32, whose arithmetic it does three times; the largest error beside "
              "both; and its loss, which is that of f32."};
    case TensorType::tf32:
      break;
  }
  return {
      "step_fused_tf32", "fused step on TF32", "TF32 products, chained",
      "Every convolution as a product on tensor cores, what follows it in the same kernel: "
      "bias, ReLU and pool with two bits a window, on the way back their gradients. "
      "Upsamplings are folded into the filters behind them, the loss makes its own gradient, "
      "gradients of weights come in shares, which the descents add up. One graph: 19 kernels in "
      "a chain, or 21 in two branches; images are on the device already.",
      "Times by layer beside step_cudnn_tf32, of which pools, upsamplings and masks are gone. "
      "And executed arithmetic: 4/9 of Conv4's and Conv5's."};
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
  return {"products of warpgroups (wgmma) need compute capability 9.0, and no other",
          [](const Workload&, const DeviceLimits& d) -> std::optional<std::string> {
            if (d.compute_capability == kCapability) return std::nullopt;
            return "this device has compute capability " +
                   std::to_string(d.compute_capability / 10) + "." +
                   std::to_string(d.compute_capability % 10) +
                   ": needs sm_90a (wgmma), which is 9.0 alone";
          }};
}

}  // namespace warpscope::autoencoder
