// kernels/csrmm/seed_reading.cuh: the two choices in reading the published listing.
#pragma once

#include "csrmm/rows_of_b.cuh"

//   INDEX_WIDTH    32: places in B and C are int products, as listed, which end at 2³¹ elements;
//                  64: an address of 64 bits in one instruction (rows_of_b.cuh)
//   LAUNCH_BOUNDS  threads that the compiler is told a block has at most; 0: none, as listed
#if INDEX_WIDTH == 32
using Index = int;
#else
using Index = long long;
#endif

#if LAUNCH_BOUNDS
#define SEED_BOUNDS __launch_bounds__(LAUNCH_BOUNDS)
#else
#define SEED_BOUNDS
#endif

// Element `column` of row `row` of a matrix with n columns.
template <typename T>
__device__ __forceinline__ const T* place_of(const T* matrix, int row, int column, int n) {
#if INDEX_WIDTH == 32
  return matrix + (row * n + column);
#else
  return row_of(matrix + column, row, n * static_cast<int>(sizeof(T)));
#endif
}
