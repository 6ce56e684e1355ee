// scenes/autoencoder/variants/conv_variants.cpp: the ladder of the convolutions.
#include <utility>

#include "scenes/autoencoder/constraints.h"
#include "scenes/autoencoder/steps/winograd_steps.h"
#include "scenes/autoencoder/variants/variants.h"
#include "scenes/autoencoder/work.h"

namespace warpscope::autoencoder {
namespace {

Variant conv_variant(std::string name, std::string label, std::string family, std::string sentence,
                     std::string look_at, std::function<Steps(const Workload&)> steps) {
  Variant v = part_variant(Part::conv, std::move(name), std::move(label), std::move(sentence),
                           std::move(look_at), std::move(steps));
  v.family = std::move(family);
  v.tolerance_at = tolerance_of_sums;
  return v;
}

// For forward and dgrad, which share one text; wgrad is another operator.
bool convolves_maps(const Configuration& axes) {
  return part_of(axes) == Part::conv && direction_of(axes) != Direction::wgrad;
}
bool sums_weights(const Configuration& axes) {
  return part_of(axes) == Part::conv && direction_of(axes) == Direction::wgrad;
}
bool forwards(const Configuration& axes) {
  return part_of(axes) == Part::conv && direction_of(axes) == Direction::forward;
}

// After an upsampling, in forward and wgrad.
bool folds(const Configuration& axes) {
  return part_of(axes) == Part::conv && direction_of(axes) != Direction::dgrad &&
         conv_of(axes).behind_upsample;
}

Variant naive() {
  Variant v = conv_variant(
      "naive_nhwc", "one thread per output, NHWC", "seed",
      "One thread per output, channels innermost. Forward: a loop over the input channels, and "
      "inside it loops over the window, whose size is a run-time value, with a border test per "
      "product. The ReLU is a separate kernel. In wgrad, one thread per weight or bias goes over "
      "all pixels of the batch. Inputs are converted to NHWC before timing starts; outputs stay "
      "NHWC.",
      "Sectors per load request of the forward pass: the input is a broadcast and the output is "
      "coalesced, but lanes read weights of neighbouring outputs, 9·in·4 bytes apart. In wgrad, "
      "the number of threads: the first and the last layer have 6912 weights.",
      naive_nhwc_steps);
  v.reference = "direct_nhwc";
  v.scratch = naive_nhwc_scratch;
  return v;
}

// What a variant of its own shows of the two rungs before it.
std::vector<Variant> beside_the_published() {
  Variant outside =
      conv_variant("naive_taps_outside", "naive, taps outside", "ablation",
                   "naive_nhwc with the loops swapped: the nine taps outside, each with one border "
                   "test for all channels, and the channels inside. The bias comes first; forward.",
                   "Executed instructions compared with naive_nhwc, for the same products from the "
                   "same addresses.",
                   naive_taps_outside_steps);
  outside.reference = "direct_nhwc";
  outside.scratch = naive_nhwc_scratch;
  outside.applies = forwards;
  Variant window =
      conv_variant("nchw_run_time_window", "16×16 tiles, window at run time", "ablation",
                   "nchw_grid2d without its special case for 3×3 windows: their size is a run-time "
                   "value, and their loops are not unrolled; forward and dgrad.",
                   "Executed instructions compared with nchw_grid2d: the gain of unrolling alone.",
                   nchw_run_time_window_steps);
  window.applies = convolves_maps;
  window.constraints = {layers_fit_grid()};
  Variant warp = conv_variant(
      "bias_one_warp", "bias gradient by one warp", "seed",
      "nchw_grid2d's wgrad with the published bias gradient: one warp per channel adds up with "
      "shuffles, without shared memory.",
      "The time of its bias gradient compared with nchw_grid2d's, where a block of 256 threads has "
      "a second stage in shared memory, and with bias_shared_tree's, which has all stages there.",
      bias_one_warp_steps);
  Variant tree =
      conv_variant("bias_shared_tree", "bias gradient through shared memory", "ablation",
                   "nchw_grid2d's wgrad with a bias gradient without shuffles: the sums of 256 "
                   "threads are reduced in shared memory in eight steps, with a barrier each.",
                   "The time of its bias gradient compared with nchw_grid2d's, which differs just "
                   "in the reduction.",
                   bias_shared_tree_steps);
  for (Variant* v : {&warp, &tree}) v->applies = sums_weights;
  return {std::move(outside), std::move(window), std::move(warp), std::move(tree)};
}

Variant grid2d() {
  Variant v = conv_variant(
      "nchw_grid2d", "16×16 tiles of planes, NCHW", "seed",
      "A block computes a 16×16 tile of one output plane. Lanes are neighbouring pixels, the nine "
      "taps are unrolled and the ReLU is fused. In wgrad a thread sums the nine weights between "
      "two channels, and a block sums a bias gradient with shuffles and shared memory.",
      "Lines per load request compared with naive_nhwc: pixels are side by side, and the weight is "
      "a broadcast. Idle threads at maps of 8×8: 192 of the 256 threads of a block have nothing to "
      "do.",
      nchw_grid2d_steps);
  v.constraints = {layers_fit_grid()};
  return v;
}

std::vector<Variant> by_products() {
  const auto row = [](std::string name, std::string label, std::string sentence,
                      std::string look_at, bool strided) {
    Variant v = conv_variant(std::move(name), std::move(label), "seed", std::move(sentence),
                             std::move(look_at),
                             [strided](const Workload& w) { return im2col_steps(w, strided); });
    v.scratch = im2col_scratch;
    v.constraints = {columns_fit_32_bits(), columns_fit_memory()};
    charge_columns(v);
    return v;
  };
  Variant strided = row("im2col_cublas_strided", "im2col, one batched product",
                        "The same columns, with one strided-batched cuBLAS product in the forward "
                        "pass. The gradients are products of single images.",
                        "Launches compared with im2col_cublas_loop: one product instead of one per "
                        "image, for the same bytes.",
                        true);
  strided.applies = forwards;
  return {row("im2col_cublas_loop", "im2col, one product per image",
              "The nine neighbours of each pixel are written as a column, and cuBLAS multiplies an "
              "image's columns by the weights, image by image. Bias and ReLU are a separate pass. "
              "dgrad gathers columns back; wgrad adds up image by image.",
              "DRAM bytes: 36 per input value, written and read again. And the gaps between the "
              "products of single images.",
              false),
          std::move(strided)};
}

std::vector<Variant> direct_rungs() {
  Variant tile =
      conv_variant("shared_tile", "pixels in shared memory", "ours",
                   "A block copies its tile of some channels, with a border of one pixel, to "
                   "shared memory, from which the nine taps read; forward and dgrad.",
                   "Load requests compared with nchw_grid2d, and what replaces them: two barriers "
                   "per stage, and shared-memory wavefronts. A warp reads two rows of 16 pixels, "
                   "18 words apart, so the end of one row shares banks with the start of the "
                   "other: two wavefronts per load. Move the staged channels.",
                   shared_tile_steps);
  tile.constraints = {layers_fit_grid(), tile_fits_shared()};
  Variant constants = conv_variant(
      "constant_weights", "weights in constant memory", "ours",
      "nchw_grid2d with the weights in constant memory, copied there before each launch. A warp "
      "whose lanes read the same weight gets it in one access; forward.",
      "Load requests compared with nchw_grid2d: just pixels, because weights are broadcast from "
      "the constant cache. And the size: the first and last layers have 27 KB of weights, the "
      "others 576 and 1152, and a module has 64.",
      constant_weights_steps);
  constants.applies = forwards;
  constants.constraints = {layers_fit_grid(), weights_fit_constants()};
  Variant fours =
      conv_variant("float4_loads", "four outputs per thread", "ours",
                   "A thread computes four neighbouring outputs of a row from 16-byte loads and "
                   "one pixel on either side; forward and dgrad.",
                   "Load instructions compared with nchw_grid2d: a weight serves four outputs, and "
                   "three loads serve twelve products. The sectors are the same.",
                   float4_loads_steps);
  fours.constraints = {rows_of_fours()};
  Variant shape = conv_variant(
      "block_shape", "any block", "ours",
      "nchw_grid2d with the width and height of a block as axes; forward and dgrad.",
      "Occupancy and time while the axes move: they do not change together.", block_shape_steps);
  shape.constraints = {layers_fit_grid(), block_fits()};
  Variant folded = conv_variant(
      "upsample_folded", "upsampling folded in", "ours",
      "After a nearest upsampling, four 2×2 filters on the small map give the same as nine taps on "
      "the large one: the weights of equal pixels are added first, and the gradient of such a sum "
      "goes to each of its weights. Products are as in register_tiles, at Conv5 with 24 sums per "
      "thread; forward and wgrad. The small map is made before timing starts.",
      "Flops: 16 products instead of 36. DRAM bytes: the large map is not read, and the upsampling "
      "would not be written.",
      upsample_folded_steps);
  folded.accuracy = "f32, weights added up";
  folded.applies = folds;
  folded.scratch = upsample_folded_scratch;
  folded.constraints = {even_side()};
  charge_folding(folded);
  for (Variant* v : {&tile, &fours, &shape}) v->applies = convolves_maps;
  return {std::move(tile), std::move(constants), std::move(fours), std::move(shape),
          std::move(folded)};
}

std::vector<Variant> products() {
  Variant implicit = conv_variant(
      "implicit_gemm_fp32", "columns never written", "ours",
      "A block multiplies the weights of 64 outputs by the columns of 64 pixels, which it builds "
      "in shared memory 16 rows at a time; forward and dgrad.",
      "DRAM bytes compared with im2col_cublas_strided, and the share of multiply-adds in the "
      "instructions compared with nchw_grid2d. At Conv5 three outputs fill 3 of 64 rows.",
      implicit_gemm_steps);
  implicit.applies = convolves_maps;
  Variant split = conv_variant("wgrad_split_k", "images split over blocks", "ours",
                               "nchw_grid2d's wgrad over shares of the images, and a kernel that "
                               "adds the shares in a fixed order.",
                               "Blocks compared with nchw_grid2d, and the bytes of the shares. "
                               "Move the splits: at each value, two runs give the same bits.",
                               wgrad_split_k_steps);
  split.applies = sums_weights;
  split.scratch = wgrad_split_k_scratch;
  return {std::move(implicit), std::move(split)};
}

std::vector<Variant> register_tiles() {
  Variant tiles = conv_variant(
      "register_tiles", "8×8 sums per thread", "ours",
      "A block multiplies the weights of 128 outputs by the columns of 128 pixels, which "
      "asynchronous copies build in shared memory 8 rows at a time. A thread has 8×8 sums. Weights "
      "are packed tap by tap first. If there are few tiles, their rows are split over blocks; "
      "forward and dgrad.",
      "The share of multiply-adds in the instructions compared with implicit_gemm_fp32, and DRAM "
      "bytes compared with im2col_cublas_strided. At Conv5 three outputs fill 3 of 32 rows.",
      register_tiles_steps);
  tiles.scratch = register_tiles_scratch;
  tiles.applies = convolves_maps;
  Variant shares = conv_variant(
      "wgrad_register_tiles", "split pixels, 8×8 sums", "ours",
      "The weight gradient as one tiled product over all pixels of the batch, with 8×8 sums per "
      "thread. The pixels are split until there are two blocks per multiprocessor, and a kernel "
      "adds the shares in a fixed order. Bias gradients are summed along the way.",
      "The share of multiply-adds in the instructions, and the load requests, compared with "
      "wgrad_split_k, which needs two loads per product. And the bytes of the shares.",
      wgrad_register_tiles_steps);
  shares.applies = sums_weights;
  shares.scratch = wgrad_register_tiles_scratch;
  return {std::move(tiles), std::move(shares)};
}

// Sums of six numbers that cancel occur along either side of a window, before and after a product,
// so ten times the error of direct sums is allowed. Gradients of weights whose products are all
// zero may leave a rest of 1e-6.
Tolerance of_windows(const Configuration& axes, std::int64_t outputs) {
  Tolerance tolerance = tolerance_of_sums(axes);
  if (outputs == 4) tolerance.magnitude *= 10;
  if (direction_of(axes) == Direction::wgrad) tolerance.absolute = 1e-6;
  return tolerance;
}

Variant winograd_variant(std::string name, std::string label, std::string sentence,
                         std::string look_at, std::int64_t outputs) {
  Variant v = conv_variant(std::move(name), std::move(label), "ours", std::move(sentence),
                           std::move(look_at),
                           [outputs](const Workload& w) { return winograd_steps(w, outputs); });
  v.scratch = [outputs](const Workload& w) { return winograd_scratch(w, outputs); };
  v.accuracy = "f32, Winograd";
  v.tolerance_at = [outputs](const Configuration& axes) { return of_windows(axes, outputs); };
  charge_winograd(v, [outputs](const Configuration&) { return WinogradForm{outputs}.share(); });
  return v;
}

std::vector<Variant> windows() {
  Variant small = winograd_variant(
      "winograd_2x2", "Winograd F(2×2, 3×3)",
      "16 products for four outputs instead of 36. Each window of 4×4 pixels and each filter is "
      "transformed into 16 numbers, which are multiplied as 16 tiled matrix products; sums of "
      "those are the outputs. The weight gradient is the transpose: windows and 2×2 gradients "
      "become 16 numbers each, 16 products over all windows are split, added in a fixed order, and "
      "transformed into nine weights. It must stay within the error of direct sums.",
      "Flops, counted as executed: 4/9 of the direct ones, so a rate in direct flops may exceed "
      "the roof. Then the bytes of windows and sums, four numbers per pixel on either side, and "
      "the error.",
      2);
  Variant large = winograd_variant(
      "winograd_4x4", "Winograd F(4×4, 3×3)",
      "As winograd_2x2 with windows of 6×6 pixels: 36 products for 16 outputs instead of 144. The "
      "sums before and after the products have weights up to 8 and cancel digits, so it must stay "
      "within ten times the error of direct sums.",
      "The error compared with winograd_2x2's, and its share of the allowed error. Then flops, 36 "
      "instead of 144, and bytes, 2.25 numbers per pixel on either side instead of four.",
      4);
  Variant folded =
      winograd_variant("winograd_folded", "Winograd on the small map",
                       "After a nearest upsampling the pixels of a window come in equal pairs, and "
                       "their differences are zero. 25 of the 36 products for 16 outputs are left, "
                       "and 9 of the 16 for four outputs. Windows are read from the small map; "
                       "forward and wgrad. The small map is made before timing starts.",
                       "Flops compared with upsample_folded, which has 64 products for 16 outputs, "
                       "and the error with each tile.",
                       4);
  folded.steps = winograd_folded_steps;
  folded.scratch = winograd_folded_scratch;
  folded.tolerance_at = [](const Configuration& axes) {
    return of_windows(axes, winograd_tile(axes));
  };
  folded.applies = folds;
  folded.constraints = {even_side()};
  charge_folding(folded);
  charge_winograd(folded, [](const Configuration& axes) {
    return WinogradForm{winograd_tile(axes), true}.share();
  });
  return {std::move(small), std::move(large), std::move(folded)};
}

}  // namespace

std::vector<Variant> conv_variants() {
  std::vector<Variant> all = {naive(), grid2d()};
  for (const auto made : {beside_the_published, by_products, direct_rungs, products, register_tiles,
                          windows, tensor_variants, cudnn_variants, pooled_variants}) {
    for (Variant& v : made()) all.push_back(std::move(v));
  }
  return all;
}

}  // namespace warpscope::autoencoder
