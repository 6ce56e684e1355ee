// kernels/deform_backward/transposed_sums.cuh: sums of several points at once, each left in a lane
// of its own.
#pragma once

#include "deform_backward/quads.cuh"

// Points whose sums are added up together: at most the lanes of a group.
constexpr int kPart = kGroupLanes < 8 ? kGroupLanes : 8;

// parts[i] of all lanes of a group add up in lane i (and i + kPart, …). In the first step a lane
// sends half of its parts and keeps the others, in the next a quarter, …: kPart − 1 shuffles in
// place of kPart · log2(kPart).
__device__ __forceinline__ float transposed_sum(float (&parts)[kPart], int lane) {
#pragma unroll
  for (int offset = kPart / 2; offset > 0; offset /= 2) {
    const bool upper = (lane & offset) != 0;
#pragma unroll
    for (int i = 0; i < offset; ++i) {
      const float sent = upper ? parts[i] : parts[i + offset];
      const float kept = upper ? parts[i + offset] : parts[i];
      parts[i] = kept + __shfl_xor_sync(kAll, sent, offset);
    }
  }
  float sum = parts[0];
#pragma unroll
  for (int offset = kPart; offset < kGroupLanes; offset *= 2)
    sum += __shfl_xor_sync(kAll, sum, offset);
  return sum;
}
