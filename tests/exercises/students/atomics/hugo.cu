// tests/exercises/students/atomics/hugo.cu: by an author who knew only the text.
// a warp has one or two groups: that of its first lane and that of its last
extern "C" __global__ void count(const int* __restrict__ groups, int* __restrict__ counts, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x & 31;
  const unsigned mask = __ballot_sync(~0u, i < n);
  if (mask == 0) return;
  const int end = 31 - __clz(mask);
  const int g = i < n ? groups[i] : -1;
  const int first = __shfl_sync(~0u, g, 0), last = __shfl_sync(~0u, g, end);
  const int number = __popc(__ballot_sync(~0u, g == first));
  if (lane == 0) atomicAdd(&counts[first], number);
  if (lane == end && last != first) atomicAdd(&counts[last], __popc(mask) - number);
}
