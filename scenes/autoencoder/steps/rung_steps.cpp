// scenes/autoencoder/steps/rung_steps.cpp: the steps of the convolutions beyond the published ones.
#include <algorithm>
#include <utility>

#include "scenes/autoencoder/steps/tile_steps.h"

namespace warpscope::autoencoder {
namespace {

constexpr std::int64_t kFloatBytes = 4;

// The shape before the upsampling of a map after it.
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

TiledConv product_of(const Workload& w) {
  const bool dgrad = direction_of(w.axes) == Direction::dgrad;
  return tiled(conv_of(w.axes), dgrad ? PackKind::dgrad : PackKind::forward, true);
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
  // The weights are in constant memory, so they are not an argument.
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

Steps register_tiles_steps(const Workload& w) {
  const Conv s = conv_of(w.axes);
  const bool dgrad = direction_of(w.axes) == Direction::dgrad;
  const TiledConv conv = product_of(w);
  TileArrays arrays{{dgrad ? "dy" : "x"}, {"packed"}, {dgrad ? "dx" : "y"}, dgrad ? "" : "b"};
  Steps steps = {pack_step(conv.packing(), {"w"}, {"packed"})};
  for (Step& step : multiply_steps(conv, convolution_name(w), arrays, Finish::bias)) {
    step.stand_ins = {all_ones(steps.size() == 1 ? "packed" : "shares")};
    steps.push_back(std::move(step));
  }
  return tagged(w, std::move(steps));
}

Buffers register_tiles_scratch(const Workload& w) {
  const TiledConv conv = product_of(w);
  Buffers all = {packed_buffer(conv, "packed")};
  if (conv.splits > 1)
    all.push_back(floats_buffer("shares", conv.splits * conv.share_values(), "shares[splits, y]"));
  return all;
}

Steps wgrad_register_tiles_steps(const Workload& w) {
  Steps steps =
      wgrad_steps(tiled_wgrad(conv_of(w.axes), false), {"x"}, {"dy"}, {"shares"}, {"dw"}, {"db"});
  steps.back().stand_ins = {all_ones("shares")};
  return tagged(w, std::move(steps));
}

Buffers wgrad_register_tiles_scratch(const Workload& w) {
  const TiledWgrad conv = tiled_wgrad(conv_of(w.axes), false);
  return {floats_buffer("shares", conv.share_values(), "shares[splits, out, taps·in + 1]")};
}

Step small_map_step(const Conv& s) {
  const Windows map = before_upsampling(s);
  return prepare_kernel(
      "small map",
      kernel_of_threads("autoencoder/upsample_folded.cu", "take_small_map", map.small_values(),
                        {BufferArgument{"x"}, BufferArgument{"small"}, map.small_values(),
                         as_int(map.small_side)}));
}
BufferSpec small_map_buffer(const Conv& s) { return maps("small", s.images, s.in, s.side / 2); }

Steps upsample_folded_steps(const Workload& w) {
  const Conv s = conv_of(w.axes);
  Steps steps = {small_map_step(s)};
  const auto add = [&](Steps more, const char* between) {
    more.back().stand_ins = {all_ones(between)};
    for (Step& step : more) steps.push_back(std::move(step));
  };
  const bool three = s.out == kImageChannels, wgrad = direction_of(w.axes) == Direction::wgrad;
  if (wgrad && three) {
    add(three_outputs_wgrad_steps(three_outputs(s), {"small"}, {"dy"}, {"shares"}, {"dw"}, {"db"}),
        "shares");
  } else if (wgrad) {
    add(wgrad_steps(tiled_wgrad(s, true), {"small"}, {"dy"}, {"shares"}, {"dw"}, {"db"}), "shares");
  } else if (three) {
    steps.push_back(pack_step(three_outputs(s).packing(), {"w"}, {"folded"}));
    add({three_outputs_step(three_outputs(s), {"small"}, {"folded"}, {"b"}, {"y"})}, "folded");
  } else {
    const TiledConv conv = tiled(s, PackKind::folded, false);
    steps.push_back(pack_step(conv.packing(), {"w"}, {"folded"}));
    add(multiply_steps(conv, "convolve", {{"small"}, {"folded"}, {"y"}, "b"}, Finish::bias),
        "folded");
  }
  return tagged(w, std::move(steps));
}

Buffers upsample_folded_scratch(const Workload& w) {
  const Conv s = conv_of(w.axes);
  const bool three = s.out == kImageChannels;
  Buffers all = {small_map_buffer(s)};
  if (direction_of(w.axes) == Direction::wgrad) {
    const std::int64_t values =
        three ? three_outputs(s).share_values() : tiled_wgrad(s, true).share_values();
    all.push_back(floats_buffer("shares", values, "shares[splits, weights and biases]"));
  } else if (three) {
    all.push_back(floats_buffer("folded", three_outputs(s).packed_values(), "folded[in, 4, 3, 4]"));
  } else {
    all.push_back(packed_buffer(tiled(s, PackKind::folded, false), "folded"));
  }
  return all;
}

}  // namespace warpscope::autoencoder
