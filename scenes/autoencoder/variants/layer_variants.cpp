// scenes/autoencoder/variants/layer_variants.cpp: the ladders of pools, upsamplings, the loss and
// the SGD update.
#include <utility>

#include "scenes/autoencoder/constraints.h"
#include "scenes/autoencoder/variants/variants.h"

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
  Variant fours =
      pool_variant("pool_float4", "two windows per thread", "ours",
                   "A thread owns two neighbouring windows and reads and writes 16 bytes per row.",
                   "Requests compared with pool_windows, for the same sectors, and whether the "
                   "time changes although the bytes do not.",
                   [](const Workload& w) { return window_steps(w, "pool_float4", 2); });
  fours.constraints = {rows_of_fours()};
  Variant library = pool_variant(
      "cudnn_pooling", "cuDNN", "library",
      "cuDNN's pool, in the deterministic mode, in which NaN is not a maximum. It does not store "
      "the places of maxima: forward, a kernel of ours finds them afterwards. Backward, cuDNN "
      "finds the maxima again, so it gets a map that has them at the given places.",
      "cuDNN's step compared with pool_windows, forward without the step after it. Backward, the "
      "bytes: it reads both maps again, although the places would suffice.",
      cudnn_pooling_steps);
  library.scratch = cudnn_pooling_scratch;
  return {pool_variant(
              "pool_scatter", "atomics to the winner", "seed",
              "One thread per output. Backward, the gradient is cleared, and each thread adds its "
              "own to the winning pixel by an atomic, although no two windows share a pixel.",
              "Sectors per load request: a lane reads every second word of two rows. Backward, the "
              "bytes written by the clearing.",
              pool_scatter_steps),
          pool_variant(
              "pool_windows", "one window per thread", "ours",
              "A thread loads each row of its window at once. Backward, it writes all four pixels "
              "of the window: no clearing, no atomics.",
              "Sectors per load request compared with pool_scatter: 8 bytes per lane fill them.",
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
  Variant pixels = row(
      "upsample_pixels", "one pixel per thread",
      "One thread per pixel that is written. Backward, it sums four pixels, one word at a time.",
      "Sectors per request: forward, two lanes and two rows read the same word. Backward, a lane "
      "reads every second word.",
      upsample_pixels_steps);
  pixels.family = "seed";
  return {std::move(pixels),
          row("upsample_row_pairs", "two rows of two per thread",
              "A thread owns a pixel of the small map: two 8-byte stores, or two 8-byte loads and "
              "their sum.",
              "Requests compared with upsample_pixels: a value is read once, and a row of two is "
              "one access.",
              [](const Workload& w) { return window_steps(w, "upsample_row_pairs", 1); })};
}

// A difference, a product, a quotient and the sum: 1e-6 holds for sums in a tree, and for a
// gradient near zero, whose difference is exact or rounded once.
constexpr Tolerance kOfTrees = {.reference = 1e-6};
// A running sum in f32 rounds at every addition, by at most 2⁻²⁴ of what it has reached; roundings
// of either sign grow with the root of their number, and four times that is not met by chance.
constexpr Tolerance kOfRunningSums = {.accumulation = 0x1.0p-22, .reference = 1e-6};

// The three published masks of a shuffle.
std::vector<Variant> masks() {
  struct Row {
    const char *name, *label, *who;
    std::int64_t lanes;
  };
  constexpr Row kRows[] = {
      {"loss_mask_all", "shuffles of 32 lanes", "The lanes named by the mask 0xffffffff, all 32,",
       32},
      {"loss_mask_half", "shuffles of lanes 0 to 15",
       "The lanes named by the mask 0x0000ffff, 0 to 15,", 16},
      {"loss_mask_lane", "lane 0 alone", "The lane named by the mask 0x00000001, lane 0,", 1}};
  std::vector<Variant> rows;
  for (const Row& row : kRows) {
    Variant v =
        part_variant(Part::loss, row.name, row.label,
                     std::string(row.who) +
                         " enter a branch and add up the values of a warp. Those of the other "
                         "lanes come through shared memory.",
                     "Active lanes, and the shared-memory words that shuffles replace. A shuffle "
                     "waits for the lanes that its mask names. Write 0xffffffff into the branch of "
                     "16 lanes, and the emulator names the lanes that do not arrive.",
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
  Variant each =
      row("loss_atomic_per_element", "one atomic per pixel",
          "Each thread adds the square of its difference to one sum in memory. The gradient is a "
          "separate kernel.",
          "Atomic requests, which all go to one address, and the error of a running sum.");
  each.family = "seed";
  each.repeatable = false;
  each.tolerance = kOfRunningSums;
  Variant blocks =
      row("loss_block_atomic", "one atomic per block",
          "A block adds up with shuffles and shared memory, and one of its threads adds to the sum "
          "in memory.",
          "Atomics: one per block of 256 threads, still in a different order in each run.");
  blocks.repeatable = false;
  blocks.tolerance = kOfRunningSums;
  Variant stages =
      row("loss_two_stage", "two stages, fixed order",
          "Each block stores a sum, and one block adds those: two runs give the same bits.",
          "The cost of the second launch, which has one block.");
  Variant fused = row("loss_fused_gradient", "loss and gradient in one pass",
                      "The pass that sums the squares also writes the gradient.",
                      "Bytes read: one pass over both inputs computes the loss and the gradient.");
  Variant one = row("loss_one_kernel", "loss and gradient in one launch",
                    "As loss_fused_gradient, but blocks count themselves: the last one adds the "
                    "sums of all in a fixed order, so that two runs give the same bits.",
                    "Launches: a block of the first stage does the second. Its cost: one fence and "
                    "one atomic per block, to one address.");
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
  Variant ten =
      row("sgd_ten_launches", "one launch per tensor",
          "Weights and biases of five layers, one launch each.",
          "The times of the ten launches: one tensor has 3 numbers, another 295 thousand.",
          sgd_ten_steps);
  ten.family = "seed";
  return {std::move(ten),
          row("sgd_one_launch", "one launch",
              "The tensors are stored one after the other, and one launch updates all of them.",
              "Its time compared with the sum of the ten, and with the longest of them.",
              sgd_one_step)};
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
