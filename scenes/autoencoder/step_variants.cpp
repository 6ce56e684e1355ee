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

Variant library(bool tf32) {
  Variant v = step_variant(
      tf32 ? "step_cudnn_tf32" : "step_cudnn_fp32",
      tf32 ? "step on cuDNN, TF32 allowed" : "step on cuDNN, FMAs alone",
      tf32 ? "step_cudnn_fp32 with convolutions that may round their factors to TF32."
           : "The library's convolutions, each by the algorithm that a timed search, or its "
             "heuristic, puts first, but for gradients of weights Winograd and FFT, which leave "
             "rests where every product is zero; bias and ReLU, pools, upsamplings, loss, descent "
             "and copies are those of step_im2col_loop. Its pools keep no places of maxima, so "
             "that ours stay.",
      tf32
          ? "Times by layer and phase beside step_cudnn_fp32: what tensor cores leave is not "
            "convolutions."
          : "Times by layer and phase: the bar for convolutions of ours. Which algorithms it chose "
            "stands with the measurement.",
      cudnn_level(tf32, true));
  v.family = "library";
  v.steps = [tf32](const Workload& w) {
    return step_steps(w, cudnn_level(tf32, searches_algorithms(w.axes)));
  };
  v.constraints.insert(v.constraints.begin(), tensors_begin_aligned());
  if (!tf32) return v;
  v.accuracy = "TF32 products, chained";
  v.reference = "direct_tf32";
  v.pipe = Pipe::wgmma_tf32;
  return v;
}

}  // namespace

std::vector<Variant> step_variants() {
  return {cpu(),          naive(),       faulty(),       nchw(),
          columns(false), columns(true), library(false), library(true)};
}

}  // namespace warpscope::autoencoder
