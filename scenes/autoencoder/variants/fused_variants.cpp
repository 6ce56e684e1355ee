// scenes/autoencoder/variants/fused_variants.cpp: whole training steps of few launches.
#include <utility>

#include "scenes/autoencoder/constraints.h"
#include "scenes/autoencoder/net.h"
#include "scenes/autoencoder/step/fused_step.h"
#include "scenes/autoencoder/steps/winograd_steps.h"
#include "scenes/autoencoder/variants/variants.h"

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
      "step_fused_fp32 as one CUDA graph, captured during preparation. Images are already on the "
      "GPU, as there.",
      "The gaps between kernels compared with step_fused_fp32. The kernels are the same.");
  graph.submission = [](const Configuration&) { return Submission::graph; };
  Variant transformed = fused_variant(
      "step_fused_winograd", "fused step, Conv2 to Conv4 by Winograd",
      "step_graph with Conv2, Conv3 and Conv4 by Winograd in all three directions. 4×4 outputs "
      "take 36 products, or 25 after the upsampling, instead of 144. 2×2 outputs take 16, or 9, "
      "instead of 36. Pools, their gradients and those of ReLUs and the upsampling are fused into "
      "the output sums. Weight gradients reuse the windows of the forward pass. One CUDA graph. In "
      "addition to the f32 bound an element may be off by 1e-6, because a window's sums leave a "
      "remainder even if every product is zero.",
      "Flops with each tile, time and bytes of Conv2 to Conv4 compared with step_graph, and how "
      "near the verdict's largest error comes to the allowed one.",
      winograd_tile);
  transformed.submission = graph.submission;
  transformed.tolerance.absolute = kRestOfTransforms;
  return {fused_variant(
              "step_fused_fp32", "fused step, f32",
              "Tiled products with 8×8 sums per thread. The pools after Conv1 and Conv2, the "
              "upsamplings before Conv4 and Conv5, and every ReLU and its gradient are fused. Long "
              "sums are split and added in a fixed order. One launch packs all weights, one "
              "computes loss and gradient, one updates all ten tensors. Images are on the GPU and "
              "the loss stays there, so there is no copy. It uses no tensor cores.",
              "Flops: Conv4 and Conv5 need four ninths of theirs, so a step executes 48.5 GFLOP "
              "instead of 66.1 at the defaults. Then times by layer and phase compared with "
              "step_cudnn_fp32, and the share of multiply-adds in the instructions."),
          std::move(transformed), std::move(graph)};
}

}  // namespace warpscope::autoencoder
