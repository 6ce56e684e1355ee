// tests/exercises/saxpy/wrong_trap.cu: stops with an error.
extern "C" __global__ void saxpy(const float* __restrict__ x, float* __restrict__ y, int n,
                                 float a) {
  for (int k = 0; k < 4; ++k) {
    const int i = blockIdx.x * 1024 + k * 256 + threadIdx.x;
    if (i == 4711) __trap();
    if (i < n) y[i] = a * x[i] + y[i];
  }
}
