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
WARPSCOPE_INLINE u32 given(f32 x) {
  x = one_nan(x);
  if constexpr (ftz) x = flushed(x);
  if constexpr (sat) x = saturated(x);
  return std::bit_cast<u32>(x);
}

template <bool ftz, bool sat>
void run_fma(Warp& w, const Instruction& i) {
  const Number32 a(w, i, i.a, 0), b(w, i, i.b, 1), c(w, i, i.c, 2);
  for_lanes<u32>(w, i.d, [&](int lane) {
    return given<ftz, sat>(
        std::fma(taken<ftz>(a.at(lane)), taken<ftz>(b.at(lane)), taken<ftz>(c.at(lane))));
  });
}
template <bool ftz, bool sat>
void run_sum(Warp& w, const Instruction& i) {
  const Number32 a(w, i, i.a, 0), b(w, i, i.b, 1);
  for_lanes<u32>(w, i.d, [&](int lane) {
    return given<ftz, sat>(taken<ftz>(a.at(lane)) + taken<ftz>(b.at(lane)));
  });
}
template <bool ftz, bool sat>
void run_product(Warp& w, const Instruction& i) {
  const Number32 a(w, i, i.a, 0), b(w, i, i.b, 1);
  for_lanes<u32>(w, i.d, [&](int lane) {
    return given<ftz, sat>(taken<ftz>(a.at(lane)) * taken<ftz>(b.at(lane)));
  });
}

template <RunInstruction run>
void add_roundings(MachineTable& t, const Key& name) {
  add<run>(t, name);
  add<rounded<run, FE_TOWARDZERO>>(t, name + ".RZ");
  add<rounded<run, FE_DOWNWARD>>(t, name + ".RM");
  add<rounded<run, FE_UPWARD>>(t, name + ".RP");
}

// A NaN gives way to a number, unless `nan`; −0 is less than +0.
template <bool ftz, bool nan>
void run_extreme(Warp& w, const Instruction& i) {
  const Number32 a(w, i, i.a, 0), b(w, i, i.b, 1);
  const Bits least(w, i, i.c, 0);
  for_lanes<u32>(w, i.d, [&](int lane) {
    const f32 x = taken<ftz>(a.at(lane)), y = taken<ftz>(b.at(lane));
    const bool x_less = x < y || (x == y && std::signbit(x));
    const f32 chosen = (least.at(lane) != 0) == x_less ? x : y;
    const f32 number = x != x ? y : y != y ? x : chosen;
    if (nan && (x != x || y != y)) return 0x7fffffffu;
    return std::bit_cast<u32>(one_nan(number));
  });
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

template <typename F>
void add_comparison(MachineTable& t, const Key& name, F) {
  add<run_compare<F, false>>(t, Key("compare.F32.") + name);
  add<run_compare<F, true>>(t, Key("compare.F32.") + name + ".FTZ");
  add<run_compare_doubles<F>>(t, Key("compare.F64.") + name);
}
template <typename F>
void run_set(Warp& w, const Instruction& i) {
  const Number32 a(w, i, i.a, 0), b(w, i, i.b, 1);
  const Bits before(w, i, i.c, 0);
  const u32 how = option(i) & 3, yes = (option(i) & 4) != 0 ? 0x3f800000u : ~0u;
  const u32 bits = bits_of([&](int lane) { return F{}(a.at(lane), b.at(lane)); });
  const u32 all = how == 0   ? bits & before.mask
                  : how == 1 ? bits | before.mask
                             : bits ^ before.mask;
  for_lanes<u32>(w, i.d, [&](int lane) { return (all >> lane & 1) != 0 ? yes : 0u; });
}

// Functions of one number. Subnormal sources and results are zero in MUFU.
template <typename F, bool flush>
void run_function(Warp& w, const Instruction& i) {
  const Number32 a(w, i, i.a, 0);
  for_lanes<u32>(w, i.d,
                 [&](int lane) { return given<flush, false>(F{}(taken<flush>(a.at(lane)))); });
}
template <bool flush, typename F>
void add_function(MachineTable& t, const Key& name, F) {
  add<run_function<F, flush>>(t, Key("function.") + name);
}

// The upper word of a function of a double, of whose source the upper word is given: what a
// division in double precision begins with, before it is corrected.
template <typename F>
void run_upper_function(Warp& w, const Instruction& i) {
  const Number32 a(w, i, i.a, 0);
  for_lanes<u32>(w, i.d, [&](int lane) {
    const u64 bits = static_cast<u64>(std::bit_cast<u32>(a.at(lane))) << 32;
    return static_cast<u32>(std::bit_cast<u64>(F{}(std::bit_cast<f64>(bits))) >> 32);
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
  add_roundings<run_sum<false, false>>(t, "sum");
  add_roundings<run_sum<true, false>>(t, "sum.FTZ");
  add_roundings<run_sum<false, true>>(t, "sum.SAT");
  add_roundings<run_sum<true, true>>(t, "sum.FTZ.SAT");
  add_roundings<run_product<false, false>>(t, "product");
  add_roundings<run_product<true, false>>(t, "product.FTZ");
  add_roundings<run_product<false, true>>(t, "product.SAT");
  add_roundings<run_product<true, true>>(t, "product.FTZ.SAT");
  add<run_extreme<false, false>>(t, "extreme.F32");
  add<run_extreme<true, false>>(t, "extreme.F32.FTZ");
  add<run_extreme<false, true>>(t, "extreme.F32.NAN");
  add<run_extreme<true, true>>(t, "extreme.F32.FTZ.NAN");
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
  // source: PTX ISA, "rcp.approx.ftz.f32" and its like, which become these.
  add_function<true>(t, "RCP", [](f32 a) { return 1.0f / a; });
  add_function<true>(t, "RSQ", [](f32 a) { return 1.0f / std::sqrt(a); });
  add_function<true>(t, "SQRT", [](f32 a) { return std::sqrt(a); });
  add_function<true>(t, "EX2", [](f32 a) { return std::exp2(a); });
  add_function<true>(t, "LG2", [](f32 a) { return std::log2(a); });
  add_function<true>(t, "TANH", [](f32 a) { return std::tanh(a); });
  // The argument was multiplied by 1 / 2π before.
  constexpr f64 kTurn = 6.283185307179586476925;
  add_function<true>(t, "SIN", [](f32 a) { return static_cast<f32>(std::sin(a * kTurn)); });
  add_function<true>(t, "COS", [](f32 a) { return static_cast<f32>(std::cos(a * kTurn)); });
  add_upper_function(t, "RCP64H", [](f64 a) { return 1.0 / a; });
  add_upper_function(t, "RSQ64H", [](f64 a) { return 1.0 / std::sqrt(a); });
  add<run_check_division>(t, "check_division");
}

}  // namespace warpscope::WARPSCOPE_LANES
