// tests/engine/planted_stalls/low_occupancy.cu: a block of two warps takes most of the shared
// memory, so that two warps of a multiprocessor must hide the latency of coalesced loads.
extern "C" __global__ void __launch_bounds__(64)
    low_occupancy(const float* __restrict__ x, float* __restrict__ y, int n) {
  extern __shared__ float held[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  held[threadIdx.x] = 0;
  float sum = 0;
#pragma unroll 1
  for (int j = 0; j < 256; ++j) {
    sum += x[(i + j * 16384) & (n - 1)];
  }
  y[i & (n - 1)] = sum + held[threadIdx.x];
}
