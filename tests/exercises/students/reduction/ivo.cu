// tests/exercises/students/reduction/ivo.cu: by an author who knew only the text.
// No shared memory at all. The warps add their sums in global memory, which starts at zero.
__device__ float total[16384];

extern "C" __global__ void sum_blocks(const float* __restrict__ x, float* __restrict__ sums,
                                      int n) {
  float sum = 0;
  for (int k = 0; k < 4; ++k) {
    const int i = blockIdx.x * 1024 + k * 256 + threadIdx.x;
    if (i < n) sum += x[i];
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) {
    atomicAdd(&total[blockIdx.x], sum);
    __threadfence();
  }
  __syncthreads();
  if (threadIdx.x == 0) sums[blockIdx.x] = atomicAdd(&total[blockIdx.x], 0.0f);
}
