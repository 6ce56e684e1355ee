// profiling/emulator/instructions/lanes.h: instructions made of functions of one lane, for the
// compiler to vectorise.
#pragma once

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "profiling/emulator/instructions/opcode_table.h"
#include "profiling/emulator/state/warp.h"

// lanes<R, A, B>([](A a, B b) -> R {…}) is what applies the function to every lane of
// the warp's mask. The files that use it are compiled twice, for any processor and for one with
// AVX2, each in a namespace of its own, so nothing here may be shared between the two.

namespace warpscope {
namespace {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
using f32 = float;
using f64 = double;

#define WARPSCOPE_INLINE [[gnu::always_inline]] inline

template <int bytes>
struct SlotOf {
  using type = u32;
};
template <>
struct SlotOf<8> {
  using type = u64;
};
template <typename T>
using Slot = typename SlotOf<sizeof(T)>::type;

template <typename T>
WARPSCOPE_INLINE T from_slot(Slot<T> raw) {
  if constexpr (sizeof(T) == sizeof(raw)) {
    return std::bit_cast<T>(raw);
  } else {
    return static_cast<T>(raw);
  }
}
template <typename T>
WARPSCOPE_INLINE Slot<T> to_slot(T value) {
  if constexpr (sizeof(T) == 1) return static_cast<u8>(value);
  if constexpr (sizeof(T) == 2) return static_cast<u16>(value);
  if constexpr (sizeof(T) >= 4) return std::bit_cast<Slot<T>>(value);
}

// A short text: std::string's functions are shared by all files, and would be taken from the ones
// compiled for AVX2.
struct Key {
  char text[40] = {};
  int length = 0;
  WARPSCOPE_INLINE Key(const char* from) { append(from); }  // NOLINT: a name is a text
  WARPSCOPE_INLINE void append(const char* from) {
    while (*from != 0 && length < 39) text[length++] = *from++;
  }
  WARPSCOPE_INLINE bool operator==(const char* other) const {
    int k = 0;
    while (k < length && other[k] == text[k]) ++k;
    return k == length && other[k] == 0;
  }
};
WARPSCOPE_INLINE Key operator+(Key a, const Key& b) {
  a.append(b.text);
  return a;
}

// One source operand: u32 … f64, or a predicate, whose bit of the lane is 0 or 1.
struct Predicate {};

template <typename T>
struct Source {
  const Slot<T>* slots;
  Source(const Warp& w, u32 offset) : slots(w.slot<Slot<T>>(offset)) {}
  WARPSCOPE_INLINE T at(int lane) const { return from_slot<T>(slots[lane]); }
};
template <>
struct Source<Predicate> {
  u32 mask;
  Source(const Warp& w, u32 offset) : mask(w.predicate(offset)) {}
  WARPSCOPE_INLINE u32 at(int lane) const { return mask >> lane & 1; }
};

// Calls function(lane) → R for each lane and stores what it gives where the mask says so.
template <typename R, typename F>
WARPSCOPE_INLINE void for_lanes(Warp& w, u32 destination, F function) {
  if constexpr (std::is_same_v<R, Predicate>) {
    u32 bits = 0;
    for (int lane = 0; lane < 32; ++lane) bits |= static_cast<u32>(function(lane) ? 1 : 0) << lane;
    u32& d = w.predicate(destination);
    d = (d & ~w.mask) | (bits & w.mask);
  } else {
    auto* const d = w.slot<Slot<R>>(destination);
    const u32 mask = w.mask;
    if (mask == kAllLanes) {
#pragma GCC ivdep
      for (int lane = 0; lane < 32; ++lane) d[lane] = to_slot<R>(function(lane));
    } else {
#pragma GCC ivdep
      for (int lane = 0; lane < 32; ++lane) {
        const Slot<R> value = to_slot<R>(function(lane));
        d[lane] = (mask >> lane & 1) != 0 ? value : d[lane];
      }
    }
  }
}

template <typename F, typename R, typename A>
void run_unary(Warp& w, const Instruction& i) {
  const Source<A> a(w, i.a);
  for_lanes<R>(w, i.d, [&](int lane) { return F{}(a.at(lane)); });
}
template <typename F, typename R, typename A, typename B>
void run_binary(Warp& w, const Instruction& i) {
  const Source<A> a(w, i.a);
  const Source<B> b(w, i.b);
  for_lanes<R>(w, i.d, [&](int lane) { return F{}(a.at(lane), b.at(lane)); });
}
template <typename F, typename R, typename A, typename B, typename C>
void run_ternary(Warp& w, const Instruction& i) {
  const Source<A> a(w, i.a);
  const Source<B> b(w, i.b);
  const Source<C> c(w, i.c);
  for_lanes<R>(w, i.d, [&](int lane) { return F{}(a.at(lane), b.at(lane), c.at(lane)); });
}

template <typename R, typename A, typename F>
constexpr RunInstruction lanes(F) {
  return &run_unary<F, R, A>;
}
template <typename R, typename A, typename B, typename F>
constexpr RunInstruction lanes(F) {
  return &run_binary<F, R, A, B>;
}
template <typename R, typename A, typename B, typename C, typename F>
constexpr RunInstruction lanes(F) {
  return &run_ternary<F, R, A, B, C>;
}

template <typename T>
constexpr OperandType operand_type() {
  if constexpr (std::is_same_v<T, Predicate>) return OperandType::predicate;
  if constexpr (std::is_same_v<T, f32>) return OperandType::f32;
  if constexpr (std::is_same_v<T, f64>) return OperandType::f64;
  if constexpr (sizeof(T) == 8) return OperandType::b64;
  if constexpr (sizeof(T) <= 2) return OperandType::b16;
  return OperandType::b32;
}

// Adds a row with its operand types: add<u32, u32, u32>(table, "add.u32", [](u32 a, u32 b) …).
template <typename R, typename... S, typename F>
void add(OpcodeTable& table, const Key& name, F function) {
  table.add(name.text, operand_type<R>(), {operand_type<S>()...}, lanes<R, S...>(function));
}

// Floating point: subnormals to zero of the same sign, [0, 1] with NaN to 0, and the one NaN that
// f32 instructions give (PTX ISA, "Floating-Point Instructions").
WARPSCOPE_INLINE f32 flushed(f32 x) {
  const u32 bits = std::bit_cast<u32>(x);
  return std::bit_cast<f32>((bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits);
}
WARPSCOPE_INLINE f64 flushed(f64 x) { return x; }
WARPSCOPE_INLINE f32 saturated(f32 x) { return x > 0 ? (x < 1 ? x : 1.0f) : 0.0f; }
WARPSCOPE_INLINE f64 saturated(f64 x) { return x > 0 ? (x < 1 ? x : 1.0) : 0.0; }
WARPSCOPE_INLINE f32 one_nan(f32 x) { return x != x ? std::bit_cast<f32>(0x7fffffffu) : x; }
WARPSCOPE_INLINE f64 one_nan(f64 x) { return x; }

// .ftz makes zero of a result that is below the least normal number when it is rounded to 24 bits
// with any exponent. F may have `larger`, the same result times kLarger: it tells numbers that are
// rounded up to the least normal one from those that are not. source: an H200, for FMUL.FTZ.
inline constexpr f32 kLeastNormal = 0x1p-126f, kLarger = 0x1p30f;
WARPSCOPE_INLINE f32 magnitude_of(f32 x) {
  return std::bit_cast<f32>(std::bit_cast<u32>(x) & 0x7fffffffu);
}
template <typename F, typename R, typename... A>
WARPSCOPE_INLINE R flushed_result(R x, A... a) {
  if constexpr (requires { F::larger(a...); }) {
    const bool below =
        magnitude_of(x) <= kLeastNormal && magnitude_of(F::larger(a...)) < kLeastNormal * kLarger;
    const u32 bits = std::bit_cast<u32>(x);
    return flushed(std::bit_cast<f32>(below ? bits & 0x80000000u : bits));
  } else {
    return flushed(x);
  }
}
struct Product {
  template <typename T>
  WARPSCOPE_INLINE T operator()(T a, T b) const {
    return a * b;
  }
  WARPSCOPE_INLINE static f32 larger(f32 a, f32 b) { return a * kLarger * b; }
};
struct MultiplyAdd {
  template <typename T>
  WARPSCOPE_INLINE T operator()(T a, T b, T c) const {
    return std::fma(a, b, c);
  }
  WARPSCOPE_INLINE static f32 larger(f32 a, f32 b, f32 c) {
    return std::fma(a * kLarger, b, c * kLarger);
  }
};

template <typename F, bool ftz, bool sat>
struct Refined {
  template <typename... A>
  WARPSCOPE_INLINE auto operator()(A... a) const {
    if constexpr (ftz) {
      auto r = flushed_result<F>(one_nan(F{}(flushed(a)...)), flushed(a)...);
      if constexpr (sat) r = saturated(r);
      return r;
    } else {
      auto r = one_nan(F{}(a...));
      if constexpr (sat) r = saturated(r);
      return r;
    }
  }
};
template <typename F>
struct FlushedInputs {
  template <typename... A>
  WARPSCOPE_INLINE auto operator()(A... a) const {
    return F{}(flushed(a)...);
  }
};

// An instruction under another rounding of the processor.
template <RunInstruction base, int mode>
void rounded(Warp& w, const Instruction& i) {
  const int before = std::fegetround();
  std::fesetround(mode);
  base(w, i);
  std::fesetround(before);
}

template <bool ftz, bool sat, typename F, typename T, typename... S>
void add_roundings(OpcodeTable& table, const Key& name) {
  constexpr RunInstruction base = lanes<T, S...>(Refined<F, ftz, sat>{});
  const auto add_one = [&](Rounding rounding, RunInstruction run) {
    table.add(name.text, operand_type<T>(), {operand_type<S>()...}, run, rounding, ftz, sat);
  };
  add_one(Rounding::nearest, base);
  add_one(Rounding::zero, rounded<base, FE_TOWARDZERO>);
  add_one(Rounding::down, rounded<base, FE_DOWNWARD>);
  add_one(Rounding::up, rounded<base, FE_UPWARD>);
}

// An f32 or f64 instruction with every rounding, and for f32 .ftz and .sat.
template <typename T, typename... S, typename F>
void add_rounded(OpcodeTable& table, const Key& name, F) {
  add_roundings<false, false, F, T, S...>(table, name);
  if constexpr (std::is_same_v<T, f32>) {
    add_roundings<false, true, F, T, S...>(table, name);
    add_roundings<true, false, F, T, S...>(table, name);
    add_roundings<true, true, F, T, S...>(table, name);
  }
}

// One that does not round, or whose last bits are the hardware's own: .ftz and .sat only.
template <typename T, typename... S, typename F>
void add_refined(OpcodeTable& table, const Key& name, F) {
  table.add(name.text, operand_type<T>(), {operand_type<S>()...},
            lanes<T, S...>(Refined<F, false, false>{}));
  if constexpr (std::is_same_v<T, f32>) {
    table.add(name.text, operand_type<T>(), {operand_type<S>()...},
              lanes<T, S...>(Refined<F, true, false>{}), Rounding::nearest, true);
    table.add(name.text, operand_type<T>(), {operand_type<S>()...},
              lanes<T, S...>(Refined<F, false, true>{}), Rounding::nearest, false, true);
    table.add(name.text, operand_type<T>(), {operand_type<S>()...},
              lanes<T, S...>(Refined<F, true, true>{}), Rounding::nearest, true, true);
  }
}

}  // namespace
}  // namespace warpscope
