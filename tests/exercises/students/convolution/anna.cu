// tests/exercises/students/convolution/anna.cu: by an author who knew only the text.
// convolution.cu: a tile of 264 elements and the filter in shared memory.
extern "C" __global__ void convolve(const float* __restrict__ x,       // [n]
                                    const float* __restrict__ filter,  // [9]
                                    float* __restrict__ y,             // [n]
                                    int n) {
  __shared__ float tile[264];
  __shared__ float weights[9];
  const int t = threadIdx.x;
  const int start = blockIdx.x * 256 - 4;
  const int j = start + t;
  tile[t] = j >= 0 && j < n ? x[j] : 0.0f;
  if (t < 8) tile[t + 256] = j + 256 < n ? x[j + 256] : 0.0f;
  if (t < 9) weights[t] = filter[t];
  __syncthreads();
  const int i = blockIdx.x * 256 + t;
  if (i >= n) return;
  float sum = 0;
  for (int k = 0; k < 9; ++k) sum += weights[k] * tile[t + k];
  y[i] = sum;
}
