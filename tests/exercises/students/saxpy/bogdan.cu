// tests/exercises/students/saxpy/bogdan.cu: by an author who knew only the text.
#define WARP 32

// Every warp owns 4 * 32 floats in a row. Read everything first, then write everything.
template <int COUNT>
__device__ __forceinline__ void axpy_strip(const float* __restrict__ x, float* __restrict__ y,
                                           int i, int n, float a) {
  float u[COUNT], v[COUNT];
#pragma unroll
  for (int k = 0; k < COUNT; k++)
    if (i + k * WARP < n) {
      u[k] = x[i + k * WARP];
      v[k] = y[i + k * WARP];
    }
#pragma unroll
  for (int k = 0; k < COUNT; k++)
    if (i + k * WARP < n) y[i + k * WARP] = fmaf(a, u[k], v[k]);
}

extern "C" __global__ void saxpy(const float* __restrict__ x, float* __restrict__ y, int n,
                                 float a) {
  const int warp = threadIdx.x / WARP;
  const int lane = threadIdx.x % WARP;
  axpy_strip<4>(x, y, blockIdx.x * 1024 + warp * (4 * WARP) + lane, n, a);
}
