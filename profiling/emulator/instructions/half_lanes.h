// profiling/emulator/instructions/half_lanes.h: numbers of 16 and 8 bits as bits: conversions of
// one lane, exactly rounded.
#pragma once

#include <algorithm>
#include <cmath>

#include "profiling/emulator/instructions/lanes.h"

namespace warpscope {
namespace {

struct Half {
  static constexpr int mantissa_bits = 10, exponent_bits = 5;
};
struct Bfloat {
  static constexpr int mantissa_bits = 7, exponent_bits = 8;
};

WARPSCOPE_INLINE f32 widen_half(u16 h) {
  const u32 magnitude = static_cast<u32>(h & 0x7fff) << 13;
  // The exponent's bias differs by 112; the product is exact, also for subnormals.
  const u32 finite = std::bit_cast<u32>(std::bit_cast<f32>(magnitude) * 0x1p112f);
  const u32 bits = magnitude >= 0x0f800000u ? magnitude | 0x7f800000u : finite;
  return std::bit_cast<f32>(bits | static_cast<u32>(h & 0x8000) << 16);
}
WARPSCOPE_INLINE f32 widen_bfloat(u16 h) { return std::bit_cast<f32>(static_cast<u32>(h) << 16); }

// To nearest, ties to even; NaN becomes 0x7fff.
WARPSCOPE_INLINE u16 narrow_half(f32 value) {
  const u32 bits = std::bit_cast<u32>(value), x = bits & 0x7fffffffu;
  const u32 huge = x > 0x7f800000u ? 0x7fffu : 0x7c00u;
  const u32 small = std::bit_cast<u32>(std::bit_cast<f32>(x) + 0.5f) - 0x3f000000u;
  const u32 normal = (x + 0xc8000fffu + (x >> 13 & 1)) >> 13;
  const u32 magnitude = x >= 0x47800000u ? huge : x < 0x38800000u ? small : normal;
  const u32 sign = x > 0x7f800000u ? 0 : bits >> 16 & 0x8000u;
  return static_cast<u16>(magnitude | sign);
}
WARPSCOPE_INLINE u16 narrow_bfloat(f32 value) {
  const u32 bits = std::bit_cast<u32>(value);
  return static_cast<u16>(value != value ? 0x7fffu : (bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}

template <typename Format>
WARPSCOPE_INLINE f32 widen(u16 h) {
  if constexpr (std::is_same_v<Format, Half>) return widen_half(h);
  return widen_bfloat(h);
}
template <typename Format>
WARPSCOPE_INLINE u16 narrow(f32 value) {
  if constexpr (std::is_same_v<Format, Half>) return narrow_half(value);
  return narrow_bfloat(value);
}

// .ftz makes zero of a result that is below the least normal number when it is rounded to as many
// bits with any exponent. `x` is exact, or its last bit is odd. source: an H200, for HMUL2.FTZ.
template <typename Format>
WARPSCOPE_INLINE f32 flushed_half_result(f32 x) {
  constexpr int least_exponent = 2 - (1 << (Format::exponent_bits - 1));
  // A tie between the least normal number and the one below it goes to the former.
  constexpr f32 least = std::bit_cast<f32>(static_cast<u32>(least_exponent + 127) << 23);
  constexpr f32 limit = least - least / static_cast<f32>(4 << Format::mantissa_bits);
  const u32 bits = std::bit_cast<u32>(x);
  return std::bit_cast<f32>(magnitude_of(x) < limit ? bits & 0x80000000u : bits);
}

// Any rounding, from f64: what the fast ones above do not cover.
template <typename Format>
u16 narrow_exactly(f64 value, Rounding rounding) {
  if (value != value) return 0x7fff;
  constexpr int m = Format::mantissa_bits, e = Format::exponent_bits;
  constexpr int bias = (1 << (e - 1)) - 1;
  const bool negative = std::signbit(value);
  const u16 sign = negative ? 0x8000 : 0;
  const f64 x = std::fabs(value);
  constexpr u16 infinity = static_cast<u16>(((1 << e) - 1) << m);
  if (x - x != 0) return sign | infinity;
  if (x == 0) return sign;
  int exponent = std::ilogb(x);
  if (exponent < 1 - bias) exponent = 1 - bias;
  // In units of the last place: exact, since x has 53 bits and the unit is a power of two.
  const f64 scaled = std::ldexp(x, m - exponent);
  f64 whole = std::floor(scaled);
  const f64 rest = scaled - whole;
  bool up = false;
  switch (rounding) {
    case Rounding::nearest:
      up = rest > 0.5 || (rest == 0.5 && std::fmod(whole, 2.0) == 1.0);
      break;
    case Rounding::zero:
      break;
    case Rounding::down:
      up = negative && rest > 0;
      break;
    case Rounding::up:
      up = !negative && rest > 0;
      break;
  }
  if (exponent > bias) {  // beyond the largest finite number
    const bool largest = rounding == Rounding::zero || (rounding == Rounding::down && !negative) ||
                         (rounding == Rounding::up && negative);
    return sign | static_cast<u16>(infinity - (largest ? 1 : 0));
  }
  if (up) whole += 1;
  // A carry out of the mantissa moves into the exponent by itself.
  const int units = static_cast<int>(whole);
  const int base = (exponent + bias - 1) << m;
  const int bits = units < (1 << m) ? units : base + units;
  return sign | static_cast<u16>(bits);
}

// A NaN of 64 bits in few bits: its sign and the upper bits of its payload. source: an H200, F2F.
template <typename Format>
WARPSCOPE_INLINE u16 narrow_nan(f64 value) {
  constexpr int m = Format::mantissa_bits, e = Format::exponent_bits;
  const u64 bits = std::bit_cast<u64>(value);
  const u64 payload = bits >> (52 - m) & ((1u << m) - 1);
  return static_cast<u16>(bits >> 63 << 15 | ((1u << e) - 1) << m | 1u << (m - 1) | payload);
}

// a·b + c rounded once: the product is exact in f64; where the sum is not, its last bit is made
// odd, so that rounding to few bits afterwards sees which side it lies on.
WARPSCOPE_INLINE f64 fused(f32 a, f32 b, f32 c) {
  const f64 product = static_cast<f64>(a) * b, addend = c;
  const f64 sum = product + addend;
  const f64 back = sum - product;
  const f64 lost = (product - (sum - back)) + (addend - back);
  const s64 bits = std::bit_cast<s64>(sum);
  const bool inexact = lost != 0 && lost == lost && (bits & 1) == 0;
  const s64 odd = (lost > 0) == (sum > 0) ? bits + 1 : bits - 1;
  return inexact && sum != 0 ? std::bit_cast<f64>(odd) : sum;
}
// f64 to f32 in the same manner: towards zero with an odd last bit where inexact.
WARPSCOPE_INLINE f32 to_odd(f64 value) {
  const f32 near = static_cast<f32>(value);
  const f64 back = near;
  u32 bits = std::bit_cast<u32>(near);
  if (back != value && value == value && value - value == 0) {
    if (std::fabs(back) > std::fabs(value)) --bits;
    bits |= 1;
  }
  return std::bit_cast<f32>(bits);
}

// Numbers of eight bits. source: PTX ISA, "Alternate Floating-Point Data Formats": e4m3 has no
// infinity, and NaN is all ones but the sign; e5m2 is the upper half of an f16.
struct E4m3 {
  static constexpr int mantissa_bits = 3, bias = 7;
  static constexpr u8 largest = 0x7e;  // 448
};
struct E5m2 {
  static constexpr int mantissa_bits = 2, bias = 15;
  static constexpr u8 largest = 0x7b;  // 57344
};

// Exact: every number of eight bits is an f32.
template <typename Format>
f64 widen_narrow(u8 bits) {
  constexpr int m = Format::mantissa_bits;
  const int exponent = (bits & 0x7f) >> m, mantissa = bits & ((1 << m) - 1);
  const f64 sign = (bits & 0x80) != 0 ? -1 : 1;
  if ((bits & 0x7f) > Format::largest) {
    const bool infinite = Format::bias == 15 && mantissa == 0;
    return infinite ? sign * HUGE_VAL : std::nan("");
  }
  const f64 units = exponent == 0 ? mantissa : mantissa + (1 << m);
  return sign * std::ldexp(units, std::max(exponent, 1) - Format::bias - m);
}

// .rn.satfinite: to nearest, ties to even; what is too large becomes the largest number, NaN 0x7f.
template <typename Format>
u8 to_narrow(f64 value, bool relu) {
  constexpr int m = Format::mantissa_bits;
  if (value != value) return 0x7f;
  if (relu && !(value > 0)) value = 0;  // −0 too
  const u8 sign = std::signbit(value) ? 0x80 : 0;
  const f64 x = std::fabs(value);
  if (x >= widen_narrow<Format>(Format::largest)) return sign | Format::largest;
  if (x == 0) return sign;
  const int exponent = std::max(std::ilogb(x), 1 - Format::bias);
  // In units of the last place: nearbyint rounds ties to even.
  const int units = static_cast<int>(std::nearbyint(std::ldexp(x, m - exponent)));
  // A carry out of the mantissa moves into the exponent by itself.
  const int base = (exponent + Format::bias - 1) << m;
  const int bits = units < (1 << m) ? units : base + units;
  return sign | static_cast<u8>(std::min<int>(bits, Format::largest));
}

}  // namespace
}  // namespace warpscope
