// tests/exercises/reduction/slow_one_thread.cu: the first thread adds up all 256 partial sums.
extern "C" __global__ void sum_blocks(const float* __restrict__ x,  // [n]
                                      float* __restrict__ sums,     // [ceil(n / 1024)]
                                      int n) {
  __shared__ float part[256];
  float sum = 0;
  for (int k = 0; k < 4; ++k) {
    const int i = blockIdx.x * 1024 + k * 256 + threadIdx.x;
    if (i < n) sum += x[i];
  }
  part[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int i = 1; i < 256; ++i) sum += part[i];
  sums[blockIdx.x] = sum;
}
