// tests/exercises/histogram/slow_flush.cu: one thread adds all counts, and every warp has its own
// turn in global memory.
extern "C" __global__ void histogram(const int* __restrict__ keys,  // [n]
                                     int* __restrict__ counts,      // [64]
                                     int n) {
  __shared__ int own[64];
  if (threadIdx.x < 64) own[threadIdx.x] = 0;
  __syncthreads();
  for (int k = 0; k < 8; ++k) {
    const int i = blockIdx.x * 2048 + k * 256 + threadIdx.x;
    if (i < n) atomicAdd(&own[keys[i]], 1);
  }
  __syncthreads();
  if (threadIdx.x < 256)
    for (int k = threadIdx.x; k < 64; k += 256) atomicAdd(&counts[k * 7 % 64], own[k * 7 % 64]);
}
