// scenes/autoencoder/conv_variants.cpp: the ladder of the convolutions.
#include <utility>

#include "scenes/autoencoder/constraints.h"
#include "scenes/autoencoder/variants.h"
#include "scenes/autoencoder/winograd_steps.h"
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

// Behind an upsampling, forward and wgrad.
bool folds(const Configuration& axes) {
  return part_of(axes) == Part::conv && direction_of(axes) != Direction::dgrad &&
         conv_of(axes).behind_upsample;
}

Variant naive() {
  Variant v = conv_variant(
      "naive_nhwc", "a thread an output, NHWC", "seed",
      "One thread per output, channels innermost: forward a loop over the input channels, and in "
      "it "
      "the loops over the window, whose size is known at run time, with a border test for each "
      "product. The ReLU is a kernel of its own; in wgrad a thread per weight goes over all pixels "
      "of the batch, and one per bias. Inputs are brought to NHWC before the time begins, outputs "
      "stay so.",
      "Sectors per load request of the forward pass: the input is a broadcast and the output is "
      "coalesced, but lanes read weights of neighbouring outputs, 9·in·4 bytes apart. In wgrad, "
      "the threads: the layers at both ends have 6912 weights.",
      naive_nhwc_steps);
  v.reference = "direct_nhwc";
  v.scratch = naive_nhwc_scratch;
  return v;
}

// What a variant of its own shows of the two rungs before it.
std::vector<Variant> beside_the_published() {
  Variant outside = conv_variant(
      "naive_taps_outside", "naive, taps outside", "ablation",
      "naive_nhwc with the loops the other way round: the nine taps outside, each with one border "
      "test for all channels, the channels inside, the bias first; forward.",
      "Instructions executed beside naive_nhwc, for the same products from the same addresses.",
      naive_taps_outside_steps);
  outside.reference = "direct_nhwc";
  outside.scratch = naive_nhwc_scratch;
  outside.applies = forwards;
  Variant window = conv_variant(
      "nchw_run_time_window", "16×16 tiles, window at run time", "ablation",
      "nchw_grid2d without its special case for windows of 3×3: their size is known at run time, "
      "and the loops over them are not unrolled; forward and dgrad.",
      "Instructions executed beside nchw_grid2d: what unrolling alone is worth.",
      nchw_run_time_window_steps);
  window.applies = convolves_maps;
  window.constraints = {layers_fit_grid()};
  Variant warp = conv_variant(
      "bias_one_warp", "bias gradient by one warp", "seed",
      "nchw_grid2d's wgrad with the published gradient of a bias: one warp per channel, which adds "
      "up by shuffles, without shared memory.",
      "The time of its bias gradient beside nchw_grid2d's, whose block of 256 threads has a second "
      "stage in shared memory, and bias_shared_tree's, which has all stages there.",
      bias_one_warp_steps);
  Variant tree = conv_variant(
      "bias_shared_tree", "bias gradient through shared memory", "ablation",
      "nchw_grid2d's wgrad with a gradient of biases that has no shuffle: the sums of 256 threads "
      "are halved in shared memory eight times, with a barrier each.",
      "The time of its bias gradient beside nchw_grid2d's, which differs in the reduction alone.",
      bias_shared_tree_steps);
  for (Variant* v : {&warp, &tree}) v->applies = sums_weights;
  return {std::move(outside), std::move(window), std::move(warp), std::move(tree)};
}

Variant grid2d() {
  Variant v = conv_variant(
      "nchw_grid2d", "16×16 tiles of planes, NCHW", "seed",
      "A block is a 16×16 tile of one output plane, lanes are neighbouring pixels, the nine taps "
      "are unrolled and the ReLU is fused; in wgrad a thread sums the nine weights between two "
      "channels, and a block the gradient of a bias, by shuffles and shared memory.",
      "Lines of a load request beside naive_nhwc: pixels lie side by side, and the weight is the "
      "broadcast. Divergence at maps of 8×8: three quarters of every block have nothing to do.",
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
  Variant strided = row(
      "im2col_cublas_strided", "im2col, one batched product",
      "The same columns, with one strided-batched product of the library in the forward pass; the "
      "gradients are products of single images.",
      "Launches beside im2col_cublas_loop: one product instead of one an image, for the same "
      "bytes.",
      true);
  strided.applies = forwards;
  return {row("im2col_cublas_loop", "im2col, a product an image",
              "Every pixel's nine neighbours are written out as a column, and the library "
              "multiplies an image's columns by the weights, image by image; bias and ReLU are a "
              "pass of their own. dgrad gathers columns back, wgrad adds up image by image.",
              "Bytes of DRAM: 36 for every input value, written and read again. And the gaps "
              "between products of one image.",
              false),
          std::move(strided)};
}

std::vector<Variant> direct_rungs() {
  Variant tile = conv_variant(
      "shared_tile", "pixels in shared memory", "ours",
      "A block stages its tile of some channels with a border of one, and the nine taps read "
      "shared memory; forward and dgrad.",
      "Load requests beside nchw_grid2d, and what stands in for them: two barriers a stage, and "
      "wavefronts of shared memory. A warp reads two rows of 16 pixels, 18 words apart, so that "
      "the "
      "end of one lies in the banks where the other begins: two wavefronts a load. Move the staged "
      "channels.",
      shared_tile_steps);
  tile.constraints = {layers_fit_grid(), tile_fits_shared()};
  Variant constants = conv_variant(
      "constant_weights", "weights in constant memory", "ours",
      "nchw_grid2d with the weights in constant memory, where a copy brings them before each "
      "launch: "
      "a warp whose lanes ask for one weight gets it in one go; forward.",
      "Load requests beside nchw_grid2d: pixels alone, for a weight is a broadcast of the constant "
      "cache. And what is asked for: the layers at both ends have 27 KB of weights, those between "
      "them 576 and 1152, and a module has 64.",
      constant_weights_steps);
  constants.applies = forwards;
  constants.constraints = {layers_fit_grid(), weights_fit_constants()};
  Variant fours = conv_variant(
      "float4_loads", "four outputs a thread", "ours",
      "A thread makes four neighbouring outputs of a row from loads of 16 bytes and one pixel on "
      "either side; forward and dgrad.",
      "Load instructions beside nchw_grid2d: a weight serves four outputs, and three loads serve "
      "twelve products. The sectors are the same.",
      float4_loads_steps);
  fours.constraints = {rows_of_fours()};
  Variant shape = conv_variant(
      "block_shape", "any block", "ours",
      "nchw_grid2d with blocks as wide and as high as two axes say; forward and dgrad.",
      "Occupancy beside time while the axes move: they do not move together.", block_shape_steps);
  shape.constraints = {layers_fit_grid(), block_fits()};
  Variant folded = conv_variant(
      "upsample_folded", "upsampling folded in", "ours",
      "Where nearest upsampling stands before the layer, four filters of 2×2 on the small map give "
      "what nine taps on the large one do: weights of equal pixels are added up first, and "
      "gradients of the sums go to each weight that stands in them. Products of tiles as in "
      "register_tiles, at Conv5 24 sums a thread; forward and wgrad. The small "
      "map is taken before the time begins.",
      "Flops, 16 products for 36, and bytes of DRAM: the large map is not read, and the "
      "upsampling before it would not be written.",
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
      "A block multiplies the weights of 64 outputs by the columns of 64 pixels, which it makes in "
      "shared memory 16 rows at a time; forward and dgrad.",
      "Bytes of DRAM beside im2col_cublas_strided, and the share of multiply-adds among the "
      "instructions beside nchw_grid2d. At Conv5 three outputs fill three of 64 rows.",
      implicit_gemm_steps);
  implicit.applies = convolves_maps;
  Variant split = conv_variant(
      "wgrad_split_k", "images shared out", "ours",
      "The sums of nchw_grid2d's wgrad over shares of the images, and a kernel that adds up the "
      "shares in one order.",
      "Blocks beside nchw_grid2d, and the bytes of the shares. Move the splits: two runs give the "
      "same bits at any of them.",
      wgrad_split_k_steps);
  split.applies = sums_weights;
  split.scratch = wgrad_split_k_scratch;
  return {std::move(implicit), std::move(split)};
}

std::vector<Variant> register_tiles() {
  Variant tiles = conv_variant(
      "register_tiles", "8×8 sums a thread", "ours",
      "A block multiplies the weights of 128 outputs by the columns of 128 pixels, which "
      "asynchronous copies make in shared memory 8 rows at a time, and a thread has 8×8 sums; "
      "weights are packed before, tap by tap, and where tiles are few the rows are shared out; "
      "forward and dgrad.",
      "The share of multiply-adds among the instructions beside implicit_gemm_fp32, and bytes of "
      "DRAM "
      "beside im2col_cublas_strided. At Conv5 three outputs fill three of 32 rows.",
      register_tiles_steps);
  tiles.scratch = register_tiles_scratch;
  tiles.applies = convolves_maps;
  Variant shares = conv_variant(
      "wgrad_register_tiles", "pixels shared out, 8×8 sums", "ours",
      "The gradient of weights as one product of tiles over all pixels of the batch, 8×8 sums a "
      "thread; the pixels are shared out until there are two blocks for each multiprocessor, and a "
      "kernel adds up the shares in one order. Biases are summed on the way.",
      "The share of multiply-adds among the instructions, and requests of loads, beside "
      "wgrad_split_k, where two loads serve a product; and the bytes of the shares.",
      wgrad_register_tiles_steps);
  shares.applies = sums_weights;
  shares.scratch = wgrad_register_tiles_scratch;
  return {std::move(tiles), std::move(shares)};
}

// Sums of six numbers that cancel, along either side of a window, before and behind a product, are
// allowed ten times the error of direct ones.
// And a rest of 1e-6 in gradients of weights of which every product is zero.
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
      "Sixteen products for four outputs where the direct sum has 36: windows of 4×4 pixels and "
      "filters become sixteen numbers each, which are multiplied as sixteen matrices by tiles, and "
      "sums of those are the outputs. The gradient of weights is the transpose: windows and 2×2 "
      "gradients become sixteen numbers each, sixteen products over all windows are shared out "
      "and added up in one order, and what they give becomes nine weights. It is held to the error "
      "of direct sums.",
      "Flops, which are those executed by the products: 4/9 of the direct ones, so that a rate "
      "of direct flops may pass the roof. Then the bytes of windows and sums, four numbers a "
      "pixel on either side, and the error.",
      2);
  Variant large = winograd_variant(
      "winograd_4x4", "Winograd F(4×4, 3×3)",
      "As winograd_2x2 with windows of 6×6 pixels: 36 products for sixteen outputs where the "
      "direct sum has 144. Sums before and behind a product have weights up to 8, and digits "
      "cancel "
      "in them: it is held to ten times the error of direct sums.",
      "The error beside winograd_2x2's, and what share it is of what is allowed. Then flops, 36 of "
      "144, and bytes, 2.25 numbers a pixel on either side in place of four.",
      4);
  Variant folded = winograd_variant(
      "winograd_folded", "Winograd on the small map",
      "Where nearest upsampling stands before the layer the pixels of a window come in pairs, and "
      "numbers that are differences of equals fall away: of the 36 products for sixteen outputs 25 "
      "are left, of the 16 for four 9. Windows are taken from the small map; forward and wgrad. "
      "The small map is taken before the time begins.",
      "Flops beside upsample_folded, which has 64 products for sixteen outputs; and the error at "
      "either tile.",
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
