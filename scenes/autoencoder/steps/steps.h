// scenes/autoencoder/steps/steps.h: what each technique runs: sources, defines, grids, arguments.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenes/autoencoder/shapes.h"
#include "scenes/base/kernel_parts.h"
#include "scenes/base/scene.h"

// Every function gives the steps of one technique at one workload; each step is tagged with its
// layer and its phase.

namespace warpscope::autoencoder {

using Steps = std::vector<Step>;
using Buffers = std::vector<BufferSpec>;

// What a convolution reads and writes, in the directions that have it.
struct ConvArrays {
  BufferArgument x{"x"}, w{"w"}, b{"b"}, y{"y"}, dx{"dx"}, dy{"dy"}, dw{"dw"}, db{"db"};
};
// What a pool or an upsampling reads and writes.
struct WindowArrays {
  BufferArgument x{"x"}, y{"y"}, argmax{"argmax"}, dx{"dx"}, dy{"dy"};
};

// A kernel of `threads` threads in blocks of 256.
KernelLaunch kernel_of_threads(const std::string& source, const std::string& entry,
                               std::int64_t threads, std::vector<Argument> arguments);
// Tagged with the layer and the phase of the configuration.
Steps tagged(const Workload& w, Steps steps);

// Convolutions, in conv_steps.cpp.
Steps naive_nhwc_steps(const Workload& w);
Steps naive_nhwc_layer(const Conv& conv, Direction direction, const ConvArrays& arrays);
Buffers naive_nhwc_scratch(const Workload& w);
Steps naive_taps_outside_steps(const Workload& w);  // forward; its scratch is that of naive_nhwc
// dgrad and forward are one technique; wgrad is nchw_wgrad.cu for every one of them.
Steps nchw_grid2d_steps(const Workload& w);
Steps nchw_run_time_window_steps(const Workload& w);  // forward and dgrad
Steps bias_one_warp_steps(const Workload& w);         // wgrad
Steps bias_shared_tree_steps(const Workload& w);      // wgrad
Steps nchw_grid2d_layer(const Conv& conv, Direction direction, const ConvArrays& arrays);
// Layers of grid z: planes of the output; for a whole step, those of its widest map.
std::int64_t grid2d_layers(const Workload& w);
Step bias_gradient_step(const Conv& conv, const ConvArrays& arrays = {});

// Convolutions beyond the published ones, in rung_steps.cpp: forward and dgrad.
Steps shared_tile_steps(const Workload& w);
std::int64_t shared_tile_bytes(const Workload& w);  // of a block
Steps constant_weights_steps(const Workload& w);    // forward
Steps float4_loads_steps(const Workload& w);
Steps block_shape_steps(const Workload& w);
Steps implicit_gemm_steps(const Workload& w);
Steps register_tiles_steps(const Workload& w);
Buffers register_tiles_scratch(const Workload& w);
// wgrad.
Steps wgrad_split_k_steps(const Workload& w);
Buffers wgrad_split_k_scratch(const Workload& w);
std::int64_t wgrad_splits(const Workload& w);  // the axis, at most one per image
Steps wgrad_register_tiles_steps(const Workload& w);
Buffers wgrad_register_tiles_scratch(const Workload& w);
// Forward, for a layer after an upsampling.
// Copies the map before an upsampling out of the one after it, and the buffer of that copy.
Step small_map_step(const Conv& s);
BufferSpec small_map_buffer(const Conv& s);
Steps upsample_folded_steps(const Workload& w);
Buffers upsample_folded_scratch(const Workload& w);

// A kernel from nchw_grid2d.cu: blocks of 16×16, one layer of grid z for every plane that is
// written. `y`: the output of a forward pass.
KernelLaunch grid2d_kernel(const Workload& w, const std::string& technique,
                           const std::string& y = "y");
KernelLaunch grid2d_kernel(const Conv& conv, bool dgrad, const std::string& technique,
                           const ConvArrays& arrays);
std::string convolution_name(const Workload& w);  // of the step that convolves
// Stands in for sums that change no address of the kernel after them.
StandIn all_ones(const std::string& buffer);

// A convolution with the pool after it, and back to weights and biases, in pooled_steps.cpp.
Steps conv_then_pool_steps(const Workload& w);
Buffers conv_then_pool_scratch(const Workload& w);
Steps fused_relu_pool_steps(const Workload& w);  // forward
Steps pool_fused_argmax_steps(const Workload& w);
Buffers pool_fused_argmax_scratch(const Workload& w);

// With products of a library, in im2col_steps.cpp. `strided`: the forward pass is one call.
Steps im2col_steps(const Workload& w, bool strided);
// `columns`: room for the columns of this layer.
Steps im2col_layer(const Conv& conv, Direction direction, const ConvArrays& arrays, bool strided);
// Bias, and the ReLU where the layer has one, in place.
Step bias_relu_step(const Conv& conv, const ConvArrays& arrays = {});
std::int64_t most_column_values(const Configuration& axes);  // of the layer, of a step's widest
Buffers im2col_scratch(const Workload& w);

// With cuDNN, in cudnn_steps.cpp. `tf32`: tensor cores may round to TF32; else only FMAs.
Steps cudnn_steps(const Workload& w, bool tf32);
// Bias and ReLU in the call of the convolution; forward.
Steps cudnn_fused_steps(const Workload& w, bool tf32);
struct CudnnRow {
  bool tf32 = false, searches = true;
  // Maps as [images, side, side, channels], weights as [out, 3, 3, in]; else in planes.
  bool channels_innermost = false;
};
// In a whole step: a convolution with its bias and ReLU in one call. Gradients of weights are
// followed by those of biases, by shares in the scratch of bias_shares_buffer.
Steps cudnn_layer(const Conv& conv, Direction direction, const ConvArrays& arrays,
                  const CudnnRow& row);
BufferSpec bias_shares_buffer(const Configuration& axes);
bool searches_algorithms(const Configuration& axes);  // the axis
// Its pools, in cudnn_pool_steps.cpp.
Steps cudnn_pooling_steps(const Workload& w);
Buffers cudnn_pooling_scratch(const Workload& w);

// Windows, in window_steps.cpp: kernels named like their technique.
Steps pool_scatter_steps(const Workload& w);
Steps upsample_pixels_steps(const Workload& w);
Steps pool_scatter_layer(const Windows& windows, bool backward, const WindowArrays& arrays);
Steps upsample_pixels_layer(const Windows& windows, bool backward, const WindowArrays& arrays);
// With channels innermost.
Steps pool_windows_layer(const Windows& windows, bool backward, const WindowArrays& arrays);
Steps upsample_row_pairs_layer(const Windows& windows, bool backward, const WindowArrays& arrays);
Steps pool_nhwc_windows_layer(const Windows& windows, bool backward, const WindowArrays& arrays);
Steps upsample_quads_nhwc_layer(const Windows& windows, bool backward, const WindowArrays& arrays);
Steps pool_nhwc_layer(const Windows& windows, bool backward, const WindowArrays& arrays);
Steps upsample_nhwc_layer(const Windows& windows, bool backward, const WindowArrays& arrays);
// A thread for every `windows` neighbouring windows of a row.
Steps window_steps(const Workload& w, const std::string& technique, std::int64_t windows);

// Loss and SGD update, in loss_steps.cpp.
Steps loss_steps(const Workload& w, const std::string& technique);
// The first lanes of a warp shuffle, under the mask that names them.
Steps loss_mask_steps(const Workload& w, std::int64_t lanes);
// One atomic per pixel. Compares `p` with `t`, which has as many values, and writes the gradient to
// `dp`.
Steps loss_two_stage_steps(std::int64_t values, const std::string& p, const std::string& t,
                           const std::string& dp);  // buffers of loss_scratch
Steps loss_atomic_steps(std::int64_t values, const std::string& p, const std::string& t,
                        const std::string& dp);
// Loss and gradient by one launch; buffers of loss_scratch, `arrived` cleared once before.
Step one_loss_step(std::int64_t values, const std::string& p, const std::string& t,
                   const std::string& dp);
Buffers loss_scratch(const Workload& w);  // of sums that are added up by a second kernel
Steps sgd_ten_steps(const Workload& w);
// The SGD update of one tensor.
Step sgd_step(const Workload& w, std::string name, std::int64_t first, std::int64_t count,
              const std::string& slopes = "slopes", const std::string& parameters = "parameters");
Steps sgd_one_step(const Workload& w);

}  // namespace warpscope::autoencoder
