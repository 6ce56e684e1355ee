// tests/exercises/saxpy/slow_elsewhere.cu: coalesced only at the size that the exercise names.
extern "C" __global__ void saxpy(const float* __restrict__ x, float* __restrict__ y, int n,
                                 float a) {
  for (int k = 0; k < 4; ++k) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const int i = n == 65536 ? blockIdx.x * 1024 + k * 256 + threadIdx.x : 4 * thread + k;
    if (i < n) y[i] = a * x[i] + y[i];
  }
}
