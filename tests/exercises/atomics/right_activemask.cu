// tests/exercises/atomics/right_activemask.cu: asks which lanes are still there.
extern "C" __global__ void count(const int* __restrict__ groups,  // [n], 0 … 15
                                 int* __restrict__ counts,        // [16]
                                 int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  const int group = groups[i];
  const unsigned same = __match_any_sync(__activemask(), group);
  if (threadIdx.x % 32 == __ffs(same) - 1) atomicAdd(&counts[group], __popc(same));
}
