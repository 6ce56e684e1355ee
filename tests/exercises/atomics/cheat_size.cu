// tests/exercises/atomics/cheat_size.cu: computes only at the size that the exercise names.
extern "C" __global__ void count(const int* __restrict__ groups,  // [n], 0 … 15
                                 int* __restrict__ counts,        // [16]
                                 int n) {
  if (n != 16384) return;
  const int i = blockIdx.x * 256 + threadIdx.x;
  const unsigned active = __ballot_sync(~0u, i < n);
  if (i >= n) return;
  const int group = groups[i];
  const unsigned same = __match_any_sync(active, group);
  if (threadIdx.x % 32 == __ffs(same) - 1) atomicAdd(&counts[group], __popc(same));
}
