// scenes/autoencoder/inputs/hard_cases.cpp: the hard cases of `autoencoder`.
#include "scenes/autoencoder/inputs/hard_cases.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "scenes/autoencoder/shapes.h"

namespace warpscope::autoencoder {
namespace {

using Values = std::map<std::string, std::string>;
using Window = std::array<double, 4>;

constexpr const char* kZeroBoxes =
    "Boxes hold zeros for pixels outside the map, and zero times an infinite pixel or gradient is "
    "NaN.";

HardCase at(std::string name, std::string sentence, Values values) {
  return {std::move(name), std::move(sentence), std::move(values)};
}

HardCase conv(const std::string& name, std::string sentence, const char* direction, Values sizes) {
  sizes["part"] = "conv";
  sizes["direction"] = direction;
  return at(name + "_" + direction, std::move(sentence), std::move(sizes));
}

// Windows of a pool in both orders of ties, and of what is no number, at the beginning of the map.
void tied_windows(const Workload& w, Inputs& inputs) {
  constexpr Window kWindows[] = {{5, 5, 5, 5},
                                 {0, 7, 7, 0},
                                 {7, 0, 0, 7},
                                 {-3, -2, -2, -3},
                                 {0.0, -0.0, 0.0, 0.0},
                                 {-0.0, 0.0, 0.0, 0.0},
                                 {kNotANumber, 1, kNotANumber, 2},
                                 {kNotANumber, kNotANumber, kNotANumber, kNotANumber},
                                 {-kInfinity, -kInfinity, -kInfinity, -kInfinity},
                                 {-kInfinity, kNotANumber, -9, kInfinity}};
  HostArray& x = inputs.at("x");
  const Windows s = windows_of(w.axes);
  const std::int64_t side = s.large_side(), across = side / 2;
  std::int64_t place = 0;
  for (const Window& window : kWindows) {
    const std::int64_t corner = place / across * 2 * side + place % across * 2;
    for (std::int64_t i = 0; i < 4; ++i)
      poke(x, corner + i / 2 * side + i % 2, window[static_cast<std::size_t>(i)]);
    ++place;
  }
}

// In weights, and in maps also opposite a zero that a ReLU left.
void not_finite(const Workload&, Inputs& inputs) {
  for (auto& [name, array] : inputs) {
    if (name == "w") {
      poke(array, 4, kNotANumber);
    } else if (name == "y") {  // pooled: the start value, and what no pool leaves
      poke(array, array.count() / 4, -1e38);
      poke(array, array.count() / 4 + 1, kNotANumber);
    } else if (name == "x" || name == "dy") {
      poke(array, array.count() / 2, kInfinity);
      poke(array, array.count() - 1, kNotANumber);
    }
  }
}

std::vector<HardCase> convolutions() {
  std::vector<HardCase> all;
  for (const char* direction : {"forward", "dgrad", "wgrad"}) {
    all.push_back(conv("odd_sizes", "A side, images and channels that do not fill a tile.",
                       direction,
                       {{"layer", "Conv1"}, {"batch", "3"}, {"channels", "10"}, {"size", "19"}}));
    all.push_back(conv("above_tiles", "One pair of channels above 32, a side of 34.", direction,
                       {{"layer", "Conv5"}, {"batch", "2"}, {"channels", "34"}, {"size", "36"}}));
    all.push_back(conv("small_maps", "Maps of 2×2 and 4×4 pixels, one image above a warp's 32.",
                       direction,
                       {{"layer", "Conv3"}, {"batch", "33"}, {"channels", "6"}, {"size", "8"}}));
    all.push_back(conv("behind_upsampling", "Channels above a tile of 32, small maps of 6×6.",
                       direction,
                       {{"layer", "Conv4"}, {"batch", "3"}, {"channels", "36"}, {"size", "24"}}));
    HardCase strange =
        conv("not_finite", "A weight, a pixel and a gradient that are not numbers.", direction,
             {{"layer", "Conv2"}, {"batch", "2"}, {"channels", "8"}, {"size", "12"}});
    strange.change = not_finite;
    if (direction == std::string("wgrad")) {
      for (const char* by_columns : {"im2col_cublas_loop", "wgrad_register_tiles"})
        strange.left_out[by_columns] =
            "Columns hold zeros for pixels outside the map, and zero times an infinite gradient is "
            "NaN.";
      for (const char* by_boxes : {"implicit_gemm_tf32", "implicit_gemm_bf16"})
        strange.left_out[by_boxes] = kZeroBoxes;
    }
    for (const char* fused : {"cudnn_fused_fp32", "cudnn_fused_tf32"})
      strange.left_out[fused] =
          "cuDNN's call of convolution, bias and ReLU does not promise that the ReLU keeps NaN.";
    for (const char* picks : {"auto", "auto_fp32_tensor", "auto_tf32", "auto_bf16"})
      strange.left_out[picks] = "It may pick a variant that is left out here.";
    strange.left_out["implicit_gemm_tf32x3"] =
        "An infinite factor multiplies both parts of the other one. The second part may be zero or "
        "of the other sign, and then the sum is NaN.";
    for (const char* by_windows : {"winograd_2x2", "winograd_4x4", "winograd_folded"})
      strange.left_out[by_windows] =
          "A window's sums have every pixel with both signs, and infinity minus infinity is NaN.";
    all.push_back(std::move(strange));
  }
  return all;
}

std::vector<HardCase> convolutions_with_pools() {
  std::vector<HardCase> all;
  all.push_back(at("conv_and_pool",
                   "A convolution with its pool, with channels that do not fill a tile.",
                   {{"part", "conv_pool"}, {"batch", "3"}, {"channels", "10"}, {"size", "12"}}));
  for (const char* layer : {"Pool1", "Pool2"})
    all.push_back(at(std::string("back_through_") + layer,
                     "Weight gradients through ReLU and pool, windows that do not fill a warp.",
                     {{"part", "conv_pool"},
                      {"pass", "backward"},
                      {"pool_layer", layer},
                      {"batch", "3"},
                      {"channels", "10"},
                      {"size", "12"}}));
  for (const char* pass : {"forward", "backward"}) {
    HardCase strange = at(std::string("pool_not_finite_") + pass,
                          "A weight, a pixel, a maximum and a gradient that are not numbers.",
                          {{"part", "conv_pool"},
                           {"pass", pass},
                           {"pool_layer", "Pool2"},
                           {"batch", "2"},
                           {"channels", "8"},
                           {"size", "12"}});
    strange.change = not_finite;
    if (pass == std::string("backward"))
      strange.left_out = {{"conv_then_pool",
                           "The gradient of the map has zeros where no maximum was, and zero times "
                           "an infinite pixel is NaN."}};
    all.push_back(std::move(strange));
  }
  return all;
}

}  // namespace

std::vector<HardCase> hard_cases() {
  std::vector<HardCase> all = convolutions();
  const Values step = {{"part", "step"}, {"channels", "6"}, {"size", "8"}};
  for (const auto& [name, batch] : {std::pair("step_one_image", "1"), {"step_odd_batch", "3"}}) {
    Values sizes = step;
    sizes["batch"] = batch;
    all.push_back(at(name,
                     "A whole training step of few images, with channels that do not fill a tile.",
                     std::move(sizes)));
  }
  all.push_back(at("step_eight_channels",
                   "Eight channels: every tensor of the parameters begins at 16 bytes.",
                   {{"part", "step"}, {"batch", "3"}, {"channels", "8"}, {"size", "8"}}));
  for (HardCase& pooled : convolutions_with_pools()) all.push_back(std::move(pooled));
  HardCase tied = at("tied_windows", "Equal maxima in either order, zeros of both signs, NaN.",
                     {{"part", "pool"}, {"batch", "1"}, {"channels", "6"}, {"size", "20"}});
  tied.change = tied_windows;
  tied.left_out["cudnn_pooling"] =
      "cuDNN does not specify the result of a window of NaN or −Inf, nor which of two zeros it "
      "keeps.";
  all.push_back(std::move(tied));
  all.push_back(at(
      "odd_pool", "A pool's gradient at sizes that do not fill a block.",
      {{"part", "pool"}, {"pass", "backward"}, {"batch", "3"}, {"channels", "6"}, {"size", "14"}}));
  for (const char* pass : {"forward", "backward"})
    all.push_back(at(std::string("odd_upsampling_") + pass, "Rows that are not a multiple of four.",
                     {{"part", "upsample"},
                      {"pass", pass},
                      {"up_layer", "Up2"},
                      {"batch", "3"},
                      {"channels", "6"},
                      {"size", "14"}}));
  all.push_back(at("contended_loss", "Many thousand squares added to one number, no block full.",
                   {{"part", "loss"}, {"batch", "13"}, {"size", "23"}}));
  all.push_back(at("one_image_loss", "Fewer squares than one block has threads.",
                   {{"part", "loss"}, {"batch", "1"}, {"size", "7"}}));
  all.push_back(at("odd_learning_rate", "A learning rate that is not a power of two.",
                   {{"part", "sgd"}, {"channels", "6"}, {"lr", "0.3"}}));
  return all;
}

}  // namespace warpscope::autoencoder
