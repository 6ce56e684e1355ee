// tests/exercises/scan/wrong_segment.cu: segments of 128 numbers.
extern "C" __global__ void scan(const int* __restrict__ x,  // [n]
                                int* __restrict__ y,        // [n]
                                int n) {
  __shared__ int totals[8];
  const int i = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int sum = i < n ? x[i] : 0;
  for (int step = 1; step < 32; step *= 2) {
    const int before = __shfl_up_sync(~0u, sum, step);
    if (lane >= step) sum += before;
  }
  if (lane == 31) totals[warp] = sum;
  __syncthreads();
  for (int w = warp / 4 * 4; w < warp; ++w) sum += totals[w];
  if (i < n) y[i] = sum;
}
