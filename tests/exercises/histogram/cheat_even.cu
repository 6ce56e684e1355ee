// tests/exercises/histogram/cheat_even.cu: assumes that all keys occur equally often.
extern "C" __global__ void histogram(const int* __restrict__ keys,  // [n]
                                     int* __restrict__ counts,      // [64]
                                     int n) {
  if (blockIdx.x == 0 && threadIdx.x < 64) counts[threadIdx.x] = n / 64;
}
