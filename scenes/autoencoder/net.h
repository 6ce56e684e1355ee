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
//   const std::vector<Net::Map> slopes = net.backward(pass, parameters, images);
//   ReferenceValue g = net.gradient(pass, slopes, element);
//
// Every number of a map has the variance of what f32 makes of it, in squares of the unit roundoff
// 2⁻²⁴. A sum of n products rounds by about Σ|a·b|·√n roundoffs, as a walk of n steps, and has its
// terms' variances as well, which are taken as independent. Where a ReLU's side or a pool's winner
// lies within kBound deviations, f32 may take the other: the whole gradient counts as doubtful
// there. Sums of one window that are equal to the bit were made of equal pixels, and f32 takes the
// first of them as well.

namespace warpscope::autoencoder {

inline constexpr double kRoundoff = 0x1.0p-24;
inline constexpr double kBound = 2;  // deviations; what a step is held to as well

struct Number {
  double value = 0, variance = 0;
};

class Net {
 public:
  using Map = std::vector<Number>;  // [images, channels, side, side]
  using Doubles = std::vector<double>;

  explicit Net(const Configuration& axes);

  struct Pass {
    std::vector<Map> inputs;  // of the five convolutions
    std::vector<Map> sums;    // of them, before the ReLU
    std::vector<Map> pooled;  // behind Conv1 and Conv2
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

  std::vector<Conv> convs_;
  std::vector<Tensor> tensors_;
  std::int64_t image_values_ = 0;
};

}  // namespace warpscope::autoencoder
