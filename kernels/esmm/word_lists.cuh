// kernels/esmm/word_lists.cuh: a tile that passes K by pattern words, 32 k at a time, and stores
// what it can of a ragged edge.
#pragma once

// A block of 256 threads computes ROWS × 128 of C. Words of patterns have a bit for every k of 32
// rows or 32 columns. The block lists the words that any of its warps needs, 256 of them at most,
// with the patterns of each of its groups, and walks the list:
//
//   for (long long first = 0; first < words; first += kListed) {
//     const int listed = list_words(list, patterns, first);
//     … list.word[i], list.of_warp(i, row_group, column_group) …
//   }
//
//   QUADS_OF_A  1: K is a multiple of 4, and four neighbours of a row of A are read at once; else 0
//   QUADS_OF_B  the same of N and B

namespace esmm {

constexpr int kThreads = 256, kWarps = kThreads / 32;
constexpr int kDepth = 32;  // k of a word
constexpr int kColumns = 128, kColumnGroups = kColumns / 32;
constexpr int kListed = kThreads;  // words of which one list is made

__device__ __forceinline__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// Copies past the registers, of sixteen bytes or of four.
__device__ __forceinline__ void copy_quad(float* to, const float* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from)
               : "memory");
}
__device__ __forceinline__ void copy_word(float* to, const float* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(to)), "l"(from)
               : "memory");
}
__device__ __forceinline__ void end_copies() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int LEFT>
__device__ __forceinline__ void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
}

struct Problem {
  const float *a, *b;                     // [m][k], [k][n]
  const unsigned *a_pattern, *b_pattern;  // [⌈m/32⌉][words], [⌈n/32⌉][words]
  float* c;                               // [m][n]
  long long m, n, k;
  __device__ long long words() const { return (k + kDepth - 1) / kDepth; }
};

template <int ROW_GROUPS>
struct WordList {
  unsigned a[ROW_GROUPS][kListed], b[kColumnGroups][kListed];
  unsigned short word[kListed];  // from the first one on
  int of_warp[kWarps];
  // The k that a pair of groups takes, that any pair of a row group takes, and of a column group.
  __device__ unsigned of(int i, int row_group, int column_group) const {
    return a[row_group][i] & b[column_group][i];
  }
  __device__ unsigned of_rows(int i, int row_group) const {
    return a[row_group][i] & (b[0][i] | b[1][i] | b[2][i] | b[3][i]);
  }
  __device__ unsigned of_columns(int i, int column_group) const {
    unsigned any = 0;
#pragma unroll
    for (int g = 0; g < ROW_GROUPS; ++g) any |= a[g][i];
    return any & b[column_group][i];
  }
};

// Lists the words from `first` on that the tile at (row, column) needs; a thread looks at one.
// Called by all threads, and seen by all when it returns.
template <int ROW_GROUPS>
__device__ __forceinline__ int list_words(WordList<ROW_GROUPS>& list, const Problem& p,
                                          long long row, long long column, long long first) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const long long words = p.words(), word = first + threadIdx.x;
  unsigned a[ROW_GROUPS] = {}, b[kColumnGroups] = {}, any_a = 0, any_b = 0;
  if (word < words) {
#pragma unroll
    for (int g = 0; g < ROW_GROUPS; ++g)
      if (row + g * 32 < p.m) any_a |= a[g] = p.a_pattern[(row / 32 + g) * words + word];
#pragma unroll
    for (int g = 0; g < kColumnGroups; ++g)
      if (column + g * 32 < p.n) any_b |= b[g] = p.b_pattern[(column / 32 + g) * words + word];
  }
  const bool needed = (any_a & any_b) != 0;
  const unsigned those = __ballot_sync(0xffffffffu, needed);
  if (lane == 0) list.of_warp[warp] = __popc(those);
  __syncthreads();
  int at = __popc(those & ((1u << lane) - 1)), all = 0;
#pragma unroll
  for (int w = 0; w < kWarps; ++w) {
    at += w < warp ? list.of_warp[w] : 0;
    all += list.of_warp[w];
  }
  if (needed) {
    list.word[at] = static_cast<unsigned short>(threadIdx.x);
#pragma unroll
    for (int g = 0; g < ROW_GROUPS; ++g) list.a[g][at] = a[g];
#pragma unroll
    for (int g = 0; g < kColumnGroups; ++g) list.b[g][at] = b[g];
  }
  __syncthreads();
  return all;
}

// Rows of B at the k of a word that `needed` has, of this lane's column group: to[k][kColumns].
// Columns beyond the last are copies of others, of whose products nothing is stored.
__device__ __forceinline__ void copy_b(float (*to)[kColumns], const Problem& p, long long column,
                                       long long first_k, unsigned needed) {
#if QUADS_OF_B
  constexpr int kStep = kThreads / 32;
  const int quad = threadIdx.x % 32 * 4;
  const float* from = p.b + first_k * p.n + (column + quad < p.n ? column + quad : 0);
#pragma unroll
  for (int k = threadIdx.x / 32; k < kDepth; k += kStep)
    if (needed >> k & 1) copy_quad(&to[k][quad], from + k * p.n);
#else
  for (int i = 0; i < 4; ++i) {
    const int at = threadIdx.x % 32 * 4 + i;
    const float* from = p.b + first_k * p.n + (column + at < p.n ? column + at : 0);
    for (int k = threadIdx.x / 32; k < kDepth; k += kThreads / 32)
      if (needed >> k & 1) copy_word(&to[k][at], from + k * p.n);
  }
#endif
}

// Four neighbours of a row of C.
__device__ __forceinline__ void store_quad(const Problem& p, long long row, long long column,
                                           float x, float y, float z, float w) {
  if (row >= p.m) return;
  float* const to = p.c + row * p.n + column;
#if QUADS_OF_B
  if (column < p.n) *reinterpret_cast<float4*>(to) = make_float4(x, y, z, w);
#else
  if (column < p.n) to[0] = x;
  if (column + 1 < p.n) to[1] = y;
  if (column + 2 < p.n) to[2] = z;
  if (column + 3 < p.n) to[3] = w;
#endif
}

}  // namespace esmm
