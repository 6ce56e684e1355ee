// profiling/emulator/instructions/floats.cpp: f32 and f64 arithmetic with PTX's modifiers.
#include <cmath>
#include <limits>

#include "profiling/emulator/instructions/lanes.h"

// Compiled once for each processor: see lanes.h. The approximate functions (sin, ex2, …) are those
// of the host's library: the device's differ from them in the last bits.

namespace warpscope::WARPSCOPE_LANES {
namespace {

template <typename T>
WARPSCOPE_INLINE T smaller(T a, T b) {
  // A NaN gives way to a number; −0 is less than +0 (PTX ISA, "min").
  const T least = a < b || (a == b && std::signbit(a)) ? a : b;
  return a != a ? b : b != b ? a : least;
}
template <typename T>
WARPSCOPE_INLINE T larger(T a, T b) {
  const T most = a > b || (a == b && !std::signbit(a)) ? a : b;
  return a != a ? b : b != b ? a : most;
}
template <typename T>
WARPSCOPE_INLINE T either_nan(T a, T b, T value) {
  return a != a || b != b ? std::numeric_limits<T>::quiet_NaN() : value;
}

struct Reciprocal {
  template <typename T>
  WARPSCOPE_INLINE T operator()(T a) const {
    return T{1} / a;
  }
  WARPSCOPE_INLINE static f32 larger(f32 a) { return kLarger / a; }
};

// The NaN that a sum gives: one for 32 bits, the quiet one of these bits for 64.
WARPSCOPE_INLINE f32 nan_of(f32) { return std::bit_cast<f32>(0x7fffffffu); }
WARPSCOPE_INLINE f64 nan_of(f64 a) {
  return std::bit_cast<f64>(std::bit_cast<u64>(a) | 1ull << 51);
}

template <typename F>
void add_comparison(OpcodeTable& t, const Key& name, F) {
  struct Double {
    WARPSCOPE_INLINE bool operator()(f64 a, f64 b) const { return F{}(a, b); }
  };
  struct Single {
    WARPSCOPE_INLINE bool operator()(f32 a, f32 b) const { return F{}(a, b); }
  };
  add<Predicate, f32, f32>(t, Key("setp.") + name + ".f32", Single{});
  add<Predicate, f64, f64>(t, Key("setp.") + name + ".f64", Double{});
  t.add((Key("setp.") + name + ".f32").text, OperandType::predicate,
        {OperandType::f32, OperandType::f32}, lanes<Predicate, f32, f32>(FlushedInputs<Single>{}),
        Rounding::nearest, true);
  struct Ones {
    WARPSCOPE_INLINE u32 operator()(f32 a, f32 b) const { return F{}(a, b) ? kAllLanes : 0; }
  };
  add<u32, f32, f32>(t, Key("set.") + name + ".u32.f32", Ones{});
}

template <typename T>
void add_both(OpcodeTable& t, const Key& type) {
  add_rounded<T, T, T>(t, Key("add.") + type, [](T a, T b) { return a + b; });
  add_rounded<T, T, T>(t, Key("sub.") + type, [](T a, T b) { return a - b; });
  add_rounded<T, T, T>(t, Key("mul.") + type, Product{});
  add_rounded<T, T, T>(t, Key("div.") + type, [](T a, T b) { return a / b; });
  add_rounded<T, T, T, T>(t, Key("fma.") + type, MultiplyAdd{});
  add_rounded<T, T, T, T>(t, Key("mad.") + type, MultiplyAdd{});
  add_rounded<T, T>(t, Key("rcp.") + type, Reciprocal{});
  add_rounded<T, T>(t, Key("sqrt.") + type, [](T a) { return std::sqrt(a); });
  add_refined<T, T>(t, Key("rsqrt.") + type, [](T a) { return T{1} / std::sqrt(a); });
  add_refined<T, T, T>(t, Key("min.") + type, [](T a, T b) { return smaller(a, b); });
  add_refined<T, T, T>(t, Key("max.") + type, [](T a, T b) { return larger(a, b); });
  // They are sums on the device, which leave the sign of a NaN. source: an H200.
  add<T, T>(t, Key("neg.") + type, [](T a) { return a != a ? nan_of(a) : -a; });
  add<T, T>(t, Key("abs.") + type, [](T a) { return a != a ? nan_of(a) : std::fabs(a); });
  add<T, T, T>(t, Key("copysign.") + type, [](T a, T b) { return std::copysign(b, a); });
  add<Predicate, T>(t, Key("testp.finite.") + type, [](T a) { return a - a == 0; });
  add<Predicate, T>(t, Key("testp.infinite.") + type, [](T a) { return a == a && a - a != 0; });
  add<Predicate, T>(t, Key("testp.number.") + type, [](T a) { return a == a; });
  add<Predicate, T>(t, Key("testp.notanumber.") + type, [](T a) { return a != a; });
  add<Predicate, T>(t, Key("testp.normal.") + type, [](T a) {
    return (std::fabs(a) >= std::numeric_limits<T>::min() || a == 0) && a - a == 0;
  });
  add<Predicate, T>(t, Key("testp.subnormal.") + type,
                    [](T a) { return a != 0 && std::fabs(a) < std::numeric_limits<T>::min(); });
}

}  // namespace

void add_floating_point(OpcodeTable& t) {
  add_both<f32>(t, "f32");
  add_both<f64>(t, "f64");
  t.add("neg.f32", OperandType::f32, {OperandType::f32},
        lanes<f32, f32>([](f32 a) { return a != a ? nan_of(a) : -flushed(a); }), Rounding::nearest,
        true);
  t.add("abs.f32", OperandType::f32, {OperandType::f32},
        lanes<f32, f32>([](f32 a) { return a != a ? nan_of(a) : std::fabs(flushed(a)); }),
        Rounding::nearest, true);
  add_refined<f32, f32, f32>(t, "min.NaN.f32",
                             [](f32 a, f32 b) { return either_nan(a, b, smaller(a, b)); });
  add_refined<f32, f32, f32>(t, "max.NaN.f32",
                             [](f32 a, f32 b) { return either_nan(a, b, larger(a, b)); });
  add_refined<f32, f32>(t, "sin.f32", [](f32 a) { return std::sin(a); });
  add_refined<f32, f32>(t, "cos.f32", [](f32 a) { return std::cos(a); });
  add_refined<f32, f32>(t, "ex2.f32", [](f32 a) { return std::exp2(a); });
  add_refined<f32, f32>(t, "lg2.f32", [](f32 a) { return std::log2(a); });
  add_refined<f32, f32>(t, "tanh.f32", [](f32 a) { return std::tanh(a); });
  add_comparison(t, "eq", [](auto a, auto b) { return a == b; });
  add_comparison(t, "ne", [](auto a, auto b) { return a < b || a > b; });
  add_comparison(t, "lt", [](auto a, auto b) { return a < b; });
  add_comparison(t, "le", [](auto a, auto b) { return a <= b; });
  add_comparison(t, "gt", [](auto a, auto b) { return a > b; });
  add_comparison(t, "ge", [](auto a, auto b) { return a >= b; });
  add_comparison(t, "equ", [](auto a, auto b) { return !(a < b || a > b); });
  add_comparison(t, "neu", [](auto a, auto b) { return a != b; });
  add_comparison(t, "ltu", [](auto a, auto b) { return !(a >= b); });
  add_comparison(t, "leu", [](auto a, auto b) { return !(a > b); });
  add_comparison(t, "gtu", [](auto a, auto b) { return !(a <= b); });
  add_comparison(t, "geu", [](auto a, auto b) { return !(a < b); });
  add_comparison(t, "num", [](auto a, auto b) { return a == a && b == b; });
  add_comparison(t, "nan", [](auto a, auto b) { return a != a || b != b; });
}

}  // namespace warpscope::WARPSCOPE_LANES
