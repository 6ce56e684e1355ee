// tests/exercises/atomics/slow_twice.cu: reads the groups one by one in each lane.
extern "C" __global__ void count(const int* __restrict__ groups,  // [n], 0 … 15
                                 int* __restrict__ counts,        // [16]
                                 int n) {
  const int i = blockIdx.x * 256 + threadIdx.x, first = i - threadIdx.x % 32;
  if (i >= n) return;
  const int group = groups[i];
  int number = 0;
  bool leads = true;
  for (int j = first; j < min(first + 32, n); ++j) {
    const bool same = groups[j] == group;
    number += same;
    leads = leads && !(same && j < i);
  }
  if (leads) atomicAdd(&counts[group], number);
}
