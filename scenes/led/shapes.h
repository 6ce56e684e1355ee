// scenes/led/shapes.h: the sizes that follow from the axes of `led`.
#pragma once

#include <cstdint>

#include "scenes/base/axis.h"
#include "scenes/base/kernel_parts.h"

// values [C, N, B, B] and frames [F, C, H, W] are f32 or u8; positions [C, N, 2] are i32 (top row,
// left column); out is [F, N, C] (interleaved) or [F, C, N] (planar), f32 or u32 (raw sums of u8).

namespace warpscope::led {

inline constexpr std::int64_t kQuad = 4;  // pixels that a lane loads at once: 16 bytes of f32

struct Shape {
  std::int64_t leds = 0, channels = 0, height = 0, width = 0, block = 0, frames = 0;
  std::int64_t value_bytes = 0;  // 4 or 1
  std::int64_t blocks() const { return leds * channels; }
  std::int64_t values() const { return blocks() * block * block; }
  std::int64_t pixels() const { return frames * channels * height * width; }
  std::int64_t outputs() const { return frames * blocks(); }
  std::int64_t products() const { return frames * values(); }
};

Shape shape_of(const Configuration& axes);

bool integers(const Configuration& axes);  // u8 patterns and frames
bool raw_sums(const Configuration& axes);  // u32 outputs, not divided by 65025
bool planar(const Configuration& axes);

}  // namespace warpscope::led
