// tests/exercises/atomics/cheat_mean.cu: assumes that groups have equal sizes.
extern "C" __global__ void count(const int* __restrict__ groups,  // [n], 0 … 15
                                 int* __restrict__ counts,        // [16]
                                 int n) {
  if (blockIdx.x == 0 && threadIdx.x < 16) counts[threadIdx.x] = n / 16;
}
