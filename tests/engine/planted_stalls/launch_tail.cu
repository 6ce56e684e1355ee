// tests/engine/planted_stalls/launch_tail.cu: one block more than an H200 runs at once, each of
// which takes the shared memory of a multiprocessor.
extern "C" __global__ void __launch_bounds__(256)
    launch_tail(float* __restrict__ y, int n, float a, float b) {
  extern __shared__ float held[];
  held[threadIdx.x] = threadIdx.x;
  __syncthreads();
  float sum = held[255 - threadIdx.x];
#pragma unroll 4
  for (int q = 0; q < 4096; ++q) sum = sum * a + b;
  y[(blockIdx.x * blockDim.x + threadIdx.x) & (n - 1)] = sum;
}
