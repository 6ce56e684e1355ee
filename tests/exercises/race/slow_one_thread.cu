// tests/exercises/race/slow_one_thread.cu: one thread does everything.
extern "C" __global__ void reverse(const float* __restrict__ x,  // [n]
                                   float* __restrict__ y,        // [n]
                                   int n) {
  if (threadIdx.x > 0) return;
  for (int k = 0; k < 4; ++k) {
    const int begin = (blockIdx.x * 4 + k) * 256, size = min(256, n - begin);
    for (int i = 0; i < size; ++i) y[begin + i] = x[begin + size - 1 - i];
  }
}
