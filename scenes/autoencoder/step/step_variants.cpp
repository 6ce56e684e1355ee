// scenes/autoencoder/step/step_variants.cpp: the ladder of whole training steps.
#include <utility>

#include "scenes/autoencoder/constraints.h"
#include "scenes/autoencoder/net.h"
#include "scenes/autoencoder/step/step.h"
#include "scenes/autoencoder/variants/variants.h"
#include "scenes/autoencoder/work.h"

namespace warpscope::autoencoder {
namespace {

// The reference says how far f32 may be off at each element, in roundoffs: see net.h.
constexpr Tolerance kOfSteps = {.accumulation = kBound * kRoundoff};

Variant step_variant(std::string name, std::string label, std::string sentence, std::string look_at,
                     const Level& level) {
  Variant v =
      part_variant(Part::step, std::move(name), std::move(label), std::move(sentence),
                   std::move(look_at), [level](const Workload& w) { return step_steps(w, level); });
  v.family = "seed";
  v.reference = level.nhwc ? "direct_nhwc" : "direct";
  v.accuracy = "f32, chained";
  v.tolerance = kOfSteps;
  v.repeatable = false;  // the loss is summed by atomics
  v.scratch = [level](const Workload& w) { return step_scratch(w, level); };
  v.constraints = {step_fits_memory(v.scratch)};
  return v;
}

Variant cpu() {
  Variant v = step_variant(
      "cpu_sequential", "one CPU thread",
      "The whole step as plain f32 loops, one image at a time, compiled with -O3 for any x86-64 "
      "CPU and run by one thread. Its time is a single sample, and sweeps leave it out.",
      "Which layers take the time, compared with other variants. An epoch of 50 000 images is 50 "
      "000 times this image: extrapolated, not measured.",
      cpu_level());
  v.own_kernels = false;
  v.repeatable = true;
  v.measured_once = true;
  v.constraints.push_back(one_image());
  return v;
}

Variant naive() {
  return step_variant(
      "step_naive", "naive step, NHWC",
      "naive_nhwc in every layer. Images are copied to the GPU as inputs and again as targets, and "
      "converted to NHWC. The loss takes one atomic per pixel and is copied to the host, back, and "
      "to the host again. Each of ten tensors has its own launch for the SGD update.",
      "Times by layer: a weight gradient has one thread per weight, and the first and last layers "
      "have 6912. And the gaps around the copies.",
      naive_level());
}

Variant faulty() {
  Variant v = step_variant(
      "step_naive_faulty", "naive step with a wrong gradient",
      "step_naive with the published trainer's errors. The gradient of the loss is computed in "
      "NCHW and read as NHWC. Conv1's weight gradient reads an NCHW image as NHWC. The gradient of "
      "the image, which nothing needs, overwrites the targets.",
      "The verdict: the loss and all shapes are right, and the reference still finds the fault.",
      faulty_level());
  v.applies = [whole_step = v.applies](const Configuration& axes) {
    return axes.has("broken") && axes.text("broken") == "on" && (!whole_step || whole_step(axes));
  };
  v.expected_fault = [](const Workload&) -> std::optional<std::string> {
    return "the gradient of the loss is computed in NCHW and read as NHWC: each pixel gets the "
           "gradient of another pixel or channel, and no parameter's gradient is right";
  };
  return v;
}

Variant nchw() {
  Variant v = step_variant(
      "step_nchw", "step on planes, NCHW",
      "nchw_grid2d in every layer with its ReLU fused, and pool_scatter and upsample_pixels "
      "between them. The copies, the loss and the ten update launches are those of step_naive.",
      "Times by layer and phase compared with step_naive, and the gaps around the copies, which "
      "are the same.",
      nchw_level());
  v.constraints.insert(v.constraints.begin(), layers_fit_grid());
  return v;
}

Variant columns(bool strided) {
  Variant v = step_variant(
      strided ? "step_im2col_strided" : "step_im2col_loop",
      strided ? "step by im2col, forward batched" : "step by im2col, product per image",
      strided ? "step_im2col_loop with one strided-batched product per layer in the forward pass. "
                "The gradients are products of single images."
              : "Columns and one cuBLAS product per image, in every layer and direction. The rest "
                "is that of step_nchw.",
      strided ? "Forward launches compared with step_im2col_loop, for the same bytes of columns."
              : "Launches: 14 products per image of the batch. And bytes of columns, written and "
                "read again in all three directions, layer by layer.",
      im2col_level(strided));
  v.constraints.insert(v.constraints.begin(), columns_fit_32_bits());
  charge_columns(v);
  return v;
}

Variant library(std::string name, std::string label, std::string sentence, std::string look_at,
                CudnnRow row) {
  Variant v = step_variant(std::move(name), std::move(label), std::move(sentence),
                           std::move(look_at), cudnn_level(row));
  v.family = "library";
  v.steps = [row](const Workload& w) {
    CudnnRow at = row;
    at.searches = searches_algorithms(w.axes);
    return step_steps(w, cudnn_level(at));
  };
  v.submission = [](const Configuration&) { return Submission::graph; };
  v.constraints.insert(v.constraints.begin(), tensors_begin_aligned());
  // As of step_fused_winograd: algorithms that transform leave rests of that size.
  v.tolerance.absolute = kRestOfTransforms;
  if (!row.tf32) return v;
  v.accuracy = "TF32 products, chained";
  v.league = "tf32";
  v.reference = row.channels_innermost ? "direct_tf32_nhwc" : "direct_tf32";
  v.pipe = Pipe::wgmma_tf32;
  return v;
}

std::vector<Variant> libraries() {
  return {
      library("step_cudnn_fp32", "step on cuDNN, FMAs alone",
              "cuDNN's convolutions and bias gradients, each with the algorithm that a timed "
              "search or its heuristic puts first, with bias and ReLU in the call. cuDNN does not "
              "promise that this ReLU keeps NaN. The rest are kernels of ours: pool_windows, "
              "upsample_row_pairs, a loss in two stages, one update launch. As in our own steps, "
              "images are on the GPU, the loss stays there, and all is one CUDA graph. In addition "
              "to the f32 bound an element may be off by 1e-6, for algorithms that transform.",
              "Times by layer and phase, to compare with convolutions of ours. The chosen "
              "algorithms are shown with the measurement.",
              {}),
      library("step_cudnn_tf32", "step on cuDNN, TF32 allowed",
              "step_cudnn_fp32 with convolutions that may round their factors to TF32.",
              "Times by layer and phase compared with step_cudnn_fp32: what remains with tensor "
              "cores is not convolutions.",
              {.tf32 = true}),
      library("step_cudnn_tf32_nhwc", "step on cuDNN, TF32, channels innermost",
              "step_cudnn_tf32 with maps and weights as [image, row, column, channel], as tensor "
              "cores need them, so that cuDNN converts no layout. Images are converted to it "
              "first, and in pools and upsamplings lanes are channels.",
              "Times by layer compared with step_cudnn_tf32, in which cuDNN's kernels convert maps "
              "to this layout and back.",
              {.tf32 = true, .channels_innermost = true})};
}

}  // namespace

std::vector<Variant> step_variants() {
  std::vector<Variant> all = {cpu(), naive(), faulty(), nchw(), columns(false), columns(true)};
  for (Variant& v : libraries()) all.push_back(std::move(v));
  return all;
}

}  // namespace warpscope::autoencoder
