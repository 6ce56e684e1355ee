// tests/exercises/convolution/right_registers.cu: the weights are in registers of the lanes, which
// pass them on by shuffles.
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
  const float own = weight[threadIdx.x % 32 < 9 ? threadIdx.x % 32 : 0];
  float sum = 0;
  for (int k = 0; k < 9; ++k) sum += __shfl_sync(~0u, own, k) * tile[threadIdx.x + k];
  if (at < n) y[at] = sum;
}
