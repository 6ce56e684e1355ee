// tests/exercises/students/saxpy/dmitri.cu: by an author who knew only the text.
// Dmitri: vector loads are always best, aren't they?
extern "C" __global__ void saxpy(const float* __restrict__ x, float* __restrict__ y, int n,
                                 float a) {
  const int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 3 < n) {
    const float4 u = *reinterpret_cast<const float4*>(x + i);
    float4 v = *reinterpret_cast<float4*>(y + i);
    v.x += a * u.x;
    v.y += a * u.y;
    v.z += a * u.z;
    v.w += a * u.w;
    *reinterpret_cast<float4*>(y + i) = v;
  } else {
    for (int j = i; j < n; ++j) y[j] += a * x[j];  // the last one, two or three
  }
}
