// profiling/emulator/instructions/halves.cpp: f16, bf16 and their packed pairs.
#include <cmath>

#include "profiling/emulator/instructions/half_lanes.h"
#include "profiling/emulator/instructions/lanes.h"

// Compiled once for each processor: see lanes.h. Sums, differences and products of two halves are
// exact enough in f32 (24 bits ≥ 2·11 + 2) that rounding twice is rounding once.

namespace warpscope::WARPSCOPE_LANES {
namespace {

WARPSCOPE_INLINE f32 lesser(f32 a, f32 b) {
  return a != a ? b : b != b ? a : a < b || (a == b && std::signbit(a)) ? a : b;
}
WARPSCOPE_INLINE f32 greater(f32 a, f32 b) {
  return a != a ? b : b != b ? a : a > b || (a == b && !std::signbit(a)) ? a : b;
}

template <typename Format>
WARPSCOPE_INLINE u16 flushed_half(u16 h) {
  constexpr u16 exponent =
      static_cast<u16>(((1 << Format::exponent_bits) - 1) << Format::mantissa_bits);
  return (h & exponent) == 0 ? static_cast<u16>(h & 0x8000) : h;
}

// What becomes of half `a`, unless it is a NaN: there is one. source: an H200, for neg and abs.
template <typename Format>
WARPSCOPE_INLINE u16 one_half_nan(u32 a, u32 otherwise) {
  constexpr u32 infinity = ((1u << Format::exponent_bits) - 1) << Format::mantissa_bits;
  return static_cast<u16>((a & 0x7fff) > infinity ? 0x7fff : otherwise);
}

// F: f32… → f32, of one half; with .sat to [0, 1], .relu to ≥ 0.
enum class Limit { none, unit, relu };
template <Limit limit>
WARPSCOPE_INLINE f32 limited(f32 x) {
  if constexpr (limit == Limit::unit) return saturated(x);
  if constexpr (limit == Limit::relu) return x > 0 || x != x ? x : 0.0f;
  return x;
}
template <typename F, typename Format, bool ftz, Limit limit>
struct OnHalf {
  template <typename... A>
  WARPSCOPE_INLINE u16 operator()(A... a) const {
    if constexpr (ftz) {
      return narrow<Format>(limited<limit>(
          flushed_half_result<Format>(F{}(widen<Format>(flushed_half<Format>(a))...))));
    } else {
      return narrow<Format>(limited<limit>(F{}(widen<Format>(a)...)));
    }
  }
};
template <typename F, typename Format, bool ftz, Limit limit>
struct OnPair {
  template <typename... A>
  WARPSCOPE_INLINE u32 operator()(A... a) const {
    const OnHalf<F, Format, ftz, limit> one;
    return static_cast<u32>(one(static_cast<u16>(a >> 16)...)) << 16 | one(static_cast<u16>(a)...);
  }
};

template <typename Format, bool ftz, Limit limit, typename F>
void add_one(OpcodeTable& t, const Key& name, const Key& type) {
  const bool sat = limit == Limit::unit;
  using One = OnHalf<F, Format, ftz, limit>;
  using Two = OnPair<F, Format, ftz, limit>;
  const OperandType h = OperandType::b16, p = OperandType::b32;
  const Key single = name + (limit == Limit::relu ? ".relu." : ".") + type;
  const Key pair = single + "x2";
  if constexpr (std::is_invocable_v<F, f32>) {
    t.add(single.text, h, {h}, lanes<u16, u16>(One{}), Rounding::nearest, ftz, sat);
    t.add(pair.text, p, {p}, lanes<u32, u32>(Two{}), Rounding::nearest, ftz, sat);
  } else if constexpr (std::is_invocable_v<F, f32, f32>) {
    t.add(single.text, h, {h, h}, lanes<u16, u16, u16>(One{}), Rounding::nearest, ftz, sat);
    t.add(pair.text, p, {p, p}, lanes<u32, u32, u32>(Two{}), Rounding::nearest, ftz, sat);
  } else {
    t.add(single.text, h, {h, h, h}, lanes<u16, u16, u16, u16>(One{}), Rounding::nearest, ftz, sat);
    t.add(pair.text, p, {p, p, p}, lanes<u32, u32, u32, u32>(Two{}), Rounding::nearest, ftz, sat);
  }
}
template <typename Format, typename F>
void add_halves(OpcodeTable& t, const Key& name, const Key& type, F) {
  add_one<Format, false, Limit::none, F>(t, name, type);
  add_one<Format, true, Limit::none, F>(t, name, type);
  add_one<Format, false, Limit::unit, F>(t, name, type);
  add_one<Format, true, Limit::unit, F>(t, name, type);
}

template <typename Format>
void add_format(OpcodeTable& t, const Key& type) {
  add_halves<Format>(t, "add", type, [](f32 a, f32 b) { return a + b; });
  add_halves<Format>(t, "sub", type, [](f32 a, f32 b) { return a - b; });
  add_halves<Format>(t, "mul", type, [](f32 a, f32 b) { return a * b; });
  const auto multiply_add = [](f32 a, f32 b, f32 c) { return to_odd(fused(a, b, c)); };
  add_halves<Format>(t, "fma", type, multiply_add);
  add_one<Format, false, Limit::relu, decltype(multiply_add)>(t, "fma", type);
  const auto least = [](f32 a, f32 b) { return lesser(a, b); };
  const auto most = [](f32 a, f32 b) { return greater(a, b); };
  add_halves<Format>(t, "min", type, least);
  add_halves<Format>(t, "max", type, most);
  add_halves<Format>(t, "min.NaN", type,
                     [](f32 a, f32 b) { return a != a || b != b ? a + b : lesser(a, b); });
  add_halves<Format>(t, "max.NaN", type,
                     [](f32 a, f32 b) { return a != a || b != b ? a + b : greater(a, b); });
  add_halves<Format>(t, "ex2", type, [](f32 a) { return std::exp2(a); });
  add_halves<Format>(t, "tanh", type, [](f32 a) { return std::tanh(a); });
  add<u16, u16>(t, Key("neg.") + type, [](u16 a) { return one_half_nan<Format>(a, a ^ 0x8000); });
  add<u16, u16>(t, Key("abs.") + type, [](u16 a) { return one_half_nan<Format>(a, a & 0x7fff); });
  add<u32, u32>(t, Key("neg.") + type + "x2", [](u32 a) {
    return static_cast<u32>(one_half_nan<Format>(a >> 16, a >> 16 ^ 0x8000)) << 16 |
           one_half_nan<Format>(a, a ^ 0x8000);
  });
  add<u32, u32>(t, Key("abs.") + type + "x2", [](u32 a) {
    return static_cast<u32>(one_half_nan<Format>(a >> 16, a >> 16 & 0x7fff)) << 16 |
           one_half_nan<Format>(a, a & 0x7fff);
  });
  add<u16, u16>(t, Key("mov.") + type, [](u16 a) { return a; });
  // cvt.rn.f16x2.f32 d, a, b: a goes to the upper half.
  add<u32, f32, f32>(t, Key("cvt.") + type + "x2.f32", [](f32 a, f32 b) {
    return static_cast<u32>(narrow<Format>(a)) << 16 | narrow<Format>(b);
  });
  add<u32, f32, f32>(t, Key("cvt.relu.") + type + "x2.f32", [](f32 a, f32 b) {
    return static_cast<u32>(narrow<Format>(limited<Limit::relu>(a))) << 16 |
           narrow<Format>(limited<Limit::relu>(b));
  });
  t.add((Key("cvt.") + type + "x2.f32").text, OperandType::b32,
        {OperandType::f32, OperandType::f32}, lanes<u32, f32, f32>([](f32 a, f32 b) {
          return static_cast<u32>(narrow_exactly<Format>(a, Rounding::zero)) << 16 |
                 narrow_exactly<Format>(b, Rounding::zero);
        }),
        Rounding::zero);
  t.add((Key("cvt.relu.") + type + "x2.f32").text, OperandType::b32,
        {OperandType::f32, OperandType::f32}, lanes<u32, f32, f32>([](f32 a, f32 b) {
          return static_cast<u32>(narrow_exactly<Format>(limited<Limit::relu>(a), Rounding::zero))
                     << 16 |
                 narrow_exactly<Format>(limited<Limit::relu>(b), Rounding::zero);
        }),
        Rounding::zero);
}

template <typename Format, typename F>
void add_half_comparison(OpcodeTable& t, const Key& name, const Key& type, F) {
  struct Widened {
    WARPSCOPE_INLINE bool operator()(u16 a, u16 b) const {
      return F{}(widen<Format>(a), widen<Format>(b));
    }
  };
  struct Upper {
    WARPSCOPE_INLINE bool operator()(u32 a, u32 b) const {
      return F{}(widen<Format>(static_cast<u16>(a >> 16)),
                 widen<Format>(static_cast<u16>(b >> 16)));
    }
  };
  struct Lower {
    WARPSCOPE_INLINE bool operator()(u32 a, u32 b) const {
      return F{}(widen<Format>(static_cast<u16>(a)), widen<Format>(static_cast<u16>(b)));
    }
  };
  add<Predicate, u16, u16>(t, Key("setp.") + name + "." + type, Widened{});
  add<Predicate, u32, u32>(t, Key("setp.lower.") + name + "." + type + "x2", Lower{});
  add<Predicate, u32, u32>(t, Key("setp.upper.") + name + "." + type + "x2", Upper{});
  struct One {
    WARPSCOPE_INLINE u16 operator()(u16 a, u16 b) const {
      constexpr u16 one = std::is_same_v<Format, Half> ? 0x3c00 : 0x3f80;
      return Widened{}(a, b) ? one : u16{0};
    }
  };
  struct Ones {
    WARPSCOPE_INLINE u32 operator()(u32 a, u32 b) const {
      return static_cast<u32>(One{}(static_cast<u16>(a >> 16), static_cast<u16>(b >> 16))) << 16 |
             One{}(static_cast<u16>(a), static_cast<u16>(b));
    }
  };
  struct All {
    WARPSCOPE_INLINE u32 operator()(u32 a, u32 b) const {
      return (Upper{}(a, b) ? 0xffff0000u : 0) | (Lower{}(a, b) ? 0xffffu : 0);
    }
  };
  add<u16, u16, u16>(t, Key("set.") + name + "." + type + "." + type, One{});
  add<u32, u32, u32>(t, Key("set.") + name + "." + type + Key("x2.") + type + "x2", Ones{});
  add<u32, u32, u32>(t, Key("set.") + name + ".u32." + type + "x2", All{});
}
template <typename Format>
void add_half_comparisons(OpcodeTable& t, const Key& type) {
  add_half_comparison<Format>(t, "eq", type, [](f32 a, f32 b) { return a == b; });
  add_half_comparison<Format>(t, "ne", type, [](f32 a, f32 b) { return a < b || a > b; });
  add_half_comparison<Format>(t, "lt", type, [](f32 a, f32 b) { return a < b; });
  add_half_comparison<Format>(t, "le", type, [](f32 a, f32 b) { return a <= b; });
  add_half_comparison<Format>(t, "gt", type, [](f32 a, f32 b) { return a > b; });
  add_half_comparison<Format>(t, "ge", type, [](f32 a, f32 b) { return a >= b; });
  add_half_comparison<Format>(t, "equ", type, [](f32 a, f32 b) { return !(a < b || a > b); });
  add_half_comparison<Format>(t, "neu", type, [](f32 a, f32 b) { return a != b; });
  add_half_comparison<Format>(t, "ltu", type, [](f32 a, f32 b) { return !(a >= b); });
  add_half_comparison<Format>(t, "leu", type, [](f32 a, f32 b) { return !(a > b); });
  add_half_comparison<Format>(t, "gtu", type, [](f32 a, f32 b) { return !(a <= b); });
  add_half_comparison<Format>(t, "geu", type, [](f32 a, f32 b) { return !(a < b); });
  add_half_comparison<Format>(t, "num", type, [](f32 a, f32 b) { return a == a && b == b; });
  add_half_comparison<Format>(t, "nan", type, [](f32 a, f32 b) { return a != a || b != b; });
}

template <typename To, typename From>
constexpr RunInstruction cast() {
  return lanes<To, From>([](From a) { return static_cast<To>(a); });
}
template <typename From>
void add_casts(OpcodeTable& t, Number from) {
  const auto row = static_cast<std::size_t>(from);
  const auto set = [&](Number to, RunInstruction run) {
    t.conversions[static_cast<std::size_t>(to)][row] = run;
  };
  set(Number::u8, cast<u8, From>());
  // Registers of signed 8-bit results hold them sign-extended to 16 bits (PTX ISA, "cvt").
  set(Number::s8, lanes<u32, From>([](From a) {
        return static_cast<u32>(static_cast<s32>(static_cast<s8>(a)));
      }));
  set(Number::u16, cast<u16, From>());
  set(Number::s16, cast<s16, From>());
  set(Number::u32, cast<u32, From>());
  set(Number::s32, cast<s32, From>());
  set(Number::u64, cast<u64, From>());
  set(Number::s64, cast<s64, From>());
  set(Number::f32, cast<f32, From>());
  set(Number::f64, cast<f64, From>());
}

// Rounded to nearest; a tie goes to even, or away from zero. Infinities keep their upper bits:
// rounding would carry into the sign. So do NaNs where ties go away from zero.
u32 as_tf32(f32 a, bool to_even) {
  if (to_even && a != a) return 0x7fffe000u;
  const u32 bits = std::bit_cast<u32>(a), finite = (bits & 0x7f800000u) != 0x7f800000u ? ~0u : 0u;
  const u32 added = to_even ? 0xfffu + (bits >> 13 & 1) : 0x1000u;
  return (bits + (added & finite)) & 0xffffe000u;
}

u32 cut_to_tf32(f32 a) { return (a != a ? 0x7fffffffu : std::bit_cast<u32>(a)) & 0xffffe000u; }
f32 relu_of(f32 a) { return limited<Limit::relu>(a); }

}  // namespace

void add_half(OpcodeTable& t) {
  add_format<Half>(t, "f16");
  add_format<Bfloat>(t, "bf16");
  add_half_comparisons<Half>(t, "f16");
  add_half_comparisons<Bfloat>(t, "bf16");
}

// Conversions without modifiers that may be vectorised; the rest is convert_any.
void add_conversions(OpcodeTable& t) {
  add_casts<u8>(t, Number::u8);
  add_casts<s8>(t, Number::s8);
  add_casts<u16>(t, Number::u16);
  add_casts<s16>(t, Number::s16);
  add_casts<u32>(t, Number::u32);
  add_casts<s32>(t, Number::s32);
  add_casts<u64>(t, Number::u64);
  add_casts<s64>(t, Number::s64);
  const auto set = [&](Number to, Number from, RunInstruction run) {
    t.conversions[static_cast<std::size_t>(to)][static_cast<std::size_t>(from)] = run;
  };
  set(Number::f32, Number::f16, lanes<f32, u16>([](u16 a) { return one_nan(widen_half(a)); }));
  set(Number::f32, Number::bf16, lanes<f32, u16>([](u16 a) { return widen_bfloat(a); }));
  set(Number::f16, Number::f32, lanes<u16, f32>([](f32 a) { return narrow_half(a); }));
  set(Number::bf16, Number::f32, lanes<u16, f32>([](f32 a) { return narrow_bfloat(a); }));
  set(Number::f64, Number::f32, lanes<f64, f32>([](f32 a) { return static_cast<f64>(a); }));
  set(Number::f32, Number::f64, lanes<f32, f64>([](f64 a) { return static_cast<f32>(a); }));
  add<u32, f32>(t, "cvt.rna.tf32.f32", [](f32 a) { return as_tf32(a, false); });
  add<u32, f32>(t, "cvt.tf32.f32", [](f32 a) { return as_tf32(a, true); });
  add<u32, f32>(t, "cvt.relu.tf32.f32", [](f32 a) { return as_tf32(relu_of(a), true); });
  const auto add_cut = [&](const char* name, RunInstruction run) {
    t.add(name, OperandType::b32, {OperandType::f32}, run, Rounding::zero);
  };
  add_cut("cvt.tf32.f32", lanes<u32, f32>([](f32 a) { return cut_to_tf32(a); }));
  add_cut("cvt.relu.tf32.f32", lanes<u32, f32>([](f32 a) { return cut_to_tf32(relu_of(a)); }));
}

}  // namespace warpscope::WARPSCOPE_LANES
