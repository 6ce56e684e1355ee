// tests/exercises/students/convolution/hugo.cu: by an author who knew only the text.
// Also puts the smooth values back into x, as far as other blocks do not need x there, so that the
// next pass can start at once.
extern "C" __global__ void convolve(const float* x, const float* filter, float* y, int n) {
  __shared__ float tile[264];
  __shared__ float w[9];
  const int t = threadIdx.x, i = blockIdx.x * 256 + t, j = i - 4;
  tile[t] = j >= 0 && j < n ? x[j] : 0.0f;
  if (t < 8) tile[t + 256] = j + 256 < n ? x[j + 256] : 0.0f;
  if (t < 9) w[t] = filter[t];
  __syncthreads();
  if (i >= n) return;
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < 9; ++k) sum += w[k] * tile[t + k];
  y[i] = sum;
  if (t >= 4 && t < 252) const_cast<float*>(x)[i] = sum;
}
