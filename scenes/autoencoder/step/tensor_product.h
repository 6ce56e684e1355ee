// scenes/autoencoder/step/tensor_product.h: launches of the convolutions on tensor cores.
#pragma once

#include <cstdint>
#include <string>

#include "scenes/autoencoder/steps/steps.h"

// Maps lie as [N, S, S, channels] with channels padded to whole slices of 128 bytes, filters as
// [filter][row][channels]: see the kernels tensor_tile.cuh and tensor_layouts.cu.

namespace warpscope::autoencoder {

// tf32x3: a number lies as two of TF32, what is rounded and what that left, and three products of
// them stand for one.
enum class TensorType { tf32, bf16, tf32x3 };
ElementType element_of(TensorType type);
std::int64_t padded(TensorType type, std::int64_t channels);
std::int64_t parts_of(TensorType type);  // that a number lies in
// What kernels of a type are compiled with.
Defines defines_of(TensorType type);

// What a product's taps read: tensor_tile.cuh says it of each.
enum class TensorTaps : std::int64_t { pixel = 1, filter = 9, phase = 4, window = 16 };
// What follows the sums: tensor_conv.cu says it of each.
enum class After : std::int64_t { sums, output, map, pool, back, unpool };
// Filters of a layer: tensor_layouts.cu says it of each.
enum class Filters : std::int64_t {
  forward,
  back,
  folded_forward,
  folded_back,
  columns,
  spread,
  gathered
};

// Maps of a product; `pitch`: channels per pixel in every part.
struct PixelMap {
  std::string buffer;
  std::int64_t images = 0, side = 0, pitch = 0;
};
std::int64_t channels_of_pixel(TensorType type, const PixelMap& map);  // in all parts
BufferSpec map_buffer(TensorType type, const PixelMap& map);
// Two bits per window for each of its channels, as tensor_conv.cu packs them.
BufferSpec places_buffer(std::string name, const PixelMap& pooled);
// `rows`: channels of the result; `depth`: that are summed over.
BufferSpec filters_buffer(TensorType type, std::string name, std::int64_t filters,
                          std::int64_t rows, std::int64_t depth);

struct TensorProduct {
  TensorType type = TensorType::tf32;
  TensorTaps taps = TensorTaps::filter;
  After after = After::sums;
  bool mirrored = false, relu = false;
  PixelMap from;
  std::string filters;
  std::int64_t side = 0, out = 0;  // of the pixels that are gone through; channels that there are
  std::string result;
  std::int64_t pitch = 0;           // of the result
  BufferArgument bias = {};         // of output, map, pool
  std::string y = {}, places = {};  // of back, unpool; places of pool, too
  std::string exact = {};           // of pool: the pooled map in f32, as planes; empty: none
};
KernelLaunch tensor_product(const TensorProduct& product);
// Multiplies and adds of its tiles, with what pads them.
double executed_flops(const TensorProduct& product);

// Shares of the gradient of filters between the channels of dy and x, which are read over x's
// pixels.
struct TensorShares {
  TensorType type = TensorType::tf32;
  TensorTaps taps = TensorTaps::filter;
  PixelMap dy, x;
  std::int64_t out = 0, in = 0;  // channels that there are
  std::string shares, bias_shares;
  std::int64_t sixths = 6;      // of the device's blocks, that it takes where others run beside it
  std::int64_t sharing = 1;     // blocks of a cluster that add up and store one share: 1, 2 or 4
  std::int64_t blocks() const;  // of a tile: enough for two a multiprocessor
  std::int64_t count() const;   // of shares
};
std::int64_t blocks_of_share(const Configuration& axes);  // the axis share_blocks, or 1
KernelLaunch tensor_shares(const TensorShares& shares);
double executed_flops(const TensorShares& shares);
Buffers shares_buffers(const TensorShares& shares);

// Shares of the gradient of the first layer's weights. They come from the gradient of its pool,
// whose places say which pixel has it, and from the image's columns followed by a column of ones.
struct PooledShares {
  TensorType type = TensorType::tf32;
  PixelMap slopes, columns;
  std::string places;
  std::int64_t out = 0;
  std::string shares;  // [count][out][28]
  std::int64_t count() const;
};
KernelLaunch tensor_shares(const PooledShares& shares);
double executed_flops(const PooledShares& shares);

// Rows of part conv, in tensor_conv_steps.cpp.
Steps tensor_conv_steps(const Workload& w, TensorType type);
Buffers tensor_conv_scratch(const Workload& w, TensorType type);
double tensor_conv_flops(const Workload& w, TensorType type);

}  // namespace warpscope::autoencoder
