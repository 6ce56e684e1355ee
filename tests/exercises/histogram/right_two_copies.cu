// tests/exercises/histogram/right_two_copies.cu: two sets of counts per block, for even and odd
// warps.
extern "C" __global__ void histogram(const int* __restrict__ keys,  // [n]
                                     int* __restrict__ counts,      // [64]
                                     int n) {
  __shared__ int own[128];
  if (threadIdx.x < 128) own[threadIdx.x] = 0;
  __syncthreads();
  for (int k = 0; k < 8; ++k) {
    const int i = blockIdx.x * 2048 + k * 256 + threadIdx.x;
    if (i < n) atomicAdd(&own[keys[i] + threadIdx.x / 32 % 2 * 64], 1);
  }
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&counts[threadIdx.x], own[threadIdx.x] + own[threadIdx.x + 64]);
}
