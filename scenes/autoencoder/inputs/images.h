// scenes/autoencoder/inputs/images.h: drawn RGB images, and images of CIFAR-10's binary files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "scenes/host/result.h"

// A file of CIFAR-10's binary version is records of 3073 bytes: a label from 0 to 9, then 1024
// bytes of red, of green, of blue, row by row. source: cs.toronto.edu/~kriz/cifar.html.
//
//   Result<std::int64_t> images = count_cifar("data_batch_1.bin");
//   Result<std::vector<std::uint8_t>> first = read_cifar("data_batch_1.bin", 64);

namespace warpscope::autoencoder {

inline constexpr std::int64_t kCifarSide = 32;
inline constexpr std::int64_t kCifarPixelBytes = 3 * kCifarSide * kCifarSide;
inline constexpr std::int64_t kCifarRecordBytes = 1 + kCifarPixelBytes;

// A gradient, a disc or stripes of two colours, drawn from a seed at any size.
class DrawnImage {
 public:
  DrawnImage(std::uint64_t seed, std::int64_t image);
  // `channel` 0: red, 1: green, 2: blue.
  std::uint8_t at(std::int64_t channel, std::int64_t row, std::int64_t column,
                  std::int64_t side) const;

 private:
  double share_of(double x, double y) const;  // of the second colour, at a place from 0 to 1
  int kind_ = 0;
  double turn_x_ = 0, turn_y_ = 0, centre_x_ = 0, centre_y_ = 0, radius_ = 0, stripes_ = 0;
  double colours_[2][3] = {};
};

// Drawn images as a file has them, labelled 0.
std::vector<std::uint8_t> drawn_records(std::uint64_t seed, std::int64_t images);

// Records of a file, or of the five of a folder. error: input (no such file, CIFAR-100, an archive,
// a pickle, a length that is not a multiple of a record).
Result<std::int64_t> count_cifar(const std::filesystem::path& path);
// Pixels of the first `images` records, [images][3][32][32]. error: input (as above, a label above
// 9, fewer images than asked for).
Result<std::vector<std::uint8_t>> read_cifar(const std::filesystem::path& path,
                                             std::int64_t images);

}  // namespace warpscope::autoencoder
