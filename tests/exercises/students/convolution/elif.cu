// tests/exercises/students/convolution/elif.cu: by an author who knew only the text.
// elements are stored as complex numbers (real, imaginary), so that this can be used for signals
// too
extern "C" __global__ void convolve(const float* __restrict__ x, const float* __restrict__ filter,
                                    float* __restrict__ y, int n) {
  __shared__ float2 z[264];
  __shared__ float f[9];
  const int t = threadIdx.x, i = blockIdx.x * 256 + t, j = i - 4;
  z[t] = make_float2(j >= 0 && j < n ? x[j] : 0.0f, 0.0f);
  if (t < 8) z[t + 256] = make_float2(j + 256 < n ? x[j + 256] : 0.0f, 0.0f);
  if (t < 9) f[t] = filter[t];
  __syncthreads();
  float real = 0.0f;
#pragma unroll
  for (int k = 0; k < 9; ++k) real += f[k] * z[t + k].x;
  if (i < n) y[i] = real;
}
