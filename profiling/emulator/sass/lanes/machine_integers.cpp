// profiling/emulator/sass/lanes/machine_integers.cpp: sums, products and comparisons of integers,
// with carries.
#include <limits>

#include "profiling/emulator/sass/lanes/machine_lanes.h"

// Compiled once for each processor: see lanes.h. Slots beyond a, b, c and d are in
// KernelCode::slots: two predicates for carries out, then two for carries in.

namespace warpscope::WARPSCOPE_LANES {
namespace {

void run_move(Warp& w, const Instruction& i) {
  const u32* const a = w.slot<u32>(i.a);
  for_lanes<u32>(w, i.d, [&](int lane) { return a[lane]; });
}
void run_move_pair(Warp& w, const Instruction& i) {
  const u32 *const low = w.slot<u32>(i.a), *const high = w.slot<u32>(i.a + kSlotBytes);
  for_lanes<u32>(w, i.d, [&](int lane) { return low[lane]; });
  for_lanes<u32>(w, i.d + kSlotBytes, [&](int lane) { return high[lane]; });
}
void run_add(Warp& w, const Instruction& i) {
  const Integer a(w, i, i.a, 0), b(w, i, i.b, 1);
  for_lanes<u32>(w, i.d, [&](int lane) { return a.at(lane) + b.at(lane); });
}
// A sum that stays in the range of 32 bits with a sign.
void run_add_saturated(Warp& w, const Instruction& i) {
  const u32 *const a = w.slot<u32>(i.a), *const b = w.slot<u32>(i.b);
  const s64 x = (i.immediate & negated_bit(0)) != 0 ? -1 : 1,
            y = (i.immediate & negated_bit(1)) != 0 ? -1 : 1;
  constexpr s64 kLeast = std::numeric_limits<s32>::min(), kMost = std::numeric_limits<s32>::max();
  for_lanes<u32>(w, i.d, [&](int lane) {
    const s64 sum = x * static_cast<s32>(a[lane]) + y * static_cast<s32>(b[lane]);
    return static_cast<u32>(sum < kLeast ? kLeast : sum > kMost ? kMost : sum);
  });
}
void run_add3(Warp& w, const Instruction& i) {
  const Integer a(w, i, i.a, 0), b(w, i, i.b, 1), c(w, i, i.c, 2);
  for_lanes<u32>(w, i.d, [&](int lane) { return a.at(lane) + b.at(lane) + c.at(lane); });
}

// The carries of an instruction. −x is ~x + 1 before it is cut to 32 bits, so its carry counts.
struct Carries {
  const u32* slots;
  u32 in_first, in_second;
  Carries(const Warp& w, const Instruction& i)
      : slots(more_slots(w, i)),
        in_first(w.predicate(slots[2]) ^ ones_if(i, flipped_bit(0))),
        in_second(w.predicate(slots[3]) ^ ones_if(i, flipped_bit(1))) {}
  WARPSCOPE_INLINE u64 in(int lane) const {
    return (in_first >> lane & 1) + (in_second >> lane & 1);
  }
};
WARPSCOPE_INLINE u64 addend(u32 value, u32 flip, u32 negate) {
  return static_cast<u64>(value ^ flip) + (negate & 1);
}

// absolute_bit stands for ~ among integers: flipped, and nothing added.
struct Addend {
  const u32* slots;
  u32 flip, negate;
  Addend(const Warp& w, const Instruction& i, u32 slot, int number)
      : slots(w.slot<u32>(slot)),
        flip(ones_if(i, negated_bit(number) | absolute_bit(number))),
        negate(ones_if(i, negated_bit(number))) {}
  WARPSCOPE_INLINE u64 at(int lane) const { return addend(slots[lane], flip, negate); }
};

// Adds what `sum` gives for each lane, sets the carries out, and stores the lower 32 bits.
template <typename F>
WARPSCOPE_INLINE void store_sum(Warp& w, const Instruction& i, const Carries& carries, F sum) {
  u64 sums[32];
  for (int lane = 0; lane < 32; ++lane) sums[lane] = sum(lane);
  const u32 first = bits_of([&](int lane) { return sums[lane] >> 32 > 0; });
  const u32 second = bits_of([&](int lane) { return sums[lane] >> 32 > 1; });
  for_lanes<u32>(w, i.d, [&](int lane) { return static_cast<u32>(sums[lane]); });
  set_lanes(w, carries.slots[0], first);
  set_lanes(w, carries.slots[1], second);
}

void run_add3_carry(Warp& w, const Instruction& i) {
  const Addend a(w, i, i.a, 0), b(w, i, i.b, 1), c(w, i, i.c, 2);
  const Carries carries(w, i);
  store_sum(w, i, carries,
            [&](int lane) { return a.at(lane) + b.at(lane) + c.at(lane) + carries.in(lane); });
}
// Two registers as a number of 64 bits that may be negated.
struct SignedPair {
  Pair pair;
  u64 flip;
  SignedPair(const Warp& w, const Instruction& i, u32 slot, int number)
      : pair(w, slot), flip((i.immediate & negated_bit(number)) != 0 ? ~u64{0} : 0) {}
  WARPSCOPE_INLINE u64 at(int lane) const { return (pair.at(lane) ^ flip) - flip; }
};

void run_add_pair(Warp& w, const Instruction& i) {
  const SignedPair a(w, i, i.a, 0), b(w, i, i.b, 1), c(w, i, i.c, 2);
  u64 sums[32];
  for (int lane = 0; lane < 32; ++lane) sums[lane] = a.at(lane) + b.at(lane) + c.at(lane);
  for_lanes<u32>(w, i.d, [&](int lane) { return static_cast<u32>(sums[lane]); });
  for_lanes<u32>(w, i.d + kSlotBytes, [&](int lane) { return static_cast<u32>(sums[lane] >> 32); });
}

void run_multiply_add(Warp& w, const Instruction& i) {
  const Integer a(w, i, i.a, 0), b(w, i, i.b, 1), c(w, i, i.c, 2);
  for_lanes<u32>(w, i.d, [&](int lane) { return a.at(lane) * b.at(lane) + c.at(lane); });
}
void run_multiply_add_carry(Warp& w, const Instruction& i) {
  const Integer a(w, i, i.a, 0), b(w, i, i.b, 1);
  const Addend c(w, i, i.c, 2);
  const Carries carries(w, i);
  store_sum(w, i, carries,
            [&](int lane) { return u64{a.at(lane) * b.at(lane)} + c.at(lane) + carries.in(lane); });
}

template <typename T>
WARPSCOPE_INLINE u64 product(u32 a, u32 b) {
  if constexpr (std::is_signed_v<T>) {
    return static_cast<u64>(static_cast<s64>(static_cast<s32>(a)) * static_cast<s32>(b));
  } else {
    return static_cast<u64>(a) * b;
  }
}
// c is a pair of registers, for the upper half alone too.
template <typename T, bool upper>
void run_wide(Warp& w, const Instruction& i) {
  const u32 *const a = w.slot<u32>(i.a), *const b = w.slot<u32>(i.b);
  const SignedPair c(w, i, i.c, 2);
  u64 sums[32];
  for (int lane = 0; lane < 32; ++lane) sums[lane] = product<T>(a[lane], b[lane]) + c.at(lane);
  if constexpr (!upper) {
    for_lanes<u32>(w, i.d, [&](int lane) { return static_cast<u32>(sums[lane]); });
    for_lanes<u32>(w, i.d + kSlotBytes,
                   [&](int lane) { return static_cast<u32>(sums[lane] >> 32); });
  } else {
    for_lanes<u32>(w, i.d, [&](int lane) { return static_cast<u32>(sums[lane] >> 32); });
  }
}
template <typename T, bool upper>
void run_wide_carry(Warp& w, const Instruction& i) {
  const u32 *const a = w.slot<u32>(i.a), *const b = w.slot<u32>(i.b);
  const Pair c(w, i.c);
  const Carries carries(w, i);
  u64 sums[32];
  u32 over = 0;
  for (int lane = 0; lane < 32; ++lane) {
    const u64 p = product<T>(a[lane], b[lane]), s = p + c.at(lane), all = s + carries.in(lane);
    over |= static_cast<u32>(s < p || all < s ? 1 : 0) << lane;
    sums[lane] = all;
  }
  if constexpr (!upper) {
    for_lanes<u32>(w, i.d, [&](int lane) { return static_cast<u32>(sums[lane]); });
    for_lanes<u32>(w, i.d + kSlotBytes,
                   [&](int lane) { return static_cast<u32>(sums[lane] >> 32); });
  } else {
    for_lanes<u32>(w, i.d, [&](int lane) { return static_cast<u32>(sums[lane] >> 32); });
  }
  set_lanes(w, carries.slots[0], over);
  set_lanes(w, carries.slots[1], 0);
}

// d = (a << n) + b: n is what the option says.
void run_shift_add(Warp& w, const Instruction& i) {
  const Integer a(w, i, i.a, 0), b(w, i, i.b, 1);
  const u32 n = option(i);
  for_lanes<u32>(w, i.d, [&](int lane) { return (a.at(lane) << n) + b.at(lane); });
}
void run_shift_add_carry(Warp& w, const Instruction& i) {
  const Integer a(w, i, i.a, 0);
  const Addend b(w, i, i.b, 1);
  const Carries carries(w, i);
  const u32 n = option(i);
  store_sum(w, i, carries,
            [&](int lane) { return u64{a.at(lane) << n} + b.at(lane) + carries.in(lane); });
}
// d = upper half of (c:a << n) + b; c is the sign of a where `extended`.
template <bool extended>
void run_shift_add_upper(Warp& w, const Instruction& i) {
  const Integer a(w, i, i.a, 0);
  const Addend b(w, i, i.b, 1);
  const u32* const c = w.slot<u32>(i.c);
  const Carries carries(w, i);
  const u32 n = option(i);
  store_sum(w, i, carries, [&](int lane) {
    const u32 low = a.at(lane);
    const u32 high = extended ? static_cast<u32>(static_cast<s32>(low) >> 31) : c[lane];
    const u64 both = (static_cast<u64>(high) << 32 | low) << n;
    return (both >> 32) + b.at(lane) + carries.in(lane);
  });
}

template <typename T, typename F, bool extended>
void run_compare(Warp& w, const Instruction& i) {
  const u32 *const a = w.slot<u32>(i.a), *const b = w.slot<u32>(i.b);
  const Bits before(w, i, i.c, 0);
  u32 bits =
      bits_of([&](int lane) { return F{}(static_cast<T>(a[lane]), static_cast<T>(b[lane])); });
  if constexpr (extended) {
    // The upper words, after the lower ones were compared.
    const Bits lower(w, i, more_slots(w, i)[1], 1);
    const u32 equal = bits_of([&](int lane) { return a[lane] == b[lane]; });
    const u32 strict = bits & ~equal;
    if constexpr (F::inequality) {
      bits = ~equal | lower.mask;
    } else if constexpr (F::equality) {
      bits = equal & lower.mask;
    } else {
      bits = strict | (equal & lower.mask);
    }
  }
  set_compared(w, i, bits, before.mask);
}

template <typename T, typename F>
void run_compare_pairs(Warp& w, const Instruction& i) {
  const Pair a(w, i.a), b(w, i.b);
  const Bits before(w, i, i.c, 0);
  const u32 bits = bits_of(
      [&](int lane) { return F{}(static_cast<T>(a.at(lane)), static_cast<T>(b.at(lane))); });
  set_compared(w, i, bits, before.mask);
}

#define WARPSCOPE_COMPARISON(name, expression, equal, unequal)    \
  struct name {                                                   \
    static constexpr bool equality = equal, inequality = unequal; \
    template <typename T>                                         \
    WARPSCOPE_INLINE bool operator()(T a, T b) const {            \
      return expression;                                          \
    }                                                             \
  }
WARPSCOPE_COMPARISON(Less, a < b, false, false);
WARPSCOPE_COMPARISON(LessEqual, a <= b, false, false);
WARPSCOPE_COMPARISON(Greater, a > b, false, false);
WARPSCOPE_COMPARISON(GreaterEqual, a >= b, false, false);
WARPSCOPE_COMPARISON(Equal, a == b, true, false);
WARPSCOPE_COMPARISON(NotEqual, a != b, false, true);
#undef WARPSCOPE_COMPARISON

template <typename F>
void add_comparison(MachineTable& t, const Key& name) {
  add<run_compare<s32, F, false>>(t, Key("compare.") + name + ".S32");
  add<run_compare<u32, F, false>>(t, Key("compare.") + name + ".U32");
  add<run_compare<s32, F, true>>(t, Key("compare.") + name + ".S32.EX");
  add<run_compare<u32, F, true>>(t, Key("compare.") + name + ".U32.EX");
  add<run_compare_pairs<s64, F>>(t, Key("compare.") + name + ".S64");
  add<run_compare_pairs<u64, F>>(t, Key("compare.") + name + ".U64");
}

// The option: 1 keeps what is not negative.
template <typename T, bool sum>
void run_extreme(Warp& w, const Instruction& i) {
  const Integer a(w, i, i.a, 0), b(w, i, i.b, 1);
  const u32* const slots = more_slots(w, i);
  const Bits least(w, i, slots[0], 0);
  const u32* const c = w.slot<u32>(i.c);
  const bool relu = option(i) == 1;
  for_lanes<u32>(w, i.d, [&](int lane) {
    const T x = static_cast<T>(sum ? a.at(lane) + b.at(lane) : a.at(lane));
    const T y = static_cast<T>(sum ? c[lane] : b.at(lane));
    const T r = least.at(lane) != 0 ? (x < y ? x : y) : (x < y ? y : x);
    return static_cast<u32>(relu && r < 0 ? 0 : r);
  });
}
template <typename T>
void run_extreme_of_pairs(Warp& w, const Instruction& i) {
  const Pair a(w, i.a), b(w, i.b);
  const Bits least(w, i, more_slots(w, i)[0], 0);
  u64 chosen[32];
  for (int lane = 0; lane < 32; ++lane) {
    const T x = static_cast<T>(a.at(lane)), y = static_cast<T>(b.at(lane));
    chosen[lane] = static_cast<u64>((x < y) == (least.at(lane) != 0) ? x : y);
  }
  for_lanes<u32>(w, i.d, [&](int lane) { return static_cast<u32>(chosen[lane]); });
  for_lanes<u32>(w, i.d + kSlotBytes,
                 [&](int lane) { return static_cast<u32>(chosen[lane] >> 32); });
}
template <typename T>
void run_extreme3(Warp& w, const Instruction& i) {
  const u32 *const a = w.slot<u32>(i.a), *const b = w.slot<u32>(i.b), *const c = w.slot<u32>(i.c);
  const Bits least(w, i, more_slots(w, i)[0], 0);
  const bool relu = option(i) == 1;
  for_lanes<u32>(w, i.d, [&](int lane) {
    const T x = static_cast<T>(a[lane]), y = static_cast<T>(b[lane]), z = static_cast<T>(c[lane]);
    const T low = x < y ? (x < z ? x : z) : (y < z ? y : z);
    const T high = x < y ? (y < z ? z : y) : (x < z ? z : x);
    const T r = least.at(lane) != 0 ? low : high;
    return static_cast<u32>(relu && r < 0 ? 0 : r);
  });
}

// d = c + the sum of four products of bytes.
template <typename A, typename B>
void run_dot4(Warp& w, const Instruction& i) {
  const u32 *const a = w.slot<u32>(i.a), *const b = w.slot<u32>(i.b);
  const Integer c(w, i, i.c, 2);
  for_lanes<u32>(w, i.d, [&](int lane) {
    u32 sum = c.at(lane);
    for (int k = 0; k < 4; ++k) {
      sum += static_cast<u32>(static_cast<s32>(static_cast<A>(a[lane] >> (8 * k))) *
                              static_cast<s32>(static_cast<B>(b[lane] >> (8 * k))));
    }
    return sum;
  });
}

// d = c + the sum of two products of a half and a byte, from byte `first` on.
template <typename A, typename B, int first>
void run_dot2(Warp& w, const Instruction& i) {
  const u32 *const a = w.slot<u32>(i.a), *const b = w.slot<u32>(i.b);
  const Integer c(w, i, i.c, 2);
  for_lanes<u32>(w, i.d, [&](int lane) {
    u32 sum = c.at(lane);
    for (int k = 0; k < 2; ++k) {
      sum += static_cast<u32>(static_cast<s32>(static_cast<A>(a[lane] >> (16 * k))) *
                              static_cast<s32>(static_cast<B>(b[lane] >> (8 * (first + k)))));
    }
    return sum;
  });
}
template <int first>
void add_dot2(MachineTable& t, const Key& name) {
  add<run_dot2<std::int16_t, s8, first>>(t, name + ".S16.S8");
  add<run_dot2<std::int16_t, u8, first>>(t, name + ".S16.U8");
  add<run_dot2<std::uint16_t, s8, first>>(t, name + ".U16.S8");
  add<run_dot2<std::uint16_t, u8, first>>(t, name + ".U16.U8");
}

// Pairs of numbers of 16 bits.
WARPSCOPE_INLINE u32 pair_of(u32 high, u32 low) { return high << 16 | (low & 0xffff); }
// The option: 1 negates both halves of a, 2 those of b.
void run_add_halves(Warp& w, const Instruction& i) {
  const u32 *const a = w.slot<u32>(i.a), *const b = w.slot<u32>(i.b);
  const u32 x = (option(i) & 1) != 0 ? ~u32{0} : 1, y = (option(i) & 2) != 0 ? ~u32{0} : 1;
  for_lanes<u32>(w, i.d, [&](int lane) {
    return pair_of(x * (a[lane] >> 16) + y * (b[lane] >> 16), x * a[lane] + y * b[lane]);
  });
}
template <typename T>
void run_extreme_halves(Warp& w, const Instruction& i) {
  const u32 *const a = w.slot<u32>(i.a), *const b = w.slot<u32>(i.b);
  const Bits least(w, i, more_slots(w, i)[0], 0);
  const bool relu = option(i) == 1;
  for_lanes<u32>(w, i.d, [&](int lane) {
    const auto one = [&](int shift) {
      const T x = static_cast<T>(a[lane] >> shift), y = static_cast<T>(b[lane] >> shift);
      const T r = least.at(lane) != 0 ? (x < y ? x : y) : (x < y ? y : x);
      return static_cast<u32>(relu && r < 0 ? T{0} : r);
    };
    return pair_of(one(16), one(0));
  });
}

// Four numbers of 8 bits. The option: as run_add_halves.
void run_add_bytes(Warp& w, const Instruction& i) {
  const u32 *const a = w.slot<u32>(i.a), *const b = w.slot<u32>(i.b);
  const u32 x = (option(i) & 1) != 0 ? ~u32{0} : 1, y = (option(i) & 2) != 0 ? ~u32{0} : 1;
  for_lanes<u32>(w, i.d, [&](int lane) {
    u32 sums = 0;
    for (int shift = 0; shift < 32; shift += 8)
      sums |= ((x * (a[lane] >> shift) + y * (b[lane] >> shift)) & 0xff) << shift;
    return sums;
  });
}
template <typename T>
void run_extreme_bytes(Warp& w, const Instruction& i) {
  const u32 *const a = w.slot<u32>(i.a), *const b = w.slot<u32>(i.b);
  const Bits least(w, i, more_slots(w, i)[0], 0);
  for_lanes<u32>(w, i.d, [&](int lane) {
    u32 chosen = 0;
    for (int shift = 0; shift < 32; shift += 8) {
      const T x = static_cast<T>(a[lane] >> shift), y = static_cast<T>(b[lane] >> shift);
      const T r = (x < y) == (least.at(lane) != 0) ? x : y;
      chosen |= (static_cast<u32>(r) & 0xff) << shift;
    }
    return chosen;
  });
}

// The least or greatest of three; or of the sum of two, and the third.
template <typename T, bool sum>
void run_extreme_of_halves(Warp& w, const Instruction& i) {
  const u32 *const a = w.slot<u32>(i.a), *const b = w.slot<u32>(i.b), *const c = w.slot<u32>(i.c);
  const Bits least(w, i, more_slots(w, i)[0], 0);
  for_lanes<u32>(w, i.d, [&](int lane) {
    const bool low = least.at(lane) != 0;
    const auto better = [low](T x, T y) { return (x < y) == low ? x : y; };
    const auto one = [&](int shift) {
      const T x = static_cast<T>(a[lane] >> shift), y = static_cast<T>(b[lane] >> shift),
              z = static_cast<T>(c[lane] >> shift);
      return static_cast<u32>(sum ? better(static_cast<T>(x + y), z) : better(better(x, y), z));
    };
    return pair_of(one(16), one(0));
  });
}

// d = |a − b| + c.
template <typename T>
void run_difference(Warp& w, const Instruction& i) {
  const u32 *const a = w.slot<u32>(i.a), *const b = w.slot<u32>(i.b), *const c = w.slot<u32>(i.c);
  for_lanes<u32>(w, i.d, [&](int lane) {
    const bool less = static_cast<T>(a[lane]) < static_cast<T>(b[lane]);
    return (less ? b[lane] - a[lane] : a[lane] - b[lane]) + c[lane];
  });
}
// The same of four bytes: side by side, or all added to c.
template <typename T, bool added>
void run_difference4(Warp& w, const Instruction& i) {
  const u32 *const a = w.slot<u32>(i.a), *const b = w.slot<u32>(i.b), *const c = w.slot<u32>(i.c);
  for_lanes<u32>(w, i.d, [&](int lane) {
    u32 r = added ? c[lane] : 0;
    for (int k = 0; k < 4; ++k) {
      const s32 x = static_cast<T>(a[lane] >> (8 * k)), y = static_cast<T>(b[lane] >> (8 * k));
      const u32 far = static_cast<u32>(x < y ? y - x : x - y);
      r = added ? r + far : r | far << (8 * k);
    }
    return r;
  });
}

// The option: bits of the result, and 32 where it has a sign.
struct Narrow {
  s32 least, most;
  u32 bits;
  WARPSCOPE_INLINE explicit Narrow(const Instruction& i) : bits(option(i) & 31) {
    const bool is_signed = (option(i) & 32) != 0;
    least = is_signed ? -(1 << (bits - 1)) : 0;
    most = (1 << (is_signed ? bits - 1 : bits)) - 1;
  }
  WARPSCOPE_INLINE s32 of(u32 value) const {
    const s32 x = static_cast<s32>(value);
    return x < least ? least : x > most ? most : x;
  }
};
void run_narrow(Warp& w, const Instruction& i) {
  const u32* const a = w.slot<u32>(i.a);
  const Narrow narrow(i);
  for_lanes<u32>(w, i.d, [&](int lane) { return static_cast<u32>(narrow.of(a[lane])); });
}
// The lowest bits are of b, then come those of a, then c.
void run_pack(Warp& w, const Instruction& i) {
  const u32 *const a = w.slot<u32>(i.a), *const b = w.slot<u32>(i.b), *const c = w.slot<u32>(i.c);
  const Narrow narrow(i);
  const u32 ones = (1u << narrow.bits) - 1;
  for_lanes<u32>(w, i.d, [&](int lane) {
    const u32 high = static_cast<u32>(narrow.of(a[lane])) & ones,
              low = static_cast<u32>(narrow.of(b[lane])) & ones;
    const u32 above = narrow.bits == 16 ? 0 : c[lane] << (2 * narrow.bits);
    return above | high << narrow.bits | low;
  });
}

void run_absolute(Warp& w, const Instruction& i) {
  const Integer a(w, i, i.a, 0);
  for_lanes<u32>(w, i.d, [&](int lane) {
    const u32 x = a.at(lane);
    return static_cast<s32>(x) < 0 ? 0 - x : x;
  });
}

// The rows for four bytes and for pairs of registers, without those that add_comparison adds.
void add_bytes_and_pairs(MachineTable& t) {
  add<run_move_pair>(t, "move.pair");
  add<run_add_pair>(t, "add3.pair");
  add<run_extreme_of_pairs<s64>>(t, "extreme.S64");
  add<run_extreme_of_pairs<u64>>(t, "extreme.U64");
  add<run_extreme_bytes<s8>>(t, "extreme.S8x4");
  add<run_extreme_bytes<u8>>(t, "extreme.U8x4");
  add<run_add_bytes>(t, "add.8x4");
  add<run_add_saturated>(t, "add.S32.ISAT");
}

}  // namespace

void add_machine_integers(MachineTable& t) {
  add_bytes_and_pairs(t);
  add<run_move>(t, "move");
  add<run_add>(t, "add");
  add<run_add3>(t, "add3");
  add<run_add3_carry>(t, "add3.carry");
  add<run_multiply_add>(t, "multiply_add");
  add<run_multiply_add_carry>(t, "multiply_add.carry");
  add<run_wide<s32, false>>(t, "wide.S32");
  add<run_wide<u32, false>>(t, "wide.U32");
  add<run_wide<s32, true>>(t, "upper.S32");
  add<run_wide<u32, true>>(t, "upper.U32");
  add<run_wide_carry<s32, false>>(t, "wide.S32.carry");
  add<run_wide_carry<u32, false>>(t, "wide.U32.carry");
  add<run_wide_carry<s32, true>>(t, "upper.S32.carry");
  add<run_wide_carry<u32, true>>(t, "upper.U32.carry");
  add<run_shift_add>(t, "shift_add");
  add<run_shift_add_carry>(t, "shift_add.carry");
  add<run_shift_add_upper<false>>(t, "shift_add.upper");
  add<run_shift_add_upper<true>>(t, "shift_add.upper.extended");
  add_comparison<Less>(t, "LT");
  add_comparison<LessEqual>(t, "LE");
  add_comparison<Greater>(t, "GT");
  add_comparison<GreaterEqual>(t, "GE");
  add_comparison<Equal>(t, "EQ");
  add_comparison<NotEqual>(t, "NE");
  add<run_extreme<s32, false>>(t, "extreme.S32");
  add<run_extreme<u32, false>>(t, "extreme.U32");
  add<run_extreme<s32, true>>(t, "extreme.sum.S32");
  add<run_extreme<u32, true>>(t, "extreme.sum.U32");
  add<run_extreme3<s32>>(t, "extreme3.S32");
  add<run_extreme3<u32>>(t, "extreme3.U32");
  add<run_dot4<s8, s8>>(t, "dot4.S8.S8");
  add<run_dot4<u8, s8>>(t, "dot4.U8.S8");
  add<run_dot4<s8, u8>>(t, "dot4.S8.U8");
  add<run_dot4<u8, u8>>(t, "dot4.U8.U8");
  add_dot2<0>(t, "dot2.LO");
  add_dot2<2>(t, "dot2.HI");
  add<run_absolute>(t, "absolute");
  add<run_add_halves>(t, "add.16x2");
  add<run_extreme_halves<std::uint16_t>>(t, "extreme.U16x2");
  add<run_extreme_halves<std::int16_t>>(t, "extreme.S16x2");
  add<run_extreme_of_halves<std::uint16_t, false>>(t, "extreme3.U16x2");
  add<run_extreme_of_halves<std::int16_t, false>>(t, "extreme3.S16x2");
  add<run_extreme_of_halves<std::uint16_t, true>>(t, "extreme.sum.U16x2");
  add<run_extreme_of_halves<std::int16_t, true>>(t, "extreme.sum.S16x2");
  add<run_difference<u32>>(t, "difference.U32");
  add<run_difference<s32>>(t, "difference.S32");
  add<run_difference4<u8, false>>(t, "difference4.U8");
  add<run_difference4<u8, true>>(t, "difference4.U8.ACC");
  add<run_difference4<s8, false>>(t, "difference4.S8");
  add<run_difference4<s8, true>>(t, "difference4.S8.ACC");
  add<run_narrow>(t, "narrow");
  add<run_pack>(t, "pack");
}

}  // namespace warpscope::WARPSCOPE_LANES
