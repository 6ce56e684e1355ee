// kernels/csrmm/seed_warp_row.cu: the walk of warp_row.cu in all readings of the original and all
// types.
//
// Against warp_row.cu, which is the reading with 64-bit addresses and launch bounds: places in B
// may be int products, as the listing has them, and the compiler need not be told that a block is
// one warp. Compare registers and instructions of the four readings before you call a form of the
// loop slow.
//
//   HOMO  1: one weight for all entries         ZERO_TEST  1: skip terms whose b is zero
//   UNROLL  entries a turn                      READ_ONLY  1: B through ld.global.nc
//   GROUPED  1: a turn's products are summed before they meet the accumulator
//   TYPE  stored.cuh                            INDEX_WIDTH, LAUNCH_BOUNDS  seed_reading.cuh
#include "csrmm/seed_reading.cuh"
#include "csrmm/stored.cuh"

__device__ __forceinline__ Sum load_b(const Element* b) {
#if READ_ONLY
  return loaded(__ldg(b));
#else
  return loaded(*b);
#endif
}

extern "C" __global__ void SEED_BOUNDS
seed_warp_row(const int* __restrict__ indptr,       // [m + 1]
              const int* __restrict__ indices,      // [nnz]
              const Element* __restrict__ weights,  // [nnz], [1] when HOMO
              const Element* b,                     // [k, n]
              Element* c,                           // [m, n]
              int n) {
  const Index row = blockIdx.x;
  const int column = blockIdx.y * 32 + threadIdx.x;
  if (column >= n) return;
  const int begin = indptr[row];
  const int end = indptr[row + 1];
#if HOMO
  const Sum weight = loaded(weights[0]);
#define WEIGHT(j) weight
#else
#define WEIGHT(j) loaded(weights[j])
#endif
  Sum sum = 0;
  int j = begin;
#if UNROLL > 1
  for (; j + UNROLL <= end; j += UNROLL) {
    int source[UNROLL];
    Sum value[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) source[u] = indices[j + u];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) value[u] = load_b(place_of(b, source[u], column, n));
#if GROUPED
    Sum group = 0;
#pragma unroll
#if HOMO
    for (int u = 0; u < UNROLL; ++u) group += value[u];
    sum += weight * group;
#else
    for (int u = 0; u < UNROLL; ++u) group += WEIGHT(j + u) * value[u];
    sum += group;
#endif
#else
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) sum += WEIGHT(j + u) * value[u];
#endif
  }
#endif
  for (; j < end; ++j) {
    const Sum value = load_b(place_of(b, indices[j], column, n));
#if ZERO_TEST
    if (value != 0) sum += WEIGHT(j) * value;
#else
    sum += WEIGHT(j) * value;
#endif
  }
  c[row * n + column] = stored(sum);
}
