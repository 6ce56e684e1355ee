// scenes/autoencoder/inputs/inputs.cpp: the arrays of every part, and how inputs are drawn.
#include "scenes/autoencoder/inputs/inputs.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "scenes/autoencoder/inputs/images.h"
#include "scenes/autoencoder/inputs/net_reference.h"
#include "scenes/autoencoder/shapes.h"
#include "scenes/host/random.h"

namespace warpscope::autoencoder {
namespace {

enum Stream : std::uint32_t {
  kMaps = 62,
  kWeights,
  kBiases,
  kGradients,
  kPlaces,
  kPredictions,
  kParameters,
  kSlopes,
  kPooled
};

constexpr const char* kParametersNhwc = "parameters_nhwc";
constexpr float kBiasSpread = 0.1f;
constexpr float kSlopeSpread = 0.01f;       // of gradients of parameters
constexpr std::uint64_t kWindowPlaces = 4;  // of a 2×2 window
constexpr float kMostByte = 255;

RandomStream stream_of(const Configuration& axes, Stream stream) {
  return {static_cast<std::uint64_t>(axes.integer("seed")), stream};
}

float normal(const RandomStream& stream, std::int64_t i) {
  return static_cast<float>(stream.normal(static_cast<std::uint64_t>(i)));
}

// He-normal: the spread that keeps the variance the same after a ReLU.
float weight_spread(std::int64_t in) {
  return static_cast<float>(std::sqrt(2.0 / static_cast<double>(kTaps * in)));
}

BufferSpec maps(std::string name, BufferRole role, std::int64_t images, std::int64_t channels,
                std::int64_t side) {
  std::string symbol = name + "[N, C, S, S]";
  return {std::move(name),
          ElementType::f32,
          images * channels * side * side,
          role,
          {images, channels, side, side},
          std::move(symbol)};
}

BufferSpec filters(std::string name, BufferRole role, const Conv& conv) {
  std::string symbol = name + "[out, in, 3, 3]";
  return {std::move(name),           ElementType::f32, conv.weights(), role,
          {conv.out, conv.in, 3, 3}, std::move(symbol)};
}

BufferSpec row(std::string name, BufferRole role, std::int64_t count, std::string symbol) {
  return {std::move(name), ElementType::f32, count, role, {count}, std::move(symbol)};
}

BufferSpec whole_numbers(BufferSpec spec) {
  spec.type = ElementType::u32;
  return spec;
}

std::vector<BufferSpec> conv_buffers(const Configuration& axes) {
  const Conv s = conv_of(axes);
  const auto input = BufferRole::input, output = BufferRole::output;
  switch (direction_of(axes)) {
    case Direction::forward:
      return {maps("x", input, s.images, s.in, s.side), filters("w", input, s),
              row("b", input, s.out, "b[out]"), maps("y", output, s.images, s.out, s.side)};
    case Direction::dgrad:
      return {maps("dy", input, s.images, s.out, s.side), filters("w", input, s),
              maps("dx", output, s.images, s.in, s.side)};
    case Direction::wgrad:
      break;
  }
  return {maps("x", input, s.images, s.in, s.side), maps("dy", input, s.images, s.out, s.side),
          filters("dw", output, s), row("db", output, s.out, "db[out]")};
}

std::vector<BufferSpec> window_buffers(const Configuration& axes) {
  const Windows s = windows_of(axes);
  const auto input = BufferRole::input, output = BufferRole::output;
  const auto small = [&](const char* name, BufferRole role) {
    return maps(name, role, s.images, s.channels, s.small_side);
  };
  const auto large = [&](const char* name, BufferRole role) {
    return maps(name, role, s.images, s.channels, s.large_side());
  };
  if (part_of(axes) == Part::upsample) {
    if (backward(axes)) return {large("dy", input), small("dx", output)};
    return {small("x", input), large("y", output)};
  }
  if (backward(axes))
    return {small("dy", input), whole_numbers(small("argmax", input)), large("dx", output)};
  return {large("x", input), small("y", output), whole_numbers(small("argmax", output))};
}

std::vector<BufferSpec> conv_pool_buffers(const Configuration& axes) {
  const Conv s = conv_of(axes);
  const auto input = BufferRole::input, output = BufferRole::output;
  const BufferSpec x = maps("x", input, s.images, s.in, s.side);
  const auto pooled = [&](const char* name, BufferRole role) {
    return maps(name, role, s.images, s.out, s.side / 2);
  };
  if (backward(axes))
    return {x,
            pooled("y", input),
            whole_numbers(pooled("argmax", input)),
            pooled("dy", input),
            filters("dw", output, s),
            row("db", output, s.out, "db[out]")};
  return {x, filters("w", input, s), row("b", input, s.out, "b[out]"), pooled("y", output)};
}

std::vector<BufferSpec> loss_buffers(const Configuration& axes) {
  const std::int64_t images = axes.integer("batch"), side = axes.integer("size");
  return {maps("p", BufferRole::input, images, kImageChannels, side),
          maps("t", BufferRole::input, images, kImageChannels, side),
          row("loss", BufferRole::output, 1, "loss[1]"),
          maps("dp", BufferRole::output, images, kImageChannels, side)};
}

std::vector<BufferSpec> step_buffers(const Configuration& axes) {
  const std::int64_t count = parameter_count(axes), side = axes.integer("size");
  return {maps("x", BufferRole::input, axes.integer("batch"), kImageChannels, side),
          row("parameters", BufferRole::state, count, "parameters[ten tensors]"),
          row(kParametersNhwc, BufferRole::state, count, "parameters_nhwc[ten tensors]"),
          row("loss", BufferRole::output, 1, "loss[1]"),
          row("gradients", BufferRole::output, count, "gradients[ten tensors]")};
}

// Writes next(i) for each element from `first` on.
template <typename T, typename Next>
void write(std::int64_t first, std::span<std::byte> bytes, Next next) {
  for (T& element : elements_in<T>(bytes)) element = next(first++);
}

void make_images(const Configuration& axes, std::int64_t first, std::span<std::byte> bytes) {
  const std::int64_t side = axes.integer("size"), image_bytes = kImageChannels * side * side;
  const auto seed = static_cast<std::uint64_t>(axes.integer("seed"));
  std::int64_t image = first / image_bytes;
  DrawnImage drawn(seed, image);
  write<float>(first, bytes, [&](std::int64_t i) {
    if (i / image_bytes != image) drawn = DrawnImage(seed, image = i / image_bytes);
    const std::int64_t place = i % image_bytes;
    const std::uint8_t byte =
        drawn.at(place / (side * side), place / side % side, place % side, side);
    return static_cast<float>(byte) / kMostByte;
  });
}

// Maps as they are after a ReLU; after an upsampling, in groups of four equal values.
void make_maps(const Configuration& axes, std::int64_t first, std::span<std::byte> bytes) {
  const RandomStream stream = stream_of(axes, kMaps);
  const auto behind_relu = [&](std::int64_t i) { return std::max(0.0f, normal(stream, i)); };
  const Part part = part_of(axes);
  const bool fours = part == Part::conv && conv_of(axes).behind_upsample;
  if (!fours) return write<float>(first, bytes, behind_relu);
  const std::int64_t side = conv_of(axes).side;
  write<float>(first, bytes, [&](std::int64_t i) {
    const std::int64_t column = i % side, row = i / side % side, plane = i / side / side;
    // An odd side has a last pixel with no neighbour.
    const std::int64_t half = (side + 1) / 2;
    return behind_relu((plane * half + row / 2) * half + column / 2);
  });
}

// `nhwc`: the same numbers, with weights as [out, 3, 3, in].
void make_parameters(const Configuration& axes, std::int64_t first, std::span<std::byte> bytes,
                     bool nhwc) {
  const std::vector<Tensor> tensors = tensors_of(axes);
  const RandomStream stream = stream_of(axes, kParameters);
  auto at = tensors.begin();
  write<float>(first, bytes, [&](std::int64_t i) {
    while (i >= at->first + at->count) ++at;
    const float drawn = normal(stream, nhwc ? as_nchw(axes, i) : i);
    return drawn * (at->in == 0 ? kBiasSpread : weight_spread(at->in));
  });
}

}  // namespace

std::vector<BufferSpec> buffers(const Workload& w) {
  switch (part_of(w.axes)) {
    case Part::conv:
      return conv_buffers(w.axes);
    case Part::conv_pool:
      return conv_pool_buffers(w.axes);
    case Part::pool:
    case Part::upsample:
      return window_buffers(w.axes);
    case Part::loss:
      return loss_buffers(w.axes);
    case Part::step:
      return step_buffers(w.axes);
    case Part::sgd:
      break;
  }
  const std::int64_t count = parameter_count(w.axes);
  return {row("slopes", BufferRole::input, count, "slopes[parameters]"),
          row("parameters", BufferRole::state, count, "parameters[ten tensors]")};
}

const std::vector<std::string>& input_names() {
  static const std::vector<std::string> names = {
      "x", "w", "b", "y", "dy", "argmax", "p", "t", "slopes", "parameters", kParametersNhwc};
  return names;
}

void make_elements(const Workload& w, const std::string& array, std::int64_t first,
                   std::span<std::byte> bytes) {
  const Configuration& axes = w.axes;
  const auto normals = [&](Stream of, float spread, float mean = 0) {
    const RandomStream stream = stream_of(axes, of);
    write<float>(first, bytes, [&](std::int64_t i) { return mean + spread * normal(stream, i); });
  };
  if (array == "t" || (array == "x" && reads_images(axes))) {
    make_images(axes, first, bytes);
  } else if (array == "x") {
    make_maps(axes, first, bytes);
  } else if (array == "w") {
    normals(kWeights, weight_spread(conv_of(axes).in));
  } else if (array == "b") {
    normals(kBiases, kBiasSpread);
  } else if (array == "y") {
    const RandomStream stream = stream_of(axes, kPooled);
    write<float>(first, bytes, [&](std::int64_t i) { return std::max(0.0f, normal(stream, i)); });
  } else if (array == "dy") {
    normals(kGradients, 1);
  } else if (array == "argmax") {
    const RandomStream stream = stream_of(axes, kPlaces);
    write<std::uint32_t>(first, bytes, [&](std::int64_t i) {
      return static_cast<std::uint32_t>(stream.below(static_cast<std::uint64_t>(i), kWindowPlaces));
    });
  } else if (array == "p") {
    constexpr float kMean = 0.5f, kSpread = 0.25f;  // about as images are
    normals(kPredictions, kSpread, kMean);
  } else if (array == "slopes") {
    normals(kSlopes, kSlopeSpread);
  } else {
    make_parameters(axes, first, bytes, array == kParametersNhwc);
  }
}

bool has_elements(const Workload& w, const std::string& array) {
  const bool images = array == "t" || (array == "x" && reads_images(w.axes));
  return !(images && from_file(w.axes));
}

Result<void> generate(const Configuration& axes, Inputs& inputs, Facts&) {
  for (const std::string& name : input_names()) inputs.erase(name);
  if (!from_file(axes)) return {};
  const std::int64_t images = axes.integer("batch");
  const auto bytes = read_cifar(axes.text("data_file"), images);
  if (!bytes) return tl::unexpected(bytes.error());
  HostArray values(ElementType::f32, images * kCifarPixelBytes);
  std::transform(bytes->begin(), bytes->end(), values.as<float>().begin(),
                 [](std::uint8_t byte) { return static_cast<float>(byte) / kMostByte; });
  inputs[part_of(axes) == Part::loss ? "t" : "x"] = std::move(values);
  return {};
}

Result<Configuration> settle(const Configuration& axes) {
  if (!from_file(axes)) return axes;
  const Result<std::int64_t> images = count_cifar(axes.text("data_file"));
  if (!images) return tl::unexpected(images.error());
  if (*images < axes.integer("batch")) {
    return failure(ErrorKind::input,
                   "there are " + std::to_string(*images) + " images, fewer than a batch of " +
                       std::to_string(axes.integer("batch")),
                   axes.text("data_file"),
                   "the largest batch that fits is " + std::to_string(*images));
  }
  return axes;
}

}  // namespace warpscope::autoencoder
