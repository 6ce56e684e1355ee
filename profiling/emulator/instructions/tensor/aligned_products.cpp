// profiling/emulator/instructions/tensor/aligned_products.cpp: sums of products as tensor cores add
// them.
#include "profiling/emulator/instructions/tensor/aligned_products.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "profiling/emulator/instructions/lanes.h"

// Compiled twice in one file: the table's way needs a file of its own.
#ifdef WARPSCOPE_AVX2_LANES
#define WARPSCOPE_CLONED [[gnu::target_clones("avx2", "default")]]
#else
#define WARPSCOPE_CLONED
#endif

namespace warpscope {
namespace {

constexpr int kColumns = 8;

// That of denormals is the least one, and that of zeros is below all others.
WARPSCOPE_INLINE s16 exponent_of(f64 x, int least) {
  constexpr int kOfZero = -4096;
  const int exponent = static_cast<int>(std::bit_cast<u64>(x) >> 52 & 2047) - 1023;
  return static_cast<s16>(x == 0 ? kOfZero : std::max(exponent, least));
}

using FourReals = f64 __attribute__((vector_size(32)));
using FourColumns = f64 __attribute__((vector_size(32), aligned(8), may_alias));
using FourWholes = s32 __attribute__((vector_size(16)));
using EightExponents = s16 __attribute__((vector_size(16)));

// All numbers are finite.
WARPSCOPE_CLONED void add_aligned(const AlignedTerms& t, int kept, f64* sums) {
  constexpr int kTogether = 8;  // so many terms are less than 2³¹
  EightExponents exponents = {};
  for (int j = 0; j < kColumns; ++j) exponents[j] = exponent_of(sums[j], t.least);
  for (int z = 0; z < t.k; ++z) {
    EightExponents others;
    std::memcpy(&others, t.column_exponents + std::ptrdiff_t{t.stride} * z, sizeof others);
    others += t.row_exponents[z];
    exponents = exponents > others ? exponents : others;
  }
  FourReals scales[2] = {}, totals[2] = {};
  for (int j = 0; j < kColumns; ++j) {
    const int scale = std::clamp(1023 + kept - exponents[j], 1, 2046);
    scales[j / 4][j % 4] = std::bit_cast<f64>(static_cast<u64>(scale) << 52);
    totals[j / 4][j % 4] = static_cast<s32>(sums[j] * scales[j / 4][j % 4]);
  }
  for (int begin = 0; begin < t.k; begin += kTogether) {
    FourWholes parts[2] = {};
    for (int z = begin; z < std::min(t.k, begin + kTogether); ++z) {
      const auto* const others =
          reinterpret_cast<const FourColumns*>(t.columns + std::ptrdiff_t{t.stride} * z);
      for (int half = 0; half < 2; ++half)
        parts[half] += __builtin_convertvector(others[half] * t.row[z] * scales[half], FourWholes);
    }
    for (int half = 0; half < 2; ++half)
      totals[half] += __builtin_convertvector(parts[half], FourReals);
  }
  for (int half = 0; half < 2; ++half) totals[half] /= scales[half];
  std::memcpy(sums, totals, sizeof totals);
}

// Towards zero, which has no sign then; beyond the largest float, infinity.
f64 cut_to(f64 x, int bits) {
  const u64 beyond = (u64{1} << (53 - bits)) - 1;
  const f64 size = std::fabs(x);
  if (size >= kLeastNormal || x == 0)
    return std::bit_cast<f64>(std::bit_cast<u64>(x) & ~beyond) + 0.0;
  const f64 units = std::trunc(x * 0x1p149);
  return units == 0 ? 0 : units * 0x1p-149;
}

bool are_finite(const f64* from, int count) {
  return std::all_of(from, from + count, [](f64 x) { return x - x == 0; });
}

// A finite sum has finite terms, and its row has no infinity: such columns are added up again,
// beside columns of zeros.
void add_beside_infinities(AlignedTerms t, int kept, f64* sums) {
  constexpr int kMostTerms = 32;
  f64 totals[kColumns], columns[kMostTerms * kColumns];
  s16 exponents[kMostTerms * kColumns];
  std::copy_n(sums, kColumns, totals);
  for (int z = 0; z < t.k; ++z) {
    for (int j = 0; j < kColumns; ++j)
      sums[j] += t.row[z] * t.columns[std::ptrdiff_t{t.stride} * z + j];
  }
  bool any = false;
  for (int j = 0; j < kColumns; ++j) {
    const bool finite = are_finite(sums + j, 1);
    any = any || finite;
    if (!finite) totals[j] = 0;
    for (int z = 0; z < t.k; ++z) {
      const std::ptrdiff_t from = std::ptrdiff_t{t.stride} * z + j;
      columns[kColumns * z + j] = finite ? t.columns[from] : 0;
      exponents[kColumns * z + j] = t.column_exponents[from];
    }
  }
  if (!any) return;
  t.columns = columns;
  t.column_exponents = exponents;
  t.stride = kColumns;
  add_aligned(t, kept, totals);
  for (int j = 0; j < kColumns; ++j) {
    if (are_finite(sums + j, 1)) sums[j] = totals[j];
  }
}

}  // namespace

WARPSCOPE_CLONED int find_exponents(const f64* from, int count, int least, s16* to) {
  s16 most = 0;
  for (int k = 0; k < count; ++k) {
    to[k] = exponent_of(from[k], least);
    most = std::max(most, to[k]);
  }
  return most;
}

void add_products(const AlignedTerms& terms, const Alignment& alignment, f64* sums) {
  if (terms.finite && are_finite(sums, kColumns)) {
    add_aligned(terms, alignment.kept, sums);
  } else {
    add_beside_infinities(terms, alignment.kept, sums);
  }
  for (int j = 0; j < kColumns && alignment.bits > 0; ++j)
    sums[j] = cut_to(sums[j], alignment.bits);
}

}  // namespace warpscope
