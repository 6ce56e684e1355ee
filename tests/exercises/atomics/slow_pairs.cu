// tests/exercises/atomics/slow_pairs.cu: only pairs of neighbours add together.
extern "C" __global__ void count(const int* __restrict__ groups,  // [n], 0 … 15
                                 int* __restrict__ counts,        // [16]
                                 int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const int group = i < n ? groups[i] : -1;
  const int other = __shfl_xor_sync(~0u, group, 1);
  const bool pair = other == group;
  if (i < n && (!pair || threadIdx.x % 2 == 0)) atomicAdd(&counts[group], pair ? 2 : 1);
}
