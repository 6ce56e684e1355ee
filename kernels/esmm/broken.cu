// kernels/esmm/broken.cu: wrong on purpose: mistakes of the published kernels and of their text,
// each alone.
//
//   BM, BN, BK, WM, WN, TM, TN, WNITER, QUADS  see warp_tile.cuh
//   MISTAKE  1: a warp goes on before the block's barrier where its own byte is 0
//            2: 256 threads load 128 rows into a tile of 64
//            3: with WMITER = 4 a lane begins at row 0 of a sub-tile of 16 and has 8 rows of it
//            4: the loop over columns counts in a signed byte: 128 more than 0 is −128, and −128
//               and 128 are 0 again
//            5: one tile of shared memory for eight warps with a group of rows each
#include "esmm/pattern_steps.cuh"

constexpr int kGroup = 32;  // rows of A that share a byte

#if MISTAKE == 2
// Rows beyond the tile land in what follows it in shared memory: the next k, then the tile of
// B. They are read from inside the matrix, so that only the tile goes wrong.
__device__ __forceinline__ void load_too_many(float* to, const float* __restrict__ a, long long row,
                                              long long rows, long long k, long long depth) {
  const int at = threadIdx.x / 2, first = threadIdx.x % 2 * 4;
  const long long from = min(row + at, rows - 1);
  const float4 quad = *reinterpret_cast<const float4*>(a + from * depth + k + first);
  to[(first + 0) * BM + at] = quad.x;
  to[(first + 1) * BM + at] = quad.y;
  to[(first + 2) * BM + at] = quad.z;
  to[(first + 3) * BM + at] = quad.w;
}
#endif

#if MISTAKE == 4
// As the tile of B is copied where a lane has a column: 256 threads take 128 columns at once.
__device__ __forceinline__ void load_forever(float* to, const float* __restrict__ from,
                                             long long pitch) {
  for (signed char first = 0; first < BN; first += 128) {
    const int column = (first & 127) + threadIdx.x / 2, k = threadIdx.x % 2 * 4;
    for (int i = 0; i < 4; ++i) to[(k + i) * BN + column] = from[(k + i) * pitch + column];
  }
}
#endif

#if MISTAKE != 5
extern "C" __global__ void __launch_bounds__(kThreads)
    broken_product(const float* __restrict__ a,                  // [M, K]
                   const float* __restrict__ b,                  // [K, N]
                   const unsigned char* __restrict__ a_pattern,  // [M / 32][K / 8]
                   float* __restrict__ c,                        // [M, N]
                   long long n, long long depth) {
  __shared__ TILE_ALIGN float as[BK * BM], bs[BK * BN];
  const Place place = place_of_lane();
  const long long row = static_cast<long long>(blockIdx.y) * BM;
  const long long column = static_cast<long long>(blockIdx.x) * BN;
  const long long k_blocks = depth / 8, group = row / kGroup;
  const long long own_group = group + place.warp_down * (WM / kGroup);
  Sums sums = {};
  for (long long k = 0; k < depth; k += BK) {
    const unsigned byte = groups_or<WM / kGroup>(a_pattern, own_group, k_blocks, k / 8);
#if MISTAKE == 1
    if (byte == 0) continue;
#endif
#if MISTAKE == 2
    load_too_many(as, a, row, static_cast<long long>(gridDim.y) * BM, k, depth);
#else
    load_rows<BM>(as, a + row * depth + k, depth);
#endif
#if MISTAKE == 4
    load_forever(bs, b + k * n + column, n);
#else
    load_columns(bs, b + k * n + column, n);
#endif
    __syncthreads();
    switch_steps(as, bs, place, byte, sums);
    __syncthreads();
  }
#if MISTAKE == 3
  // Lanes hold a column each, so that a sub-tile of 16 rows has 8 of nobody.
  for (int i = 0; i < WM; ++i) {
    if (i % 16 < 8) c[(row + place.warp_down * WM + i) * n + column + place.column] = sums.of[i][0];
  }
#else
  store_sums(c + row * n + column, n, place, sums);
#endif
}
#else
// Eight warps build the bytes of eight groups of rows and stage them in one tile: which group's
// rows a byte is made of is chance.
extern "C" __global__ void __launch_bounds__(256)
    shared_pattern_tile(const float* __restrict__ a,            // [M, K]
                        unsigned char* __restrict__ a_pattern,  // [M / 32][K / 8]
                        long long rows, long long depth) {
  __shared__ float tile[kGroup][33];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const long long group = static_cast<long long>(blockIdx.y) * 8 + warp;
  const long long k = static_cast<long long>(blockIdx.x) * 32 + lane;
  const bool inside = group * kGroup < rows;
  if (inside) {
    for (int i = 0; i < kGroup; ++i)
      tile[i][lane] = k < depth ? a[(group * kGroup + i) * depth + k] : 0.0f;
  }
  __syncthreads();
  bool any = false;
  for (int i = 0; i < kGroup; ++i) any |= tile[i][lane] != 0.0f;
  const unsigned bits = __ballot_sync(0xFFFFFFFFu, any);
  if (inside && lane % 8 == 0 && k < depth)
    a_pattern[group * (depth / 8) + k / 8] = static_cast<unsigned char>(bits >> lane);
}
#endif
