// tests/engine/planted_stalls/dram_bandwidth.cu: a stream of coalesced loads with many in flight.
extern "C" __global__ void __launch_bounds__(256)
    dram_bandwidth(const float4* __restrict__ x, float* __restrict__ y, int n) {
  const int threads = gridDim.x * blockDim.x;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 8
  for (int j = i; j < n / 4; j += threads) {
    const float4 v = x[j];
    sum += v.x + v.y + v.z + v.w;
  }
  y[i & (n - 1)] = sum;
}
