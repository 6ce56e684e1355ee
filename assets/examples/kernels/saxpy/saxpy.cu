// saxpy.cu: y = a·x + y, by two mappings of lanes to elements, and in double precision.

extern "C" __global__ void by_element(const float* __restrict__ x,  // [n]
                                      float* __restrict__ y,        // [n]
                                      int n, float a) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}

extern "C" __global__ void by_four(const float* __restrict__ x,  // [n]
                                   float* __restrict__ y,        // [n]
                                   int n, float a) {
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

extern "C" __global__ void exact(const float* x, const float* y, double* reference,
                                 double* magnitude, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  reference[i] = 0.5 * x[i] + y[i];
  magnitude[i] = fabs(0.5 * x[i]) + fabs(static_cast<double>(y[i]));
}
