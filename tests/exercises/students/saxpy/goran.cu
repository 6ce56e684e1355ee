// tests/exercises/students/saxpy/goran.cu: by an author who knew only the text.
// a warp has 32 lanes, so the next element of a lane is 32 further
extern "C" __global__ void saxpy(const float* __restrict__ x, float* __restrict__ y, int n,
                                 float a) {
  const int base = blockIdx.x * (4 * blockDim.x) + threadIdx.x;
  for (int k = 0; k < 4; ++k) {
    const int i = base + 32 * k;
    if (i < n) y[i] = a * x[i] + y[i];
  }
}
