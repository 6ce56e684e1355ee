// tests/exercises/students/histogram/elif.cu: by an author who knew only the text.
// warp aggregated atomics: lanes with the same key let one of them add for all.
extern "C" __global__ void histogram(const int* __restrict__ keys, int* __restrict__ counts,
                                     int n) {
  const unsigned lane = threadIdx.x & 31u;
  for (int k = 0; k < 8; ++k) {
    const int i = blockIdx.x * 2048 + k * 256 + threadIdx.x;
    const int key = i < n ? keys[i] : -1;
    const unsigned same = __match_any_sync(0xffffffffu, key);
    const unsigned leader = __ffs(same) - 1;
    if (key >= 0 && lane == leader) atomicAdd(&counts[key], __popc(same));
  }
}
