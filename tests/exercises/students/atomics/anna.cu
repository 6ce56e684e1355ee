// tests/exercises/students/atomics/anna.cu: by an author who knew only the text.
// atomics.cu: counts of groups, with one update per group and warp.
extern "C" __global__ void count(const int* __restrict__ groups,  // [n], 0 … 15
                                 int* __restrict__ counts,        // [16]
                                 int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const unsigned inside = __ballot_sync(0xffffffffu, i < n);
  if (i >= n) return;
  const int group = groups[i];
  const unsigned same = __match_any_sync(inside, group);
  if (threadIdx.x % 32 == __ffs(same) - 1) atomicAdd(&counts[group], __popc(same));
}
