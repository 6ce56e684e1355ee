// tests/exercises/saxpy/wrong_twice.cu: each element is updated by two threads.
extern "C" __global__ void saxpy(const float* __restrict__ x, float* __restrict__ y, int n,
                                 float a) {
  for (int k = 0; k < 4; ++k) {
    const int i = blockIdx.x * 1024 + k * 256 + threadIdx.x / 2;
    if (i < n) y[i] = a * x[i] + y[i];
  }
}
