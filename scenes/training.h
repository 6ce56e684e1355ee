// scenes/training.h: how the steps of a scene learn: from what, which weights, what to look
// at.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scenes/base/scene.h"

// A training runs the steps of one variant again and again: before each run the next batch is
// written into `input`; what the run leaves in `weights` is what the next one begins with, and
// `loss` holds one number. Batches come in the order of the set, epoch after epoch.
//
//   Result<TrainingSet> set = training.open(workload.axes, samples);
//   set->fill(step * batch, values);              // the batch of a step
//   steps that `makes_loss` alone run             // for images that are held out
//
// Weights that are kept outside of a buffer have one order whatever a variant's layout is:
// `from_buffer` and `to_buffer` turn one into the other.

namespace warpscope {

// The samples to learn from, followed by the held-out ones: both are whole batches.
struct TrainingSet {
  std::int64_t samples = 0, held_out = 0;
  std::int64_t dropped = 0;  // samples that do not fill a batch
  // Writes the input of the batch that begins at the sample `first`; the first one that is held out
  // is number `samples`.
  std::function<void(std::int64_t first, std::span<float> values)> fill;
};

struct TrainingTensor {
  std::string name;                 // "w of Conv1"
  std::vector<std::int64_t> shape;  // {256, 3, 3, 3}
  std::int64_t first = 0, count = 0;
};

// Made of buffers that the forward steps of a held-out batch left.
struct TrainingPicture {
  std::string name, caption;
  std::vector<std::string> reads;
  std::function<Raster(const Workload&, const Variant&, const HostBuffers&)> draw;
};

struct Training {
  std::vector<Axis> axes;  // `samples` and `epochs`: of a training, not of a point
  std::map<std::string, std::string> settings;  // axes that a training needs: {"part", "step"}
  std::string batch;                            // the axis that says how large a batch is
  std::string rate;                             // … and the learning rate
  std::string input, loss;                      // buffers of f32
  // Why the variant does not learn at this workload; no value: it does.
  std::function<std::optional<std::string>(const Variant&, const Workload&)> refusal;
  std::function<bool(const Step&)> makes_loss;  // of the forward pass: it changes no weight
  std::function<std::string(const Variant&, const Workload&)> weights;  // the buffer
  std::function<std::vector<float>(const Variant&, const Workload&, std::span<const float>)>
      from_buffer, to_buffer;
  std::function<std::vector<TrainingTensor>(const Configuration&)> tensors;
  std::string other_layout;  // that files of weights may have: "[out, 3, 3, in]", or none
  std::function<std::vector<float>(const Configuration&, std::span<const float>)> from_other_layout;
  // error: usage (fewer samples than a batch, none left to hold out), input (files).
  std::function<Result<TrainingSet>(const Configuration&, std::int64_t samples)> open;
  // A well-known figure for the loss: 20 dB for a mean of squares of 0.01.
  std::string quality, quality_label, quality_unit;
  std::function<double(double loss)> quality_of;
  std::vector<TrainingPicture> pictures;
  // The code of an input: a buffer of the forward pass, [batch, …] in one order.
  std::string latents;
  std::function<std::vector<float>(const Variant&, const Workload&, std::span<const float>)>
      latents_from_buffer;
  // The shape of one input's code, and of the input.
  std::function<std::vector<std::int64_t>(const Configuration&)> latent_shape, input_shape;
  // What the network makes of consecutive codes, with weights in their one order: inputs as `fill`
  // writes them. Runs on the processor.
  std::function<std::vector<float>(const Configuration&, std::span<const float> weights,
                                   std::span<const float> codes)>
      decode;
  // Inputs to look at, as many of the first ones as fit a picture.
  std::function<Raster(const Configuration&, std::span<const float> inputs)> draw;
};

std::int64_t weight_count(const Training& training, const Configuration& axes);

// The first reason why a variant cannot learn here: what keeps it from running (except limits that
// only keep a measurement short), or the training's own reason. No value: it learns.
std::optional<std::string> cannot_learn(const Training& training, const Variant& variant,
                                        const Workload& workload, const DeviceLimits& device);

}  // namespace warpscope
