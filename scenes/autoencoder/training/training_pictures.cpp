// scenes/autoencoder/training/training_pictures.cpp: what a network under training shows of itself.
#include "scenes/autoencoder/training/training_pictures.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "scenes/autoencoder/inputs/net_reference.h"
#include "scenes/autoencoder/shapes.h"

namespace warpscope::autoencoder {
namespace {

constexpr std::int64_t kMostImages = 10, kMostFilters = 64, kFiltersARow = 16;
constexpr std::int64_t kLatentMaps = 16, kLatentImages = 4;
constexpr std::int64_t kGap = 2;         // pixels between tiles
constexpr std::int64_t kLeastTile = 48;  // a smaller tile is drawn in larger pixels
constexpr double kMostByte = 255;
constexpr std::uint8_t kPaper = 255;

std::uint8_t byte_of(double value) {
  // A value that is no number is black: what is drawn must not depend on how it is rounded.
  return value > 0 ? static_cast<std::uint8_t>(std::lround(kMostByte * std::min(value, 1.0))) : 0;
}

struct Colour {
  double red = 0, green = 0, blue = 0;  // 0 … 1
};

// Square tiles of equal size in rows and columns, each drawn in pixels of one size.
class Tiles {
 public:
  Tiles(std::int64_t columns, std::int64_t rows, std::int64_t side)
      : scale_(std::max<std::int64_t>(1, (kLeastTile + side - 1) / side)),
        side_(side),
        pitch_(side * scale_ + kGap) {
    raster_.width = static_cast<int>(columns * pitch_ - kGap);
    raster_.height = static_cast<int>(rows * pitch_ - kGap);
    raster_.rgb.assign(
        3 * static_cast<std::size_t>(raster_.width) * static_cast<std::size_t>(raster_.height),
        kPaper);
  }
  template <typename ColourAt>
  void draw(std::int64_t column, std::int64_t row, ColourAt colour_at) {
    for (std::int64_t y = 0; y < side_ * scale_; ++y) {
      for (std::int64_t x = 0; x < side_ * scale_; ++x) {
        const Colour colour = colour_at(y / scale_, x / scale_);
        const std::int64_t pixel = (row * pitch_ + y) * raster_.width + column * pitch_ + x;
        std::uint8_t* const to = raster_.rgb.data() + 3 * pixel;
        to[0] = byte_of(colour.red), to[1] = byte_of(colour.green), to[2] = byte_of(colour.blue);
      }
    }
  }
  Raster take() { return std::move(raster_); }

 private:
  std::int64_t scale_, side_, pitch_;
  Raster raster_;
};

std::span<const float> floats_of(const HostBuffers& buffers, const std::string& name) {
  return elements_in<float>(buffers.at(name));
}

// Input, reconstruction and difference below each other, one image per column. Grey: no difference.
Raster reconstructions(const Workload& w, const Variant& v, const HostBuffers& buffers) {
  const std::int64_t images = w.integer("batch"), side = w.integer("size"), plane = side * side;
  const std::int64_t shown = std::min(images, kMostImages);
  const std::span<const float> x = floats_of(buffers, "x");
  const std::vector<float> y =
      as_planes(floats_of(buffers, "y5"), images, kImageChannels, side, channels_innermost(v, w));
  Tiles tiles(shown, 3, side);
  for (std::int64_t image = 0; image < shown; ++image) {
    const auto at = [&](std::int64_t channel, std::int64_t row, std::int64_t column) {
      return static_cast<std::size_t>((image * kImageChannels + channel) * plane + row * side +
                                      column);
    };
    const auto each = [&](auto value) {
      return [=](std::int64_t row, std::int64_t column) {
        return Colour{value(at(0, row, column)), value(at(1, row, column)),
                      value(at(2, row, column))};
      };
    };
    tiles.draw(image, 0, each([&](std::size_t i) { return double{x[i]}; }));
    tiles.draw(image, 1, each([&](std::size_t i) { return double{y[i]}; }));
    tiles.draw(image, 2, each([&](std::size_t i) { return 0.5 + (double{y[i]} - x[i]) / 2; }));
  }
  return tiles.take();
}

// A tile a filter: its three channels as colours, each filter from its least to its most weight.
Raster filters(const Workload& w, const Variant& v, const HostBuffers& buffers) {
  const bool innermost = channels_innermost(v, w);
  const Conv conv = conv_named(w.axes, "Conv1");
  const std::span<const float> values =
      floats_of(buffers, innermost ? "parameters_nhwc" : "parameters");
  const std::int64_t shown = std::min(conv.out, kMostFilters);
  const std::int64_t rows = (shown + kFiltersARow - 1) / kFiltersARow;
  Tiles tiles(std::min(shown, kFiltersARow), rows, 3);
  for (std::int64_t filter = 0; filter < shown; ++filter) {
    const auto weight = [&](std::int64_t channel, std::int64_t tap) {
      const std::int64_t i = innermost ? tap * conv.in + channel : channel * kTaps + tap;
      return double{values[static_cast<std::size_t>(filter * conv.in * kTaps + i)]};
    };
    double low = weight(0, 0), high = low;
    for (std::int64_t i = 0; i < conv.in * kTaps; ++i) {
      low = std::min(low, weight(i / kTaps, i % kTaps));
      high = std::max(high, weight(i / kTaps, i % kTaps));
    }
    const double spread = high > low ? high - low : 1;
    tiles.draw(filter % kFiltersARow, filter / kFiltersARow,
               [&](std::int64_t row, std::int64_t column) {
                 const auto of = [&](std::int64_t channel) {
                   return (weight(channel, 3 * row + column) - low) / spread;
                 };
                 return Colour{of(0), of(1), of(2)};
               });
  }
  return tiles.take();
}

// A row per image, a tile per channel: black is 0, white the row's most.
Raster latents(const Workload& w, const Variant& v, const HostBuffers& buffers) {
  const Conv conv = conv_named(w.axes, "Conv2");
  const std::int64_t side = conv.side / 2, plane = side * side;
  const std::int64_t images = std::min(conv.images, kLatentImages);
  const std::int64_t maps = std::min(conv.out, kLatentMaps);
  const std::vector<float> values =
      as_planes(floats_of(buffers, "p2"), conv.images, conv.out, side, channels_innermost(v, w));
  Tiles tiles(maps, images, side);
  for (std::int64_t image = 0; image < images; ++image) {
    const auto first = values.begin() + image * conv.out * plane;
    const double most = *std::max_element(first, first + maps * plane);
    for (std::int64_t map = 0; map < maps; ++map) {
      tiles.draw(map, image, [&](std::int64_t row, std::int64_t column) {
        const double value = first[map * plane + row * side + column];
        const double grey = most > 0 ? value / most : 0;
        return Colour{grey, grey, grey};
      });
    }
  }
  return tiles.take();
}

}  // namespace

std::vector<float> as_planes(std::span<const float> maps, std::int64_t images,
                             std::int64_t channels, std::int64_t side, bool innermost) {
  std::vector<float> planes(maps.begin(), maps.begin() + images * channels * side * side);
  if (!innermost) return planes;
  auto to = planes.begin();
  for (std::int64_t image = 0; image < images; ++image) {
    for (std::int64_t channel = 0; channel < channels; ++channel) {
      for (std::int64_t pixel = 0; pixel < side * side; ++pixel)
        *to++ = maps[static_cast<std::size_t>((image * side * side + pixel) * channels + channel)];
    }
  }
  return planes;
}

Raster drawn_images(const Configuration& axes, std::span<const float> images) {
  constexpr std::int64_t kARow = 16, kMost = 256;
  const std::int64_t side = axes.integer("size"), plane = side * side;
  const auto all = static_cast<std::int64_t>(images.size()) / (kImageChannels * plane);
  const std::int64_t shown = std::min(all, kMost);
  Tiles tiles(std::min(shown, kARow), (shown + kARow - 1) / kARow, side);
  for (std::int64_t image = 0; image < shown; ++image) {
    tiles.draw(image % kARow, image / kARow, [&](std::int64_t row, std::int64_t column) {
      const auto at = [&](std::int64_t channel) {
        return double{images[static_cast<std::size_t>((image * kImageChannels + channel) * plane +
                                                      row * side + column)]};
      };
      return Colour{at(0), at(1), at(2)};
    });
  }
  return tiles.take();
}

std::vector<TrainingPicture> training_pictures() {
  return {{"reconstructions",
           "Held-out images, reconstructions, differences (grey: none)",
           {"x", "y5"},
           reconstructions},
          {"filters",
           "Conv1's filters, each scaled from its least to its greatest weight",
           {"parameters", "parameters_nhwc"},
           filters},
          {"latents",
           "Latent maps: one row per image, one tile per channel, black is 0",
           {"p2"},
           latents}};
}

}  // namespace warpscope::autoencoder
