// tests/exercises/histogram/slow_one_lane.cu: one lane at a time updates global memory.
extern "C" __global__ void histogram(const int* __restrict__ keys,  // [n]
                                     int* __restrict__ counts,      // [64]
                                     int n) {
  for (int k = 0; k < 8; ++k) {
    const int i = blockIdx.x * 2048 + k * 256 + threadIdx.x;
    for (int lane = 0; lane < 32; ++lane) {
      if (threadIdx.x % 32 == lane && i < n) atomicAdd(&counts[keys[i]], 1);
    }
  }
}
