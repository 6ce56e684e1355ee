// kernels/esmm/warp_tile.cuh: the warp-tiled product that the ladder shares: loads, a step of k,
// stores.
#pragma once

// A block computes BM × BN of C and passes K in tiles of BK. Its warps have WM × WN each, as
// WMITER × WNITER sub-tiles; in each a lane has TM × TN neighbouring elements. Both tiles lie
// k-major in shared memory: As[k][BM], Bs[k][BN]. M and N are multiples of BM and BN, K of BK.
//
//   const Place place = place_of_lane();
//   Sums sums = {};
//   load_rows(as, a + row · K + k, K);  load_columns(bs, b + k · N + column, N);
//   __syncthreads();
//   add_step(as, bs, place, 3, sums);                              // k = 3 of the tile
//   store_sums(c + row · N + column, N, place, sums);

//   QUADS  0: tiles are declared as words, as the published ones, and every word is read alone;
//          1: as aligned quads, which lets the compiler read a lane's neighbouring words together
#if QUADS
#define TILE_ALIGN __align__(16)
#else
#define TILE_ALIGN
#endif

constexpr int kWarpsAcross = BN / WN, kWarpsDown = BM / WM;
constexpr int kThreads = 32 * kWarpsAcross * kWarpsDown;
// Blocks that share a multiprocessor's registers at least, where blocks of 256 threads are compiled
// for it.
constexpr int kBlocks = kThreads <= 256 ? 2 : 1;
constexpr int kDown = WM * WN / (32 * TM * TN * WNITER);  // WMITER
constexpr int kAcross = WNITER;
constexpr int kSubRows = WM / kDown, kSubColumns = WN / kAcross;
constexpr int kLaneColumns = kSubColumns / TN;
static_assert(kDown >= 1 && kSubRows * kDown == WM, "WMITER must divide WM");
static_assert(kLaneColumns * TN == kSubColumns && kSubRows / TM * kLaneColumns == 32,
              "32 lanes must cover a sub-tile");

// Where a lane's first elements lie: rows and columns inside the block's tile.
struct Place {
  int warp_down, warp_across;  // the warp among the block's
  int row, column;
};

__device__ __forceinline__ Place place_of_lane() {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int down = warp / kWarpsAcross, across = warp % kWarpsAcross;
  return {down, across, down * WM + lane / kLaneColumns * TM,
          across * WN + lane % kLaneColumns * TN};
}

struct Sums {
  float of[kDown * TM][kAcross * TN];
};

// ROWS rows of BK floats, `pitch` apart, into to[k][ROWS]: neighbouring lanes take the quads of a
// row, so that each quad becomes four stores of a word.
template <int ROWS>
__device__ __forceinline__ void load_rows(float* to, const float* __restrict__ from,
                                          long long pitch) {
  constexpr int kQuads = BK / 4, kRowsAtOnce = kThreads / kQuads;
#pragma unroll
  for (int first = 0; first < ROWS; first += kRowsAtOnce) {
    const int row = first + threadIdx.x / kQuads, k = threadIdx.x % kQuads * 4;
    if (ROWS % kRowsAtOnce != 0 && row >= ROWS) break;
    const float4 quad = *reinterpret_cast<const float4*>(from + row * pitch + k);
    to[(k + 0) * ROWS + row] = quad.x;
    to[(k + 1) * ROWS + row] = quad.y;
    to[(k + 2) * ROWS + row] = quad.z;
    to[(k + 3) * ROWS + row] = quad.w;
  }
}

// BK rows of BN floats, `pitch` apart, into to[k][BN].
__device__ __forceinline__ void load_columns(float* to, const float* __restrict__ from,
                                             long long pitch) {
  constexpr int kQuads = BN / 4, kRowsAtOnce = kThreads >= kQuads ? kThreads / kQuads : 1;
  constexpr int kQuadsAtOnce = kThreads < kQuads ? kThreads : kQuads;
#pragma unroll
  for (int first = 0; first < BK; first += kRowsAtOnce) {
    const int k = first + threadIdx.x / kQuadsAtOnce;
    if (BK % kRowsAtOnce != 0 && k >= BK) break;
#pragma unroll
    for (int quad = 0; quad < kQuads; quad += kQuadsAtOnce) {
      const int column = (quad + threadIdx.x % kQuadsAtOnce) * 4;
      *reinterpret_cast<float4*>(to + k * BN + column) =
          *reinterpret_cast<const float4*>(from + k * pitch + column);
    }
  }
}

// The lane's rows of A at one k, and its columns of B.
__device__ __forceinline__ void rows_at(const float* as, const Place& place, int k,
                                        float (&a)[kDown * TM]) {
#pragma unroll
  for (int down = 0; down < kDown; ++down) {
#pragma unroll
    for (int i = 0; i < TM; ++i) a[down * TM + i] = as[k * BM + place.row + down * kSubRows + i];
  }
}
__device__ __forceinline__ void columns_at(const float* bs, const Place& place, int k,
                                           float (&b)[kAcross * TN]) {
#pragma unroll
  for (int across = 0; across < kAcross; ++across) {
#pragma unroll
    for (int j = 0; j < TN; ++j)
      b[across * TN + j] = bs[k * BN + place.column + across * kSubColumns + j];
  }
}

__device__ __forceinline__ void multiply(const float (&a)[kDown * TM],
                                         const float (&b)[kAcross * TN], Sums& sums) {
#pragma unroll
  for (int i = 0; i < kDown * TM; ++i) {
#pragma unroll
    for (int j = 0; j < kAcross * TN; ++j) sums.of[i][j] += a[i] * b[j];
  }
}

__device__ __forceinline__ void add_step(const float* as, const float* bs, const Place& place,
                                         int k, Sums& sums) {
  float a[kDown * TM], b[kAcross * TN];
  rows_at(as, place, k, a);
  columns_at(bs, place, k, b);
  multiply(a, b, sums);
}

// `c` is the first element of the block's tile. Sixteen bytes a store where a lane has four
// neighbouring columns.
__device__ __forceinline__ void store_sums(float* __restrict__ c, long long pitch,
                                           const Place& place, const Sums& sums) {
#pragma unroll
  for (int row = 0; row < kDown * TM; ++row) {
    float* const to = c + (place.row + row / TM * kSubRows + row % TM) * pitch + place.column;
#pragma unroll
    for (int across = 0; across < kAcross; ++across) {
      const float* const of = sums.of[row] + across * TN;
      if constexpr (TN % 4 == 0) {
#pragma unroll
        for (int j = 0; j < TN; j += 4)
          __stwb(reinterpret_cast<float4*>(to + across * kSubColumns + j),
                 make_float4(of[j], of[j + 1], of[j + 2], of[j + 3]));
      } else {
#pragma unroll
        for (int j = 0; j < TN; ++j) to[across * kSubColumns + j] = of[j];
      }
    }
  }
}
