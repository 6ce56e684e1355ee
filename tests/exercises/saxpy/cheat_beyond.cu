// tests/exercises/saxpy/cheat_beyond.cu: looks for the reference after the end of its own output.
extern "C" __global__ void saxpy(const float* __restrict__ x, float* __restrict__ y, int n,
                                 float a) {
  for (int k = 0; k < 4; ++k) {
    const int i = blockIdx.x * 1024 + k * 256 + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i] + 0 * reinterpret_cast<const double*>(y + n)[i];
  }
}
