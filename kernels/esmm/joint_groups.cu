// kernels/esmm/joint_groups.cu: joint skipping with pattern bytes of fewer, or more, rows of A.
//
// Against joint: a byte of A stands for GROUP rows. Eight are fewer than a sub-tile has, so lanes
// of one warp have different bytes and wait for each other's steps; there are also four times as
// many bytes. Sixty-four are one byte a warp of 64 rows, in which nearly every bit is set. Look at
// active lanes and at the executed share.
//
//   BM, BN, BK, WM, WN, TM, TN, WNITER, QUADS  see warp_tile.cuh; WM is a multiple of GROUP, WN of
//   32 GROUP  rows of A that share a byte: 8, 32 or 64
#include "esmm/pattern_steps.cuh"

constexpr int kColumns = 32;  // of B that share a byte

extern "C" __global__ void __launch_bounds__(kThreads)
    joint_groups(const float* __restrict__ a,                  // [M, K]
                 const float* __restrict__ b,                  // [K, N]
                 const unsigned char* __restrict__ a_pattern,  // [M / GROUP][K / 8]
                 const unsigned char* __restrict__ b_pattern,  // [N / 32][K / 8]
                 float* __restrict__ c,                        // [M, N]
                 long long n, long long depth) {
  __shared__ TILE_ALIGN float as[BK * BM], bs[BK * BN];
  const Place place = place_of_lane();
  const long long row = static_cast<long long>(blockIdx.y) * BM;
  const long long column = static_cast<long long>(blockIdx.x) * BN;
  const long long k_blocks = depth / 8, b_group = column / kColumns;
  const long long own_b = b_group + place.warp_across * (WN / kColumns);
  Sums sums = {};
  for (long long k = 0; k < depth; k += BK) {
    unsigned all = 0;
#pragma unroll
    for (int part = 0; part < BK / 8; ++part)
      all |= groups_or<BM / GROUP>(a_pattern, row / GROUP, k_blocks, k / 8 + part) &
             groups_or<BN / kColumns>(b_pattern, b_group, k_blocks, k / 8 + part);
    if (all == 0) continue;
    load_rows<BM>(as, a + row * depth + k, depth);
    load_columns(bs, b + k * n + column, n);
    __syncthreads();
    for (int part = 0; part < BK / 8; ++part) {
      const unsigned of_b = groups_or<WN / kColumns>(b_pattern, own_b, k_blocks, k / 8 + part);
      unsigned byte[kDown], any = 0;  // of the lane's rows in each sub-tile
#pragma unroll
      for (int down = 0; down < kDown; ++down) {
        const long long group = (row + place.row + down * kSubRows) / GROUP;
        byte[down] = a_pattern[group * k_blocks + k / 8 + part] & of_b;
        any |= byte[down];
      }
#pragma unroll
      for (int step = 0; step < 8; ++step) {
        if ((any >> step & 1) == 0) continue;
        float of_columns[kAcross * TN], of_rows[kDown * TM];
        columns_at(bs, place, part * 8 + step, of_columns);
        rows_at(as, place, part * 8 + step, of_rows);
#pragma unroll
        for (int down = 0; down < kDown; ++down) {
          if ((byte[down] >> step & 1) == 0) continue;
#pragma unroll
          for (int i = down * TM; i < (down + 1) * TM; ++i) {
#pragma unroll
            for (int j = 0; j < kAcross * TN; ++j) sums.of[i][j] += of_rows[i] * of_columns[j];
          }
        }
      }
    }
    __syncthreads();
  }
  store_sums(c + row * n + column, n, place, sums);
}
