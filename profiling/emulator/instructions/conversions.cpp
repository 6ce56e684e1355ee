// profiling/emulator/instructions/conversions.cpp: conversions with roundings, .sat, .ftz and
// .relu.
#include "profiling/emulator/instructions/conversions.h"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>

#include "profiling/emulator/instructions/half_lanes.h"

namespace warpscope {
namespace {

// A number on its way: an integer with its sign, or a floating-point number.
struct Value {
  bool real = false, negative = false;
  u64 magnitude = 0;
  f64 number = 0;
};

Value read(const Warp& w, u32 slot, Number type, int lane, bool ftz) {
  const auto integer = [](s64 n) {
    return Value{false, n < 0, n < 0 ? 0 - static_cast<u64>(n) : static_cast<u64>(n), 0};
  };
  const u32 narrow_slot = type == Number::u64 || type == Number::s64 || type == Number::f64
                              ? 0
                              : w.slot<u32>(slot)[lane];
  switch (type) {
    case Number::u8:
      return integer(static_cast<u8>(narrow_slot));
    case Number::s8:
      return integer(static_cast<s8>(narrow_slot));
    case Number::u16:
      return integer(static_cast<u16>(narrow_slot));
    case Number::s16:
      return integer(static_cast<s16>(narrow_slot));
    case Number::u32:
      return integer(narrow_slot);
    case Number::s32:
      return integer(static_cast<s32>(narrow_slot));
    case Number::u64:
      return {false, false, w.slot<u64>(slot)[lane], 0};
    case Number::s64:
      return integer(static_cast<s64>(w.slot<u64>(slot)[lane]));
    case Number::f16:
      return {true, false, 0, widen_half(static_cast<u16>(narrow_slot))};
    case Number::bf16:
      return {true, false, 0, widen_bfloat(static_cast<u16>(narrow_slot))};
    case Number::f32: {
      const f32 x = std::bit_cast<f32>(narrow_slot);
      return {true, false, 0, ftz ? flushed(x) : x};
    }
    case Number::f64:
      return {true, false, 0, std::bit_cast<f64>(w.slot<u64>(slot)[lane])};
  }
  return {};
}

f64 round_to_integer(f64 x, IntegerRounding rounding) {
  switch (rounding) {
    case IntegerRounding::none:
    case IntegerRounding::zero:
      return std::trunc(x);
    case IntegerRounding::down:
      return std::floor(x);
    case IntegerRounding::up:
      return std::ceil(x);
    case IntegerRounding::nearest:
      break;
  }
  const f64 down = std::floor(x), rest = x - down;
  if (rest > 0.5 || (rest == 0.5 && std::fmod(down, 2.0) != 0)) return std::copysign(down + 1, x);
  return std::copysign(down, x);
}

// Range of an integer type as magnitudes below and above zero.
struct Range {
  u64 below = 0, above = 0;
};
Range range_of(Number type) {
  switch (type) {
    case Number::u8:
      return {0, 0xff};
    case Number::s8:
      return {0x80, 0x7f};
    case Number::u16:
      return {0, 0xffff};
    case Number::s16:
      return {0x8000, 0x7fff};
    case Number::u32:
      return {0, 0xffffffff};
    case Number::s32:
      return {0x80000000u, 0x7fffffff};
    case Number::u64:
      return {0, ~0ull};
    default:
      return {1ull << 63, ~0ull >> 1};
  }
}

// What a NaN becomes: zero, but where the source is f64 or the destination has 64 bits the highest
// bit alone. source: PTX ISA, "cvt".
Value integer_of_nan(Number to, Number from) {
  const bool wide = to == Number::u64 || to == Number::s64;
  if (from != Number::f64 && !wide) return {};
  const Range range = range_of(to);
  return {false, false, std::max(range.below, range.above / 2 + 1), 0};
}

Value to_integer(Value v, Number to, Number from, IntegerRounding rounding, bool sat) {
  const Range range = range_of(to);
  bool clamp = sat;
  if (v.real) {
    if (v.number != v.number) return integer_of_nan(to, from);
    const f64 x = round_to_integer(v.number, rounding);
    clamp = true;  // also without .sat (PTX ISA, "cvt")
    v.negative = x < 0;
    v.magnitude = std::fabs(x) >= 0x1p64 ? ~0ull : static_cast<u64>(std::fabs(x));
  }
  if (clamp) {
    const u64 most = v.negative ? range.below : range.above;
    if (v.magnitude > most) v.magnitude = most;
  }
  return {false, v.negative, v.magnitude, 0};
}

// In f64 towards zero, with an odd last bit where it is inexact: rounding that again is rounding
// once, in whatever direction.
f64 to_odd_double(u64 n) {
  const int beyond = std::max(0, 11 - std::countl_zero(n));
  const u64 kept = n >> beyond;
  const u64 lost = kept << beyond != n ? 1 : 0;
  return std::ldexp(static_cast<f64>(kept | lost), beyond);
}

f64 limited(f64 x, bool sat, bool relu) {
  if (sat) return saturated(x);
  if (relu && x < 0) return 0;
  return x;
}

// Kept apart so that nothing of it moves out of the loop that changed the processor's rounding.
[[gnu::noinline]] void convert_lane(Warp& w, const Instruction& i, int lane) {
  const auto to = static_cast<Number>(i.count), from = static_cast<Number>(i.width);
  const auto rounding = static_cast<Rounding>(i.subop & 3);
  const auto whole = static_cast<IntegerRounding>(i.subop >> 2);
  const bool ftz = (i.flags & kConvertFtz) != 0, sat = (i.flags & kConvertSat) != 0;
  const bool relu = (i.flags & kConvertRelu) != 0;
  Value v = read(w, i.a, from, lane, ftz);
  if (to < Number::f16) {
    v = to_integer(v, to, from, whole, sat);
    const u64 bits = v.negative ? 0 - v.magnitude : v.magnitude;
    u32* const d = w.slot<u32>(i.d);
    switch (to) {
      case Number::u8:
        d[lane] = static_cast<u8>(bits);
        break;
      case Number::s8:
        d[lane] = static_cast<u32>(static_cast<s32>(static_cast<s8>(bits)));
        break;
      case Number::u16:
      case Number::s16:
        d[lane] = static_cast<u16>(bits);
        break;
      case Number::u32:
      case Number::s32:
        d[lane] = static_cast<u32>(bits);
        break;
      default:
        w.slot<u64>(i.d)[lane] = bits;
    }
    return;
  }
  if (v.real && whole != IntegerRounding::none) v.number = round_to_integer(v.number, whole);
  if (to == Number::f32) {
    f32 x = v.real ? static_cast<f32>(v.number) : static_cast<f32>(v.magnitude);
    // The sign first: rounding down a negative number rounds its magnitude up.
    if (!v.real && v.negative) x = static_cast<f32>(static_cast<s64>(0 - v.magnitude));
    x = static_cast<f32>(limited(x, sat, relu));
    // A NaN of 64 bits keeps its sign and the upper bits of its payload. source: an H200, F2F.
    if (from != Number::f64) x = one_nan(x);
    w.slot<u32>(i.d)[lane] = std::bit_cast<u32>(ftz ? flushed(x) : x);
    return;
  }
  f64 x = v.number;
  if (!v.real && to != Number::f64) {
    x = v.negative ? -to_odd_double(v.magnitude) : to_odd_double(v.magnitude);
  } else if (!v.real) {
    x = v.negative ? static_cast<f64>(static_cast<s64>(0 - v.magnitude))
                   : static_cast<f64>(v.magnitude);
  }
  x = limited(x, sat, relu);
  if (to == Number::f64) {
    constexpr u64 quiet = 1ull << 51;
    w.slot<u64>(i.d)[lane] = std::bit_cast<u64>(x) | (x != x ? quiet : 0);
  } else if (x != x && from == Number::f64) {
    w.slot<u32>(i.d)[lane] = to == Number::f16 ? narrow_nan<Half>(x) : narrow_nan<Bfloat>(x);
  } else {
    w.slot<u32>(i.d)[lane] =
        to == Number::f16 ? narrow_exactly<Half>(x, rounding) : narrow_exactly<Bfloat>(x, rounding);
  }
}

template <typename Format>
u32 converted(const Warp& w, const Instruction& i, int lane) {
  const bool relu = (i.flags & kConvertRelu) != 0;
  const u32 a = w.slot<u32>(i.a)[lane];
  if (i.subop == 2) {
    const auto half = [&](u32 bits) {
      const double value = widen_narrow<Format>(static_cast<u8>(bits));
      return narrow_half(static_cast<f32>(relu && value < 0 ? 0 : value));
    };
    return static_cast<u32>(half(a >> 8)) << 16 | half(a);
  }
  const bool halves = i.subop == 1;
  const double low =
      halves ? widen_half(static_cast<u16>(a)) : std::bit_cast<f32>(w.slot<u32>(i.b)[lane]);
  const double high = halves ? widen_half(static_cast<u16>(a >> 16)) : std::bit_cast<f32>(a);
  return static_cast<u32>(to_narrow<Format>(high, relu)) << 8 | to_narrow<Format>(low, relu);
}

}  // namespace

void convert_any(Warp& w, const Instruction& i) {
  constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  const int mode = modes[i.subop & 3];
  const int before = std::fegetround();
  // narrow_exactly rounds by itself and needs nothing but exact operations.
  const bool change = mode != before && static_cast<Number>(i.count) >= Number::f32;
  if (change) std::fesetround(mode);
  for (int lane = 0; lane < 32; ++lane) {
    if ((w.mask >> lane & 1) != 0) convert_lane(w, i, lane);
  }
  if (change) std::fesetround(before);
}

void convert_narrow(Warp& w, const Instruction& i) {
  for (u32 rest = w.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    w.slot<u32>(i.d)[lane] =
        i.count == 0 ? converted<E4m3>(w, i, lane) : converted<E5m2>(w, i, lane);
  }
}

}  // namespace warpscope
