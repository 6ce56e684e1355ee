// scenes/autoencoder/steps/winograd_steps.h: convolutions by F(2×2, 3×3) and F(4×4, 3×3):
// winograd.cu, and winograd_wgrad.cu for the gradients of weights.
#pragma once

#include "scenes/autoencoder/steps/tile_steps.h"

namespace warpscope::autoencoder {

// Windows with `outputs` outputs per side. `upsampled`: for a layer after an upsampling, between
// the small map and the layer's output; `side` is still that of the large map.
struct WinogradForm {
  std::int64_t outputs = 2;
  bool upsampled = false;

  // Numbers of a window that are multiplied.
  std::int64_t numbers() const { return of_side() * of_side(); }
  std::int64_t of_side() const { return outputs + (upsampled ? 1 : 2); }
  // Products as a share of those that nine taps take on the large map.
  double share() const {
    return static_cast<double>(numbers()) / static_cast<double>(kTaps * outputs * outputs);
  }
};

struct Winograd {
  std::int64_t images = 0, sources = 0, targets = 0, side = 0;
  bool dgrad = false, relu = false;
  WinogradForm form;
  TileShape tile;

  std::int64_t rows() const { return ceil_divide(sources, tile.depth) * tile.depth; }
  std::int64_t columns() const { return ceil_divide(targets, tile.m()) * tile.m(); }
  std::int64_t windows() const {
    return images * ceil_divide(side, form.outputs) * ceil_divide(side, form.outputs);
  }
  std::int64_t across() const { return ceil_divide(windows(), tile.n()) * tile.n(); }
  std::int64_t u_values() const { return form.numbers() * rows() * columns(); }
  std::int64_t v_values() const { return form.numbers() * rows() * across(); }
  Packing packing() const;  // of its filters
  std::int64_t sum_values() const { return form.numbers() * columns() * across(); }
};
Winograd winograd(const Conv& s, const WinogradForm& form, bool dgrad);

// What a convolution reads and writes. Windows and sums are scratch; the windows of x are kept
// where gradients of weights read them.
struct WinogradArrays {
  BufferArgument from, filters;
  Argument other = std::int64_t{0};  // bias or mask, where there is one
  BufferArgument to;
  Argument places = std::int64_t{0};  // of pools
  BufferArgument windows{"windows"};
};
// Three steps, named after what they do.
Steps winograd_layer(const Winograd& conv, const WinogradArrays& arrays, Finish finish);
// Buffers for windows and sums with this many numbers.
Buffers winograd_buffers(std::int64_t windows, std::int64_t sums);

// Gradients of weights and biases from windows of x as the forward pass `forward` writes them.
struct WinogradWgrad {
  Winograd forward;
  TileShape tile;
  std::int64_t splits = 1;

  std::int64_t in() const { return forward.sources; }
  std::int64_t out() const { return forward.targets; }
  std::int64_t gradient_values() const { return forward.form.numbers() * out() * forward.across(); }
  std::int64_t share_values() const { return splits * out() * (forward.form.numbers() * in() + 1); }
};
// Its shares fill the device twice.
WinogradWgrad winograd_wgrad(const Conv& s, const WinogradForm& form);
struct WinogradWgradArrays {
  BufferArgument dy, windows, gradients, shares, dw, db;
};
// Three steps: what gradients become, shares, and what adds them up.
Steps winograd_wgrad_layer(const WinogradWgrad& conv, const WinogradWgradArrays& arrays);

// Rows of part conv: with windows of `outputs` outputs per side on the map as it is. After an
// upsampling, forward and wgrad run on the small map with the windows of the axis winograd_tile.
Steps winograd_steps(const Workload& w, std::int64_t outputs);
Buffers winograd_scratch(const Workload& w, std::int64_t outputs);
Steps winograd_folded_steps(const Workload& w);
Buffers winograd_folded_scratch(const Workload& w);
std::int64_t winograd_tile(const Configuration& axes);  // 2, or where nothing is said 4

}  // namespace warpscope::autoencoder
