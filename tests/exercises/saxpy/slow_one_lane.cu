// tests/exercises/saxpy/slow_one_lane.cu: one lane at a time, so that each request has one sector.
extern "C" __global__ void saxpy(const float* __restrict__ x, float* __restrict__ y, int n,
                                 float a) {
  const int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  for (int lane = 0; lane < 32; ++lane) {
    if ((threadIdx.x & 31) != lane) continue;
    for (int k = 0; k < 4; ++k) {
      const int i = first + k;
      if (i < n) y[i] = a * x[i] + y[i];
    }
  }
}
