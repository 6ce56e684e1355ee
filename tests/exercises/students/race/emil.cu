// tests/exercises/students/race/emil.cu: by an author who knew only the text.
// the warps take turns, so that none is faster than another
extern "C" __global__ void reverse(const float* __restrict__ x, float* __restrict__ y, int n) {
  __shared__ float tile[256];
  int warp = threadIdx.x / 32;
  for (int k = 0; k < 4; ++k) {
    int begin = (blockIdx.x * 4 + k) * 256;
    int i = begin + threadIdx.x;
    int size = min(256, n - begin);
    for (int w = 0; w < 8; ++w) {
      if (w == warp && i < n) tile[threadIdx.x] = x[i];
      __syncthreads();
    }
    for (int w = 0; w < 8; ++w) {
      if (w == warp && i < n) y[i] = tile[size - 1 - threadIdx.x];
      __syncthreads();
    }
  }
}
