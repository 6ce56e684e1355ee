// tests/exercises/students/reduction/hana.cu: by an author who knew only the text.
// Hana: full blocks only, so no "if (i < n)" in the loop
extern "C" __global__ void sum_blocks(const float* __restrict__ x, float* __restrict__ sums,
                                      int n) {
  __shared__ float part[8];
  const int blocks = n / 1024;
  if (blockIdx.x >= blocks) return;
  const float* p = x + blockIdx.x * 1024 + threadIdx.x;
  float sum = p[0] + p[256] + p[512] + p[768];
#pragma unroll
  for (int step = 16; step; step >>= 1) sum += __shfl_xor_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < 8 ? part[threadIdx.x] : 0.0f;
#pragma unroll
    for (int step = 4; step; step >>= 1) sum += __shfl_xor_sync(~0u, sum, step);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
  }
}
