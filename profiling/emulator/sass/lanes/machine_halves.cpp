// profiling/emulator/sass/lanes/machine_halves.cpp: pairs of numbers of 16 bits.
#include <cmath>

#include "profiling/emulator/instructions/half_lanes.h"
#include "profiling/emulator/sass/lanes/machine_lanes.h"

// Compiled once for each processor: see lanes.h. The option says which half of each source goes to
// both halves: two bits a source, 0: each to its own, 1: the lower, 2: the upper.

namespace warpscope::WARPSCOPE_LANES {
namespace {

struct Halves {
  const u32* slots;
  u32 keep, flip;
  u32 low_shift, high_shift;
  WARPSCOPE_INLINE Halves(const Warp& w, const Instruction& i, u32 slot, int number)
      : slots(w.slot<u32>(slot)),
        keep(~(ones_if(i, absolute_bit(number)) & 0x80008000u)),
        flip(ones_if(i, negated_bit(number)) & 0x80008000u),
        low_shift((option(i) >> (2 * number) & 3) == 2 ? 16 : 0),
        high_shift((option(i) >> (2 * number) & 3) == 1 ? 0 : 16) {}
  WARPSCOPE_INLINE u32 raw(int lane) const { return (slots[lane] & keep) ^ flip; }
  // Signs as they are in the register, in bit 15.
  WARPSCOPE_INLINE u32 low_sign(int lane) const { return slots[lane] >> low_shift & 0x8000; }
  WARPSCOPE_INLINE u32 high_sign(int lane) const { return slots[lane] >> high_shift & 0x8000; }
  WARPSCOPE_INLINE u16 low(int lane) const { return static_cast<u16>(raw(lane) >> low_shift); }
  WARPSCOPE_INLINE u16 high(int lane) const { return static_cast<u16>(raw(lane) >> high_shift); }
};

template <typename Format, bool ftz>
WARPSCOPE_INLINE f32 taken(u16 h) {
  constexpr u16 exponent =
      static_cast<u16>(((1 << Format::exponent_bits) - 1) << Format::mantissa_bits);
  if (ftz && (h & exponent) == 0) h &= 0x8000;
  return widen<Format>(h);
}
enum class Limit { none, unit, relu };
template <typename Format, bool ftz, Limit limit>
WARPSCOPE_INLINE u32 given(f32 x) {
  if constexpr (ftz) x = flushed_half_result<Format>(x);
  if constexpr (limit == Limit::unit) x = saturated(x);
  if constexpr (limit == Limit::relu) x = x > 0 || x != x ? x : 0.0f;
  return narrow<Format>(x);
}

template <typename Format, bool ftz, Limit limit>
void run_fma(Warp& w, const Instruction& i) {
  const Halves a(w, i, i.a, 0), b(w, i, i.b, 1), c(w, i, i.c, 2);
  const auto one = [](u16 x, u16 y, u16 z) {
    return given<Format, ftz, limit>(
        to_odd(fused(taken<Format, ftz>(x), taken<Format, ftz>(y), taken<Format, ftz>(z))));
  };
  for_lanes<u32>(w, i.d, [&](int lane) {
    return one(a.high(lane), b.high(lane), c.high(lane)) << 16 |
           one(a.low(lane), b.low(lane), c.low(lane));
  });
}
// Sums and products of two halves are exact enough in f32 that rounding twice is rounding once.
template <typename Format, bool ftz, Limit limit, typename F>
void run_two(Warp& w, const Instruction& i) {
  const Halves a(w, i, i.a, 0), b(w, i, i.b, 1);
  const auto one = [](u16 x, u16 y) {
    return given<Format, ftz, limit>(F{}(taken<Format, ftz>(x), taken<Format, ftz>(y)));
  };
  for_lanes<u32>(w, i.d, [&](int lane) {
    return one(a.high(lane), b.high(lane)) << 16 | one(a.low(lane), b.low(lane));
  });
}
// The lower halves as numbers of 32 bits: how halves are widened.
template <typename Format>
void run_widened_sum(Warp& w, const Instruction& i) {
  const Halves a(w, i, i.a, 0), b(w, i, i.b, 1);
  for_lanes<u32>(w, i.d, [&](int lane) {
    return std::bit_cast<u32>(one_nan(widen<Format>(a.low(lane)) + widen<Format>(b.low(lane))));
  });
}

// MUFU of one half, whose result is the lower one, towards zero; beyond all halves, infinity.
template <typename Format, typename F>
void run_function(Warp& w, const Instruction& i) {
  const Halves a(w, i, i.a, 0);
  constexpr f32 kBeyond = std::is_same_v<Format, Half> ? 65536.0f : HUGE_VALF;
  for_lanes<u32>(w, i.d, [&](int lane) {
    const f32 x = F{}(widen<Format>(a.low(lane)));
    return static_cast<u32>(narrow_exactly<Format>(x >= kBeyond ? HUGE_VALF : x, Rounding::zero));
  });
}
template <typename Format, typename F>
void add_function(MachineTable& t, const Key& name, F) {
  add<run_function<Format, F>>(t, Key("halves.") + name);
}

// `signs`: of magnitudes, and the sign is whether those of the sources differ.
template <typename Format, bool ftz, bool nan, bool signs>
void run_extreme(Warp& w, const Instruction& i) {
  const Halves a(w, i, i.a, 0), b(w, i, i.b, 1);
  const Bits least(w, i, i.c, 3);
  const auto one = [](u16 p, u16 q, bool low, u32 sign) {
    const f32 x = taken<Format, ftz>(p), y = taken<Format, ftz>(q);
    const bool x_less = x < y || (x == y && std::signbit(x));
    const f32 chosen = low == x_less ? x : y;
    const f32 number = x != x ? y : y != y ? x : chosen;
    if (nan && (x != x || y != y)) return u32{0x7fff};
    return narrow<Format>(number) ^ (signs && number == number ? sign : 0);
  };
  for_lanes<u32>(w, i.d, [&](int lane) {
    const bool low = least.at(lane) != 0;
    return one(a.high(lane), b.high(lane), low, a.high_sign(lane) ^ b.high_sign(lane)) << 16 |
           one(a.low(lane), b.low(lane), low, a.low_sign(lane) ^ b.low_sign(lane));
  });
}
template <typename Format, bool signs>
void add_extremes(MachineTable& t, const Key& name) {
  add<run_extreme<Format, false, false, signs>>(t, name);
  add<run_extreme<Format, true, false, signs>>(t, name + ".FTZ");
  add<run_extreme<Format, false, true, signs>>(t, name + ".NAN");
  add<run_extreme<Format, true, true, signs>>(t, name + ".FTZ.NAN");
}

// Option bits 8 and 9: how the result and predicate c become one; bit 10: numbers, not masks.
template <typename Format, typename F>
void run_set(Warp& w, const Instruction& i) {
  const Halves a(w, i, i.a, 0), b(w, i, i.b, 1);
  const Bits before(w, i, i.c, 3);
  const u32 how = option(i) >> 8 & 3;
  constexpr u32 one = std::is_same_v<Format, Half> ? 0x3c00 : 0x3f80;
  const u32 yes = (option(i) >> 10 & 1) != 0 ? one : 0xffffu;
  const auto joined = [&](bool found, bool earlier) {
    return how == 0 ? found && earlier : how == 1 ? found || earlier : found != earlier;
  };
  for_lanes<u32>(w, i.d, [&](int lane) {
    const bool earlier = before.at(lane) != 0;
    const bool high = F{}(widen<Format>(a.high(lane)), widen<Format>(b.high(lane)));
    const bool low = F{}(widen<Format>(a.low(lane)), widen<Format>(b.low(lane)));
    return (joined(high, earlier) ? yes << 16 : 0) | (joined(low, earlier) ? yes : 0);
  });
}
// Two predicates: of the lower halves and of the upper ones.
template <typename Format, typename F>
void run_compare(Warp& w, const Instruction& i) {
  const Halves a(w, i, i.a, 0), b(w, i, i.b, 1);
  const Bits before(w, i, i.c, 3);
  const u32 how = option(i) >> 8 & 3;
  const u32 low = bits_of(
      [&](int lane) { return F{}(widen<Format>(a.low(lane)), widen<Format>(b.low(lane))); });
  const u32 high = bits_of(
      [&](int lane) { return F{}(widen<Format>(a.high(lane)), widen<Format>(b.high(lane))); });
  const auto joined = [&](u32 bits) {
    return how == 0 ? bits & before.mask : how == 1 ? bits | before.mask : bits ^ before.mask;
  };
  const u32 first = joined(low), second = joined(high);
  set_lanes(w, i.d, first);
  set_lanes(w, more_slots(w, i)[0], second);
}

struct Sum {
  WARPSCOPE_INLINE f32 operator()(f32 a, f32 b) const { return a + b; }
};
struct Product {
  WARPSCOPE_INLINE f32 operator()(f32 a, f32 b) const { return a * b; }
};

template <typename Format, bool ftz, Limit limit>
void add_arithmetic(MachineTable& t, const Key& ending) {
  add<run_fma<Format, ftz, limit>>(t, Key("halves.fma") + ending);
  add<run_two<Format, ftz, limit, Sum>>(t, Key("halves.sum") + ending);
  add<run_two<Format, ftz, limit, Product>>(t, Key("halves.product") + ending);
}
template <typename Format, typename F>
void add_comparison(MachineTable& t, const Key& name, F) {
  add<run_set<Format, F>>(t, Key("halves.set.") + name);
  add<run_compare<Format, F>>(t, Key("halves.compare.") + name);
}
template <typename Format>
void add_format(MachineTable& t, const Key& format) {
  add_arithmetic<Format, false, Limit::none>(t, format);
  add_arithmetic<Format, true, Limit::none>(t, format + ".FTZ");
  add_arithmetic<Format, false, Limit::unit>(t, format + ".SAT");
  add_arithmetic<Format, true, Limit::unit>(t, format + ".FTZ.SAT");
  add_arithmetic<Format, false, Limit::relu>(t, format + ".RELU");
  add_function<Format>(t, Key("TANH") + format, [](f32 a) { return std::tanh(a); });
  add_function<Format>(t, Key("EX2") + format, [](f32 a) {
    return std::is_same_v<Format, Half> ? std::exp2(a) : flushed(std::exp2(a));
  });
  add<run_widened_sum<Format>>(t, Key("halves.widened") + format);
  add_extremes<Format, false>(t, Key("halves.extreme") + format);
  add_extremes<Format, true>(t, Key("halves.extreme") + format + ".XORSIGN");
  add_comparison<Format>(t, Key("EQ") + format, [](f32 a, f32 b) { return a == b; });
  add_comparison<Format>(t, Key("NE") + format, [](f32 a, f32 b) { return a < b || a > b; });
  add_comparison<Format>(t, Key("LT") + format, [](f32 a, f32 b) { return a < b; });
  add_comparison<Format>(t, Key("LE") + format, [](f32 a, f32 b) { return a <= b; });
  add_comparison<Format>(t, Key("GT") + format, [](f32 a, f32 b) { return a > b; });
  add_comparison<Format>(t, Key("GE") + format, [](f32 a, f32 b) { return a >= b; });
  add_comparison<Format>(t, Key("EQU") + format, [](f32 a, f32 b) { return !(a < b || a > b); });
  add_comparison<Format>(t, Key("NEU") + format, [](f32 a, f32 b) { return a != b; });
  add_comparison<Format>(t, Key("LTU") + format, [](f32 a, f32 b) { return !(a >= b); });
  add_comparison<Format>(t, Key("LEU") + format, [](f32 a, f32 b) { return !(a > b); });
  add_comparison<Format>(t, Key("GTU") + format, [](f32 a, f32 b) { return !(a <= b); });
  add_comparison<Format>(t, Key("GEU") + format, [](f32 a, f32 b) { return !(a < b); });
  add_comparison<Format>(t, Key("NUM") + format, [](f32 a, f32 b) { return a == a && b == b; });
  add_comparison<Format>(t, Key("NAN") + format, [](f32 a, f32 b) { return a != a || b != b; });
}

}  // namespace

void add_machine_halves(MachineTable& t) {
  add_format<Half>(t, "");
  add_format<Bfloat>(t, ".BF16_V2");
}

}  // namespace warpscope::WARPSCOPE_LANES
