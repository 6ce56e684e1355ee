// tests/engine/planted_by_others/random_search.cu: Random search for the minimum of a bumpy
// two-dimensional integer cost function. Every trial offers its cost to the best cost found so far
// by any thread; improved[thread] counts how often this thread's trial was a new record. *best
// starts at INT_MAX (0x7fffffff).
__device__ __forceinline__ unsigned mix(unsigned h) {
  h ^= h >> 16;
  h *= 0x7feb352du;
  h ^= h >> 15;
  h *= 0x846ca68bu;
  h ^= h >> 16;
  return h;
}

extern "C" __global__ void random_search(int* best, int* __restrict__ improved, int seed,
                                         int trials, int nthreads) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= nthreads) return;

  int records = 0;
#pragma unroll 1
  for (int t = 0; t < trials; ++t) {
    const unsigned r = mix((unsigned)seed + (unsigned)t * (unsigned)nthreads + (unsigned)i);
    const int x = (int)(r & 0x7fffu) - 16384;
    const int y = (int)(r >> 17) - 16384;
    const int bumps = (int)(mix((unsigned)(x ^ (y << 4))) & 0xffffu);
    const int cost = (x * x + y * y) / 8 + bumps;

    const int before = atomicMin(best, cost);
    if (cost < before) ++records;
  }
  improved[i] = records;
}
