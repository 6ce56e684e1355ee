// scenes/autoencoder/rung_steps.cpp: what the convolutions behind the seed's run.
#include <algorithm>
#include <utility>

#include "scenes/autoencoder/steps.h"

namespace warpscope::autoencoder {
namespace {

constexpr std::int64_t kFloatBytes = 4;
constexpr std::int64_t kFoldedWeights = 16;  // between two channels: four filters of 2×2

// A map behind an upsampling as it was before.
Windows before_upsampling(const Conv& s) { return {"", s.images, s.in, s.side / 2}; }

BufferSpec maps(std::string name, std::int64_t images, std::int64_t channels, std::int64_t side) {
  std::string symbol = name + "[N, C, S, S]";
  return {std::move(name),
          ElementType::f32,
          images * channels * side * side,
          BufferRole::scratch,
          {images, channels, side, side},
          std::move(symbol)};
}

}  // namespace

std::int64_t shared_tile_bytes(const Workload& w) {
  constexpr std::int64_t kTileSide = 18;  // 16 and a border of one
  return kFloatBytes * kTileSide * kTileSide * w.integer("staged_channels");
}

Steps shared_tile_steps(const Workload& w) {
  KernelLaunch kernel = grid2d_kernel(w, "shared_tile");
  kernel.defines.push_back(define("STAGED", w.integer("staged_channels")));
  kernel.launch.dynamic_shared_bytes = shared_tile_bytes(w);
  return tagged(w, {run_kernel(convolution_name(w), std::move(kernel))});
}

Steps constant_weights_steps(const Workload& w) {
  const Conv s = conv_of(w.axes);
  const Defines defines = {define("DGRAD", 0), define("WEIGHTS", s.weights())};
  KernelLaunch kernel = grid2d_kernel(w, "constant_weights");
  // Without the weights, which are no argument.
  kernel.arguments.erase(kernel.arguments.begin() + 1);
  kernel.defines = defines;
  return tagged(w, {{"weights to constants", Phase::run,
                     ConstantCopy{kernel.source, defines, "weights", "w"}},
                    run_kernel("convolve", std::move(kernel))});
}

Steps float4_loads_steps(const Workload& w) {
  constexpr std::int64_t kFour = 4;
  const Conv s = conv_of(w.axes);
  const bool dgrad = direction_of(w.axes) == Direction::dgrad;
  const std::int64_t fours = (dgrad ? s.in_values() : s.out_values()) / kFour;
  KernelLaunch kernel = kernel_of_threads(
      "autoencoder/float4_loads.cu", "float4_loads", fours,
      {BufferArgument{dgrad ? "dy" : "x"}, BufferArgument{"w"}, BufferArgument{dgrad ? "w" : "b"},
       BufferArgument{dgrad ? "dx" : "y"}, fours, as_int(dgrad ? s.out : s.in),
       as_int(dgrad ? s.in : s.out), as_int(s.side), as_int(s.relu && !dgrad ? 1 : 0)});
  kernel.defines = {define("DGRAD", dgrad ? 1 : 0)};
  return tagged(w, {run_kernel(convolution_name(w), std::move(kernel))});
}

Steps block_shape_steps(const Workload& w) {
  const Conv s = conv_of(w.axes);
  const std::int64_t width = w.integer("block_width"), height = w.integer("block_height");
  KernelLaunch kernel = grid2d_kernel(w, "block_shape");
  kernel.launch.grid = {ceil_divide(s.side, width), ceil_divide(s.side, height), grid2d_layers(w)};
  kernel.launch.block = {width, height, 1};
  return tagged(w, {run_kernel(convolution_name(w), std::move(kernel))});
}

Steps implicit_gemm_steps(const Workload& w) {
  constexpr std::int64_t kTile = 64;  // outputs, and pixels
  const Conv s = conv_of(w.axes);
  const bool dgrad = direction_of(w.axes) == Direction::dgrad;
  KernelLaunch kernel = grid2d_kernel(w, "implicit_gemm_fp32");
  kernel.launch.grid = {ceil_divide(s.images * s.pixels(), kTile),
                        ceil_divide(dgrad ? s.in : s.out, kTile), 1};
  kernel.launch.block = {kBlockThreads, 1, 1};
  kernel.arguments.insert(kernel.arguments.begin() + 4, as_int(s.images));
  return tagged(w, {run_kernel(convolution_name(w), std::move(kernel))});
}

std::int64_t wgrad_splits(const Workload& w) {
  return std::min(w.integer("splits"), w.integer("batch"));
}

Steps wgrad_split_k_steps(const Workload& w) {
  constexpr std::int64_t kTile = 16;  // channels of either side
  const Conv s = conv_of(w.axes);
  const std::int64_t splits = wgrad_splits(w);
  KernelLaunch shares{
      "autoencoder/wgrad_split_k.cu",
      "wgrad_split_k",
      {},
      {{ceil_divide(s.in, kTile), ceil_divide(s.out, kTile), splits}, {kTile, kTile, 1}, 0, {}},
      {BufferArgument{"x"}, BufferArgument{"dy"}, BufferArgument{"shares"}, as_int(s.images),
       as_int(s.in), as_int(s.out), as_int(s.side)}};
  Step add = run_kernel(
      "add up", kernel_of_threads(
                    "autoencoder/wgrad_split_k.cu", "add_shares", s.weights(),
                    {BufferArgument{"shares"}, BufferArgument{"dw"}, s.weights(), as_int(splits)}));
  add.stand_ins = {all_ones("shares")};
  return tagged(w, {run_kernel("weight gradient of shares", std::move(shares)), std::move(add),
                    bias_gradient_step(s)});
}

Buffers wgrad_split_k_scratch(const Workload& w) {
  const Conv s = conv_of(w.axes);
  return {{"shares",
           ElementType::f32,
           wgrad_splits(w) * s.weights(),
           BufferRole::scratch,
           {wgrad_splits(w), s.out, s.in, 3, 3},
           "shares[splits, out, in, 3, 3]"}};
}

Steps upsample_folded_steps(const Workload& w) {
  const char* const source = "autoencoder/upsample_folded.cu";
  const Conv s = conv_of(w.axes);
  const Windows map = before_upsampling(s);
  const std::int64_t pairs = s.out * s.in, half = map.small_side;
  const std::int64_t corners = s.out_values() / 4;
  return tagged(
      w,
      {prepare_kernel("small map", kernel_of_threads(source, "take_small_map", map.small_values(),
                                                     {BufferArgument{"x"}, BufferArgument{"small"},
                                                      map.small_values(), as_int(half)})),
       run_kernel("fold weights", kernel_of_threads(source, "fold_weights", pairs * kFoldedWeights,
                                                    {BufferArgument{"w"}, BufferArgument{"folded"},
                                                     as_int(pairs)})),
       run_kernel("convolve", kernel_of_threads(
                                  source, "upsample_folded", corners,
                                  {BufferArgument{"small"}, BufferArgument{"folded"},
                                   BufferArgument{"b"}, BufferArgument{"y"}, corners, as_int(s.in),
                                   as_int(s.out), as_int(half), as_int(s.relu ? 1 : 0)}))});
}

Buffers upsample_folded_scratch(const Workload& w) {
  const Conv s = conv_of(w.axes);
  return {maps("small", s.images, s.in, s.side / 2),
          {"folded",
           ElementType::f32,
           s.out * s.in * kFoldedWeights,
           BufferRole::scratch,
           {s.out, s.in, 4, 2, 2},
           "folded[out, in, 4, 2, 2]"}};
}

}  // namespace warpscope::autoencoder
