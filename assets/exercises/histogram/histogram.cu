// histogram.cu: counts of 64 keys, with one update of global memory per key.
extern "C" __global__ void histogram(const int* __restrict__ keys,  // [n]
                                     int* __restrict__ counts,      // [64]
                                     int n) {
  for (int k = 0; k < 8; ++k) {
    const int i = blockIdx.x * 2048 + k * 256 + threadIdx.x;
    if (i < n) atomicAdd(&counts[keys[i]], 1);
  }
}
