// kernels/csrmm/compressed_gather.cu: gathers rows of B that hold no zeros.
//
// Against float4_columns: an entry brings a mask and the kept granules instead of 512 bytes. The
// limit moves from L2 to arithmetic. For 128 columns, 10 % density and nnz = 2 M, per entry, with
// 132 SMs at 1.83 GHz (an entry's SM cycle costs 8.3 µs; model, nothing is measured here):
//
//   GRANULE                          1        2        4
//   bytes of values (sectors)    67 (2.1)  112 (3.5) 184 (5.75)  and 32 of mask
//   L2 at 7.2 TB/s, µs              28       40       60         less L1 hits of masks
//   POPC, 16 lanes per clock        66       33       17 µs      4, 2, 1 of them, 2 cycles each
//   L1 wavefronts                  5.5      3.5      3.5 = 46, 29, 29 µs
//   instructions                   ~39      ~24      ~17 = 81, 50, 35 µs at four per clock
//
// so pairs should win here with quads a close second, and single columns only where B is sparser:
// their bytes are the fewest, but every column of a lane costs its own count, test and load.
// POPC runs at a quarter of the rate of the logic around it, so a place is counted once a lane, not
// once a column. Four indices and weights come with one load where they are aligned.
//
//   HOMO  1: one weight for all entries     GRANULE  columns kept together     ROWS  rows per block
#include "csrmm/compressed_b.cuh"

struct Strip {
  unsigned long long masks;   // address of this strip's words in row 0 of B
  unsigned long long packed;  // and of its granules
  int mask_bytes;             // from a row of B to the next
  int packed_bytes;
  unsigned bit, below;  // of this lane, and of all lanes before it
};

// Adds COUNT entries; all masks are loaded before the first value, all values before the first sum.
template <int COUNT>
__device__ __forceinline__ void add_rows(float (&sum)[4], const Strip& s,
                                         const int (&source)[COUNT], const float (&weight)[COUNT]) {
  constexpr int kGranuleBytes = GRANULE * static_cast<int>(sizeof(float));
  Words words[COUNT];
  float value[COUNT][4];
#pragma unroll
  for (int u = 0; u < COUNT; ++u) {
    words[u] = load_words(address_of(s.masks, source[u], s.mask_bytes));
  }
  bool finite = true;
#pragma unroll
  for (int u = 0; u < COUNT; ++u) {
    finite = finite & (fabsf(weight[u]) < __int_as_float(0x7f800000));
    int place = 0;
#pragma unroll
    for (int q = 0; q < kGranules; ++q) place += __popc(words[u].of[q] & s.below);
    const unsigned long long row = address_of(s.packed, source[u], s.packed_bytes);
#pragma unroll
    for (int q = 0; q < kGranules; ++q) {
      const bool kept = (words[u].of[q] & s.bit) != 0;
      load_kept(value[u] + q * GRANULE, address_of(row, place, kGranuleBytes), kept);
      place += kept ? 1 : 0;
    }
  }
  // A zero adds nothing, so no lane asks which of its columns were kept; only where a weight is not
  // finite must zeros be left out, and then for the whole warp.
  if (finite) {
#pragma unroll
    for (int u = 0; u < COUNT; ++u) {
#pragma unroll
      for (int i = 0; i < 4; ++i) sum[i] += weight[u] * value[u][i];
    }
  } else {
#pragma unroll
    for (int u = 0; u < COUNT; ++u) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        if (value[u][i] != 0.0f) sum[i] += weight[u] * value[u][i];
      }
    }
  }
}

extern "C" __global__ void __launch_bounds__(32 * ROWS)
    compressed_gather(const int* __restrict__ indptr,      // [m + 1]
                      const int* __restrict__ indices,     // [nnz]
                      const float* __restrict__ weights,   // [nnz], [1] when HOMO
                      const unsigned* __restrict__ masks,  // [k, strips, kGranules]
                      const float* __restrict__ packed,    // [k, strips, 128]
                      float* __restrict__ c,               // [m, n]
                      int m, int n) {
  const long long row = static_cast<long long>(blockIdx.x) * ROWS + threadIdx.y;
  const int lane = threadIdx.x, strip = blockIdx.y;
  if (row >= m) return;
  const int strips = static_cast<int>(gridDim.y);
  Strip s;
  s.masks = __cvta_generic_to_global(masks + strip * kGranules);
  s.packed = __cvta_generic_to_global(packed + strip * kStripColumns);
  s.mask_bytes = strips * kGranules * static_cast<int>(sizeof(unsigned));
  s.packed_bytes = strips * kStripColumns * static_cast<int>(sizeof(float));
  s.bit = 1u << lane;
  s.below = s.bit - 1;
#if HOMO
  const float shared_weight = weights[0];
#endif
  float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  const auto one = [&](int j) {
    const int source[1] = {indices[j]};
#if HOMO
    const float weight[1] = {shared_weight};
#else
    const float weight[1] = {weights[j]};
#endif
    add_rows<1>(sum, s, source, weight);
  };
  const int end = indptr[row + 1];
  int j = indptr[row];
#pragma unroll 1
  for (; j < end && j % 4 != 0; ++j) one(j);
#pragma unroll 1
  for (; j + 4 <= end; j += 4) {
    const int4 quad = *reinterpret_cast<const int4*>(indices + j);
    const int source[4] = {quad.x, quad.y, quad.z, quad.w};
#if HOMO
    const float weight[4] = {shared_weight, shared_weight, shared_weight, shared_weight};
#else
    const float4 four = *reinterpret_cast<const float4*>(weights + j);
    const float weight[4] = {four.x, four.y, four.z, four.w};
#endif
    add_rows<4>(sum, s, source, weight);
  }
#pragma unroll 1
  for (; j < end; ++j) one(j);
#pragma unroll
  for (int q = 0; q < kGranules; ++q) {
#pragma unroll
    for (int e = 0; e < GRANULE; ++e) {
      const int column = strip * kStripColumns + column_of(lane, q, e);
      if (column < n) c[row * n + column] = sum[q * GRANULE + e];
    }
  }
}
