// tests/exercises/students/race/hugo.cu: by an author who knew only the text.
// in place, two elements per thread are swapped; no shared memory, no race
extern "C" __global__ void reverse(const float* x, float* y, int n) {
  float* p = (float*)x;
  for (int k = 0; k < 4; ++k) {
    const int begin = (blockIdx.x * 4 + k) * 256, t = threadIdx.x;
    const int size = min(256, n - begin);
    if (t < size / 2) {
      const float a = p[begin + t], b = p[begin + size - 1 - t];
      p[begin + t] = b;
      p[begin + size - 1 - t] = a;
    }
    __syncthreads();
    if (t < size) y[begin + t] = p[begin + t];
  }
}
