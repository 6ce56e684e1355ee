// tests/exercises/atomics/wrong_first_lane.cu: only lane 0 adds.
extern "C" __global__ void count(const int* __restrict__ groups,  // [n], 0 … 15
                                 int* __restrict__ counts,        // [16]
                                 int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const unsigned active = __ballot_sync(~0u, i < n);
  if (i >= n) return;
  const int group = groups[i];
  const unsigned same = __match_any_sync(active, group);
  if (threadIdx.x % 32 == 0) atomicAdd(&counts[group], __popc(same));
}
