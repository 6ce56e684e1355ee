// kernels/esmm/warptile.cu: the ancestor: a warp-tiled product in FP32 that skips nothing.
//
// The tile of A lies k-major in shared memory, so that a lane's rows are neighbours there. A lane
// reads 34 floats for 64 multiply-adds with the tile of A-pattern skip: look at the bytes that
// shared memory delivers beside the arithmetic.
//
//   BM, BN, BK, WM, WN, TM, TN, WNITER  see warp_tile.cuh
#include "esmm/warp_tile.cuh"

extern "C" __global__ void __launch_bounds__(kThreads, kBlocks)
    dense_warp_tile(const float* __restrict__ a,  // [M, K]
                    const float* __restrict__ b,  // [K, N]
                    float* __restrict__ c,        // [M, N]
                    long long n, long long depth) {
  __shared__ TILE_ALIGN float as[BK * BM], bs[BK * BN];
  const Place place = place_of_lane();
  const long long row = static_cast<long long>(blockIdx.y) * BM;
  const long long column = static_cast<long long>(blockIdx.x) * BN;
  Sums sums = {};
  for (long long k = 0; k < depth; k += BK) {
    load_rows<BM>(as, a + row * depth + k, depth);
    load_columns(bs, b + k * n + column, n);
    __syncthreads();
#pragma unroll
    for (int step = 0; step < BK; ++step) add_step(as, bs, place, step, sums);
    __syncthreads();
  }
  store_sums(c + row * n + column, n, place, sums);
}
