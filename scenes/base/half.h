// scenes/base/half.h: 16-bit floating-point numbers on the host, rounded to nearest even.
#pragma once

#include <cstdint>

#include "scenes/base/array.h"

namespace warpscope {

// source: IEEE 754 binary16; bfloat16 is the upper half of binary32. NaN stays NaN, what is too
// large becomes infinite.
std::uint16_t to_f16(float value);
float from_f16(std::uint16_t bits);
std::uint16_t to_bf16(float value);
float from_bf16(std::uint16_t bits);

// A number rounded to `type`, f32, f16 or bf16, and widened again.
float rounded(float value, ElementType type);
// An array of f32 rounded to `type`: f32, f16 or bf16.
HostArray rounded(HostArray values, ElementType type);
// The elements of an f32, f16 or bf16 array as f32, which holds all of them exactly.
HostArray widened(const HostArray& values);

}  // namespace warpscope
