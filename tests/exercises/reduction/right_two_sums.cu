// tests/exercises/reduction/right_two_sums.cu: shuffles with two sums per lane.
extern "C" __global__ void sum_blocks(const float* __restrict__ x,  // [n]
                                      float* __restrict__ sums,     // [ceil(n / 1024)]
                                      int n) {
  __shared__ float part[8];
  float sum = 0, other = 0;
  for (int k = 0; k < 4; k += 2) {
    const int i = blockIdx.x * 1024 + k * 256 + threadIdx.x;
    if (i < n) sum += x[i];
    if (i + 256 < n) other += x[i + 256];
  }
  sum += other;
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < 8 ? part[threadIdx.x] : 0;
    for (int step = 4; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
  }
}
