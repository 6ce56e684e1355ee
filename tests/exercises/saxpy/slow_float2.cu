// tests/exercises/saxpy/slow_float2.cu: float2 loads: 8 sectors per request.
extern "C" __global__ void saxpy(const float* __restrict__ x, float* __restrict__ y, int n,
                                 float a) {
  for (int k = 0; k < 2; ++k) {
    const int i = blockIdx.x * 1024 + k * 512 + 2 * threadIdx.x;
    if (i + 1 < n) {
      const float2 v = *reinterpret_cast<const float2*>(x + i);
      float2 w = *reinterpret_cast<float2*>(y + i);
      w.x += a * v.x;
      w.y += a * v.y;
      *reinterpret_cast<float2*>(y + i) = w;
    } else if (i < n) {
      y[i] += a * x[i];
    }
  }
}
