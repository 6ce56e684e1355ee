// kernels/led/operand.cuh: pixels, sums and outputs of either type, and where an output lies.
#pragma once

//   UINT8  1: patterns and frames are bytes and sums exact integers, 0: all is f32
//   RAW    1: the output is the integer sum itself, 0: divided by 255² (of u8)
//
// A quad is four pixels side by side: one load of 16 bytes (f32) or 4 bytes (u8). It must begin at
// a multiple of its size, so columns and widths are multiples of 4. source: CUDA C++ Programming
// Guide, "Device Memory Accesses", size and alignment requirement.
#if UINT8
using Value = unsigned char;
using Quad = unsigned int;
// 255²·B² stays below 2³² up to B = 257.
using Sum = unsigned int;
#else
using Value = float;
using Quad = float4;
using Sum = float;
#endif

#if RAW
using Output = unsigned int;
#else
using Output = float;
#endif

struct Shape {
  int leds, channels, height, width, frames;
  int planar;  // 1: out is [F, C, N], 0: [F, N, C]
};

constexpr unsigned kAllLanes = 0xffffffffu;

__device__ __forceinline__ Sum multiply_add(Quad a, Quad b, Sum sum) {
#if UINT8
  return __dp4a(a, b, sum);
#else
  return fmaf(a.w, b.w, fmaf(a.z, b.z, fmaf(a.y, b.y, fmaf(a.x, b.x, sum))));
#endif
}

__device__ __forceinline__ Sum multiply_add(Value a, Value b, Sum sum) {
#if UINT8
  return sum + static_cast<unsigned>(a) * b;
#else
  return fmaf(a, b, sum);
#endif
}

// Lane 0 has the sum over the warp.
template <typename T>
__device__ __forceinline__ T warp_sum(T value) {
#pragma unroll
  for (int s = 16; s > 0; s /= 2) value += __shfl_down_sync(kAllLanes, value, s);
  return value;
}

__device__ __forceinline__ Output finished(Sum sum) {
#if UINT8 && !RAW
  return static_cast<float>(sum / 65025.0);  // one rounding
#else
  return sum;
#endif
}

__device__ __forceinline__ long long output_index(const Shape& s, int f, int n, int c) {
  const long long frame = static_cast<long long>(f) * s.leds * s.channels;
  return frame + (s.planar ? static_cast<long long>(c) * s.leds + n
                           : static_cast<long long>(n) * s.channels + c);
}

// First pixel of the pattern of LED n, channel c.
__device__ __forceinline__ const Value* pattern_of(const Value* values, const Shape& s, int n,
                                                   int c) {
  return values + (static_cast<long long>(c) * s.leds + n) * (B * B);
}

// Pixel (row, column) of frame f, channel c.
__device__ __forceinline__ const Value* pixel_of(const Value* frames, const Shape& s, int f, int c,
                                                 int row, int column) {
  return frames + ((static_cast<long long>(f) * s.channels + c) * s.height + row) * s.width +
         column;
}

__device__ __forceinline__ int2 place_of(const int* positions, const Shape& s, int n, int c) {
  return reinterpret_cast<const int2*>(positions)[static_cast<long long>(c) * s.leds + n];
}
