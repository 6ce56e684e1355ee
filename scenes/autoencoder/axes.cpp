// scenes/autoencoder/axes.cpp: what can be varied in `autoencoder`.
#include "scenes/autoencoder/axes.h"

#include <algorithm>
#include <string>
#include <utility>

#include "scenes/autoencoder/inputs/images.h"
#include "scenes/autoencoder/inputs/inputs.h"
#include "scenes/autoencoder/shapes.h"

namespace warpscope::autoencoder {
namespace {

bool convolves(const Configuration& c) { return part_of(c) == Part::conv; }
bool convolves_maps(const Configuration& c) {
  return convolves(c) && direction_of(c) != Direction::wgrad;
}
bool sums_weights(const Configuration& c) {
  return convolves(c) && direction_of(c) == Direction::wgrad;
}
bool pools(const Configuration& c) {
  return part_of(c) == Part::pool || part_of(c) == Part::conv_pool;
}
bool upsamples(const Configuration& c) { return part_of(c) == Part::upsample; }
bool calls_library(const Configuration& c) { return convolves(c) || part_of(c) == Part::step; }
bool has_passes(const Configuration& c) { return pools(c) || upsamples(c); }
bool has_maps(const Configuration& c) { return part_of(c) != Part::sgd; }
bool has_channels(const Configuration& c) { return part_of(c) != Part::loss; }
bool learns(const Configuration& c) { return part_of(c) == Part::sgd || part_of(c) == Part::step; }

Axis data_file() {
  Axis axis;
  axis.name = "data_file";
  axis.label = "CIFAR-10 file";
  axis.description =
      "A file of the binary version (data_batch_1.bin), or the folder that holds data_batch_1.bin "
      "to data_batch_5.bin. The first images are taken.";
  axis.kind = AxisKind::file;
  axis.takes = {".bin", "/"};
  axis.binds = Binding::input;
  axis.default_value = std::string();
  return only_where(std::move(axis), from_file);
}

std::vector<Axis> choices() {
  return {
      choice_axis("part", "part",
                  "The operator of the network: a convolution, a convolution and the pool after "
                  "it, a pool, an upsampling, the loss, the SGD update with given gradients, or a "
                  "whole training step.",
                  {"conv", "conv_pool", "pool", "upsample", "loss", "sgd", "step"}),
      only_where(
          choice_axis("layer", "convolution", "One of the five convolutions.", conv_layers()),
          convolves),
      only_where(
          choice_axis("pool_layer", "pool", "Which pool; with a convolution, the one before it.",
                      {"Pool1", "Pool2"}),
          pools),
      only_where(choice_axis("up_layer", "upsampling", "Which upsampling.", {"Up1", "Up2"}),
                 upsamples),
      only_where(choice_axis("direction", "direction",
                             "forward: the output, with bias and ReLU. dgrad: the gradient of the "
                             "input. wgrad: the gradients of weights and biases.",
                             {"forward", "dgrad", "wgrad"}),
                 convolves),
      only_where(choice_axis("pass", "pass",
                             "forward: the output. backward: the gradient of the input, or of a "
                             "convolution with its pool those of weights and biases.",
                             {"forward", "backward"}),
                 has_passes),
  };
}

// What has to divide the images' side, so that every map up to this one has a whole side.
std::int64_t side_divisor(const Configuration& c) {
  if (convolves(c)) {
    const std::string& layer = c.text("layer");
    return layer == "Conv3" ? 4 : layer == "Conv2" || layer == "Conv4" ? 2 : 1;
  }
  if (part_of(c) == Part::step) return 4;
  if (pools(c)) return c.text("pool_layer") == "Pool2" ? 4 : 2;
  return upsamples(c) ? (c.text("up_layer") == "Up1" ? 4 : 2) : 1;
}

std::string layer_name(const Configuration& c) {
  if (part_of(c) == Part::step) return "Conv3";
  return c.text(convolves(c) ? "layer" : upsamples(c) ? "up_layer" : "pool_layer");
}

Axis algorithm_search() {
  Axis axis = choice_axis("search", "algorithm search",
                          "How cuDNN's algorithm is chosen before timing starts. on: each is "
                          "timed. off: the first that its heuristic names.",
                          {"on", "off"}, Binding::argument);
  axis.of_variants = {"cudnn_fp32",          "cudnn_tf32",      "cudnn_fused_fp32",
                      "cudnn_fused_tf32",    "step_cudnn_fp32", "step_cudnn_tf32",
                      "step_cudnn_tf32_nhwc"};
  return only_where(std::move(axis), calls_library);
}

bool steps_whole(const Configuration& c) { return part_of(c) == Part::step; }

Axis second_branch() {
  Axis axis = choice_axis("branches", "branches",
                          "Whether the step's graph has a second branch: filters parallel to the "
                          "images' columns, and backward weight gradients and their updates "
                          "parallel to the gradients of maps. off: a chain.",
                          {"on", "off"}, Binding::launch_shape);
  axis.of_variants = {"step_fused_tf32x3", "step_fused_tf32", "step_fused_bf16"};
  return only_where(std::move(axis), steps_whole);
}

Axis shared_sums() {
  Axis axis = choice_axis("share_blocks", "blocks per share",
                          "Blocks of a cluster that add their parts of a weight gradient before "
                          "storing one share. 1: each block stores its own.",
                          {"1", "2", "4"}, Binding::compile_time);
  axis.of_variants = {"implicit_gemm_tf32x3", "implicit_gemm_tf32", "implicit_gemm_bf16",
                      "step_fused_tf32x3",    "step_fused_tf32",    "step_fused_bf16"};
  return only_where(std::move(axis), [](const Configuration& c) {
    return part_of(c) == Part::step ||
           (part_of(c) == Part::conv && direction_of(c) == Direction::wgrad);
  });
}

Axis windows_of_outputs() {
  Axis axis = choice_axis(
      "winograd_tile", "Winograd tile",
      "Outputs per window: 4×4 needs fewer products but loses more accuracy to cancellation.",
      {"4×4", "2×2"}, Binding::compile_time);
  axis.of_variants = {"winograd_folded", "step_fused_winograd"};
  return only_where(std::move(axis), [](const Configuration& c) {
    return part_of(c) == Part::step ||
           (convolves(c) && direction_of(c) != Direction::dgrad && conv_of(c).behind_upsample);
  });
}

// The last of the axes, so that draws at random of the others stay what they were.
Axis broken_variants() {
  Axis axis =
      only_where(choice_axis("broken", "show broken variants",
                             "Also lists a kernel that is wrong on purpose, to show why it fails.",
                             {"off", "on"}, Binding::launch_shape),
                 [](const Configuration& c) { return part_of(c) == Part::step; });
  axis.of_variants = {"step_naive_faulty"};
  axis.before = std::string("on");
  return axis;
}

// What is the tuning of one variant.
std::vector<Axis> variant_axes() {
  const auto of = [](const char* variant, Axis axis, bool (*where)(const Configuration&)) {
    axis.of_variants = {variant};
    return only_where(std::move(axis), where);
  };
  const auto block_side = [&](const char* name, const char* label, const char* description,
                              std::int64_t standard) {
    return of("block_shape",
              typed_from(whole_axis(name, label, "threads", description, AxisScale::log,
                                    Binding::launch_shape, 1, 64, standard, {4, 8, 16, 32, 64}),
                         1, 1024),
              convolves_maps);
  };
  return {
      of("shared_tile",
         typed_from(whole_axis("staged_channels", "staged channels", "channels",
                               "Channels of a tile that a block keeps in shared memory at a time.",
                               AxisScale::log, Binding::compile_time, 1, 32, 8, {1, 4, 8, 32}),
                    1, 512),
         convolves_maps),
      block_side("block_width", "block width", "Pixels of a row per block.", 32),
      block_side("block_height", "block height", "Rows of pixels per block.", 8),
      of("wgrad_split_k",
         typed_from(
             whole_axis("splits", "splits", "shares",
                        "Shares into which the images of a batch are split, at most one per image.",
                        AxisScale::log, Binding::launch_shape, 1, 256, 64, {1, 4, 16, 64, 256}),
             1, 1024),
         sums_weights),
      algorithm_search(),
      second_branch(),
      shared_sums(),
      windows_of_outputs(),
      broken_variants(),
  };
}

}  // namespace

std::vector<Axis> axes() {
  const auto linear = AxisScale::linear;
  const auto log = AxisScale::log;
  Axis lr = number_axis("lr", "learning rate", "", "Factor of the gradients in the SGD update.",
                        AxisKind::real, log, Binding::argument, 1e-5, 1e-1, 1e-3);
  Axis seed = whole_axis("seed", "seed", "", "Random seed of all inputs.", linear, Binding::input,
                         0, 1e6, 42);
  std::vector<Axis> all = choices();
  for (Axis& axis : std::vector<Axis>{
           only_where(
               whole_axis("batch", "images", "images", "Images per batch.", log, Binding::argument,
                          1, 1024, 64, {1, 16, 32, 64, 128, 255, 256, 512, 910, 911, 1024}),
               has_maps),
           only_where(
               typed_from(
                   whole_axis("channels", "channels", "",
                              "Channels of Conv1 and Conv4. Conv2 and Conv3 have half as many.",
                              log, Binding::argument, 4, 512, 256, {4, 32, 64, 128, 256, 512}),
                   2, 512),
               has_channels),
           only_where(
               typed_from(
                   whole_axis(
                       "size", "side", "px",
                       "Pixels per side of an image. Deeper maps have half or a quarter of it.",
                       linear, Binding::argument, 8, 64, 32, {8, 16, 32, 64}),
                   2, 64),
               has_maps),
           only_where(choice_axis("data", "images of", "Random images, or images from a file.",
                                  {"built-in", "file"}),
                      reads_images),
           data_file(), only_where(typed_from(std::move(lr), 0, 1), learns),
           typed_from(std::move(seed), 0, 9007199254740991.0)})
    all.push_back(std::move(axis));
  for (Axis& axis : variant_axes()) all.insert(all.end() - 1, std::move(axis));
  return all;
}

std::vector<Preset> presets() {
  const auto at = [](const char* name, const char* sentence, const char* layer, const char* batch) {
    return Preset{name,
                  sentence,
                  {{"part", "conv"},
                   {"layer", layer},
                   {"direction", "forward"},
                   {"batch", batch},
                   {"channels", "256"},
                   {"size", "32"}}};
  };
  const auto step = [](const char* name, const char* sentence, const char* batch) {
    return Preset{
        name, sentence, {{"part", "step"}, {"batch", batch}, {"channels", "256"}, {"size", "32"}}};
  };
  return {
      at("Conv1 · 64 images (default)", "Few products for many bytes: 67 MB are written.", "Conv1",
         "64"),
      at("Conv2 · 64 images", "Many products for few bytes.", "Conv2", "64"),
      at("255 images", "255 × 256 = 65 280 layers in grid z, which holds 65 535.", "Conv1", "255"),
      at("256 images", "256 × 256 = 65 536 layers: grid z holds 65 535.", "Conv1", "256"),
      at("910 images", "The largest batch whose columns a 32-bit index counts.", "Conv5", "910"),
      at("911 images", "911 images: a 32-bit index ends before the last column.", "Conv5", "911"),
      step("Training step · 64 images", "Forward, backward and update of all ten tensors.", "64"),
      step("Training step · 1 image", "The case that the CPU runs too.", "1"),
  };
}

Result<void> admit(const Configuration& c) {
  constexpr std::int64_t kMostInputBytes = 4LL << 30;
  if (has_channels(c) && c.integer("channels") % 2 != 0) {
    return failure(ErrorKind::usage,
                   "Conv2 and Conv3 have half as many channels, and " +
                       std::to_string(c.integer("channels")) + " is odd",
                   "axis channels", "make it even");
  }
  if (has_maps(c) && c.integer("size") % side_divisor(c) != 0) {
    return failure(ErrorKind::usage,
                   "an image of " + std::to_string(c.integer("size")) +
                       " pixels cannot be cut into " +
                       (side_divisor(c) == 2 ? "halves" : "quarters") + " at " + layer_name(c),
                   "axis size", "make it a multiple of " + std::to_string(side_divisor(c)));
  }
  if (from_file(c) && c.integer("size") != kCifarSide) {
    return failure(
        ErrorKind::usage,
        "images of CIFAR-10 are 32×32, but the axis says " + std::to_string(c.integer("size")),
        "axis size", "set size to 32");
  }
  std::int64_t bytes = 0;
  for (const BufferSpec& buffer : buffers({c, {}})) {
    if (buffer.role == BufferRole::input) bytes += buffer.count * element_bytes(buffer.type);
  }
  if (bytes > kMostInputBytes) {
    return failure(ErrorKind::usage,
                   "the inputs would have " + std::to_string(bytes >> 20) + " MiB",
                   "axes batch, channels and size",
                   "lower them to at most " + std::to_string(kMostInputBytes >> 20));
  }
  return {};
}

}  // namespace warpscope::autoencoder
