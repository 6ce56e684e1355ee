// profiling/emulator/instructions/tensor/aligned_products.h: sums of products as tensor cores add
// them.
#pragma once

#include <cstdint>

namespace warpscope {

// Products are exact. They and the addend are cut, towards zero, to `kept` bits below the largest
// exponent among them, and added; the sum is cut to `bits` bits, and 0 leaves that to the caller.
// The exponent of a product is the sum of its factors'.
struct Alignment {
  int kept = 25, bits = 24;
};
// source: an H200. mma of f16, bf16 and tf32: 26 624 registers of tests/sass/instructions; wgmma of
// the same: 30 products of 4096 sums, every one equal.
inline constexpr Alignment kAligned = {25, 24};
inline constexpr Alignment kAlignedToHalf = {25, 0};  // d is f16, and is rounded
// source: wgmma of e4m3 and e5m2 on an H200: 18 products of 4096 sums, every one equal.
inline constexpr Alignment kAlignedBytes = {13, 14};

// The least exponent that a normal number of a type has: denormals count with it.
inline constexpr int kLeastOfHalf = -14, kLeastOfFloat = -126, kLeastOfE4m3 = -6,
                     kLeastOfE5m2 = -14;

// A row of k numbers; columns of k numbers, `stride` from one to the next number of a column. `k`
// is at most 32.
struct AlignedTerms {
  const double *row, *columns;
  const std::int16_t *row_exponents, *column_exponents;
  int stride = 0, k = 0;
  int least = kLeastOfFloat;  // of the addends' type
  bool finite = true;         // no infinity and no NaN among row and columns
};

// The exponents by which `count` numbers are aligned: at least `least`, and far below for zeros.
// Returns the largest one, or 0 if that is more; that of infinities and NaNs is kOfInfinity.
inline constexpr int kOfInfinity = 1024;
int find_exponents(const double* from, int count, int least, std::int16_t* to);

// Eight columns, each added to its sum. Infinities and NaNs give what plain sums give.
void add_products(const AlignedTerms& terms, const Alignment& alignment, double* sums);

}  // namespace warpscope
