// scenes/autoencoder/layer_variants.cpp: the ladders of pools, upsamplings, the loss and gradient
// descent.
#include <utility>

#include "scenes/autoencoder/constraints.h"
#include "scenes/autoencoder/variants.h"

namespace warpscope::autoencoder {
namespace {

// Nothing is rounded.
constexpr Tolerance kSameBits = {.bit_exact = true};

// Three additions in f32, where four pixels are summed; a copy has every bit.
Tolerance upsample_tolerance(const Configuration& axes) {
  constexpr double kRounding = 0x1.0p-24;  // of one f32 result, as a share of it
  return backward(axes) ? Tolerance{.magnitude = 3 * kRounding} : kSameBits;
}

Variant pool_variant(std::string name, std::string label, std::string family, std::string sentence,
                     std::string look_at, std::function<Steps(const Workload&)> steps) {
  Variant v = part_variant(Part::pool, std::move(name), std::move(label), std::move(sentence),
                           std::move(look_at), std::move(steps));
  v.family = std::move(family);
  v.accuracy = "every bit";
  v.tolerance = kSameBits;
  return v;
}

std::vector<Variant> pools() {
  Variant fours = pool_variant(
      "pool_float4", "two windows a thread", "ours",
      "A thread owns two neighbouring windows: rows of 16 bytes, in and out.",
      "Requests beside pool_windows, for the same sectors; and whether the time follows where the "
      "bytes stay.",
      [](const Workload& w) { return window_steps(w, "pool_float4", 2); });
  fours.constraints = {rows_of_fours()};
  Variant library = pool_variant(
      "cudnn_pooling", "cuDNN", "library",
      "The library's pool, in the mode whose runs agree and in which NaN is no maximum. It keeps "
      "no "
      "places: forward a kernel of ours looks for them behind it, and backward, where it finds the "
      "maxima again, it gets a map that has them where the places say.",
      "The library's step beside pool_windows, forward without the step behind it. Backward, the "
      "bytes: both maps are read again, where a place alone would do.",
      cudnn_pooling_steps);
  library.scratch = cudnn_pooling_scratch;
  return {pool_variant("pool_scatter", "atomics to the winner", "seed",
                       "One thread an output; backward the gradient is cleared, and each thread "
                       "adds its own to the winner's by an atomic, though no two windows share a "
                       "pixel.",
                       "Sectors per load request: a lane takes every second word of two rows. "
                       "Backward, the bytes that the clearing writes.",
                       pool_scatter_steps),
          pool_variant("pool_windows", "a window a thread", "ours",
                       "A thread takes each row of its window at once, and backward writes all "
                       "four pixels of it: no clearing, no atomics.",
                       "Sectors per load request beside pool_scatter: rows of 8 bytes fill them.",
                       [](const Workload& w) { return window_steps(w, "pool_windows", 1); }),
          std::move(fours), std::move(library)};
}

std::vector<Variant> upsamplings() {
  const auto row = [](std::string name, std::string label, std::string sentence,
                      std::string look_at, std::function<Steps(const Workload&)> steps) {
    Variant v = part_variant(Part::upsample, std::move(name), std::move(label), std::move(sentence),
                             std::move(look_at), std::move(steps));
    v.tolerance_at = upsample_tolerance;
    return v;
  };
  Variant pixels = row("upsample_pixels", "a pixel a thread",
                       "One thread for every pixel that is written; backward it sums four pixels, "
                       "a word at a time.",
                       "Sectors per request: forward two lanes and two rows read the same word, "
                       "backward a lane takes every second word.",
                       upsample_pixels_steps);
  pixels.family = "seed";
  return {std::move(pixels),
          row("upsample_row_pairs", "two rows of two a thread",
              "A thread owns a pixel of the small map: two stores of 8 bytes, or two loads of 8 "
              "bytes and their sum.",
              "Requests beside upsample_pixels: a value is read once, and a row of two is one "
              "access.",
              [](const Workload& w) { return window_steps(w, "upsample_row_pairs", 1); })};
}

// A difference, a product, a quotient and the sum: 1e-6 holds for sums in a tree, and for a
// gradient near zero, whose difference is exact or rounded once.
constexpr Tolerance kOfTrees = {.reference = 1e-6};
// A running sum in f32 rounds at every addition, by at most 2⁻²⁴ of what it has reached; roundings
// of either sign grow with the root of their number, and four times that is not met by chance.
constexpr Tolerance kOfRunningSums = {.accumulation = 0x1.0p-22, .reference = 1e-6};

// The seed's three masks of a shuffle.
std::vector<Variant> masks() {
  struct Row {
    const char *name, *label, *who;
    std::int64_t lanes;
  };
  constexpr Row kRows[] = {
      {"loss_mask_all", "shuffles of 32 lanes", "Whoever the mask 0xffffffff names, all 32 lanes,",
       32},
      {"loss_mask_half", "shuffles of lanes 0 to 15",
       "Whoever the mask 0x0000ffff names, lanes 0 to 15,", 16},
      {"loss_mask_lane", "lane 0 alone", "Whoever the mask 0x00000001 names, lane 0,", 1}};
  std::vector<Variant> rows;
  for (const Row& row : kRows) {
    Variant v = part_variant(
        Part::loss, row.name, row.label,
        std::string(row.who) +
            " goes into a branch and adds up a warp; what the other lanes have comes through "
            "shared "
            "memory.",
        "Active lanes, and the words of shared memory that shuffles stand for. A shuffle waits for "
        "the lanes that its mask names: write 0xffffffff into the branch of sixteen lanes, and the "
        "emulator names those that do not come.",
        [lanes = row.lanes](const Workload& w) { return loss_mask_steps(w, lanes); });
    v.family = "seed";
    v.repeatable = false;
    v.tolerance = kOfRunningSums;
    rows.push_back(std::move(v));
  }
  return rows;
}

std::vector<Variant> losses() {
  const auto row = [](std::string name, std::string label, std::string sentence,
                      std::string look_at) {
    const std::string technique = name;
    Variant v = part_variant(Part::loss, std::move(name), std::move(label), std::move(sentence),
                             std::move(look_at),
                             [technique](const Workload& w) { return loss_steps(w, technique); });
    v.tolerance = kOfTrees;
    return v;
  };
  Variant each = row("loss_atomic_per_element", "an atomic a pixel",
                     "Every thread adds the square of its difference to one sum in memory; the "
                     "gradient is a kernel of its own.",
                     "Requests of atomics, which all meet at one address, and the error of a "
                     "running sum.");
  each.family = "seed";
  each.repeatable = false;
  each.tolerance = kOfRunningSums;
  Variant blocks = row("loss_block_atomic", "an atomic a block",
                       "A block adds up by shuffles and shared memory, and one thread of it adds "
                       "to the sum in memory.",
                       "Atomics: one for a block of 256 threads, in an order that is still another "
                       "one in each run.");
  blocks.repeatable = false;
  blocks.tolerance = kOfRunningSums;
  Variant stages = row("loss_two_stage", "two stages, fixed order",
                       "Blocks leave a sum each, and one block adds those up: two runs give the "
                       "same bits.",
                       "The second launch beside its work: one block.");
  Variant fused = row("loss_fused_gradient", "loss and gradient in one pass",
                      "The pass that sums the squares writes the gradient as well.",
                      "Bytes read: one pass over both inputs makes the loss and the gradient.");
  Variant one =
      row("loss_one_kernel", "loss and gradient in one launch",
          "loss_fused_gradient whose blocks count themselves: the one that comes last adds "
          "up the sums of all, in one order, so that two runs give the same bits.",
          "Launches: the second stage is a block of the first. And its cost: a fence and "
          "an atomic a block, on one address.");
  for (Variant* v : {&stages, &fused, &one}) v->scratch = loss_scratch;
  std::vector<Variant> all = {std::move(each), std::move(blocks)};
  for (Variant& v : masks()) all.push_back(std::move(v));
  all.push_back(std::move(stages));
  all.push_back(std::move(fused));
  all.push_back(std::move(one));
  return all;
}

std::vector<Variant> descents() {
  const auto row = [](std::string name, std::string label, std::string sentence,
                      std::string look_at, Steps (*steps)(const Workload&)) {
    Variant v = part_variant(Part::sgd, std::move(name), std::move(label), std::move(sentence),
                             std::move(look_at), steps);
    v.tolerance = {.magnitude = 1e-6};
    return v;
  };
  Variant ten = row(
      "sgd_ten_launches", "a launch a tensor", "Weights and biases of five layers, a launch each.",
      "The ten steps' times: a tensor of 3 numbers beside one of 295 thousand.", sgd_ten_steps);
  ten.family = "seed";
  return {std::move(ten),
          row("sgd_one_launch", "one launch",
              "The tensors lie one behind the other, and one launch takes all of them.",
              "Its time beside the sum of ten, and beside the longest of them.", sgd_one_step)};
}

}  // namespace

std::vector<Variant> layer_variants() {
  std::vector<Variant> all;
  for (const auto made : {pools, upsamplings, losses, descents}) {
    for (Variant& v : made()) all.push_back(std::move(v));
  }
  return all;
}

}  // namespace warpscope::autoencoder
