// kernels/deform/half_samples.cuh: one sample in half precision: its four corners, and eight
// channels added up.
#pragma once

#include <cuda_fp16.h>

// Everything is rounded to f16, once an operation: the place in the padded level is one fused
// multiply-add, loc · size + ½; a corner's weight is the product of two distances, and that times
// the attention weight. A sample counts where 0 < x < width + 1 and 0 < y < height + 1, which NaN
// is not; then all four corners lie in the level or its ring.

struct HalfSample {
  bool inside;       // only then is the rest meant
  int row;           // of the upper left corner, from the level's first
  __half2 from_low;  // (dx, dy): how far right of and below that corner
};

__device__ __forceinline__ HalfSample half_sample(__half2 location, int height, int width) {
  const __half2 size = __floats2half2_rn(static_cast<float>(width), static_cast<float>(height));
  const __half2 at = __hfma2(location, size, __float2half2_rn(0.5f));
  const __half2 end = __hadd2(size, __float2half2_rn(1.0f));
  const __half2 low = h2floor(at);
  HalfSample s;
  s.inside = __hbgt2(at, __float2half2_rn(0.0f)) && __hblt2(at, end);
  s.row = __half2int_rz(__high2half(low)) * (width + 2) + __half2int_rz(__low2half(low));
  s.from_low = __hsub2(at, low);
  return s;
}

// The weights of upper left, upper right, lower left, lower right.
struct CornerWeights {
  __half of[4];
};
__device__ __forceinline__ CornerWeights corner_weights(__half2 from_low) {
  const __half2 from_high = __hsub2(__float2half2_rn(1.0f), from_low);
  const __half left = __low2half(from_high), right = __low2half(from_low);
  const __half above = __high2half(from_high), below = __high2half(from_low);
  return {{__hmul(left, above), __hmul(right, above), __hmul(left, below), __hmul(right, below)}};
}

// Rows from the upper left corner to each.
__device__ __forceinline__ int corner_row(int corner, int columns) {
  return (corner >> 1) * columns + (corner & 1);
}

// Eight channels of one pixel, or of a sum: 16 bytes.
struct alignas(16) Octet {
  __half2 pair[4];
};
__device__ __forceinline__ Octet zero_octet() {
  const __half2 zero = __float2half2_rn(0.0f);
  return {{zero, zero, zero, zero}};
}
__device__ __forceinline__ Octet octet_of(const uint4& bits) {
  Octet o;
  memcpy(&o, &bits, sizeof o);
  return o;
}
__device__ __forceinline__ uint4 bits_of(const Octet& octet) {
  uint4 bits;
  memcpy(&bits, &octet, sizeof bits);
  return bits;
}
__device__ __forceinline__ Octet load_octet(const __half* from) {
  return octet_of(__ldg(reinterpret_cast<const uint4*>(from)));
}
__device__ __forceinline__ void store_octet(__half* to, const Octet& octet) {
  *reinterpret_cast<uint4*>(to) = bits_of(octet);
}
// The weight stands in both halves.
__device__ __forceinline__ void add_weighed(Octet& sum, __half2 weight, const Octet& value) {
#pragma unroll
  for (int i = 0; i < 4; ++i) sum.pair[i] = __hfma2(weight, value.pair[i], sum.pair[i]);
}
__device__ __forceinline__ void add_weighed(Octet& sum, __half weight, const Octet& value) {
  add_weighed(sum, __half2half2(weight), value);
}
