// tests/exercises/race/wrong_moved.cu: moved the barrier instead of adding one.
extern "C" __global__ void reverse(const float* __restrict__ x,  // [n]
                                   float* __restrict__ y,        // [n]
                                   int n) {
  __shared__ float tile[256];
  for (int k = 0; k < 4; ++k) {
    const int begin = (blockIdx.x * 4 + k) * 256, i = begin + threadIdx.x;
    const int size = min(256, n - begin);
    if (i < n) tile[threadIdx.x] = x[i];

    if (i < n) y[i] = tile[size - 1 - threadIdx.x];
    __syncthreads();
  }
}
