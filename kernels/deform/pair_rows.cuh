// kernels/deform/pair_rows.cuh: eight lanes for two corners of a row, four on either side.
#pragma once

#include "deform/half_samples.cuh"

constexpr int kCornerLanes = 4;  // 64 bytes of a corner in 16 bytes per lane
constexpr int kPairLanes = 2 * kCornerLanes;

// The sums of the lane and of the one that has the same channels of the other corner.
__device__ __forceinline__ Octet both_sides(Octet sum) {
#pragma unroll
  for (int i = 0; i < 4; ++i)
    sum.pair[i] = __hadd2(sum.pair[i], __shfl_xor_sync(~0u, sum.pair[i], kCornerLanes));
  return sum;
}
