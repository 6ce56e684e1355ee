// tests/exercises/scan/right_two_buffers.cu: two buffers, so that a step needs one barrier.
extern "C" __global__ void scan(const int* __restrict__ x,  // [n]
                                int* __restrict__ y,        // [n]
                                int n) {
  __shared__ int part[2][256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  int sum = i < n ? x[i] : 0, from = 0;
  part[0][threadIdx.x] = sum;
  for (int step = 1; step < 256; step *= 2) {
    __syncthreads();
    if (threadIdx.x >= step) sum += part[from][threadIdx.x - step];
    from = 1 - from;
    part[from][threadIdx.x] = sum;
  }
  if (i < n) y[i] = sum;
}
