// scenes/autoencoder/article.cpp: claims of the article that the scene follows, as relations.
#include "scenes/autoencoder/article.h"

#include <utility>

namespace warpscope::autoencoder {

namespace {

// All at the scene's defaults but for what they name: 64 images of 32×32, 256 channels. The article
// left its tables of traffic, occupancy and times empty.

// What it says of the naive kernel.
std::vector<ArticleClaim> of_the_naive_kernel() {
  return {
      {"Global memory accesses have a latency of 400 to 800 cycles.",
       "naive_nhwc@layer=Conv2.kernel.naive_forward.stall.long_scoreboard * "
       "naive_nhwc@layer=Conv2.kernel.naive_forward.inst.executed / "
       "naive_nhwc@layer=Conv2.kernel.naive_forward.l1.requests_load >= 400 and "
       "naive_nhwc@layer=Conv2.kernel.naive_forward.stall.long_scoreboard * "
       "naive_nhwc@layer=Conv2.kernel.naive_forward.inst.executed / "
       "naive_nhwc@layer=Conv2.kernel.naive_forward.l1.requests_load <= 800",
       "A warp waits {naive_nhwc@layer=Conv2.kernel.naive_forward.stall.long_scoreboard} cycles "
       "per instruction for memory, "
       "{naive_nhwc@layer=Conv2.kernel.naive_forward.stall.long_scoreboard * "
       "naive_nhwc@layer=Conv2.kernel.naive_forward.inst.executed / "
       "naive_nhwc@layer=Conv2.kernel.naive_forward.l1.requests_load} per load request: "
       "{naive_nhwc@layer=Conv2.l1.hit_ratio} of the sectors hit in L1, and loads in flight "
       "together share their wait."},
      {"There is no data reuse: the same input is loaded multiple times.",
       "naive_nhwc@layer=Conv2.l1.bytes > 2 * naive_nhwc@layer=Conv2.model.dram_read_bytes",
       "{naive_nhwc@layer=Conv2.model.dram_read_bytes} must be read, and L1 delivers "
       "{naive_nhwc@layer=Conv2.l1.bytes}. The caches, not the kernel, keep what is loaded again: "
       "DRAM delivers {naive_nhwc@layer=Conv2.dram.bytes_read}."},
      {"Low arithmetic intensity makes the computation memory-bound.",
       "naive_nhwc@layer=Conv2.binds = 'L1' or naive_nhwc@layer=Conv2.binds = 'L2' or "
       "naive_nhwc@layer=Conv2.binds = 'DRAM'",
       "{naive_nhwc@layer=Conv2.binds} limits it, at {naive_nhwc@layer=Conv2.binding_ratio} of its "
       "roof. DRAM delivers {naive_nhwc@layer=Conv2.rate.dram_bytes}, "
       "{naive_nhwc@layer=Conv2.rate.dram_bytes / roof.dram.copy * 100 %} of what a copy "
       "reaches[[naive_nhwc@layer=Conv2.binds = 'L1' => : it is limited by L1 traffic, not by "
       "DRAM]]. Per byte that DRAM must transfer, the layer has "
       "{naive_nhwc@layer=Conv2.model.flops / naive_nhwc@layer=Conv2.model.dram_bytes}."},
      {"The naive kernel has memory coalescing issues.",
       "naive_nhwc@layer=Conv2.l1.sectors_per_request_load > 2 * "
       "nchw_grid2d@layer=Conv2.l1.sectors_per_request_load",
       "{naive_nhwc@layer=Conv2.l1.sectors_per_request_load} sectors per load request, "
       "{nchw_grid2d@layer=Conv2.l1.sectors_per_request_load} on planes of pixels. The cause is "
       "the weights, which lanes read for neighbouring outputs. The input is a broadcast, and the "
       "channels of the output are side by side."},
  };
}

// What it says of layout, columns and further steps.
std::vector<ArticleClaim> of_layers() {
  return {
      {"NCHW is better for convolution.",
       "nchw_grid2d@layer=Conv2.time.warm < naive_nhwc@layer=Conv2.time.warm",
       "{nchw_grid2d@layer=Conv2.time.warm} on NCHW, {naive_nhwc@layer=Conv2.time.warm} on NHWC. "
       "That holds for one thread per output. Kernels for tensor cores have channels innermost."},
      {"NCHW is aligned with cuDNN's conventions.",
       "step_cudnn_tf32@part=step.time.warm <= step_cudnn_tf32_nhwc@part=step.time.warm",
       "{step_cudnn_tf32@part=step.time.warm} for a step of cuDNN in TF32 on NCHW, "
       "{step_cudnn_tf32_nhwc@part=step.time.warm} on NHWC."},
      {"Compile-time unrolling of a known window pays off.",
       "nchw_grid2d@layer=Conv2.time.warm < nchw_run_time_window@layer=Conv2.time.warm",
       "{nchw_grid2d@layer=Conv2.time.warm} and {nchw_grid2d@layer=Conv2.inst.executed} "
       "instructions unrolled, {nchw_run_time_window@layer=Conv2.time.warm} and "
       "{nchw_run_time_window@layer=Conv2.inst.executed} with the window's size known at run "
       "time."},
      {"Convolution as a matrix product is the fastest level.",
       "im2col_cublas_loop@layer=Conv2.time.warm < nchw_grid2d@layer=Conv2.time.warm",
       "{im2col_cublas_loop@layer=Conv2.time.warm} by im2col at Conv2, "
       "{nchw_grid2d@layer=Conv2.time.warm} directly."},
      {"Not in the article: that holds for every layer.",
       "im2col_cublas_strided@layer=Conv5.time.warm < nchw_grid2d@layer=Conv5.time.warm",
       "{im2col_cublas_strided@layer=Conv5.time.warm} at Conv5, whose columns are "
       "{im2col_cublas_strided@layer=Conv5.model.column_bytes}, written and read again; "
       "{nchw_grid2d@layer=Conv5.time.warm} directly."},
      {"Not in the article: one product per image costs launches.",
       "im2col_cublas_strided.time.warm < im2col_cublas_loop.time.warm",
       "{im2col_cublas_strided.time.warm} with one call for all images, "
       "{im2col_cublas_loop.time.warm} with one per image."},
      {"A tile in shared memory makes the convolution faster.",
       "shared_tile@layer=Conv2.time.warm < nchw_grid2d@layer=Conv2.time.warm",
       "{shared_tile@layer=Conv2.time.warm} with a tile, {nchw_grid2d@layer=Conv2.time.warm} "
       "without: {shared_tile@layer=Conv2.l1.requests_load} and "
       "{nchw_grid2d@layer=Conv2.l1.requests_load} load requests."},
      {"Vectorised loads make the convolution faster.",
       "float4_loads@layer=Conv2.time.warm < nchw_grid2d@layer=Conv2.time.warm",
       "{float4_loads@layer=Conv2.time.warm} with four outputs per thread, "
       "{nchw_grid2d@layer=Conv2.time.warm} with one: {float4_loads@layer=Conv2.inst.executed} and "
       "{nchw_grid2d@layer=Conv2.inst.executed} instructions."},
      {"Fusing convolution, ReLU and pool saves traffic.",
       "fused_relu_pool@part=conv_pool.dram.bytes_write < 0.5 * "
       "conv_then_pool@part=conv_pool.dram.bytes_write",
       "{fused_relu_pool@part=conv_pool.dram.bytes_write} are written in one kernel, "
       "{conv_then_pool@part=conv_pool.dram.bytes_write} in two; the time is "
       "{fused_relu_pool@part=conv_pool.time.warm} instead of "
       "{conv_then_pool@part=conv_pool.time.warm}."},
      {"Not in the article: the gradient of a pool needs atomics.",
       "pool_scatter@part=pool,pass=backward.time.warm < "
       "pool_windows@part=pool,pass=backward.time.warm",
       "No pixel is in two windows: {pool_windows@part=pool,pass=backward.time.warm} if the thread "
       "of a window writes all four of its pixels, "
       "{pool_scatter@part=pool,pass=backward.time.warm} with clearing and atomics."},
  };
}

std::vector<ArticleClaim> of_loss_and_descent() {
  return {
      {"A reduction with shuffles needs no shared memory and has a lower latency.",
       "bias_one_warp@layer=Conv2,direction=wgrad.kernel.bias_one_warp.time < "
       "bias_shared_tree@layer=Conv2,direction=wgrad.kernel.bias_shared_tree.time",
       "{bias_one_warp@layer=Conv2,direction=wgrad.kernel.bias_one_warp.time} for the bias "
       "gradient by one warp per channel, without shared memory; "
       "{bias_shared_tree@layer=Conv2,direction=wgrad.kernel.bias_shared_tree.time} by eight warps "
       "through shared memory, {nchw_grid2d@layer=Conv2,direction=wgrad.kernel.bias_gradient.time} "
       "by eight warps with shuffles and one stage in shared "
       "memory[[bias_one_warp@layer=Conv2,direction=wgrad.kernel.bias_one_warp.time > "
       "nchw_grid2d@layer=Conv2,direction=wgrad.kernel.bias_gradient.time => : the reads limit it, "
       "not the reduction, and one warp has few loads in flight]]."},
      {"Not in the article: one atomic per pixel is good enough for the loss.",
       "loss_atomic_per_element@part=loss.time.warm < 1.1 * loss_two_stage@part=loss.time.warm",
       "{loss_atomic_per_element@part=loss.time.warm} if all additions go to one address, "
       "{loss_two_stage@part=loss.time.warm} in two stages of fixed order."},
      {"The mask 0xffffffff of a shuffle: all 32 lanes.",
       "loss_mask_all@part=loss.inst.lanes > loss_mask_half@part=loss.inst.lanes",
       "The mask must name the lanes that really arrive. An average instruction has "
       "{loss_mask_all@part=loss.inst.lanes} active lanes if all 32 shuffle, "
       "{loss_mask_half@part=loss.inst.lanes} if lanes 0 to 15 enter the branch under 0x0000ffff, "
       "{loss_mask_lane@part=loss.inst.lanes} if lane 0 enters alone."},
      {"Not in the article: one launch per tensor costs nothing.",
       "sgd_ten_launches@part=sgd.time.warm < 1.1 * sgd_one_launch@part=sgd.time.warm",
       "{sgd_ten_launches@part=sgd.time.warm} with ten launches, "
       "{sgd_one_launch@part=sgd.time.warm} with one."},
  };
}

std::vector<ArticleClaim> of_steps() {
  return {
      {"A training step on planes beats the naive one.",
       "step_nchw@part=step.time.warm < step_naive@part=step.time.warm",
       "{step_nchw@part=step.time.warm} on planes, {step_naive@part=step.time.warm} with channels "
       "innermost, including a batch's copies, loss and SGD update."},
      {"A training step by im2col beats both.",
       "step_im2col_loop@part=step.time.warm < step_nchw@part=step.time.warm",
       "{step_im2col_loop@part=step.time.warm} by im2col, which writes and reads "
       "{step_im2col_loop@part=step.model.column_bytes} of columns."},
  };
}

}  // namespace

std::vector<ArticleClaim> article() {
  std::vector<ArticleClaim> all = of_the_naive_kernel();
  for (const auto more : {of_layers, of_loss_and_descent, of_steps}) {
    for (ArticleClaim& claim : more()) all.push_back(std::move(claim));
  }
  return all;
}

}  // namespace warpscope::autoencoder
