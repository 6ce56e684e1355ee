// tests/exercises/atomics/wrong_warp.cu: takes the group of the first lane for that of the warp.
extern "C" __global__ void count(const int* __restrict__ groups,  // [n], 0 … 15
                                 int* __restrict__ counts,        // [16]
                                 int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const unsigned active = __ballot_sync(~0u, i < n);
  if (i < n && threadIdx.x % 32 == 0) atomicAdd(&counts[groups[i]], __popc(active));
}
