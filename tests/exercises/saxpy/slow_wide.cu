// tests/exercises/saxpy/slow_wide.cu: float4 loads: 16 sectors per request.
extern "C" __global__ void saxpy(const float* __restrict__ x, float* __restrict__ y, int n,
                                 float a) {
  const int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 3 < n) {
    const float4 v = *reinterpret_cast<const float4*>(x + i);
    float4 w = *reinterpret_cast<float4*>(y + i);
    w.x += a * v.x;
    w.y += a * v.y;
    w.z += a * v.z;
    w.w += a * v.w;
    *reinterpret_cast<float4*>(y + i) = w;
  } else {
    for (int j = i; j < n; ++j) y[j] += a * x[j];
  }
}
