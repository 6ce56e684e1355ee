// tests/exercises/saxpy/right_unrolled.cu: four statements in place of a loop.
extern "C" __global__ void saxpy(const float* __restrict__ x, float* __restrict__ y, int n,
                                 float a) {
  const int i = blockIdx.x * 1024 + threadIdx.x;
  if (i < n) y[i] += a * x[i];
  if (i + 256 < n) y[i + 256] += a * x[i + 256];
  if (i + 512 < n) y[i + 512] += a * x[i + 512];
  if (i + 768 < n) y[i + 768] += a * x[i + 768];
}
