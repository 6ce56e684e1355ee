// tests/exercises/scan/right_hillis.cu: Hillis and Steele's scan in shared memory.
extern "C" __global__ void scan(const int* __restrict__ x,  // [n]
                                int* __restrict__ y,        // [n]
                                int n) {
  __shared__ int part[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  part[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (int step = 1; step < 256; step *= 2) {
    const int before = threadIdx.x >= step ? part[threadIdx.x - step] : 0;
    __syncthreads();
    part[threadIdx.x] += before;
    __syncthreads();
  }
  if (i < n) y[i] = part[threadIdx.x];
}
