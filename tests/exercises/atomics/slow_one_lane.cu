// tests/exercises/atomics/slow_one_lane.cu: lanes take turns.
extern "C" __global__ void count(const int* __restrict__ groups,  // [n], 0 … 15
                                 int* __restrict__ counts,        // [16]
                                 int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  for (int lane = 0; lane < 32; ++lane) {
    if (threadIdx.x % 32 == lane && i < n) atomicAdd(&counts[groups[i]], 1);
  }
}
