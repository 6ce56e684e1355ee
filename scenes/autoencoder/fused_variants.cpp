// scenes/autoencoder/fused_variants.cpp: whole training steps of few launches.
#include <utility>

#include "scenes/autoencoder/constraints.h"
#include "scenes/autoencoder/fused_step.h"
#include "scenes/autoencoder/net.h"
#include "scenes/autoencoder/variants.h"
#include "scenes/autoencoder/winograd_steps.h"

namespace warpscope::autoencoder {
namespace {

std::int64_t by_tiles(const Configuration&) { return 0; }

Variant fused_variant(std::string name, std::string label, std::string sentence,
                      std::string look_at,
                      std::int64_t (*winograd)(const Configuration&) = by_tiles) {
  Variant v = part_variant(
      Part::step, std::move(name), std::move(label), std::move(sentence), std::move(look_at),
      [winograd](const Workload& w) { return fused_step_steps(w, winograd(w.axes)); });
  v.accuracy = "f32, chained";
  // The reference says how far f32 may be off at each element, in roundoffs: see net.h.
  v.tolerance = {.accumulation = kBound * kRoundoff};
  v.scratch = [winograd](const Workload& w) { return fused_step_scratch(w, winograd(w.axes)); };
  v.constraints = {step_fits_memory(v.scratch)};
  charge(v, "model.flops", [winograd](const Workload& w) -> std::optional<double> {
    return fused_step_flops(w.axes, winograd(w.axes));
  });
  return v;
}

}  // namespace

std::vector<Variant> fused_variants() {
  Variant graph = fused_variant(
      "step_graph", "fused step as one graph",
      "step_fused_fp32 as one CUDA graph, whose capture belongs to what is prepared; images are on "
      "the device as there.",
      "The gaps between kernels beside step_fused_fp32, and nothing else: the kernels are the "
      "same.");
  graph.submission = [](const Configuration&) { return Submission::graph; };
  Variant transformed = fused_variant(
      "step_fused_winograd", "fused step, Conv2 to Conv4 by Winograd",
      "step_graph with Conv2, Conv3 and Conv4 by Winograd's windows in all three directions: of "
      "4×4 outputs 36 products for sixteen, or 25 behind the upsampling, where direct sums have "
      "144; of 2×2 outputs 16 for four, or 9, where they have 36. Pools, their gradients and "
      "those of ReLUs and of the upsampling are in the sums behind them; gradients of weights take "
      "the windows that the forward pass left. One CUDA graph. Beside the bound of f32 an element "
      "may be off by 1e-6, as a window's sums leave a rest where every product is zero.",
      "Flops at either tile; time and bytes of Conv2 to Conv4 beside step_graph; and how near the "
      "verdict's largest error comes to what is allowed.",
      winograd_tile);
  transformed.submission = graph.submission;
  transformed.tolerance.absolute = kRestOfTransforms;
  return {fused_variant(
              "step_fused_fp32", "fused step, f32",
              "Products of tiles, 8×8 sums a thread, with the pools behind Conv1 and Conv2, the "
              "upsamplings before Conv4 and Conv5 and every ReLU and its gradient done on the way; "
              "long sums are shared out and added up in one order; one launch packs all weights, "
              "one makes loss and gradient, one updates all ten tensors. Images are on the device, "
              "and the loss stays there: there is no copy. No tensor core multiplies.",
              "Flops: Conv4 and Conv5 have four ninths of theirs, so that a step executes 48.5 "
              "GFLOP of 66.1 at the defaults. Then times by layer and phase beside "
              "step_cudnn_fp32, and the share of multiply-adds among the instructions."),
          std::move(transformed), std::move(graph)};
}

}  // namespace warpscope::autoencoder
