// kernels/deform_backward/cells.cuh: the samples of one cell, added up in registers.
#pragma once

#include "deform_backward/quads.cuh"

// A cell is the square between four pixels, named by its upper left one.

// A sample in its cell.
struct alignas(16) Entry {
  unsigned group;
  float dx, dy, attention;
};

constexpr int kEntries = 32 / kGroupLanes;  // that a warp reads at once

// Columns of the level that a row of an image belongs to.
__device__ __forceinline__ int columns_at(const long long* __restrict__ shapes,
                                          const long long* __restrict__ starts, int row) {
  int l = LEVELS - 1;
  while (row < static_cast<int>(__ldg(starts + l))) --l;
  return level_of(shapes, starts, l).columns();
}

// A warp's sums for the four corners of a cell: each lane has four channels.
class CellSums {
 public:
  // entries: written by the same kernel or an earlier one; those of no group are left out.
  __device__ __forceinline__ void add(const Entry* entries, unsigned begin, unsigned end,
                                      const Value* __restrict__ grad_out, unsigned groups) {
    const int lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll 4
    for (unsigned e = begin + lane / kGroupLanes; e < end; e += kEntries) {
      const Entry entry = entries[e];
      if (entry.group >= groups) continue;
      const float4 g = load_quad(grad_out + static_cast<long long>(entry.group) * CHANNELS +
                                 4 * (lane % kGroupLanes));
      const float left = 1.0f - entry.dx, top = 1.0f - entry.dy;
      add_to(0, top * left * entry.attention, g);
      add_to(1, top * entry.dx * entry.attention, g);
      add_to(2, entry.dy * left * entry.attention, g);
      add_to(3, entry.dy * entry.dx * entry.attention, g);
    }
  }

  // Adds the sums to the gradient of the values. upper_left: the first channel of that pixel.
  __device__ __forceinline__ void flush(float* __restrict__ upper_left, int columns) {
    const int lane = static_cast<int>(threadIdx.x % 32);
    // Lanes of different entries exchange halves of their corners, until each has one.
    int kept = 4, corner = 0;
#pragma unroll
    for (int offset = 16; offset >= kGroupLanes; offset /= 2) {
      const bool second = (lane & offset) != 0;
      if (kept > 1) {
        kept /= 2;
#pragma unroll
        for (int i = 0; i < kept; ++i) {
          const float4 sent = second ? sums_[i] : sums_[i + kept];
          sums_[i] = exchanged(second ? sums_[i + kept] : sums_[i], sent, offset);
        }
        corner += second ? kept : 0;
      } else {
        sums_[0] = exchanged(sums_[0], sums_[0], offset);
        if (second) corner = 4;  // another lane adds these
      }
    }
    float* const own = upper_left + 4 * (lane % kGroupLanes);
#pragma unroll
    for (int i = 0; i < kept; ++i) {
      const int c = corner + i;
      if (c < 4)
        atomicAdd(reinterpret_cast<float4*>(own + (c / 2 * columns + c % 2) * kPixelStride),
                  sums_[i]);
    }
  }

 private:
  __device__ __forceinline__ void add_to(int corner, float share, float4 g) {
    float4& sum = sums_[corner];
    sum.x = fmaf(share, g.x, sum.x);
    sum.y = fmaf(share, g.y, sum.y);
    sum.z = fmaf(share, g.z, sum.z);
    sum.w = fmaf(share, g.w, sum.w);
  }
  static __device__ __forceinline__ float4 exchanged(float4 kept, float4 sent, int offset) {
    return make_float4(kept.x + __shfl_xor_sync(kAll, sent.x, offset),
                       kept.y + __shfl_xor_sync(kAll, sent.y, offset),
                       kept.z + __shfl_xor_sync(kAll, sent.z, offset),
                       kept.w + __shfl_xor_sync(kAll, sent.w, offset));
  }

  float4 sums_[4] = {};
};
