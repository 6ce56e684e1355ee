// block_sum.cuh: the sum over the threads of a block, by shuffles: a word of shared memory a warp.
//
// Each warp adds its 32 values in registers and leaves one word; every warp then reads the eight
// words in one request and adds them by shuffles again. Two barriers are left.
#pragma once

constexpr int kThreads = 256, kWarps = kThreads / 32;

__device__ float block_sum(float value) {
  __shared__ float part[kWarps];
  for (int apart = 16; apart > 0; apart /= 2) value += __shfl_xor_sync(0xffffffff, value, apart);
  __syncthreads();  // the sum before this one has been read
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = value;
  __syncthreads();
  value = part[threadIdx.x % kWarps];
  for (int apart = kWarps / 2; apart > 0; apart /= 2)
    value += __shfl_xor_sync(0xffffffff, value, apart);
  return value;
}
