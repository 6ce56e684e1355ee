// tests/exercises/saxpy/right_grid_order.cu: the last elements first, still neighbours for
// neighbouring lanes.
extern "C" __global__ void saxpy(const float* __restrict__ x, float* __restrict__ y, int n,
                                 float a) {
  const int end = min(n, static_cast<int>(blockIdx.x + 1) * 1024);
  for (int i = blockIdx.x * 1024 + threadIdx.x; i < end; i += blockDim.x)
    y[i] = fmaf(a, x[i], y[i]);
}
