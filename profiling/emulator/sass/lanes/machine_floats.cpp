// profiling/emulator/sass/lanes/machine_floats.cpp: floating-point arithmetic of 32 bits.
#include <cmath>
#include <limits>

#include "profiling/emulator/sass/lanes/machine_lanes.h"

// Compiled once for each processor: see lanes.h. MUFU's results are those of the host's library,
// rounded: the device's differ from them in the last bits.

namespace warpscope::WARPSCOPE_LANES {
namespace {

template <bool ftz>
WARPSCOPE_INLINE f32 taken(f32 x) {
  if constexpr (ftz) return flushed(x);
  return x;
}

template <bool ftz, bool sat>
void run_fma(Warp& w, const Instruction& i) {
  const Number32 a(w, i, i.a, 0), b(w, i, i.b, 1), c(w, i, i.c, 2);
  for_lanes<u32>(w, i.d, [&](int lane) {
    return std::bit_cast<u32>(Refined<MultiplyAdd, ftz, sat>{}(a.at(lane), b.at(lane), c.at(lane)));
  });
}
template <typename F, bool ftz, bool sat>
void run_two(Warp& w, const Instruction& i) {
  const Number32 a(w, i, i.a, 0), b(w, i, i.b, 1);
  for_lanes<u32>(w, i.d, [&](int lane) {
    return std::bit_cast<u32>(Refined<F, ftz, sat>{}(a.at(lane), b.at(lane)));
  });
}
struct Sum {
  WARPSCOPE_INLINE f32 operator()(f32 a, f32 b) const { return a + b; }
};

template <RunInstruction run>
void add_roundings(MachineTable& t, const Key& name) {
  add<run>(t, name);
  add<rounded<run, FE_TOWARDZERO>>(t, name + ".RZ");
  add<rounded<run, FE_DOWNWARD>>(t, name + ".RM");
  add<rounded<run, FE_UPWARD>>(t, name + ".RP");
}

// A NaN gives way to a number, unless `nan`; −0 is less than +0. `signs`: of magnitudes, and the
// sign is whether those of the sources differ.
template <bool ftz, bool nan, bool signs>
void run_extreme(Warp& w, const Instruction& i) {
  const Number32 a(w, i, i.a, 0), b(w, i, i.b, 1);
  const Bits least(w, i, i.c, 0);
  for_lanes<u32>(w, i.d, [&](int lane) {
    const f32 x = taken<ftz>(a.at(lane)), y = taken<ftz>(b.at(lane));
    const bool x_less = x < y || (x == y && std::signbit(x));
    const f32 chosen = (least.at(lane) != 0) == x_less ? x : y;
    const f32 number = x != x ? y : y != y ? x : chosen;
    if (nan && (x != x || y != y)) return 0x7fffffffu;
    const u32 sign = signs && number == number ? (a.slots[lane] ^ b.slots[lane]) & 0x80000000u : 0;
    return std::bit_cast<u32>(one_nan(number)) ^ sign;
  });
}

template <bool signs>
void add_extremes(MachineTable& t, const Key& name) {
  add<run_extreme<false, false, signs>>(t, name);
  add<run_extreme<true, false, signs>>(t, name + ".FTZ");
  add<run_extreme<false, true, signs>>(t, name + ".NAN");
  add<run_extreme<true, true, signs>>(t, name + ".FTZ.NAN");
}

template <typename F, bool ftz>
void run_compare(Warp& w, const Instruction& i) {
  const Number32 a(w, i, i.a, 0), b(w, i, i.b, 1);
  const Bits before(w, i, i.c, 0);
  const u32 bits =
      bits_of([&](int lane) { return F{}(taken<ftz>(a.at(lane)), taken<ftz>(b.at(lane))); });
  set_compared(w, i, bits, before.mask);
}
// Predicates of two doubles in slots of 8 bytes.
template <typename F>
void run_compare_doubles(Warp& w, const Instruction& i) {
  const f64 *const a = w.slot<f64>(i.a), *const b = w.slot<f64>(i.b);
  const Bits before(w, i, i.c, 0);
  set_compared(w, i, bits_of([&](int lane) { return F{}(a[lane], b[lane]); }), before.mask);
}

// FSET: ones, or (option bit 2) the number 1.
template <typename F, bool ftz>
void run_set(Warp& w, const Instruction& i) {
  const Number32 a(w, i, i.a, 0), b(w, i, i.b, 1);
  const Bits before(w, i, i.c, 0);
  const u32 how = option(i) & 3, yes = (option(i) & 4) != 0 ? 0x3f800000u : ~0u;
  const u32 bits =
      bits_of([&](int lane) { return F{}(taken<ftz>(a.at(lane)), taken<ftz>(b.at(lane))); });
  const u32 all = how == 0   ? bits & before.mask
                  : how == 1 ? bits | before.mask
                             : bits ^ before.mask;
  for_lanes<u32>(w, i.d, [&](int lane) { return (all >> lane & 1) != 0 ? yes : 0u; });
}

// DSETP.MIN and .MAX: whether the first of two doubles is the one, and whether both are NaNs.
template <bool least>
void run_choice_of_doubles(Warp& w, const Instruction& i) {
  const f64 *const a = w.slot<f64>(i.a), *const b = w.slot<f64>(i.b);
  const Bits before(w, i, i.c, 0);
  const u32 first = bits_of([&](int lane) {
    const f64 x = a[lane], y = b[lane];
    const bool less = x < y || (x == y && std::signbit(x)), no_number = x != x;
    return !no_number && (y != y || less == least);
  });
  const u32 none = bits_of([&](int lane) { return a[lane] != a[lane] && b[lane] != b[lane]; });
  const u32 first_all = first & before.mask, none_all = none & before.mask;
  set_lanes(w, i.d, first_all);
  set_lanes(w, more_slots(w, i)[0], none_all);
}

template <typename F>
void add_comparison(MachineTable& t, const Key& name, F) {
  add<run_compare<F, false>>(t, Key("compare.F32.") + name);
  add<run_compare<F, true>>(t, Key("compare.F32.") + name + ".FTZ");
  add<run_compare_doubles<F>>(t, Key("compare.F64.") + name);
  add<run_set<F, false>>(t, Key("set.F32.") + name);
  add<run_set<F, true>>(t, Key("set.F32.") + name + ".FTZ");
}
// Functions of one number. Subnormal sources and results are zero in MUFU, except of TANH.
template <typename F, bool flush>
void run_function(Warp& w, const Instruction& i) {
  const Number32 a(w, i, i.a, 0);
  for_lanes<u32>(w, i.d, [&](int lane) {
    return std::bit_cast<u32>(taken<flush>(one_nan(F{}(taken<flush>(a.at(lane))))));
  });
}
template <bool flush, typename F>
void add_function(MachineTable& t, const Key& name, F) {
  add<run_function<F, flush>>(t, Key("function.") + name);
}

// The sine of a number of turns and of `ahead` quarters more. The hardware cuts the number to 2⁻²⁵
// and takes what is left of an odd quarter as the complement of these bits: all results that an
// H200 gave are within 3e-7 of that. `sine`: the sign of the number is that of the result too.
WARPSCOPE_INLINE f32 sine_of_turns(f32 turns, u32 ahead, bool sine) {
  constexpr f64 kUnit = 0x1p25, kTurn = 6.283185307179586476925;
  constexpr u32 kQuarter = 1u << 23;
  const f64 size = magnitude_of(turns);
  if (!(size < std::numeric_limits<f64>::infinity())) return std::numeric_limits<f32>::quiet_NaN();
  const u32 units = static_cast<u32>((size - std::floor(size)) * kUnit);
  const u32 quarter = (units / kQuarter + ahead) & 3;
  const u32 rest = (quarter & 1) != 0 ? kQuarter - 1 - units % kQuarter : units % kQuarter;
  const f32 result = static_cast<f32>(std::sin(kTurn / kUnit * rest));
  const bool negative = (quarter >= 2) != (sine && std::signbit(turns));
  return negative ? -result : result;
}

// The upper word of a function of a double, of whose source the upper word is given: what a
// division in double precision begins with, before it is corrected. Subnormal sources and
// results are zero.
template <typename F>
void run_upper_function(Warp& w, const Instruction& i) {
  const Number32 a(w, i, i.a, 0);
  for_lanes<u32>(w, i.d, [&](int lane) {
    const u32 upper = std::bit_cast<u32>(a.at(lane));
    const u64 bits = static_cast<u64>((upper & 0x7ff00000u) == 0 ? upper & 0x80000000u : upper)
                     << 32;
    const f64 result = F{}(std::bit_cast<f64>(bits));
    const u32 word = static_cast<u32>(std::bit_cast<u64>(result) >> 32);
    if (result != result) return 0x7fffffffu;
    return (word & 0x7ff00000u) == 0 ? word & 0x80000000u : word;
  });
}
template <typename F>
void add_upper_function(MachineTable& t, const Key& name, F) {
  add<run_upper_function<F>>(t, Key("function.") + name);
}

// Whether a quotient a / b needs the long way: exponents that a reciprocal and its corrections
// would leave the range with.
void run_check_division(Warp& w, const Instruction& i) {
  const Number32 a(w, i, i.a, 0), b(w, i, i.b, 1);
  const u32 bits = bits_of([&](int lane) {
    const int x = static_cast<int>(std::bit_cast<u32>(a.at(lane)) >> 23 & 255);
    const int y = static_cast<int>(std::bit_cast<u32>(b.at(lane)) >> 23 & 255);
    const int far = x > y ? x - y : y - x;
    return !(y > 0 && y < 253 && x < 255 && x > 23 && far < 126);
  });
  set_lanes(w, i.d, bits);
}

}  // namespace

void add_machine_floats(MachineTable& t) {
  add_roundings<run_fma<false, false>>(t, "fma");
  add_roundings<run_fma<true, false>>(t, "fma.FTZ");
  add_roundings<run_fma<false, true>>(t, "fma.SAT");
  add_roundings<run_fma<true, true>>(t, "fma.FTZ.SAT");
  add_roundings<run_two<Sum, false, false>>(t, "sum");
  add_roundings<run_two<Sum, true, false>>(t, "sum.FTZ");
  add_roundings<run_two<Sum, false, true>>(t, "sum.SAT");
  add_roundings<run_two<Sum, true, true>>(t, "sum.FTZ.SAT");
  add_roundings<run_two<Product, false, false>>(t, "product");
  add_roundings<run_two<Product, true, false>>(t, "product.FTZ");
  add_roundings<run_two<Product, false, true>>(t, "product.SAT");
  add_roundings<run_two<Product, true, true>>(t, "product.FTZ.SAT");
  add_extremes<false>(t, "extreme.F32");
  add_extremes<true>(t, "extreme.F32.XORSIGN");
  add_comparison(t, "EQ", [](auto a, auto b) { return a == b; });
  add_comparison(t, "NE", [](auto a, auto b) { return a < b || a > b; });
  add_comparison(t, "LT", [](auto a, auto b) { return a < b; });
  add_comparison(t, "LE", [](auto a, auto b) { return a <= b; });
  add_comparison(t, "GT", [](auto a, auto b) { return a > b; });
  add_comparison(t, "GE", [](auto a, auto b) { return a >= b; });
  add_comparison(t, "EQU", [](auto a, auto b) { return !(a < b || a > b); });
  add_comparison(t, "NEU", [](auto a, auto b) { return a != b; });
  add_comparison(t, "LTU", [](auto a, auto b) { return !(a >= b); });
  add_comparison(t, "LEU", [](auto a, auto b) { return !(a > b); });
  add_comparison(t, "GTU", [](auto a, auto b) { return !(a <= b); });
  add_comparison(t, "GEU", [](auto a, auto b) { return !(a < b); });
  add_comparison(t, "NUM", [](auto a, auto b) { return a == a && b == b; });
  add_comparison(t, "NAN", [](auto a, auto b) { return a != a || b != b; });
  add<run_choice_of_doubles<true>>(t, "compare.F64.MIN");
  add<run_choice_of_doubles<false>>(t, "compare.F64.MAX");
  // source: PTX ISA, "rcp.approx.ftz.f32" and its like, which become these.
  add_function<true>(t, "RCP", [](f32 a) { return 1.0f / a; });
  add_function<true>(t, "RSQ", [](f32 a) { return 1.0f / std::sqrt(a); });
  add_function<true>(t, "SQRT", [](f32 a) { return std::sqrt(a); });
  add_function<true>(t, "EX2", [](f32 a) { return std::exp2(a); });
  add_function<true>(t, "LG2", [](f32 a) { return std::log2(a); });
  add_function<false>(t, "TANH", [](f32 a) { return std::tanh(a); });
  // The argument was multiplied by 1 / 2π before.
  add_function<true>(t, "SIN", [](f32 a) { return sine_of_turns(a, 0, true); });
  add_function<true>(t, "COS", [](f32 a) { return sine_of_turns(a, 1, false); });
  add_upper_function(t, "RCP64H", [](f64 a) { return 1.0 / a; });
  add_upper_function(t, "RSQ64H", [](f64 a) { return 1.0 / std::sqrt(a); });
  add<run_check_division>(t, "check_division");
}

}  // namespace warpscope::WARPSCOPE_LANES
