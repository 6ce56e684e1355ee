// scenes/autoencoder/training/training.cpp: how a whole training step of `autoencoder` learns.
#include "scenes/autoencoder/training/training.h"

#include <cmath>
#include <set>
#include <utility>

#include "scenes/autoencoder/inputs/decoder.h"
#include "scenes/autoencoder/inputs/net_reference.h"
#include "scenes/autoencoder/shapes.h"
#include "scenes/autoencoder/training/training_pictures.h"
#include "scenes/autoencoder/training/training_set.h"
#include "scenes/base/step_buffers.h"

namespace warpscope::autoencoder {
namespace {

constexpr const char* kParameters = "parameters";
constexpr const char* kParametersNhwc = "parameters_nhwc";
constexpr double kMostSamples = 50000;  // images of CIFAR-10's five files

std::vector<Axis> training_axes() {
  return {
      typed_from(
          whole_axis(
              "samples", "samples", "images",
              "Images of an epoch, in their order. Those that do not fill a batch are left out.",
              AxisScale::log, Binding::argument, 64, kMostSamples, 1024,
              {64, 256, 1024, 4096, 10000, kMostSamples}),
          1, kMostSamples),
      typed_from(
          whole_axis("epochs", "epochs", "epochs", "Number of passes over all samples.",
                     AxisScale::log, Binding::argument, 1, 100, 5, {1, 2, 5, 10, 20, 50, 100}),
          1, 10000)};
}

std::string weights_of(const Variant& variant, const Workload& w) {
  return channels_innermost(variant, w) ? kParametersNhwc : kParameters;
}

std::vector<float> from_nhwc(const Configuration& axes, std::span<const float> values) {
  std::vector<float> turned(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    turned[static_cast<std::size_t>(as_nchw(axes, static_cast<std::int64_t>(i)))] = values[i];
  return turned;
}

std::vector<float> to_nhwc(const Configuration& axes, std::span<const float> values) {
  std::vector<float> turned(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    turned[i] = values[static_cast<std::size_t>(as_nchw(axes, static_cast<std::int64_t>(i)))];
  return turned;
}

std::vector<TrainingTensor> tensors(const Configuration& axes) {
  std::vector<TrainingTensor> all;
  const std::vector<Tensor> those = tensors_of(axes);
  for (std::size_t t = 0; t < those.size(); ++t) {
    const Conv conv = conv_named(axes, conv_layers()[t / 2]);
    TrainingTensor tensor{those[t].name, {conv.out}, those[t].first, those[t].count};
    if (those[t].in != 0) tensor.shape = {conv.out, conv.in, 3, 3};
    all.push_back(std::move(tensor));
  }
  return all;
}

std::optional<std::string> refusal(const Variant& variant, const Workload& w) {
  // What is wrong on purpose has a reason of its own.
  const bool elsewhere = variant.applies && !variant.expected_fault && !variant.applies(w.axes);
  if (part_of(w.axes) != Part::step || elsewhere)
    return "it is not a whole training step; set part=step";
  return std::nullopt;
}

}  // namespace

bool channels_innermost(const Variant& variant, const Workload& w) {
  for (const Step& step : variant.steps(w)) {
    if (buffers_of(step).count(kParametersNhwc) != 0) return true;
  }
  return false;
}

Training training() {
  Training t;
  t.axes = training_axes();
  t.settings = {{"part", "step"}};
  t.batch = "batch";
  t.rate = "lr";
  t.input = "x";
  t.loss = "loss";
  t.refusal = refusal;
  t.makes_loss = [](const Step& step) {
    const auto phase = step.tags.find("phase");
    return phase != step.tags.end() && phase->second == "forward";
  };
  t.weights = weights_of;
  t.from_buffer = [](const Variant& v, const Workload& w, std::span<const float> values) {
    if (channels_innermost(v, w)) return from_nhwc(w.axes, values);
    return std::vector<float>(values.begin(), values.end());
  };
  t.to_buffer = [](const Variant& v, const Workload& w, std::span<const float> values) {
    if (channels_innermost(v, w)) return to_nhwc(w.axes, values);
    return std::vector<float>(values.begin(), values.end());
  };
  t.tensors = tensors;
  t.other_layout = "[out, 3, 3, in]";
  t.from_other_layout = from_nhwc;
  t.open = training_set;
  t.quality = "psnr";
  t.quality_label = "PSNR of held-out images";
  t.quality_unit = "dB";
  // The peak is 1: pixels go from 0 to 1.
  t.quality_of = [](double loss) { return -10 * std::log10(loss); };
  t.pictures = training_pictures();
  t.latents = "p2";
  t.latents_from_buffer = [](const Variant& v, const Workload& w, std::span<const float> values) {
    const Conv conv = conv_named(w.axes, "Conv2");
    return as_planes(values, conv.images, conv.out, conv.side / 2, channels_innermost(v, w));
  };
  t.latent_shape = [](const Configuration& axes) {
    const Conv conv = conv_named(axes, "Conv2");
    return std::vector<std::int64_t>{conv.out, conv.side / 2, conv.side / 2};
  };
  t.input_shape = [](const Configuration& axes) {
    const std::int64_t side = axes.integer("size");
    return std::vector<std::int64_t>{kImageChannels, side, side};
  };
  t.decode = decoded;
  t.draw = drawn_images;
  return t;
}

}  // namespace warpscope::autoencoder
