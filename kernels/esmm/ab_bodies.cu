// kernels/esmm/ab_bodies.cu: a body of its own for each of 256 joined bytes.
//
// Against ab_fine: a lane joins A's byte with the byte of its own eight columns and jumps to code
// that has just those steps, without a test. Two patterns in a warp are two bodies, one after the
// other. Look at the kernel's size, its registers and active lanes.
//
//   BM, BN, BK, WM, WN, TM, TN, WNITER, QUADS  see warp_tile.cuh; WM is a multiple of 32, TN is 8,
//                                              WNITER is 1, BK is 8
#include "esmm/pattern_steps.cuh"

constexpr int kRows = 32, kColumns = 8;  // of A, and of B, that share a byte
static_assert(TN == kColumns && WNITER == 1, "a lane owns the columns of one byte");

// The steps of one byte, known when it is compiled.
template <int BYTE>
__device__ __forceinline__ void body(const float* as, const float* bs, const Place& place,
                                     Sums& sums) {
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    if (BYTE >> k & 1) add_step(as, bs, place, k, sums);
  }
}

#define BODY(byte)                   \
  case byte:                         \
    body<byte>(as, bs, place, sums); \
    break;
#define BODIES_4(byte) BODY(byte) BODY(byte + 1) BODY(byte + 2) BODY(byte + 3)
#define BODIES_16(byte) BODIES_4(byte) BODIES_4(byte + 4) BODIES_4(byte + 8) BODIES_4(byte + 12)
#define BODIES_64(byte) \
  BODIES_16(byte) BODIES_16(byte + 16) BODIES_16(byte + 32) BODIES_16(byte + 48)

__device__ __forceinline__ void any_body(const float* as, const float* bs, const Place& place,
                                         unsigned byte, Sums& sums) {
  switch (byte) { BODIES_64(0) BODIES_64(64) BODIES_64(128) BODIES_64(192) }
}

extern "C" __global__ void __launch_bounds__(kThreads)
    ab_bodies(const float* __restrict__ a,                  // [M, K]
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
    const unsigned of_b = b_pattern[block * (n / kColumns) + (column + place.column) / kColumns];
    any_body(as, bs, place, groups_or<WM / kRows>(a_pattern, own_group, k_blocks, block) & of_b,
             sums);
    __syncthreads();
  }
  store_sums(c + row * n + column, n, place, sums);
}
