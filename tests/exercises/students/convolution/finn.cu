// tests/exercises/students/convolution/finn.cu: by an author who knew only the text.
extern "C" __global__ void convolve(const float* __restrict__ x, const float* __restrict__ filter,
                                    float* __restrict__ y, int n) {
  __shared__ float tile[264];
  __shared__ float taps[9];
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (threadIdx.x < 9) taps[threadIdx.x] = filter[threadIdx.x];
  for (int p = threadIdx.x; p < 264; p += 256) {
    const int j = (int)(blockIdx.x * 256) + p - 4;
    tile[p] = j >= 0 && j < n ? x[j] : 0.0f;
  }
  if (i >= n) return;
  float sum = 0;
  for (int k = 0; k < 9; ++k) sum += taps[k] * tile[threadIdx.x + k];
  y[i] = sum;
}
