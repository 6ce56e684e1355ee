// tests/exercises/convolution/wrong_no_guard.cu: reads before and beyond x.
extern "C" __global__ void convolve(const float* __restrict__ x,       // [n]
                                    const float* __restrict__ filter,  // [9]
                                    float* __restrict__ y,             // [n]
                                    int n) {
  __shared__ float tile[264], weight[9];
  const int at = blockIdx.x * 256 + threadIdx.x, from = at - 4;
  tile[threadIdx.x] = true ? x[from] : 0;
  if (threadIdx.x < 8) tile[threadIdx.x + 256] = true ? x[from + 256] : 0;
  if (threadIdx.x < 9) weight[threadIdx.x] = filter[threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 9; ++k) sum += weight[k] * tile[threadIdx.x + k];
  if (at < n) y[at] = sum;
}
