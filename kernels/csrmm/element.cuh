// kernels/csrmm/element.cuh: the type in which weights, B and C are stored; sums are f32.
#pragma once

//   TYPE  0: f32, 1: f16, 2: bf16
#ifndef TYPE
#define TYPE 0
#endif

#if TYPE == 0
using Element = float;
#else
using Element = unsigned short;  // its 16 bits
#endif

__device__ __forceinline__ float to_float(float value) { return value; }

__device__ __forceinline__ float to_float(unsigned short bits) {
#if TYPE == 2
  return __uint_as_float(static_cast<unsigned>(bits) << 16);
#else
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
#endif
}

// Rounded to nearest even.
__device__ __forceinline__ unsigned short to_bits(float value) {
  unsigned short bits;
#if TYPE == 2
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
#else
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
#endif
  return bits;
}

__device__ __forceinline__ Element to_element(float value) {
#if TYPE == 0
  return value;
#else
  return to_bits(value);
#endif
}
