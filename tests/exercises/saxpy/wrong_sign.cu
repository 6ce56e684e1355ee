// tests/exercises/saxpy/wrong_sign.cu: subtracts.
extern "C" __global__ void saxpy(const float* __restrict__ x, float* __restrict__ y, int n,
                                 float a) {
  for (int k = 0; k < 4; ++k) {
    const int i = blockIdx.x * 1024 + k * 256 + threadIdx.x;
    if (i < n) y[i] = y[i] - a * x[i];
  }
}
