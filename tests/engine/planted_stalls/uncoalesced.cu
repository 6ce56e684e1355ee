// tests/engine/planted_stalls/uncoalesced.cu: neighbouring lanes read addresses 128 bytes apart.
extern "C" __global__ void __launch_bounds__(256)
    uncoalesced(const float* __restrict__ x, float* __restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int j = 0; j < 32; ++j) {
    sum += x[(i * 32 + j * 90007) & (n - 1)];
  }
  y[i & (n - 1)] = sum;
}
