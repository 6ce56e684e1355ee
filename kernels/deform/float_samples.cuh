// kernels/deform/float_samples.cuh: one sample in f32, and eight channels of any stored type.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

// The rule of half_samples.cuh with coordinates, weights and sums in f32.
//
//   TYPE    of weight and out, 0: f32, 1: f16, 2: bf16; locations are f32 with the first, else f16
//   VALUES  of value: the same numbers, or 3: fp8 of four exponent bits (e4m3)

#if TYPE == 0
using Weight = float;
using Place2 = float2;
#else
#if TYPE == 1
using Weight = __half;
#else
using Weight = __nv_bfloat16;
#endif
using Place2 = __half2;
#endif

#if VALUES == 0
using Value = float;
#elif VALUES == 1
using Value = __half;
#elif VALUES == 2
using Value = __nv_bfloat16;
#else
using Value = __nv_fp8_e4m3;
#endif

__device__ __forceinline__ float2 widened(float2 v) { return v; }
__device__ __forceinline__ float2 widened(__half2 v) { return __half22float2(v); }
__device__ __forceinline__ float widened(float v) { return v; }
__device__ __forceinline__ float widened(__half v) { return __half2float(v); }
__device__ __forceinline__ float widened(__nv_bfloat16 v) { return __bfloat162float(v); }
__device__ __forceinline__ float widened(__nv_fp8_e4m3 v) { return static_cast<float>(v); }

__device__ __forceinline__ void narrow(float v, float& to) { to = v; }
__device__ __forceinline__ void narrow(float v, __half& to) { to = __float2half_rn(v); }
__device__ __forceinline__ void narrow(float v, __nv_bfloat16& to) { to = __float2bfloat16_rn(v); }
__device__ __forceinline__ void narrow(float v, __nv_fp8_e4m3& to) { to = __nv_fp8_e4m3(v); }

struct FloatSample {
  bool inside;  // only then is the rest meant
  int row;      // of the upper left corner, from the level's first
  float dx, dy;
};
__device__ __forceinline__ FloatSample float_sample(Place2 location, int height, int width) {
  const float2 at = widened(location);
  const float x = fmaf(at.x, static_cast<float>(width), 0.5f);
  const float y = fmaf(at.y, static_cast<float>(height), 0.5f);
  const float left = floorf(x), top = floorf(y);
  return {0.0f < x && x < static_cast<float>(width + 1) && 0.0f < y &&
              y < static_cast<float>(height + 1),
          static_cast<int>(top) * (width + 2) + static_cast<int>(left), x - left, y - top};
}

struct FloatOctet {
  float of[8];
};

// Eight values in pieces of at most 16 bytes.
template <typename T>
struct alignas(8 * sizeof(T) < 16 ? 8 * sizeof(T) : 16) Stored {
  T of[8];
};
template <typename T>
__device__ __forceinline__ FloatOctet load_wide(const T* from) {
  Stored<T> stored;
  if constexpr (sizeof(stored) == 8) {
    const uint2 bits = __ldg(reinterpret_cast<const uint2*>(from));
    memcpy(&stored, &bits, sizeof bits);
  } else {
#pragma unroll
    for (int i = 0; i < static_cast<int>(sizeof(stored) / 16); ++i) {
      const uint4 bits = __ldg(reinterpret_cast<const uint4*>(from) + i);
      memcpy(reinterpret_cast<uint4*>(&stored) + i, &bits, sizeof bits);
    }
  }
  FloatOctet wide;
#pragma unroll
  for (int i = 0; i < 8; ++i) wide.of[i] = widened(stored.of[i]);
  return wide;
}
template <typename T>
__device__ __forceinline__ void store_narrow(T* to, const FloatOctet& wide) {
  Stored<T> stored;
#pragma unroll
  for (int i = 0; i < 8; ++i) narrow(wide.of[i], stored.of[i]);
  *reinterpret_cast<Stored<T>*>(to) = stored;
}
