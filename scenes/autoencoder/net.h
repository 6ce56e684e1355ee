// scenes/autoencoder/net.h: the whole network in double precision on the host, with how far single
// precision may lie from it.
#pragma once

#include <cstdint>
#include <vector>

#include "scenes/autoencoder/shapes.h"
#include "scenes/base/scene.h"

// One pass, and the gradients of all parameters:
//
//   const Net net(axes);
//   const Net::Pass pass = net.forward(parameters, images);
//   const std::vector<Net::Map> gradients = net.backward(pass, parameters, images);
//   ReferenceValue g = net.gradient(pass, gradients, element);
//
// Every number of a map has the variance of its value in f32, in squares of the unit roundoff 2⁻²⁴.
// A sum of n products rounds by about Σ|a·b|·√n roundoffs, like a random walk of n steps. The
// variances of its terms are added, as if they were independent. If a ReLU's side or a pool's
// winner lies within kBound deviations, f32 may take the other one, and the whole gradient counts
// as doubtful. Sums of one window that are equal to the bit were made of equal pixels, and f32
// takes the first of them as well.

namespace warpscope::autoencoder {

inline constexpr double kRoundoff = 0x1.0p-24;
inline constexpr double kBound = 2;  // deviations; also the bound of a step

// What is added to the bound if products are not those of f32. In roundoffs.
struct Rounding {
  double of_products = 0;  // of a sum, as a share of Σ|a·b|: factors lose digits before they meet
  double of_gradient = 0;  // of a parameter's gradient, as a share of it: see kTf32Rounding
  bool to_bf16 = false;    // factors are rounded, to nearest even
};
inline constexpr Rounding kF32Rounding = {};
// TF32 keeps 10 bits after the leading one. A tensor core cuts the others off, so a factor loses up
// to 2⁻¹⁰ of itself and a product 2⁻⁹: two deviations of a sum are 2⁻⁹·Σ|a·b|. Errors that all
// pixels share (weights that lost the same bits, factors that are all cut) do not average out. So
// two deviations of a gradient are 1 % of it. source: PTX ISA, floating-point formats of mma: the
// lower 13 bits of a .tf32 operand are ignored.
inline constexpr Rounding kTf32Rounding = {.of_products = 0x1.0p14,
                                           .of_gradient = 0.005 * 0x1.0p24};
// bfloat16 is rounded to 8 bits: a factor loses up to 2⁻⁸ of itself, a product four times as much
// as one of TF32. Errors of weights, and of values that many images share, stay when the gradients
// of a thousand images cancel. Neither a share of the remaining gradient nor a random walk bounds
// them. So the step is computed once more with factors rounded to bfloat16 (kCoarse). For filters
// after an upsampling, the sums of taps that read one pixel are rounded. A gradient may lie as far
// off as that one does, in addition to the other bounds.
inline constexpr Rounding kBf16Rounding = {.of_products = 4 * kTf32Rounding.of_products,
                                           .of_gradient = kTf32Rounding.of_gradient};
inline constexpr Rounding kCoarse = {.to_bf16 = true};
// What the factors of convolutions are; net_reference.cu numbers them so.
enum class Products : std::int64_t { f32 = 0, tf32 = 1, bf16 = 2 };
inline constexpr Rounding rounding_of(Products products) {
  return products == Products::tf32   ? kTf32Rounding
         : products == Products::bf16 ? kBf16Rounding
                                      : kF32Rounding;
}

struct Number {
  double value = 0, variance = 0;
};

class Net {
 public:
  using Map = std::vector<Number>;  // [images, channels, side, side]
  using Doubles = std::vector<double>;

  explicit Net(const Configuration& axes, Rounding rounding = kF32Rounding);

  struct Pass {
    std::vector<Map> inputs;  // of the five convolutions
    std::vector<Map> sums;    // of them, before the ReLU
    std::vector<Map> pooled;  // after Conv1 and Conv2
  };
  // `parameters`: the ten tensors; `images`: [images, 3, side, side].
  Pass forward(const Doubles& parameters, const Doubles& images) const;
  ReferenceValue loss(const Pass& pass, const Doubles& images) const;
  // The loss' gradient with respect to the sums of each convolution.
  std::vector<Map> backward(const Pass& pass, const Doubles& parameters,
                            const Doubles& images) const;
  // … with respect to one parameter.
  ReferenceValue gradient(const Pass& pass, const std::vector<Map>& slopes,
                          std::int64_t parameter) const;
  std::int64_t parameters() const;
  std::int64_t image_values() const { return image_values_; }

 private:
  Map input_of(std::size_t layer, const Pass& pass, const Doubles& images) const;
  Map before_pool(const Map& gradient, const Map& sums, std::int64_t half) const;
  Map before_relu(std::size_t layer, const Map& slopes, const Doubles& parameters,
                  const Map& sums) const;

  Rounding rounding_;
  std::vector<Conv> convs_;
  std::vector<Tensor> tensors_;
  std::int64_t image_values_ = 0;
};

}  // namespace warpscope::autoencoder
