// kernels/esmm/pattern_steps.cuh: pattern bytes, and the steps of k that one of them asks for.
#pragma once
#include "esmm/warp_tile.cuh"

// Bit j of a byte says that k = 8 · block + j carries a nonzero for a group of rows of A or columns
// of B. A pattern is [groups][k_blocks].
//
// switch_steps looks the byte up in a table of constant memory, {count, offsets}, and jumps to a
// body that is unrolled for that count: one jump a block of k instead of eight tests.

struct Offsets {
  unsigned char count, k[8];
};
struct OffsetTable {
  Offsets of[256];
};
constexpr OffsetTable all_offsets() {
  OffsetTable table = {};
  for (int byte = 0; byte < 256; ++byte) {
    for (int k = 0; k < 8; ++k) {
      if (byte >> k & 1) table.of[byte].k[table.of[byte].count++] = static_cast<unsigned char>(k);
    }
  }
  return table;
}
__constant__ OffsetTable kOffsets = all_offsets();  // 2304 bytes

// The bytes of COUNT neighbouring groups, one over the other.
template <int COUNT>
__device__ __forceinline__ unsigned groups_or(const unsigned char* __restrict__ pattern,
                                              long long first, long long k_blocks,
                                              long long block) {
  unsigned byte = 0;
#pragma unroll
  for (int group = 0; group < COUNT; ++group) byte |= pattern[(first + group) * k_blocks + block];
  return byte;
}

// The first COUNT offsets of a row of the table.
template <int COUNT>
__device__ __forceinline__ void unrolled_steps(const float* as, const float* bs, const Place& place,
                                               const Offsets& offsets, Sums& sums) {
#pragma unroll
  for (int i = 0; i < COUNT; ++i) add_step(as, bs, place, offsets.k[i], sums);
}

// `as` and `bs` begin at the block of k that the byte is of.
__device__ __forceinline__ void switch_steps(const float* as, const float* bs, const Place& place,
                                             unsigned byte, Sums& sums) {
  const Offsets& offsets = kOffsets.of[byte];
  switch (offsets.count) {
    case 1:
      return unrolled_steps<1>(as, bs, place, offsets, sums);
    case 2:
      return unrolled_steps<2>(as, bs, place, offsets, sums);
    case 3:
      return unrolled_steps<3>(as, bs, place, offsets, sums);
    case 4:
      return unrolled_steps<4>(as, bs, place, offsets, sums);
    case 5:
      return unrolled_steps<5>(as, bs, place, offsets, sums);
    case 6:
      return unrolled_steps<6>(as, bs, place, offsets, sums);
    case 7:
      return unrolled_steps<7>(as, bs, place, offsets, sums);
    case 8:
      return unrolled_steps<8>(as, bs, place, offsets, sums);
    default:
      return;
  }
}

// The same by eight tests.
__device__ __forceinline__ void tested_steps(const float* as, const float* bs, const Place& place,
                                             unsigned byte, Sums& sums) {
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    if (byte >> k & 1) add_step(as, bs, place, k, sums);
  }
}
