// kernels/engine/random.cuh: random numbers that are functions of (seed, stream, index), the same
// bits on the device and on the host.
#pragma once

// Philox4x32-10 and what is made of its words. The same text is compiled by NVRTC for kernels that
// make inputs and by the host's compiler for scenes/host/random.h: integers are exact anyway,
// and doubles go through random_mul, random_add and random_sqrt, which are rounded to nearest one
// operation at a time, so that no compiler joins two of them. The host's text that includes this is
// compiled without contraction.
//
//   RandomKey key = random_key(seed, 2);
//   float w = (float)random_normal_exact(key, i);
//
// source: Philox4x32-10, Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011.

#ifdef __CUDACC__
#define RANDOM_FUNCTION __device__ __forceinline__
#else
#include <cmath>
#include <cstring>
#define RANDOM_FUNCTION inline
#endif

using RandomWord = unsigned int;
using RandomWide = unsigned long long;

RANDOM_FUNCTION double random_mul(double a, double b) {
#ifdef __CUDACC__
  return __dmul_rn(a, b);
#else
  return a * b;
#endif
}
RANDOM_FUNCTION double random_add(double a, double b) {
#ifdef __CUDACC__
  return __dadd_rn(a, b);
#else
  return a + b;
#endif
}
RANDOM_FUNCTION double random_div(double a, double b) {
#ifdef __CUDACC__
  return __ddiv_rn(a, b);
#else
  return a / b;
#endif
}
RANDOM_FUNCTION double random_sqrt(double a) {
#ifdef __CUDACC__
  return __dsqrt_rn(a);
#else
  return std::sqrt(a);
#endif
}
RANDOM_FUNCTION RandomWide random_bits_of(double a) {
#ifdef __CUDACC__
  return static_cast<RandomWide>(__double_as_longlong(a));
#else
  RandomWide bits;
  std::memcpy(&bits, &a, sizeof bits);
  return bits;
#endif
}
RANDOM_FUNCTION double random_double_of(RandomWide bits) {
#ifdef __CUDACC__
  return __longlong_as_double(static_cast<long long>(bits));
#else
  double a;
  std::memcpy(&a, &bits, sizeof a);
  return a;
#endif
}

struct RandomKey {
  RandomWord low, high, stream;
};
struct RandomBlock {
  RandomWord word[4];
};

RANDOM_FUNCTION RandomKey random_key(RandomWide seed, RandomWord stream) {
  return {static_cast<RandomWord>(seed), static_cast<RandomWord>(seed >> 32), stream};
}

RANDOM_FUNCTION RandomBlock random_philox(RandomBlock counter, RandomWord key0, RandomWord key1) {
  for (int round = 0; round < 10; ++round) {
    const RandomWide product0 = 0xD2511F53ull * counter.word[0];
    const RandomWide product1 = 0xCD9E8D57ull * counter.word[2];
    counter = {{static_cast<RandomWord>(product1 >> 32) ^ counter.word[1] ^ key0,
                static_cast<RandomWord>(product1),
                static_cast<RandomWord>(product0 >> 32) ^ counter.word[3] ^ key1,
                static_cast<RandomWord>(product0)}};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return counter;
}

// Four independent words of an index.
RANDOM_FUNCTION RandomBlock random_words(RandomKey key, RandomWide index) {
  const RandomBlock counter = {
      {static_cast<RandomWord>(index), static_cast<RandomWord>(index >> 32), key.stream, 0}};
  return random_philox(counter, key.low, key.high);
}

RANDOM_FUNCTION RandomWide random_wide(RandomWord high, RandomWord low) {
  return static_cast<RandomWide>(high) << 32 | low;
}

// [0, 1), 53 bits.
RANDOM_FUNCTION double random_uniform(RandomKey key, RandomWide index) {
  const RandomBlock b = random_words(key, index);
  // Below 2^53: exact as a double, and so is its product with a power of two.
  return random_mul(static_cast<double>(random_wide(b.word[0], b.word[1]) >> 11), 0x1.0p-53);
}

// The upper 64 bits of a product of 64-bit numbers.
RANDOM_FUNCTION RandomWide random_high_product(RandomWide a, RandomWide b) {
  const RandomWide low_mask = 0xFFFFFFFFull;
  const RandomWide a0 = a & low_mask, a1 = a >> 32, b0 = b & low_mask, b1 = b >> 32;
  const RandomWide middle = a1 * b0 + (a0 * b0 >> 32);
  const RandomWide other = a0 * b1 + (middle & low_mask);
  return a1 * b1 + (middle >> 32) + (other >> 32);
}

// Uniform in [0, bound), without bias that matters. bound ≥ 1.
RANDOM_FUNCTION RandomWide random_below(RandomKey key, RandomWide index, RandomWide bound) {
  const RandomBlock b = random_words(key, index);
  return random_high_product(random_wide(b.word[0], b.word[1]), bound);
}

// The natural logarithm of a normal positive number, to about 1e-15: m·2^e with m in
// [√½, √2), log m = 2·atanh(s) with s = (m − 1) / (m + 1), |s| < 0.1716.
RANDOM_FUNCTION double random_log(double a) {
  const RandomWide bits = random_bits_of(a);
  int exponent = static_cast<int>(bits >> 52 & 0x7FF) - 1022;
  double m = random_double_of((bits & 0xFFFFFFFFFFFFFull) | 0x3FE0000000000000ull);  // [½, 1)
  if (m < 0.70710678118654752) {
    m = random_mul(m, 2.0);
    --exponent;
  }
  const double s = random_div(random_add(m, -1.0), random_add(m, 1.0)), z = random_mul(s, s);
  // 1/(2k + 1) for k = 10 … 0: the first term left out is below 1e-18.
  const double terms[] = {1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11,
                          1.0 / 9,  1.0 / 7,  1.0 / 5,  1.0 / 3,  1.0};
  double sum = terms[0];
  for (int k = 1; k < 11; ++k) sum = random_add(random_mul(sum, z), terms[k]);
  return random_add(random_mul(random_mul(2.0, s), sum),
                    random_mul(static_cast<double>(exponent), 0.69314718055994531));
}

// cos(2π·v) for v in [0, 1), to about 1e-15: by symmetry from a quarter turn's half.
RANDOM_FUNCTION double random_cos_turns(double v) {
  double w = v < 0.5 ? v : random_add(1.0, -v);  // [0, ½]: the cosine is even
  double sign = 1.0;
  if (w > 0.25) {
    w = random_add(0.5, -w);  // [0, ¼]
    sign = -1.0;
  }
  // Above an eighth of a turn: the sine of what is left to a quarter.
  const bool sine = w > 0.125;
  const double x = random_mul(sine ? random_add(0.25, -w) : w, 6.2831853071795865);
  const double z = random_mul(x, x);
  // 1/(2k)! and 1/(2k + 1)! with their signs, k = 8 … 0: the first term left out is below 1e-17.
  const double cosines[] = {1.0 / 20922789888000.0,
                            -1.0 / 87178291200.0,
                            1.0 / 479001600.0,
                            -1.0 / 3628800.0,
                            1.0 / 40320.0,
                            -1.0 / 720.0,
                            1.0 / 24.0,
                            -1.0 / 2.0,
                            1.0};
  const double sines[] = {1.0 / 355687428096000.0,
                          -1.0 / 1307674368000.0,
                          1.0 / 6227020800.0,
                          -1.0 / 39916800.0,
                          1.0 / 362880.0,
                          -1.0 / 5040.0,
                          1.0 / 120.0,
                          -1.0 / 6.0,
                          1.0};
  double sum = sine ? sines[0] : cosines[0];
  for (int k = 1; k < 9; ++k) sum = random_add(random_mul(sum, z), sine ? sines[k] : cosines[k]);
  return random_mul(sign, sine ? random_mul(sum, x) : sum);
}

// Mean 0, variance 1 (Box–Muller): of the normal distribution as far out as 8.5 deviations.
RANDOM_FUNCTION double random_normal_exact(RandomKey key, RandomWide index) {
  const RandomBlock b = random_words(key, index);
  // (0, 1] of 53 bits and [0, 1) of 53 bits, both exact.
  const double u = random_mul(
      random_add(static_cast<double>(random_wide(b.word[0], b.word[1]) >> 11), 1.0), 0x1.0p-53);
  const double v =
      random_mul(static_cast<double>(random_wide(b.word[2], b.word[3]) >> 11), 0x1.0p-53);
  return random_mul(random_sqrt(random_mul(-2.0, random_log(u))), random_cos_turns(v));
}
