// tests/exercises/race/right_at_the_beginning.cu: waits before loading.
extern "C" __global__ void reverse(const float* __restrict__ x,  // [n]
                                   float* __restrict__ y,        // [n]
                                   int n) {
  __shared__ float tile[256];
  for (int k = 0; k < 4; ++k) {
    __syncthreads();
    const int begin = (blockIdx.x * 4 + k) * 256, i = begin + threadIdx.x;
    const int size = min(256, n - begin);
    if (i < n) tile[threadIdx.x] = x[i];
    __syncthreads();
    if (i < n) y[i] = tile[size - 1 - threadIdx.x];
  }
}
