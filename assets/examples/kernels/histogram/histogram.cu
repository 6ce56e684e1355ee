// histogram.cu: how often each key comes, by atomics on memory, or on shared memory first.

extern "C" __global__ void global(const int* __restrict__ keys,  // [n]
                                  int* __restrict__ counts,      // [bins]
                                  int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&counts[keys[i]], 1);
}

// A block takes 4096 keys.
extern "C" __global__ void __launch_bounds__(256) shared(const int* __restrict__ keys,  // [n]
                                                         int* __restrict__ counts,      // [bins]
                                                         int n, int bins) {
  extern __shared__ int own[];
  for (int bin = threadIdx.x; bin < bins; bin += 256) own[bin] = 0;
  __syncthreads();
  const int begin = blockIdx.x * 4096, end = min(begin + 4096, n);
  for (int i = begin + threadIdx.x; i < end; i += 256) atomicAdd(&own[keys[i]], 1);
  __syncthreads();
  for (int bin = threadIdx.x; bin < bins; bin += 256) atomicAdd(&counts[bin], own[bin]);
}

extern "C" __global__ void exact(const int* keys, double* reference, int n, int bins) {
  const int bin = blockIdx.x * blockDim.x + threadIdx.x;
  if (bin >= bins) return;
  double count = 0;
  for (int i = 0; i < n; ++i) count += keys[i] == bin;
  reference[bin] = count;
}
