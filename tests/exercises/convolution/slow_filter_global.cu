// tests/exercises/convolution/slow_filter_global.cu: x goes through shared memory, and the filter
// does not.
extern "C" __global__ void convolve(const float* __restrict__ x,       // [n]
                                    const float* __restrict__ filter,  // [9]
                                    float* __restrict__ y,             // [n]
                                    int n) {
  __shared__ float tile[264], weight[9];
  const int at = blockIdx.x * 256 + threadIdx.x, from = at - 4;
  tile[threadIdx.x] = from >= 0 && from < n ? x[from] : 0;
  if (threadIdx.x < 8) tile[threadIdx.x + 256] = from + 256 < n ? x[from + 256] : 0;
  if (threadIdx.x < 9) weight[threadIdx.x] = filter[threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 9; ++k) sum += filter[k] * tile[threadIdx.x + k];
  if (at < n) y[at] = sum;
}
