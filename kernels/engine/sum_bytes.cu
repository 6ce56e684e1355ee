// kernels/engine/sum_bytes.cu: one number for all that a buffer holds, to tell whether a run wrote
// into it.
//
// Words are mixed with their places, so that two that change places change the sum as well; the sum
// itself is of integers, the same in whatever order blocks add to it.

// source: the finaliser of splitmix64 (Steele, Lea, Flood 2014).
__device__ unsigned long long mixed(unsigned long long x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

// bytes: from a 4-byte boundary on; sums[slot]: zero before.
extern "C" __global__ void __launch_bounds__(256)
    sum_bytes(const unsigned char* __restrict__ bytes, long long count, unsigned long long* sums,
              int slot) {
  const auto* words = reinterpret_cast<const unsigned*>(bytes);
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x, whole = count / 4;
  const long long first = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  unsigned long long sum = 0;
  for (long long i = first; i < whole; i += step)
    sum += mixed(static_cast<unsigned long long>(i) * 0x9e3779b97f4a7c15ull + words[i]);
  if (first == 0) {
    for (long long i = 4 * whole; i < count; ++i)
      sum += mixed(static_cast<unsigned long long>(i) * 0x9e3779b97f4a7c15ull + 256 + bytes[i]);
  }
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(0xffffffffu, sum, lanes);
  if (threadIdx.x % 32 == 0 && sum != 0) atomicAdd(sums + slot, sum);
}
