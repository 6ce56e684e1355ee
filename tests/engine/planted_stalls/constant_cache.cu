// tests/engine/planted_stalls/constant_cache.cu: lanes read different constants of a large table.
__constant__ int table[8192];

extern "C" __global__ void __launch_bounds__(256) constant_cache(int* __restrict__ y, int n) {
  int at = threadIdx.x * 61;
#pragma unroll 1
  for (int j = 0; j < 128; ++j) {
    at = (at + 509 + table[at & 8191]) & 16383;
  }
  y[(blockIdx.x * blockDim.x + threadIdx.x) & (n - 1)] = at;
}
