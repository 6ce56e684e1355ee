// kernels/esmm/joint.cu: a warp takes only those k at which both its rows of A and its columns of B
// carry a nonzero.
//
// Against a_skip: bytes of both operands are joined, so the executed share is a product. Two forms
// do the same work: one looks the joined byte up and runs an unrolled body; the other walks the
// offset lists of both bytes and searches for pairs. Compare instructions executed. Warps of 64
// rows or columns join two bytes of a side first, which raises the share.
//
//   BM, BN, BK, WM, WN, TM, TN, WNITER, QUADS  see warp_tile.cuh; WM, WN are multiples of 32
//   LISTS  0: one lookup of a & b, 1: nested loops over two offset lists
#include "esmm/pattern_steps.cuh"

constexpr int kGroup = 32;  // rows of A, and columns of B, that share a byte

// The pairs of equal offsets of two rows of the table.
__device__ __forceinline__ void searched_steps(const float* as, const float* bs, const Place& place,
                                               unsigned of_a, unsigned of_b, Sums& sums) {
  const Offsets &a = kOffsets.of[of_a], &b = kOffsets.of[of_b];
  for (int i = 0; i < a.count; ++i) {
    for (int j = 0; j < b.count; ++j) {
      if (a.k[i] == b.k[j]) add_step(as, bs, place, a.k[i], sums);
    }
  }
}

extern "C" __global__ void __launch_bounds__(kThreads)
    joint(const float* __restrict__ a,                  // [M, K]
          const float* __restrict__ b,                  // [K, N]
          const unsigned char* __restrict__ a_pattern,  // [M / 32][K / 8]
          const unsigned char* __restrict__ b_pattern,  // [N / 32][K / 8]
          float* __restrict__ c,                        // [M, N]
          long long n, long long depth) {
  __shared__ TILE_ALIGN float as[BK * BM], bs[BK * BN];
  const Place place = place_of_lane();
  const long long row = static_cast<long long>(blockIdx.y) * BM;
  const long long column = static_cast<long long>(blockIdx.x) * BN;
  const long long k_blocks = depth / 8;
  const long long a_group = row / kGroup, b_group = column / kGroup;
  const long long own_a = a_group + place.warp_down * (WM / kGroup);
  const long long own_b = b_group + place.warp_across * (WN / kGroup);
  Sums sums = {};
  for (long long k = 0; k < depth; k += BK) {
    unsigned all = 0;
#pragma unroll
    for (int part = 0; part < BK / 8; ++part)
      all |= groups_or<BM / kGroup>(a_pattern, a_group, k_blocks, k / 8 + part) &
             groups_or<BN / kGroup>(b_pattern, b_group, k_blocks, k / 8 + part);
    if (all == 0) continue;
    load_rows<BM>(as, a + row * depth + k, depth);
    load_columns(bs, b + k * n + column, n);
    __syncthreads();
#pragma unroll
    for (int part = 0; part < BK / 8; ++part) {
      const float *const as8 = as + part * 8 * BM, *const bs8 = bs + part * 8 * BN;
      const unsigned of_a = groups_or<WM / kGroup>(a_pattern, own_a, k_blocks, k / 8 + part);
      const unsigned of_b = groups_or<WN / kGroup>(b_pattern, own_b, k_blocks, k / 8 + part);
#if LISTS
      searched_steps(as8, bs8, place, of_a, of_b, sums);
#else
      switch_steps(as8, bs8, place, of_a & of_b, sums);
#endif
    }
    __syncthreads();
  }
  store_sums(c + row * n + column, n, place, sums);
}
