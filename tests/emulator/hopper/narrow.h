// tests/emulator/hopper/narrow.h: numbers of 8 and 16 bits by tables of all their values.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

// Slow and plain on purpose: the tests hold the emulator's conversions to these.

namespace warpscope {

struct NarrowFormat {
  int exponent_bits, mantissa_bits, bias;
  bool has_infinity;
};
inline constexpr NarrowFormat kE4m3Format{4, 3, 7, false}, kE5m2Format{5, 2, 15, true},
    kHalfFormat{5, 10, 15, true}, kBfloatFormat{8, 7, 127, true};

// The value of bits, from the definition of a floating-point number.
inline double narrow_value(const NarrowFormat& f, std::uint32_t bits) {
  const int m = f.mantissa_bits;
  const std::uint32_t exponent = bits >> m & ((1u << f.exponent_bits) - 1);
  const std::uint32_t mantissa = bits & ((1u << m) - 1);
  const double sign = (bits >> (m + f.exponent_bits) & 1) != 0 ? -1 : 1;
  const bool top = exponent == (1u << f.exponent_bits) - 1;
  if (top && f.has_infinity) return mantissa == 0 ? sign * HUGE_VAL : std::nan("");
  if (top && mantissa == (1u << m) - 1) return std::nan("");
  const double fraction = static_cast<double>(mantissa) / (1u << m);
  return exponent == 0 ? sign * std::pow(2.0, 1 - f.bias) * fraction
                       : sign * std::pow(2.0, static_cast<int>(exponent) - f.bias) * (1 + fraction);
}

// The nearest number of the format; if two are equally near, the one with the even mantissa; beyond
// the largest, the largest. NaN becomes all ones except the sign.
inline std::uint32_t nearest_narrow(const NarrowFormat& f, double value) {
  const int bits = f.exponent_bits + f.mantissa_bits;
  if (std::isnan(value)) return (1u << bits) - 1;
  const std::uint32_t sign = std::signbit(value) ? 1u << bits : 0;
  const double x = std::fabs(value);
  // Magnitudes rise with their bits: the last that is not above x.
  std::uint32_t low = 0, high = (1u << bits) - 1;
  while (!std::isfinite(narrow_value(f, high))) --high;
  const std::uint32_t largest = high;
  while (low < high) {
    const std::uint32_t middle = (low + high + 1) / 2;
    if (narrow_value(f, middle) <= x) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  if (low == largest) return sign | largest;
  const double below = x - narrow_value(f, low), above = narrow_value(f, low + 1) - x;
  const bool up = above < below || (above == below && low % 2 == 1);
  return sign | (up ? low + 1 : low);
}

}  // namespace warpscope
