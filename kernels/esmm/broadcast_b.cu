// kernels/esmm/broadcast_b.cu: the published loop over columns: all lanes of a warp on one column
// of B at a time.
//
// Against bt_tile: a lane is a row instead of a column. For each column the warp reads one byte of
// B and one word of B for all its lanes, a broadcast, and of A neighbouring words, one in each
// bank. A byte stands for eight columns and is uniform all the same. Look at wavefronts per request
// of shared memory, which are 1, and at the stores of C: lanes lie a row apart.
//
//   BM, BN, BK, WM, WN, TM, TN, WNITER, QUADS  see warp_tile.cuh; WM is a multiple of 32, WN of 8,
//                                              BN is 128, BK is 8
#include "esmm/pattern_steps.cuh"
#include "esmm/turned_tile.cuh"

constexpr int kColumns = 8;             // of B that share a byte
constexpr int kGroups = WN / kColumns;  // of a warp
constexpr int kLaneRows = WM / 32;      // 32 apart
static_assert(BN == 16 * kColumns, "the bytes of a block are 16, one load");

// Eight columns at one k.
__device__ __forceinline__ void add_column_group(float (&sums)[kLaneRows][WN], const float* as,
                                                 const float* bs, int group, int k) {
  float a[kLaneRows];
#pragma unroll
  for (int row = 0; row < kLaneRows; ++row) a[row] = as[k * BM + 32 * row];
#pragma unroll
  for (int j = 0; j < kColumns; ++j) {
    const float b = bs[(group * kColumns + j) * BK + k];
#pragma unroll
    for (int row = 0; row < kLaneRows; ++row) sums[row][group * kColumns + j] += a[row] * b;
  }
}

extern "C" __global__ void __launch_bounds__(kThreads)
    broadcast_b(const float* __restrict__ a,                  // [M, K]
                const float* __restrict__ bt,                 // [N, K]
                const unsigned char* __restrict__ b_pattern,  // [K / 8][N / 8]
                float* __restrict__ c,                        // [M, N]
                long long n, long long depth) {
  __shared__ TILE_ALIGN float as[BK * BM], bs[BN * BK];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int warp_row = warp / kWarpsAcross * WM, warp_column = warp % kWarpsAcross * WN;
  const long long row = static_cast<long long>(blockIdx.y) * BM;
  const long long column = static_cast<long long>(blockIdx.x) * BN;
  float sums[kLaneRows][WN] = {};
  for (long long block = 0; block < depth / 8; ++block) {
    const unsigned char* const bytes = b_pattern + (block * n + column) / kColumns;
    const uint4 all = *reinterpret_cast<const uint4*>(bytes);
    if ((all.x | all.y | all.z | all.w) == 0) continue;
    load_rows<BM>(as, a + row * depth + block * 8, depth);
    load_turned(bs, bt + column * depth + block * 8, depth);
    __syncthreads();
#pragma unroll
    for (int group = 0; group < kGroups; ++group) {
      const Offsets& offsets = kOffsets.of[bytes[warp_column / kColumns + group]];
      for (int i = 0; i < offsets.count; ++i)
        add_column_group(sums, as + warp_row + lane, bs + warp_column * BK, group, offsets.k[i]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kLaneRows; ++i) {
    float* const to = c + (row + warp_row + lane + 32 * i) * n + column + warp_column;
#pragma unroll
    for (int j = 0; j < WN; j += 4)
      __stwb(reinterpret_cast<float4*>(to + j),
             make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]));
  }
}
