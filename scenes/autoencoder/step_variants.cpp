// scenes/autoencoder/step_variants.cpp: the ladder of whole training steps.
#include <utility>

#include "scenes/autoencoder/constraints.h"
#include "scenes/autoencoder/net.h"
#include "scenes/autoencoder/step.h"
#include "scenes/autoencoder/variants.h"
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
      "cpu_sequential", "one thread of the processor",
      "The whole step as plain loops in f32, one image at a time, compiled with -O3 for any x86-64 "
      "processor and run by one thread. One sample is its time, and no sweep has it.",
      "Which layers take the time, beside the same layers in other rows. An epoch of 50 000 images "
      "is 50 000 times this image: extrapolated, not measured.",
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
      "naive_nhwc in every layer. Images are copied to the device as inputs and again as targets, "
      "and "
      "brought to NHWC; the loss is an atomic a pixel and goes to the host, back and to the host "
      "again; each of ten tensors has a launch of gradient descent.",
      "Times by layer: the gradients of weights have one thread each, and at both ends of the "
      "network there are 6912. And the gaps around the copies.",
      naive_level());
}

Variant faulty() {
  Variant v = step_variant(
      "step_naive_faulty", "naive step with a wrong gradient",
      "step_naive as the trainer behind this scene has it: the gradient of the loss is formed in "
      "NCHW and read as NHWC, Conv1's weights get theirs of an NCHW image read as NHWC, and the "
      "gradient of the image, which nobody needs, is written over the targets.",
      "The verdict: the loss is right, and so is every shape; a reference finds the fault.",
      faulty_level());
  v.applies = [whole_step = v.applies](const Configuration& axes) {
    return axes.has("broken") && axes.text("broken") == "on" && (!whole_step || whole_step(axes));
  };
  v.expected_fault = [](const Workload&) -> std::optional<std::string> {
    return "the gradient of the loss is formed in NCHW and read as NHWC: each pixel gets that of "
           "another pixel or channel, and no parameter's gradient is right";
  };
  return v;
}

Variant nchw() {
  Variant v = step_variant(
      "step_nchw", "step on planes, NCHW",
      "nchw_grid2d in every layer with its ReLU fused, pool_scatter and upsample_pixels between "
      "them; the copies, the loss and ten launches of descent are those of step_naive.",
      "Times by layer and by phase beside step_naive, and the gaps around the copies, which are "
      "the same.",
      nchw_level());
  v.constraints.insert(v.constraints.begin(), layers_fit_grid());
  return v;
}

Variant columns(bool strided) {
  Variant v = step_variant(
      strided ? "step_im2col_strided" : "step_im2col_loop",
      strided ? "step by columns, forward batched" : "step by columns, a product an image",
      strided
          ? "step_im2col_loop with one strided-batched product a layer in the forward pass; the "
            "gradients are products of single images."
          : "Columns and a product of the library for each image, in every layer and direction; "
            "the rest is that of step_nchw.",
      strided ? "Launches forward beside step_im2col_loop, and the same bytes of columns."
              : "Launches, 14 products an image of the batch, and bytes of columns, written and "
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
      library(
          "step_cudnn_fp32", "step on cuDNN, FMAs alone",
          "The library's convolutions, each by the algorithm that a timed search, or its "
          "heuristic, puts first, with bias and ReLU in the call, and its gradients of biases; "
          "whether its ReLU keeps NaN it does not promise. Around them kernels of ours: "
          "pool_windows, upsample_row_pairs, a loss in two stages, one launch of descent. As in "
          "our own steps images are on the device, the loss stays there, and all is one CUDA "
          "graph; an element may be off by 1e-6 beside the bound of f32, for algorithms that "
          "transform.",
          "Times by layer and phase: the bar for convolutions of ours. Which algorithms it "
          "chose stands with the measurement.",
          {}),
      library("step_cudnn_tf32", "step on cuDNN, TF32 allowed",
              "step_cudnn_fp32 with convolutions that may round their factors to TF32.",
              "Times by layer and phase beside step_cudnn_fp32: what tensor cores leave is not "
              "convolutions.",
              {.tf32 = true}),
      library(
          "step_cudnn_tf32_nhwc", "step on cuDNN, TF32, channels innermost",
          "step_cudnn_tf32 with maps and weights as [image, row, column, channel], as tensor "
          "cores want them, so that the library turns nothing around; images are brought to "
          "that layout first, and pools and upsamplings have channels as lanes.",
          "Times by layer beside step_cudnn_tf32, in which kernels of the library bring maps to "
          "this layout and back.",
          {.tf32 = true, .channels_innermost = true})};
}

}  // namespace

std::vector<Variant> step_variants() {
  std::vector<Variant> all = {cpu(), naive(), faulty(), nchw(), columns(false), columns(true)};
  for (Variant& v : libraries()) all.push_back(std::move(v));
  return all;
}

}  // namespace warpscope::autoencoder
