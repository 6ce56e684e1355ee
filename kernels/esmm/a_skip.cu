// kernels/esmm/a_skip.cu: a warp takes only those k at which its rows of A carry a nonzero.
//
// Against dense_warp_tile: one byte for each warp and eight k says which of them count. All lanes
// of a warp have the same byte, so nothing diverges. Look at the instructions executed beside the
// share of bits that are set, and at the bytes from L2, which are the same as without.
//
// A block of k is skipped, loads and barriers too, only where the bytes of all its warps are zero:
// a warp alone that went on past a barrier would miss its share of the next tile's loads.
//
//   BM, BN, BK, WM, WN, TM, TN, WNITER  see warp_tile.cuh; WM is a multiple of 32
//   TESTS  0: a table and a switch over the count, 1: eight tested bits
#include "esmm/pattern_steps.cuh"

constexpr int kGroupRows = 32;  // rows of A that share a byte

extern "C" __global__ void __launch_bounds__(kThreads)
    a_skip(const float* __restrict__ a,                  // [M, K]
           const float* __restrict__ b,                  // [K, N]
           const unsigned char* __restrict__ a_pattern,  // [M / 32][K / 8]
           float* __restrict__ c,                        // [M, N]
           long long n, long long depth) {
  __shared__ TILE_ALIGN float as[BK * BM], bs[BK * BN];
  const Place place = place_of_lane();
  const long long row = static_cast<long long>(blockIdx.y) * BM;
  const long long column = static_cast<long long>(blockIdx.x) * BN;
  const long long k_blocks = depth / 8, group = row / kGroupRows;
  const long long own_group = group + place.warp_down * (WM / kGroupRows);
  Sums sums = {};
  for (long long k = 0; k < depth; k += BK) {
    unsigned all = 0;
#pragma unroll
    for (int part = 0; part < BK / 8; ++part)
      all |= groups_or<BM / kGroupRows>(a_pattern, group, k_blocks, k / 8 + part);
    if (all == 0) continue;
    load_rows<BM>(as, a + row * depth + k, depth);
    load_columns(bs, b + k * n + column, n);
    __syncthreads();
#pragma unroll
    for (int part = 0; part < BK / 8; ++part) {
      const unsigned byte =
          groups_or<WM / kGroupRows>(a_pattern, own_group, k_blocks, k / 8 + part);
#if TESTS
      tested_steps(as + part * 8 * BM, bs + part * 8 * BN, place, byte, sums);
#else
      switch_steps(as + part * 8 * BM, bs + part * 8 * BN, place, byte, sums);
#endif
    }
    __syncthreads();
  }
  store_sums(c + row * n + column, n, place, sums);
}
