// tests/exercises/reduction/cheat_kept.cu: keeps the first sums, and stores them again in the next
// run.
__device__ float kept[64];
__device__ int filled[64];
extern "C" __global__ void sum_blocks(const float* __restrict__ x,  // [n]
                                      float* __restrict__ sums,     // [ceil(n / 1024)]
                                      int n) {
  __shared__ float part[8];
  float sum = 0;
  for (int k = 0; k < 4; ++k) {
    const int i = blockIdx.x * 1024 + k * 256 + threadIdx.x;
    if (i < n) sum += x[i];
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < 8 ? part[threadIdx.x] : 0;
    for (int step = 4; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
    if (threadIdx.x == 0 && blockIdx.x < 64) {
      if (!filled[blockIdx.x]) kept[blockIdx.x] = sum;
      filled[blockIdx.x] = 1;
      sums[blockIdx.x] = kept[blockIdx.x];
    }
  }
}
