// saxpy.cu: y = a·x + y, four neighbouring elements per thread.
extern "C" __global__ void saxpy(const float* __restrict__ x,  // [n]
                                 float* __restrict__ y,        // [n]
                                 int n, float a) {
  const int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  for (int k = 0; k < 4; ++k) {
    const int i = first + k;
    if (i < n) y[i] = a * x[i] + y[i];
  }
}
