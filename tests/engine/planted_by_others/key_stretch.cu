// tests/engine/planted_by_others/key_stretch.cu: Stretches 32-bit keys by iterating a murmur-style
// finaliser with a salt.
extern "C" __global__ void key_stretch(const unsigned* __restrict__ keys,
                                       const unsigned* __restrict__ salts,
                                       unsigned* __restrict__ digest, int nkeys, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= nkeys) return;

  const unsigned salt = salts[i];
  unsigned h = keys[i];
  for (int r = 0; r < rounds; ++r) {
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    h ^= h >> 16;
    h = h * 5u + salt;
  }
  digest[i] = h;
}
