// tests/engine/planted_stalls/l2_thrash.cu: warps read whole lines at random places of an array
// that is larger than L2, one at a time.
extern "C" __global__ void __launch_bounds__(256)
    l2_thrash(const float* __restrict__ x, float* __restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned place = (i >> 5) * 2654435761u;
  float sum = 0;
#pragma unroll 1
  for (int j = 0; j < 64; ++j) {
    place = place * 1664525u + 1013904223u;
    sum += x[((place >> 4 << 5) | (i & 31)) & (n - 1)];
  }
  y[i & (n - 1)] = sum;
}
