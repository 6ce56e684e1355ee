// tests/exercises/saxpy/solution.cu: y = a·x + y, neighbouring elements for neighbouring lanes.
extern "C" __global__ void saxpy(const float* __restrict__ x,  // [n]
                                 float* __restrict__ y,        // [n]
                                 int n, float a) {
  const int first = blockIdx.x * 4 * blockDim.x + threadIdx.x;
  for (int k = 0; k < 4; ++k) {
    const int i = first + k * blockDim.x;
    if (i < n) y[i] = a * x[i] + y[i];
  }
}
