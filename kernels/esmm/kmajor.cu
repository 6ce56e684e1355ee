// kernels/esmm/kmajor.cu: a warp takes only those k at which its columns of B carry a nonzero, with
// B as it lies in memory.
//
// Against bt_tile: no transpose. Both tiles lie k-major and lanes read neighbouring columns, so no
// read has a bank conflict: those that are counted are of the stores that turn A's tile, two
// wavefronts per request. A warp's byte is as uniform as before, because a group is 32 columns
// wide. A lane has one column and reads 65 floats for 64 multiply-adds: look at shared wavefronts.
//
//   BM, BN, BK, WM, WN, TM, TN, WNITER, QUADS  see warp_tile.cuh; WN is a multiple of 32
#include "esmm/pattern_steps.cuh"

constexpr int kGroup = 32;  // columns of B that share a byte

extern "C" __global__ void __launch_bounds__(kThreads, kBlocks)
    k_major(const float* __restrict__ a,                  // [M, K]
            const float* __restrict__ b,                  // [K, N]
            const unsigned char* __restrict__ b_pattern,  // [N / 32][K / 8]
            float* __restrict__ c,                        // [M, N]
            long long n, long long depth) {
  __shared__ TILE_ALIGN float as[BK * BM], bs[BK * BN];
  const Place place = place_of_lane();
  const long long row = static_cast<long long>(blockIdx.y) * BM;
  const long long column = static_cast<long long>(blockIdx.x) * BN;
  const int steps = static_cast<int>(depth), k_blocks = steps / 8;
  const long long group = column / kGroup;
  Sums sums = {};
  for (int k = 0; k < steps; k += BK) {
    // The bytes of all groups, of which one warp's are kept: read once, and with a counter of one
    // register a lane's sums and operands just fit 128.
    unsigned own[BK / 8] = {}, all = 0;
#pragma unroll
    for (int part = 0; part < BK / 8; ++part) {
#pragma unroll
      for (int g = 0; g < BN / kGroup; ++g) {
        const unsigned byte =
            b_pattern[(group + g) * static_cast<long long>(k_blocks) + k / 8 + part];
        all |= byte;
        if (g / (WN / kGroup) == place.warp_across) own[part] |= byte;
      }
    }
    if (all == 0) continue;
    load_rows<BM>(as, a + row * depth + k, depth);
    load_columns(bs, b + static_cast<long long>(k) * n + column, n);
    __syncthreads();
#pragma unroll
    for (int part = 0; part < BK / 8; ++part)
      switch_steps(as + part * 8 * BM, bs + part * 8 * BN, place, own[part], sums);
    __syncthreads();
  }
  store_sums(c + row * n + column, n, place, sums);
}
