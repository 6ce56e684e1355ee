// tests/exercises/saxpy/wrong_endless.cu: a loop without an end.
extern "C" __global__ void saxpy(const float* __restrict__ x, float* __restrict__ y, int n,
                                 float a) {
  for (int k = 0; k < 4; ++k) {
    const int i = blockIdx.x * 1024 + k * 256 + threadIdx.x;
    if (i < n)
      while (a > 0) y[i] = a * x[i];
  }
}
