// kernels/deform/points.cuh: locations and weights of neighbouring points, in the widest loads that
// divide them.
#pragma once

#include <cuda_fp16.h>

// COUNT points of one level and group, from a place that is aligned to COUNT of them.

// The widest of 16, 8, 4 and 2 bytes that BYTES is a multiple of.
template <int BYTES>
struct Widest {
  static constexpr int value = BYTES % 16 == 0 ? 16 : BYTES % 8 == 0 ? 8 : BYTES % 4 == 0 ? 4 : 2;
};
template <int WIDTH>
struct Piece;
template <>
struct Piece<16> {
  using type = uint4;
};
template <>
struct Piece<8> {
  using type = uint2;
};
template <>
struct Piece<4> {
  using type = unsigned;
};
template <>
struct Piece<2> {
  using type = unsigned short;
};

// 16 bytes that nobody reads again: they take no line of L1 from others.
template <typename Bits>
__device__ __forceinline__ Bits load_once(const Bits* from) {
  return __ldcs(from);
}
__device__ __forceinline__ uint4 load_once(const uint4* from) {
  uint4 bits;
  asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(bits.x), "=r"(bits.y), "=r"(bits.z), "=r"(bits.w)
               : "l"(from));
  return bits;
}

// ONCE: nobody reads them again.
template <int BYTES, bool ONCE = false>
__device__ __forceinline__ void load_bytes(void* to, const void* from) {
  using Bits = typename Piece<Widest<BYTES>::value>::type;
  constexpr int kCount = BYTES / static_cast<int>(sizeof(Bits));
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    const Bits* const place = static_cast<const Bits*>(from) + i;
    const Bits bits = ONCE ? load_once(place) : __ldg(place);
    memcpy(static_cast<unsigned char*>(to) + i * sizeof(Bits), &bits, sizeof bits);
  }
}

template <int COUNT>
struct Points {
  __half2 location[COUNT];
  __half weight[COUNT];
};

// `first`: of all samples, the one that the points begin with.
template <int COUNT, bool ONCE = false>
__device__ __forceinline__ Points<COUNT> load_points(const __half* loc, const __half* weight,
                                                     long long first) {
  Points<COUNT> points;
  load_bytes<COUNT * 4, ONCE>(points.location, loc + 2 * first);
  load_bytes<COUNT * 2, ONCE>(points.weight, weight + first);
  return points;
}
