// scan.cu: y[i] = x[0] + … + x[i]: within each block of 512, then with the totals before it.

extern "C" __global__ void __launch_bounds__(512) scan_blocks(const int* __restrict__ x,  // [n]
                                                              int* __restrict__ y,        // [n]
                                                              int* __restrict__ totals,  // [blocks]
                                                              int n) {
  __shared__ int sums[512];
  const int i = blockIdx.x * 512 + threadIdx.x;
  sums[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (int step = 1; step < 512; step *= 2) {
    const int before = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
    __syncthreads();
    sums[threadIdx.x] += before;
    __syncthreads();
  }
  if (i < n) y[i] = sums[threadIdx.x];
  if (threadIdx.x == 511) totals[blockIdx.x] = sums[511];
}

extern "C" __global__ void __launch_bounds__(512)
    add_totals(int* __restrict__ y,             // [n]
               const int* __restrict__ totals,  // [blocks]
               int n) {
  const int i = blockIdx.x * 512 + threadIdx.x;
  int before = 0;
  for (int block = 0; block < blockIdx.x; ++block) before += totals[block];
  if (i < n) y[i] += before;
}

extern "C" __global__ void exact(const int* x, double* reference, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) reference[i] = sum += x[i];
}
