// atomics.cu: counts of groups, with one update per element.
extern "C" __global__ void count(const int* __restrict__ groups,  // [n], 0 … 15
                                 int* __restrict__ counts,        // [16]
                                 int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) atomicAdd(&counts[groups[i]], 1);
}
