// tests/exercises/saxpy/slow_one_warp.cu: the first warp of each block does all of its work.
extern "C" __global__ void saxpy(const float* __restrict__ x, float* __restrict__ y, int n,
                                 float a) {
  if (threadIdx.x >= 32) return;
  for (int k = 0; k < 32; ++k) {
    const int i = blockIdx.x * 1024 + k + 32 * threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
  }
}
