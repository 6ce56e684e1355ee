// kernels/esmm/joint_vec.cu: both operands of a step come as quads: three reads for 32 products of
// a lane, or four for 64.
//
// Against joint_bk32: A passes through registers and lies k-major, which a copy past them cannot
// do, so that a lane's neighbouring rows are one read. Lanes have 8 × 4 of a warp's 32 × 32: 24
// floats for 64 multiply-adds, where published lanes read 34. WARP_ROWS 64: 8 × 8 per lane and 16
// floats; the two halves of its rows are tested apart, or it would take a k where either half has
// it. Look at shared memory's bytes beside the multiply-adds.
//
//   WARP_ROWS  rows of C that a warp has: 32, and a block has 64; or 64, and a block has 128
//   QUADS_OF_A, QUADS_OF_B  see word_lists.cuh
#include "esmm/word_lists.cuh"

namespace {
using namespace esmm;

constexpr int kHalves = WARP_ROWS / 32;          // of a warp's rows
constexpr int kRows = 2 * WARP_ROWS;             // of a block
constexpr int kQuadsOfB = kHalves;               // of a lane, in a step
constexpr int kQuadsOfA = kHalves == 1 ? 2 : 1;  // of a lane, in a step of one half
constexpr int kLoads = kRows * kDepth / 4 / kThreads;

struct Stage {
  float a[kDepth * kRows];  // k-major; quads of rows change places by k: see place
  float b[kDepth][kColumns];
};
struct Shared {
  Stage stages[2];
  WordList<kRows / 32> list;
};

// Where a row stands at one k. Eight quads of k that a warp stores meet in no bank.
__device__ __forceinline__ int place(int k, int row) {
  return k * kRows + ((row / 4 ^ k / 4) * 4 | row % 4);
}

// What a thread fetches of A for one stage: quads along k of rows 32 apart.
struct Fetched {
  float4 of[kLoads];

  __device__ __forceinline__ void fetch(const Problem& p, long long row, long long first_k) {
    const long long k = first_k + threadIdx.x % 8 * 4;
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      // Rows beyond the last are copies of it: nothing of them is stored.
      const float* const from = p.a + min(row + i * 32 + threadIdx.x / 8, p.m - 1) * p.k + k;
#if QUADS_OF_A
      of[i] = k < p.k ? *reinterpret_cast<const float4*>(from) : make_float4(0, 0, 0, 0);
#else
      of[i] = make_float4(k < p.k ? from[0] : 0, k + 1 < p.k ? from[1] : 0,
                          k + 2 < p.k ? from[2] : 0, k + 3 < p.k ? from[3] : 0);
#endif
    }
  }
  __device__ __forceinline__ void put(float* a) const {
    const int k = threadIdx.x % 8 * 4;
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const int row = i * 32 + threadIdx.x / 8;
      a[place(k, row)] = of[i].x;
      a[place(k + 1, row)] = of[i].y;
      a[place(k + 2, row)] = of[i].z;
      a[place(k + 3, row)] = of[i].w;
    }
  }
};

// A lane's rows and columns of one step in one half.
__device__ __forceinline__ void multiply(float (&c)[4 * kQuadsOfA][4 * kQuadsOfB],
                                         const float4 (&a)[kQuadsOfA],
                                         const float4 (&b)[kQuadsOfB]) {
#pragma unroll
  for (int q = 0; q < kQuadsOfA; ++q) {
    const float x[4] = {a[q].x, a[q].y, a[q].z, a[q].w};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
      for (int r = 0; r < kQuadsOfB; ++r) {
        c[q * 4 + i][r * 4] += x[i] * b[r].x;
        c[q * 4 + i][r * 4 + 1] += x[i] * b[r].y;
        c[q * 4 + i][r * 4 + 2] += x[i] * b[r].z;
        c[q * 4 + i][r * 4 + 3] += x[i] * b[r].w;
      }
    }
  }
}

// Which quads of rows and columns of its warp's tile a lane has. Lanes of a pair read the same of
// B, lanes two apart the same of A: two wavefronts per request.
struct Place {
  int down, across;  // the warp's
  int row, column;   // the lane's first quads in the block's tile
};
__device__ __forceinline__ Place place_of_lane() {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int down = warp / kColumnGroups, across = warp % kColumnGroups;
  const int r = kHalves == 1 ? lane % 2 + lane / 16 * 2 : lane % 2 + lane / 8 * 2;
  const int q = lane / 2 % (kHalves == 1 ? 8 : 4);
  return {down, across, down * WARP_ROWS + r * 4, across * 32 + q * 4};
}

struct Sums {
  float of[kHalves][4 * kQuadsOfA][4 * kQuadsOfB];
};

__device__ __forceinline__ void multiply_stage(Sums& sums, const Stage& stage, const Place& at,
                                               const unsigned (&words)[kHalves]) {
  unsigned any = 0;
#pragma unroll
  for (int half = 0; half < kHalves; ++half) any |= words[half];
#pragma unroll 1
  for (unsigned rest = any; rest != 0; rest &= rest - 1) {
    const int k = __ffs(rest) - 1;
    float4 b[kQuadsOfB];
#pragma unroll
    for (int q = 0; q < kQuadsOfB; ++q)
      b[q] = *reinterpret_cast<const float4*>(&stage.b[k][at.column + q * 16]);
#pragma unroll
    for (int half = 0; half < kHalves; ++half) {
      if (kHalves > 1 && (words[half] >> k & 1) == 0) continue;
      float4 a[kQuadsOfA];
#pragma unroll
      for (int q = 0; q < kQuadsOfA; ++q)
        a[q] = *reinterpret_cast<const float4*>(stage.a + place(k, at.row + half * 32 + q * 16));
      multiply(sums.of[half], a, b);
    }
  }
}
}  // namespace

extern "C" __global__ void __launch_bounds__(256, 2)
    joint_vec(const float* __restrict__ a,             // [m][k]
              const float* __restrict__ b,             // [k][n]
              const unsigned* __restrict__ a_pattern,  // [⌈m/32⌉][⌈k/32⌉]
              const unsigned* __restrict__ b_pattern,  // [⌈n/32⌉][⌈k/32⌉]
              float* __restrict__ c,                   // [m][n]
              long long m, long long n, long long k) {
  extern __shared__ __align__(16) unsigned char bytes[];
  Shared& shared = *reinterpret_cast<Shared*>(bytes);
  const Problem p = {a, b, a_pattern, b_pattern, c, m, n, k};
  const long long row = static_cast<long long>(blockIdx.y) * kRows;
  const long long column = static_cast<long long>(blockIdx.x) * kColumns;
  const Place at = place_of_lane();
  Sums sums = {};
  for (long long first = 0; first < p.words(); first += kListed) {
    const int listed = list_words(shared.list, p, row, column, first);
    Fetched fetched;
    // Stage i: A into registers, B on its way.
    const auto begin = [&](int i) {
      const long long k_of_i = (first + shared.list.word[i]) * kDepth;
      fetched.fetch(p, row, k_of_i);
      copy_b(shared.stages[i % 2].b, p, column, k_of_i,
             shared.list.of_columns(i, threadIdx.x % 32 / 8));
      end_copies();
    };
    // … A into its place, B there.
    const auto end = [&](int i) {
      fetched.put(shared.stages[i % 2].a);
      wait_for_copies<0>();
      __syncthreads();
    };
    if (listed > 0) {
      begin(0);
      end(0);
    }
    for (int i = 0; i < listed; ++i) {
      if (i + 1 < listed) begin(i + 1);
      unsigned words[kHalves];
#pragma unroll
      for (int half = 0; half < kHalves; ++half)
        words[half] = shared.list.of(i, at.down * kHalves + half, at.across);
      multiply_stage(sums, shared.stages[i % 2], at, words);
      if (i + 1 < listed) end(i + 1);
    }
    __syncthreads();
  }
#pragma unroll
  for (int half = 0; half < kHalves; ++half)
#pragma unroll
    for (int i = 0; i < 4 * kQuadsOfA; ++i)
#pragma unroll
      for (int q = 0; q < kQuadsOfB; ++q)
        store_quad(p, row + at.row + half * 32 + i / 4 * 16 + i % 4, column + at.column + q * 16,
                   sums.of[half][i][q * 4], sums.of[half][i][q * 4 + 1],
                   sums.of[half][i][q * 4 + 2], sums.of[half][i][q * 4 + 3]);
}
