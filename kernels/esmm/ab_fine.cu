// kernels/esmm/ab_fine.cu: A's byte of 32 rows, and a byte of B for every eight columns.
//
// Against a_skip: a lane owns eight neighbouring columns of each sub-tile and asks their own byte.
// Even lanes have the left eight, odd lanes the right: a warp follows two patterns, and its paths
// split wherever they differ. Tiles of 32 columns a bit hide it. Look at active lanes.
//
//   BM, BN, BK, WM, WN, TM, TN, WNITER, QUADS  see warp_tile.cuh; WM is a multiple of 32, TN is 8,
//                                              BK is 8
//   FORM  0 flat: a test before the products    1 a conditional load, then all products
//         2 products with the bit as a factor   3 hierarchical: the whole warp's bits first
//         4 offset lists: A's list, searched in B's
#include "esmm/pattern_steps.cuh"

constexpr int kRows = 32, kColumns = 8;  // of A, and of B, that share a byte
static_assert(TN == kColumns, "a lane owns the columns of one byte");

// The products of one k with the TN columns of one sub-tile.
__device__ __forceinline__ void add_columns(const float (&a)[kDown * TM], const float* columns,
                                            int across, float factor, Sums& sums) {
#pragma unroll
  for (int j = 0; j < TN; ++j) {
    const float value = FORM == 2 ? columns[j] * factor : columns[j];
#pragma unroll
    for (int i = 0; i < kDown * TM; ++i) sums.of[i][across * TN + j] += a[i] * value;
  }
}

// One k of the lane's columns in one sub-tile, by the lane's own byte of B.
__device__ __forceinline__ void add_own(const float (&a)[kDown * TM], const float* bs,
                                        unsigned byte, int k, int across, Sums& sums) {
  const bool set = (byte >> k & 1) != 0;
  if constexpr (FORM == 1) {
    float columns[TN];
#pragma unroll
    for (int j = 0; j < TN; ++j) columns[j] = set ? bs[j] : 0.0f;
    add_columns(a, columns, across, 1.0f, sums);
  } else if constexpr (FORM == 2) {
    add_columns(a, bs, across, set ? 1.0f : 0.0f, sums);
  } else if (set) {
    add_columns(a, bs, across, 1.0f, sums);
  }
}

// All k of A's byte in all sub-tiles.
__device__ __forceinline__ void add_bytes(const float* as, const float* bs, const Place& place,
                                          unsigned of_a, const unsigned (&of_b)[kAcross],
                                          Sums& sums) {
  const Offsets& offsets = kOffsets.of[of_a];
  for (int i = 0; i < offsets.count; ++i) {
    const int k = offsets.k[i];
    float a[kDown * TM];
    rows_at(as, place, k, a);
#pragma unroll
    for (int across = 0; across < kAcross; ++across) {
      const float* const columns = bs + k * BN + place.column + across * kSubColumns;
#if FORM == 3
      if (!__any_sync(0xFFFFFFFFu, of_b[across] >> k & 1)) continue;
#endif
#if FORM == 4
      const Offsets& own = kOffsets.of[of_b[across]];
      for (int j = 0; j < own.count; ++j) {
        if (own.k[j] == k) add_columns(a, columns, across, 1.0f, sums);
      }
#else
      add_own(a, columns, of_b[across], k, across, sums);
#endif
    }
  }
}

extern "C" __global__ void __launch_bounds__(kThreads)
    ab_fine(const float* __restrict__ a,                  // [M, K]
            const float* __restrict__ b,                  // [K, N]
            const unsigned char* __restrict__ a_pattern,  // [M / 32][K / 8]
            const unsigned char* __restrict__ b_pattern,  // [K / 8][N / 8]
            float* __restrict__ c,                        // [M, N]
            long long n, long long depth) {
  __shared__ TILE_ALIGN float as[BK * BM], bs[BK * BN];
  const Place place = place_of_lane();
  const long long row = static_cast<long long>(blockIdx.y) * BM;
  const long long column = static_cast<long long>(blockIdx.x) * BN;
  const long long k_blocks = depth / 8, group = row / kRows;
  const long long own_group = group + place.warp_down * (WM / kRows);
  Sums sums = {};
  for (long long block = 0; block < k_blocks; ++block) {
    if (groups_or<BM / kRows>(a_pattern, group, k_blocks, block) == 0) continue;
    load_rows<BM>(as, a + row * depth + block * 8, depth);
    load_columns(bs, b + block * 8 * n + column, n);
    __syncthreads();
    unsigned of_b[kAcross];
#pragma unroll
    for (int across = 0; across < kAcross; ++across)
      of_b[across] = b_pattern[block * (n / kColumns) +
                               (column + place.column + across * kSubColumns) / kColumns];
    add_bytes(as, bs, place, groups_or<WM / kRows>(a_pattern, own_group, k_blocks, block), of_b,
              sums);
    __syncthreads();
  }
  store_sums(c + row * n + column, n, place, sums);
}
