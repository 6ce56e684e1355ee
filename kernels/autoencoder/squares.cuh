// kernels/autoencoder/squares.cuh: sums of a block, by shuffles and then through shared memory.
#pragma once

__device__ inline long long thread_index() {
  return static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
}

__device__ inline float squared_difference(const float* __restrict__ p, const float* __restrict__ t,
                                           long long i) {
  const float difference = p[i] - t[i];
  return difference * difference;
}

// The sum over all 256 threads, in an order that never changes; thread 0 has it.
__device__ inline float sum_of_block(float value) {
  constexpr unsigned kAllLanes = 0xffffffff;
  __shared__ float of_warp[8];
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(kAllLanes, value, step);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  float sum = threadIdx.x < 8 ? of_warp[threadIdx.x] : 0;
  if (threadIdx.x < 32) {
    for (int step = 4; step > 0; step /= 2) sum += __shfl_down_sync(kAllLanes, sum, step);
  }
  return sum;
}
