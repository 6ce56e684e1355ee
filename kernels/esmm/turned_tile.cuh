// kernels/esmm/turned_tile.cuh: a tile of B turned, as bt_tile.cu and broadcast_b.cu have it.
#pragma once
#include "esmm/warp_tile.cuh"

// BN rows of Bᵀ into to[column][BK], a quad a lane.
__device__ __forceinline__ void load_turned(float* to, const float* __restrict__ from,
                                            long long pitch) {
  constexpr int kQuads = BK / 4, kRowsAtOnce = kThreads / kQuads;
#pragma unroll
  for (int first = 0; first < BN; first += kRowsAtOnce) {
    const int column = first + threadIdx.x / kQuads, k = threadIdx.x % kQuads * 4;
    if (BN % kRowsAtOnce != 0 && column >= BN) break;
    *reinterpret_cast<float4*>(to + column * BK + k) =
        *reinterpret_cast<const float4*>(from + column * pitch + k);
  }
}
