// scenes/autoencoder/shapes.cpp: the sizes that follow from the axes of `autoencoder`.
#include "scenes/autoencoder/shapes.h"

namespace warpscope::autoencoder {

Part part_of(const Configuration& axes) {
  const std::string& part = axes.text("part");
  return part == "conv"        ? Part::conv
         : part == "conv_pool" ? Part::conv_pool
         : part == "pool"      ? Part::pool
         : part == "upsample"  ? Part::upsample
         : part == "loss"      ? Part::loss
         : part == "sgd"       ? Part::sgd
                               : Part::step;
}

Direction direction_of(const Configuration& axes) {
  if (part_of(axes) != Part::conv) return Direction::forward;
  const std::string& direction = axes.text("direction");
  return direction == "forward" ? Direction::forward
         : direction == "dgrad" ? Direction::dgrad
                                : Direction::wgrad;
}

bool backward(const Configuration& axes) { return axes.text("pass") == "backward"; }

const std::vector<std::string>& conv_layers() {
  static const std::vector<std::string> layers = {"Conv1", "Conv2", "Conv3", "Conv4", "Conv5"};
  return layers;
}

Conv conv_named(const Configuration& axes, const std::string& layer) {
  const std::int64_t images = axes.integer("batch"), side = axes.integer("size");
  const std::int64_t all = axes.integer("channels"), half = all / 2;
  if (layer == "Conv1")
    return {.layer = layer,
            .images = images,
            .in = kImageChannels,
            .out = all,
            .side = side,
            .of_image = true};
  if (layer == "Conv2")
    return {.layer = layer, .images = images, .in = all, .out = half, .side = side / 2};
  if (layer == "Conv3")
    return {.layer = layer, .images = images, .in = half, .out = half, .side = side / 4};
  if (layer == "Conv4")
    return {.layer = layer,
            .images = images,
            .in = half,
            .out = all,
            .side = side / 2,
            .behind_upsample = true};
  return {.layer = layer,
          .images = images,
          .in = all,
          .out = kImageChannels,
          .side = side,
          .relu = false,
          .behind_upsample = true};
}

Conv conv_of(const Configuration& axes) {
  if (part_of(axes) == Part::conv) return conv_named(axes, axes.text("layer"));
  return conv_named(axes, axes.text("pool_layer") == "Pool1" ? "Conv1" : "Conv2");
}

Windows windows_named(const Configuration& axes, const std::string& layer) {
  const std::int64_t images = axes.integer("batch"), side = axes.integer("size");
  const std::int64_t all = axes.integer("channels"), half = all / 2;
  const bool of_conv1 = layer == "Pool1" || layer == "Up2";
  return {layer, images, of_conv1 ? all : half, of_conv1 ? side / 2 : side / 4};
}

Windows windows_of(const Configuration& axes) {
  return windows_named(axes,
                       axes.text(part_of(axes) == Part::upsample ? "up_layer" : "pool_layer"));
}

std::int64_t image_values(const Configuration& axes) {
  return axes.integer("batch") * kImageChannels * axes.integer("size") * axes.integer("size");
}

std::vector<Tensor> tensors_of(const Configuration& axes) {
  std::vector<Tensor> all;
  std::int64_t first = 0;
  for (const std::string& layer : conv_layers()) {
    const Conv conv = conv_named(axes, layer);
    all.push_back({"w of " + layer, first, conv.weights(), conv.in});
    all.push_back({"b of " + layer, first + conv.weights(), conv.out, 0});
    first += conv.weights() + conv.out;
  }
  return all;
}

std::int64_t forward_products(const Configuration& axes) {
  std::int64_t products = 0;
  for (const std::string& layer : conv_layers()) products += conv_named(axes, layer).products();
  return products;
}

std::int64_t step_products(const Configuration& axes) {
  return 3 * forward_products(axes) - conv_named(axes, conv_layers().front()).products();
}

std::int64_t parameter_count(const Configuration& axes) {
  const Tensor last = tensors_of(axes).back();
  return last.first + last.count;
}

bool reads_images(const Configuration& axes) {
  switch (part_of(axes)) {
    case Part::conv:
      return axes.text("layer") == "Conv1" && direction_of(axes) != Direction::dgrad;
    case Part::conv_pool:
      return axes.text("pool_layer") == "Pool1";
    case Part::loss:
    case Part::step:
      return true;
    default:
      return false;
  }
}

bool from_file(const Configuration& axes) {
  return reads_images(axes) && axes.text("data") == "file";
}

}  // namespace warpscope::autoencoder
