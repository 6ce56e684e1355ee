// tests/emulator/hopper/probe.cu: one wgmma.mma_async, which the definitions name, on given bytes.
// PRODUCT is the asm statement, REGISTERS how many a thread has of D, TYPE of what they are. It
// reads the descriptors a and b (starts count from the first byte of the image), the fragments f of
// A, keep, and works on d, `repeats` times.
#include "../tests/emulator/hopper/wgmma.cuh"

extern "C" __global__ void probe(const uint4* image, int pieces, unsigned long long a_bits,
                                 unsigned long long b_bits, const unsigned* fragments, int keep,
                                 int repeats, TYPE* accumulators) {
  extern __shared__ __align__(1024) uint4 tile[];
  for (int i = threadIdx.x; i < pieces; i += blockDim.x) tile[i] = image[i];
  proxy_fence();
  __syncthreads();
  const unsigned long long start = shared_address(tile) >> 4;
  const unsigned long long a = a_bits + start, b = b_bits + start;
  unsigned f[4];
  for (int r = 0; r < 4; ++r) f[r] = fragments[r * 128 + threadIdx.x];
  TYPE d[REGISTERS];
  for (int r = 0; r < REGISTERS; ++r) d[r] = accumulators[r * 128 + threadIdx.x];
  warpgroup_fence();
  for (int i = 0; i < repeats; ++i) PRODUCT;
  warpgroup_commit();
  warpgroup_wait<0>();
  for (int r = 0; r < REGISTERS; ++r) accumulators[r * 128 + threadIdx.x] = d[r];
}
