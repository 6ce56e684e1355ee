// scenes/patterns/shapes.h: the sizes that follow from the axes of `patterns`.
#pragma once

#include <cstdint>

#include "scenes/base/axis.h"
#include "scenes/base/device_units.h"
#include "scenes/base/kernel_parts.h"

// All operations read x, f32[n] (for transpose f32[rows, columns]) and write y, f32.

namespace warpscope::patterns {

// source: CUDA C++ Programming Guide, "Hardware Implementation" and "Device Memory Accesses".
inline constexpr std::int64_t kValueBytes = 4;  // f32
// Fixed numbers of our kernels: threads per block, fields of a structure, elements that a reduction
// sums into one, elements whose atomics share a block's bins.
inline constexpr std::int64_t kThreads = 256;
inline constexpr std::int64_t kFields = 8;
inline constexpr std::int64_t kPiece = 256;
inline constexpr std::int64_t kBinnedPerBlock = 16384;

bool op_is(const Configuration& axes, const char* op);

std::int64_t input_elements(const Configuration& axes);   // of x
std::int64_t output_elements(const Configuration& axes);  // of y

// For a copy: elements in a lane's vector, and whole vectors that lie at offset, offset + stride …
std::int64_t elements_per_lane(const Configuration& axes);
std::int64_t copied_vectors(const Configuration& axes);

std::int64_t structures(const Configuration& axes);  // whole structures in x

}  // namespace warpscope::patterns
