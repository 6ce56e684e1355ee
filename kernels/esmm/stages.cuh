// kernels/esmm/stages.cuh: a tile of C whose operands wait in a ring of stages of 32 k, which
// copies fill while warps multiply.
#pragma once
#include "esmm/word_lists.cuh"

// A block has 64 × 128 of C, a warp 32 × 32 of it, a lane 8 × 4 of that: rows four apart, columns
// side by side. A lies in a stage as it lies in memory, with rows four words longer than 32 k, so
// that four rows at one k meet in no bank.
//
//   STAGES  of the ring: 3 or 4. All but one are on their way while one is multiplied.

namespace esmm {

constexpr int kRows = 64, kRowGroups = kRows / 32;
constexpr int kPitch = kDepth + 4;
using Words = WordList<kRowGroups>;

struct Stage {
  float a[kRows][kPitch];
  float b[kDepth][kColumns];
};
struct Ring {
  Stage stages[STAGES];
  Words list;
};

// Begins to copy 32 k. GRANULAR: of A only sectors, eight k of a row, and of B only parts of rows,
// 32 columns, that one of the block's warps takes; else all of both.
template <bool GRANULAR>
__device__ __forceinline__ void load(Stage& stage, const Words& list, int i, const Problem& p,
                                     long long row, long long column, long long first_k) {
#pragma unroll
  for (int group = 0; group < kRowGroups; ++group) {
    const unsigned needed = GRANULAR ? list.of_rows(i, group) : ~0u;
    const int of_block = group * 32 + threadIdx.x / 8, k = threadIdx.x % 8 * 4;
    // Rows beyond the last are copies of it: nothing of them is stored.
    const long long from_row = min(row + of_block, p.m - 1);
    if ((needed >> k / 8 * 8 & 0xff) == 0) continue;
    const float* from = p.a + from_row * p.k + first_k + k;
#if QUADS_OF_A
    if (first_k + k < p.k) copy_quad(&stage.a[of_block][k], from);
#else
    for (int j = 0; j < 4; ++j)
      if (first_k + k + j < p.k) copy_word(&stage.a[of_block][k + j], from + j);
#endif
  }
  const int left = static_cast<int>(min(p.k - first_k, static_cast<long long>(kDepth)));
  const unsigned inside = left == kDepth ? ~0u : (1u << left) - 1;
  copy_b(stage.b, p, column, first_k, GRANULAR ? list.of_columns(i, threadIdx.x % 32 / 8) : inside);
}

// The k of a word, one set bit after the other.
__device__ __forceinline__ void multiply(float (&c)[8][4], const float* a, const float* b,
                                         unsigned word) {
#pragma unroll 1
  for (unsigned rest = word; rest != 0; rest &= rest - 1) {
    const int k = __ffs(rest) - 1;
    const float4 q = *reinterpret_cast<const float4*>(b + k * kColumns);
    float x[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) x[i] = a[i * 4 * kPitch + k];
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      c[i][0] += x[i] * q.x;
      c[i][1] += x[i] * q.y;
      c[i][2] += x[i] * q.z;
      c[i][3] += x[i] * q.w;
    }
  }
}

// The tile whose first element is (row, column). Called by all threads.
template <bool GRANULAR>
__device__ __forceinline__ void multiply_tile(Ring& ring, const Problem& p, long long row,
                                              long long column) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int down = warp / kColumnGroups, across = warp % kColumnGroups;
  // Lanes of a pair read the same quad of B: two wavefronts per request instead of four.
  const int own_row = down * 32 + lane % 2 + lane / 16 * 2;
  const int own_column = across * 32 + lane / 2 % 8 * 4;
  float c[8][4] = {};
  for (long long first = 0; first < p.words(); first += kListed) {
    const int listed = list_words(ring.list, p, row, column, first);
    const auto begin = [&](int i) {
      if (i < listed)
        load<GRANULAR>(ring.stages[i % STAGES], ring.list, i, p, row, column,
                       (first + ring.list.word[i]) * kDepth);
      end_copies();
    };
    for (int i = 0; i < STAGES - 1; ++i) begin(i);
    for (int i = 0; i < listed; ++i) {
      wait_for_copies<STAGES - 2>();
      __syncthreads();  // stage i is there for all, and all have left the one before
      begin(i + STAGES - 1);
      const Stage& stage = ring.stages[i % STAGES];
      multiply(c, &stage.a[own_row][0], &stage.b[0][own_column], ring.list.of(i, down, across));
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 8; ++i)
    store_quad(p, row + own_row + i * 4, column + own_column, c[i][0], c[i][1], c[i][2], c[i][3]);
}

}  // namespace esmm
