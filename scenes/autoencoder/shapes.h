// scenes/autoencoder/shapes.h: the sizes that follow from the axes of `autoencoder`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenes/base/kernel_parts.h"

// The network of C channels (the axis) and H = C/2 on images of S×S pixels:
//
//   image 3×S×S → Conv1 C, ReLU → Pool1 → Conv2 H, ReLU → Pool2 → Conv3 H, ReLU
//         → Up1 → Conv4 C, ReLU → Up2 → Conv5 3 → loss against the image
//
// Maps are [images, channels, side, side] unless a name says NHWC; weights are [out, in, 3, 3].

namespace warpscope::autoencoder {

inline constexpr std::int64_t kTaps = 9;  // weights between two channels: 3×3
inline constexpr std::int64_t kImageChannels = 3;
inline constexpr std::int64_t kBlockThreads = 256;

// A 3×3 convolution with padding 1 and stride 1: the side stays.
struct Conv {
  std::string layer;  // "Conv1"
  std::int64_t images = 0, in = 0, out = 0, side = 0;
  bool relu = true;
  bool of_image = false;         // its input is the image
  bool behind_upsample = false;  // its input is a map whose pixels come in equal fours
  std::int64_t pixels() const { return side * side; }
  std::int64_t in_values() const { return images * in * pixels(); }
  std::int64_t out_values() const { return images * out * pixels(); }
  std::int64_t weights() const { return out * in * kTaps; }
  std::int64_t products() const { return images * in * out * pixels() * kTaps; }
  std::int64_t column_values() const { return in_values() * kTaps; }
};

// 2×2 windows of a large map, each a value of a small one: a pool, or the other way an upsampling.
struct Windows {
  std::string layer;  // "Pool1"
  std::int64_t images = 0, channels = 0, small_side = 0;
  std::int64_t planes() const { return images * channels; }
  std::int64_t large_side() const { return 2 * small_side; }
  std::int64_t small_values() const { return planes() * small_side * small_side; }
  std::int64_t large_values() const { return 4 * small_values(); }
};

// A piece of the parameters: weights or biases of a layer.
struct Tensor {
  std::string name;  // "w of Conv1"
  std::int64_t first = 0, count = 0;
  std::int64_t in = 0;  // channels that the layer reads; 0: biases
};

enum class Part { conv, conv_pool, pool, upsample, loss, sgd, step };
Part part_of(const Configuration& axes);

enum class Direction { forward, dgrad, wgrad };
Direction direction_of(const Configuration& axes);
// Whether a pool or an upsampling runs backward, or a convolution with its pool back to weights and
// biases.
bool backward(const Configuration& axes);

Conv conv_named(const Configuration& axes, const std::string& layer);
// The convolution of parts conv and conv_pool.
Conv conv_of(const Configuration& axes);
Windows windows_named(const Configuration& axes, const std::string& layer);
// The windows of parts conv_pool, pool and upsample.
Windows windows_of(const Configuration& axes);
std::int64_t image_values(const Configuration& axes);  // of a batch
std::vector<Tensor> tensors_of(const Configuration& axes);
std::int64_t parameter_count(const Configuration& axes);
const std::vector<std::string>& conv_layers();  // "Conv1" … "Conv5"
// Products of a pass through all five, and of a step: there, back to weights and back to inputs,
// but for those of the image.
std::int64_t forward_products(const Configuration& axes);
std::int64_t step_products(const Configuration& axes);

bool reads_images(const Configuration& axes);
bool from_file(const Configuration& axes);  // images that a file holds

}  // namespace warpscope::autoencoder
