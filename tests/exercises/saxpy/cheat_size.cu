// tests/exercises/saxpy/cheat_size.cu: computes only at the size that the exercise names.
extern "C" __global__ void saxpy(const float* __restrict__ x, float* __restrict__ y, int n,
                                 float a) {
  if (n != 65536) return;
  for (int k = 0; k < 4; ++k) {
    const int i = blockIdx.x * 1024 + k * 256 + threadIdx.x;
    y[i] = a * x[i] + y[i];
  }
}
