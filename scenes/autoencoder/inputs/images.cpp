// scenes/autoencoder/inputs/images.cpp: drawn RGB images: gradients, discs, stripes.
#include "scenes/autoencoder/inputs/images.h"

#include <cmath>
#include <numbers>

#include "scenes/host/random.h"

namespace warpscope::autoencoder {
namespace {

constexpr std::uint32_t kDrawnImages = 61;  // their random stream
constexpr std::uint64_t kDraws = 16;        // random numbers that an image may take

}  // namespace

DrawnImage::DrawnImage(std::uint64_t seed, std::int64_t image) {
  const RandomStream stream(seed, kDrawnImages);
  std::uint64_t next = static_cast<std::uint64_t>(image) * kDraws;
  const auto draw = [&] { return stream.uniform(next++); };
  constexpr double kFewestStripes = 2, kMoreStripes = 6, kLeastRadius = 0.15, kMoreRadius = 0.3;
  kind_ = static_cast<int>(3 * draw());
  const double turn = 2 * std::numbers::pi * draw();
  turn_x_ = std::cos(turn);
  turn_y_ = std::sin(turn);
  centre_x_ = draw();
  centre_y_ = draw();
  radius_ = kLeastRadius + kMoreRadius * draw();
  stripes_ = kFewestStripes + kMoreStripes * draw();
  for (auto& colour : colours_) {
    for (double& channel : colour) channel = draw();
  }
}

double DrawnImage::share_of(double x, double y) const {
  const double along = turn_x_ * (x - 0.5) + turn_y_ * (y - 0.5);  // −0.71 … 0.71
  if (kind_ == 0) return (along + 0.75) / 1.5;
  if (kind_ == 1) return std::hypot(x - centre_x_, y - centre_y_) < radius_ ? 1 : 0;
  return 0.5 + 0.5 * std::sin(2 * std::numbers::pi * stripes_ * along);
}

std::uint8_t DrawnImage::at(std::int64_t channel, std::int64_t row, std::int64_t column,
                            std::int64_t side) const {
  const auto place = [side](std::int64_t i) {
    return (static_cast<double>(i) + 0.5) / static_cast<double>(side);
  };
  const double share = share_of(place(column), place(row));
  const double value = (1 - share) * colours_[0][channel] + share * colours_[1][channel];
  return static_cast<std::uint8_t>(std::lround(255 * value));
}

std::vector<std::uint8_t> drawn_records(std::uint64_t seed, std::int64_t images) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(static_cast<std::size_t>(images * kCifarRecordBytes));
  for (std::int64_t image = 0; image < images; ++image) {
    const DrawnImage drawn(seed, image);
    bytes.push_back(0);
    for (std::int64_t i = 0; i < kCifarPixelBytes; ++i)
      bytes.push_back(drawn.at(i / (kCifarSide * kCifarSide), i / kCifarSide % kCifarSide,
                               i % kCifarSide, kCifarSide));
  }
  return bytes;
}

}  // namespace warpscope::autoencoder
