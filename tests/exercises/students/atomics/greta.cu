// tests/exercises/students/atomics/greta.cu: by an author who knew only the text.
// atomics.cu (Greta): as in the hints
extern "C" __global__ void count(const int* __restrict__ groups,  // [n], 0 … 15
                                 int* __restrict__ counts,        // [16]
                                 int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const int lane = threadIdx.x % 32;
  const unsigned mask = __ballot_sync(0xffffffff, i < n);
  if (i < n) {
    const int group = groups[i];
    const unsigned same = __match_any_sync(mask, group);
    if (lane == __ffs(same)) atomicAdd(&counts[group], __popc(same));
  }
}
