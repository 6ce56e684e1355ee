// tests/exercises/students/convolution/greta.cu: by an author who knew only the text.
extern "C" __global__ void convolve(const float* __restrict__ x, const float* __restrict__ filter,
                                    float* __restrict__ y, int n) {
  __shared__ float tile[264];
  __shared__ float w[9];
  int t = threadIdx.x;
  int i = blockIdx.x * 256 + t;
  if (t < 9) w[t] = filter[t];
  tile[t] = (i - 4 >= 0 && i - 4 < n) ? x[i - 4] : 0.f;
  // 4 more elements
  if (t < 4) tile[256 + t] = (i + 252 < n) ? x[i + 252] : 0.f;
  __syncthreads();
  if (i < n) {
    float sum = 0.f;
    for (int k = 0; k < 9; ++k) sum += w[k] * tile[t + k];
    y[i] = sum;
  }
}
