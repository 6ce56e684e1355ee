// kernels/esmm/joint_wide.cu: the joint skip of wide warp tiles, whose steps are one body in a
// loop.
//
// Against joint: a step of 64 × 64 is 164 instructions, and bodies unrolled for one to eight steps
// are 36 of them: 90 KB, in which warps that take different counts keep fetching instructions from
// afar. Here the table gives the offsets, and one body runs as often as its count says. A warp
// joins two bytes of a side, which raises the share that it executes. Look at that share, and at
// registers: a lane has 128 sums.
//
//   BM, BN, BK, WM, WN, TM, TN, WNITER, QUADS  see warp_tile.cuh; WM, WN are multiples of 32
#include "esmm/pattern_steps.cuh"

constexpr int kGroup = 32;  // rows of A, and columns of B, that share a byte

extern "C" __global__ void __launch_bounds__(kThreads)
    joint_wide(const float* __restrict__ a,                  // [M, K]
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
#pragma unroll 1
    for (int part = 0; part < BK / 8; ++part) {
      const Offsets& offsets =
          kOffsets.of[groups_or<WM / kGroup>(a_pattern, own_a, k_blocks, k / 8 + part) &
                      groups_or<WN / kGroup>(b_pattern, own_b, k_blocks, k / 8 + part)];
#pragma unroll 1
      for (int i = 0; i < offsets.count; ++i)
        add_step(as + part * 8 * BM, bs + part * 8 * BN, place, offsets.k[i], sums);
    }
    __syncthreads();
  }
  store_sums(c + row * n + column, n, place, sums);
}
