// kernels/engine/random_numbers.cu: the random numbers of kernels/engine/random.cuh, one index a
// thread, held to the host's bit by bit.
#include "engine/random.cuh"

extern "C" __global__ void random_numbers(unsigned* __restrict__ words,            // [n, 4]
                                          double* __restrict__ uniform,            // [n]
                                          unsigned long long* __restrict__ below,  // [n]
                                          double* __restrict__ normal,             // [n]
                                          unsigned long long seed, unsigned stream,
                                          unsigned long long bound, unsigned long long first,
                                          long long n) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const RandomKey key = random_key(seed, stream);
  const unsigned long long index = first + static_cast<unsigned long long>(i);
  const RandomBlock block = random_words(key, index);
  for (int w = 0; w < 4; ++w) words[4 * i + w] = block.word[w];
  uniform[i] = random_uniform(key, index);
  below[i] = random_below(key, index, bound);
  normal[i] = random_normal_exact(key, index);
}
