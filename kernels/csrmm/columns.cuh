// kernels/csrmm/columns.cuh: the neighbouring columns that a lane owns: one load, summed in f32.
#pragma once

//   COLUMNS  columns of each lane: 1, or as many as 16 bytes hold (2: half of them, f32 only)
//   HOMO     1: one weight for all entries     UNROLL  gathers in flight
#include "csrmm/element.cuh"
#include "csrmm/rows_of_b.cuh"

#if COLUMNS == 1
using Packed = Element;
#elif TYPE != 0
static_assert(COLUMNS == 8, "16 bytes of 16-bit elements");
using Packed = uint4;
#elif COLUMNS == 4
using Packed = float4;
#else
static_assert(COLUMNS == 2, "8 bytes of f32");
using Packed = float2;
#endif

struct Sums {
  float of[COLUMNS];
};

__device__ __forceinline__ Sums unpacked(float value) {
  Sums sums{};
  sums.of[0] = value;
  return sums;
}
__device__ __forceinline__ Sums unpacked(unsigned short bits) { return unpacked(to_float(bits)); }
#if COLUMNS == 2
__device__ __forceinline__ Sums unpacked(const float2& value) { return {value.x, value.y}; }
__device__ __forceinline__ void store(float2* c, const Sums& sums) {
  *c = make_float2(sums.of[0], sums.of[1]);
}
#elif COLUMNS == 4
__device__ __forceinline__ Sums unpacked(const float4& value) {
  return {value.x, value.y, value.z, value.w};
}
__device__ __forceinline__ void store(float4* c, const Sums& sums) {
  *c = make_float4(sums.of[0], sums.of[1], sums.of[2], sums.of[3]);
}
#elif COLUMNS == 8
__device__ __forceinline__ Sums unpacked(const uint4& value) {
  const unsigned word[4] = {value.x, value.y, value.z, value.w};
  Sums sums;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    sums.of[2 * i] = to_float(static_cast<unsigned short>(word[i] & 0xffffu));
    sums.of[2 * i + 1] = to_float(static_cast<unsigned short>(word[i] >> 16));
  }
  return sums;
}
__device__ __forceinline__ void store(uint4* c, const Sums& sums) {
  unsigned word[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    word[i] = to_bits(sums.of[2 * i]) | static_cast<unsigned>(to_bits(sums.of[2 * i + 1])) << 16;
  }
  *c = make_uint4(word[0], word[1], word[2], word[3]);
}
#endif
__device__ __forceinline__ void store(float* c, const Sums& sums) { *c = sums.of[0]; }
__device__ __forceinline__ void store(unsigned short* c, const Sums& sums) {
  *c = to_bits(sums.of[0]);
}

__device__ __forceinline__ void add(Sums& sums, const Sums& more) {
#pragma unroll
  for (int i = 0; i < COLUMNS; ++i) sums.of[i] += more.of[i];
}

__device__ __forceinline__ void add_product(Sums& sums, float weight, const Packed& row) {
  const Sums value = unpacked(row);
#pragma unroll
  for (int i = 0; i < COLUMNS; ++i) sums.of[i] += weight * value.of[i];
}

// Adds to C in memory, four columns in one request where the device can (vector reductions of f32:
// compute capability 9.0).
#if TYPE == 0
__device__ __forceinline__ void add_to_memory(Packed* c, const Sums& sums) {
#if __CUDA_ARCH__ >= 900 && COLUMNS == 4
  asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(c)),
               "f"(sums.of[0]), "f"(sums.of[1]), "f"(sums.of[2]), "f"(sums.of[3])
               : "memory");
#elif __CUDA_ARCH__ >= 900 && COLUMNS == 2
  asm volatile("red.global.add.v2.f32 [%0], {%1, %2};" ::"l"(__cvta_generic_to_global(c)),
               "f"(sums.of[0]), "f"(sums.of[1])
               : "memory");
#else
#pragma unroll
  for (int i = 0; i < COLUMNS; ++i) atomicAdd(reinterpret_cast<float*>(c) + i, sums.of[i]);
#endif
}
#endif

#ifdef UNROLL
// Adds entries [j, end) of A. All gathers of a turn are issued before the first is used, in the
// last, shorter turn as well: there the branches are the same for all lanes.
__device__ __forceinline__ void add_entries(Sums& sums, const int* __restrict__ indices,
                                            const Element* __restrict__ weights,
                                            const Packed* b_column, int row_bytes, int j, int end) {
#if HOMO
  const float weight = to_float(weights[0]);
#define WEIGHT_OF(u) weight
#else
  float weight[UNROLL];
#define WEIGHT_OF(u) weight[u]
#endif
  Packed value[UNROLL];
  for (; j + UNROLL <= end; j += UNROLL) {
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      value[u] = *row_of(b_column, indices[j + u], row_bytes);
#if !HOMO
      weight[u] = to_float(weights[j + u]);
#endif
    }
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) add_product(sums, WEIGHT_OF(u), value[u]);
  }
  const int rest = end - j;
  if (rest <= 0) return;
#pragma unroll
  for (int u = 0; u < UNROLL - 1; ++u) {
    if (u < rest) {
      value[u] = *row_of(b_column, indices[j + u], row_bytes);
#if !HOMO
      weight[u] = to_float(weights[j + u]);
#endif
    }
  }
#pragma unroll
  for (int u = 0; u < UNROLL - 1; ++u) {
    if (u < rest) add_product(sums, WEIGHT_OF(u), value[u]);
  }
#undef WEIGHT_OF
}
#endif
