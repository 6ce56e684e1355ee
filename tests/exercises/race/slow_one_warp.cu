// tests/exercises/race/slow_one_warp.cu: one warp does everything, with divergent loops.
extern "C" __global__ void reverse(const float* __restrict__ x,  // [n]
                                   float* __restrict__ y,        // [n]
                                   int n) {
  if (threadIdx.x >= 4) return;
  const int begin = (blockIdx.x * 4 + threadIdx.x) * 256, size = min(256, n - begin);
  for (int i = 0; i < size; ++i) y[begin + i] = x[begin + size - 1 - i];
}
