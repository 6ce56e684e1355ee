// scenes/led/frame_files.h: frames from PNG and PPM files, patterns from raw ones.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "scenes/base/scene.h"

namespace warpscope::led {

// Pixels side by side, row by row, the channels of a pixel together.
struct Picture {
  std::int64_t rows = 0, columns = 0, channels = 0;
  std::vector<std::uint8_t> pixels;
};

// PNG (8 bits: grey, palette, RGB, RGBA) or binary PPM (P6, maxval 255). error: input (another
// form, 16 bits, truncated, more than 16384 pixels a side), naming `name`.
Result<Picture> parse_picture(std::span<const std::byte> bytes, const std::string& name);

// The files that a text names: one file, several with ';' between them, or all .png and .ppm of a
// folder in natural order (frame9 before frame10). error: input (none, not there).
Result<std::vector<std::filesystem::path>> picture_files(const std::string& text);

// Whether a name comes before another when numbers in it count as numbers.
bool natural_before(const std::string& a, const std::string& b);

// Plane c of a picture as `rows`×`columns` bytes: c = 0 of one channel is luma (ITU-R BT.601), of
// four the last is alpha. Other sizes are resampled bilinearly; sizes that are to be refused must
// have been. error: input (no such channel).
Result<std::vector<std::uint8_t>> plane_of(const Picture& picture, std::int64_t channel,
                                           std::int64_t channels, std::int64_t rows,
                                           std::int64_t columns);

// Writes frames [F, C, H, W] from the files of the axis frame_files; fewer files than frames repeat
// in order. error: input (as above, and a size other than H×W unless the axis fit is bilinear).
Result<void> read_frames(const Configuration& axes, Inputs& inputs);

// The bytes of values.raw or positions.raw in the folder of the axis pattern_folder. error: input
// (missing, or of another length than `bytes`).
Result<std::vector<std::byte>> read_raw(const Configuration& axes, const char* name,
                                        std::int64_t bytes);

// Checks that need no reading: the files are there, raw ones of the right length. error: input.
Result<void> admit_files(const Configuration& axes);

}  // namespace warpscope::led
