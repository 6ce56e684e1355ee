// tests/exercises/students/race/deniz.cu: by an author who knew only the text.
// race.cu: one thread cannot race with itself.
extern "C" __global__ void reverse(const float* __restrict__ x, float* __restrict__ y, int n) {
  if (threadIdx.x != 0) return;
  for (int k = 0; k < 4; ++k) {
    const int begin = (blockIdx.x * 4 + k) * 256;
    const int size = min(256, n - begin);
    for (int j = 0; j < size; ++j) y[begin + j] = x[begin + size - 1 - j];
  }
}
