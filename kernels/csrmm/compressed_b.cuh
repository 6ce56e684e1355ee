// kernels/csrmm/compressed_b.cuh: rows of B without their zeros: masks, and what is left, in order.
#pragma once

// A row of B is cut into strips of 128 columns. Of a strip, lane l owns the granules of GRANULE
// columns that begin at l·GRANULE, (32 + l)·GRANULE, … A granule is kept if any of it is not zero.
// The kept ones stand in order of lanes, a lane's own one after the other, at the start of the
// strip's 512 bytes; bit l of mask word q says whether lane l kept its q-th. So the place of a
// lane's first is the number of bits below l in all words.
//
//   GRANULE  1, 2 or 4 columns
constexpr int kStripColumns = 128;
constexpr int kGranules = 4 / GRANULE;  // of a lane: words of a mask

#if GRANULE == 1
using Mask = uint4;
using Granule = float;
#elif GRANULE == 2
using Mask = uint2;
using Granule = float2;
#else
using Mask = unsigned;
using Granule = float4;
#endif

struct Words {
  unsigned of[kGranules];
};

__device__ __forceinline__ Words words_of(const uint4& m) {
  Words words{};
  const unsigned all[4] = {m.x, m.y, m.z, m.w};
#pragma unroll
  for (int q = 0; q < kGranules; ++q) words.of[q] = all[q];
  return words;
}
__device__ __forceinline__ Words words_of(const uint2& m) {
  return words_of(make_uint4(m.x, m.y, 0, 0));
}
__device__ __forceinline__ Words words_of(unsigned m) { return words_of(make_uint4(m, 0, 0, 0)); }

__device__ __forceinline__ void get(const float& granule, float* values) { values[0] = granule; }
__device__ __forceinline__ void get(const float2& granule, float* values) {
  values[0] = granule.x;
  values[1] = granule.y;
}
__device__ __forceinline__ void get(const float4& granule, float* values) {
  values[0] = granule.x;
  values[1] = granule.y;
  values[2] = granule.z;
  values[3] = granule.w;
}

// The column, inside a strip, of element e of a lane's q-th granule.
__device__ __forceinline__ int column_of(int lane, int q, int e) {
  return (q * 32 + lane) * GRANULE + e;
}
