// profiling/emulator/instructions/integers.cpp: integers, bits, comparisons, selections, moves.
#include "profiling/emulator/instructions/lanes.h"

// Compiled once for each processor: see lanes.h. Quotients and remainders of zero are all
// ones, as an H200 gives them.

namespace warpscope::WARPSCOPE_LANES {
namespace {

__extension__ using Wide128 = __int128;
__extension__ using UnsignedWide128 = unsigned __int128;

template <typename T>
using Unsigned = std::make_unsigned_t<T>;

// Arithmetic that wraps, for signed types too.
template <typename T>
WARPSCOPE_INLINE T wrap_add(T a, T b) {
  return static_cast<T>(static_cast<Unsigned<T>>(a) + static_cast<Unsigned<T>>(b));
}
template <typename T>
WARPSCOPE_INLINE T wrap_sub(T a, T b) {
  return static_cast<T>(static_cast<Unsigned<T>>(a) - static_cast<Unsigned<T>>(b));
}
template <typename T>
WARPSCOPE_INLINE T wrap_mul(T a, T b) {
  // 16-bit factors are promoted to int, where their product may overflow.
  using Wide = std::conditional_t<sizeof(T) == 2, u32, Unsigned<T>>;
  return static_cast<T>(static_cast<Wide>(a) * static_cast<Wide>(b));
}
template <typename T>
WARPSCOPE_INLINE T mul_high(T a, T b) {
  if constexpr (sizeof(T) == 8) {
    using Wide = std::conditional_t<std::is_signed_v<T>, Wide128, UnsignedWide128>;
    return static_cast<T>(static_cast<Wide>(a) * b >> 64);
  } else {
    using Wide = std::conditional_t<std::is_signed_v<T>, s64, u64>;
    return static_cast<T>(static_cast<Wide>(a) * b >> (8 * sizeof(T)));
  }
}
template <typename T>
WARPSCOPE_INLINE T divide(T a, T b) {
  if (b == 0) return static_cast<T>(-1);
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return wrap_sub<T>(0, a);
  }
  return static_cast<T>(a / b);
}
template <typename T>
WARPSCOPE_INLINE T remainder(T a, T b) {
  if (b == 0) return static_cast<T>(~T{0});
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
  }
  return static_cast<T>(a % b);
}
template <typename T>
WARPSCOPE_INLINE T saturate_add(T a, T b) {
  const s64 sum = static_cast<s64>(a) + b;
  return static_cast<T>(sum > 0x7fffffffll    ? 0x7fffffffll
                        : sum < -0x80000000ll ? -0x80000000ll
                                              : sum);
}
template <typename T>
WARPSCOPE_INLINE T saturate_sub(T a, T b) {
  const s64 sum = static_cast<s64>(a) - b;
  return static_cast<T>(sum > 0x7fffffffll    ? 0x7fffffffll
                        : sum < -0x80000000ll ? -0x80000000ll
                                              : sum);
}
template <typename T>
WARPSCOPE_INLINE T bit_field_extract(T a, u32 position, u32 length) {
  using U = Unsigned<T>;
  constexpr u32 bits = 8 * sizeof(T);
  position &= 255;
  length &= 255;
  if (length == 0) return 0;
  U sign = 0;
  if constexpr (std::is_signed_v<T>) {
    const u32 last = position + length - 1 < bits - 1 ? position + length - 1 : bits - 1;
    sign = (static_cast<U>(a) >> last & 1) != 0 ? static_cast<U>(~U{0}) : U{0};
  }
  const U shifted = position >= bits      ? sign
                    : std::is_signed_v<T> ? static_cast<U>(a >> position)  // arithmetic
                                          : static_cast<U>(static_cast<U>(a) >> position);
  if (length >= bits) return static_cast<T>(shifted);
  const U ones = static_cast<U>((U{1} << length) - 1);
  return static_cast<T>((shifted & ones) | (sign & static_cast<U>(~ones)));
}
// PTX ISA, "fns": the bit set in `mask` that is the offset-th from `base` on, upwards or, with a
// negative offset, downwards.
WARPSCOPE_INLINE u32 nth_set_bit(u32 mask, u32 base, s32 offset) {
  if (base > 31) return ~0u;
  if (offset == 0) return (mask >> base & 1) != 0 ? base : ~0u;
  const s32 step = offset > 0 ? 1 : -1;
  s64 left = offset > 0 ? s64{offset} : -s64{offset};
  for (s32 at = static_cast<s32>(base); at >= 0 && at < 32; at += step) {
    if ((mask >> at & 1) != 0 && --left == 0) return static_cast<u32>(at);
  }
  return ~0u;
}

template <typename T>
WARPSCOPE_INLINE u32 find_leading(T a, bool shift_amount) {
  using U = Unsigned<T>;
  U bits = static_cast<U>(a);
  if constexpr (std::is_signed_v<T>) {
    if (a < 0) bits = static_cast<U>(~bits);
  }
  if (bits == 0) return 0xffffffffu;
  const u32 zeros = static_cast<u32>(std::countl_zero(bits));
  return shift_amount ? zeros : static_cast<u32>(8 * sizeof(T)) - 1 - zeros;
}
template <typename T>
WARPSCOPE_INLINE T reversed(T a) {
  T r = 0;
  for (u32 k = 0; k < 8 * sizeof(T); ++k)
    r |= static_cast<T>(a >> k & 1) << (8 * sizeof(T) - 1 - k);
  return r;
}
template <typename T>
void add_integers(OpcodeTable& t, const Key& type) {
  add<T, T, T>(t, Key("add.") + type, [](T a, T b) { return wrap_add(a, b); });
  add<T, T, T>(t, Key("sub.") + type, [](T a, T b) { return wrap_sub(a, b); });
  add<T, T, T>(t, Key("mul.lo.") + type, [](T a, T b) { return wrap_mul(a, b); });
  add<T, T, T>(t, Key("mul.hi.") + type, [](T a, T b) { return mul_high(a, b); });
  add<T, T, T, T>(t, Key("mad.lo.") + type,
                  [](T a, T b, T c) { return wrap_add(wrap_mul(a, b), c); });
  add<T, T, T, T>(t, Key("mad.hi.") + type,
                  [](T a, T b, T c) { return wrap_add(mul_high(a, b), c); });
  add<T, T, T>(t, Key("div.") + type, [](T a, T b) { return divide(a, b); });
  add<T, T, T>(t, Key("rem.") + type, [](T a, T b) { return remainder(a, b); });
  add<T, T, T>(t, Key("min.") + type, [](T a, T b) { return a < b ? a : b; });
  add<T, T, T>(t, Key("max.") + type, [](T a, T b) { return a > b ? a : b; });
  add<T, T, u32>(t, Key("shr.") + type, [](T a, u32 n) {
    constexpr u32 bits = 8 * sizeof(T);
    if constexpr (std::is_signed_v<T>) return static_cast<T>(a >> (n < bits ? n : bits - 1));
    return static_cast<T>(n < bits ? a >> n : 0);
  });
  add<Predicate, T, T>(t, Key("setp.lt.") + type, [](T a, T b) { return a < b; });
  add<Predicate, T, T>(t, Key("setp.le.") + type, [](T a, T b) { return a <= b; });
  add<Predicate, T, T>(t, Key("setp.gt.") + type, [](T a, T b) { return a > b; });
  add<Predicate, T, T>(t, Key("setp.ge.") + type, [](T a, T b) { return a >= b; });
  add<Predicate, T, T>(t, Key("setp.eq.") + type, [](T a, T b) { return a == b; });
  add<Predicate, T, T>(t, Key("setp.ne.") + type, [](T a, T b) { return a != b; });
  if constexpr (!std::is_signed_v<T>) {
    add<Predicate, T, T>(t, Key("setp.lo.") + type, [](T a, T b) { return a < b; });
    add<Predicate, T, T>(t, Key("setp.ls.") + type, [](T a, T b) { return a <= b; });
    add<Predicate, T, T>(t, Key("setp.hi.") + type, [](T a, T b) { return a > b; });
    add<Predicate, T, T>(t, Key("setp.hs.") + type, [](T a, T b) { return a >= b; });
  } else {
    add<T, T>(t, Key("abs.") + type, [](T a) { return a < 0 ? wrap_sub<T>(0, a) : a; });
    add<T, T>(t, Key("neg.") + type, [](T a) { return wrap_sub<T>(0, a); });
  }
  add<u32, T, T>(t, Key("set.lt.u32.") + type, [](T a, T b) { return a < b ? ~0u : 0u; });
  add<u32, T, T>(t, Key("set.gt.u32.") + type, [](T a, T b) { return a > b ? ~0u : 0u; });
  add<u32, T, T>(t, Key("set.eq.u32.") + type, [](T a, T b) { return a == b ? ~0u : 0u; });
  add<u32, T, T>(t, Key("set.ne.u32.") + type, [](T a, T b) { return a != b ? ~0u : 0u; });
  if constexpr (sizeof(T) >= 4) {
    add<T, T, u32, u32>(t, Key("bfe.") + type,
                        [](T a, u32 b, u32 c) { return bit_field_extract(a, b, c); });
    add<u32, T>(t, Key("bfind.") + type, [](T a) { return find_leading(a, false); });
    add<u32, T>(t, Key("bfind.shiftamt.") + type, [](T a) { return find_leading(a, true); });
    add<T, T, T, T>(t, Key("sad.") + type, [](T a, T b, T c) {
      return wrap_add(c, a < b ? wrap_sub(b, a) : wrap_sub(a, b));
    });
  }
}

template <typename T, typename Wide>
void add_wide(OpcodeTable& t, const Key& type) {
  add<Wide, T, T>(t, Key("mul.wide.") + type,
                  [](T a, T b) { return static_cast<Wide>(a) * static_cast<Wide>(b); });
  add<Wide, T, T, Wide>(t, Key("mad.wide.") + type, [](T a, T b, Wide c) {
    return wrap_add<Wide>(static_cast<Wide>(a) * static_cast<Wide>(b), c);
  });
}

template <typename T>
void add_bits(OpcodeTable& t, const Key& bits) {
  add<T, T, T>(t, Key("and.b") + bits, [](T a, T b) { return static_cast<T>(a & b); });
  add<T, T, T>(t, Key("or.b") + bits, [](T a, T b) { return static_cast<T>(a | b); });
  add<T, T, T>(t, Key("xor.b") + bits, [](T a, T b) { return static_cast<T>(a ^ b); });
  add<T, T>(t, Key("not.b") + bits, [](T a) { return static_cast<T>(~a); });
  add<T, T>(t, Key("cnot.b") + bits, [](T a) { return static_cast<T>(a == 0 ? 1 : 0); });
  add<T, T, u32>(t, Key("shl.b") + bits, [](T a, u32 n) {
    return static_cast<T>(n < 8 * sizeof(T) ? static_cast<u64>(a) << (n & 63) : 0);
  });
  add<T, T, u32>(t, Key("shr.b") + bits,
                 [](T a, u32 n) { return static_cast<T>(n < 8 * sizeof(T) ? a >> n : 0); });
  add<Predicate, T, T>(t, Key("setp.eq.b") + bits, [](T a, T b) { return a == b; });
  add<Predicate, T, T>(t, Key("setp.ne.b") + bits, [](T a, T b) { return a != b; });
  for (const char* type : {"b", "u", "s", "f"}) {
    if (*type == 'f' && bits == "16") continue;
    add<T, T>(t, Key("mov.") + type + bits, [](T a) { return a; });
    add<T, T, T, Predicate>(t, Key("selp.") + type + bits,
                            [](T a, T b, u32 c) { return c != 0 ? a : b; });
    add<T, T, T, s32>(t, Key("slct.") + type + bits + ".s32",
                      [](T a, T b, s32 c) { return c >= 0 ? a : b; });
    add<T, T, T, f32>(t, Key("slct.") + type + bits + ".f32",
                      [](T a, T b, f32 c) { return c >= 0 ? a : b; });
  }
  if constexpr (sizeof(T) >= 4) {
    add<u32, T>(t, Key("popc.b") + bits, [](T a) { return static_cast<u32>(std::popcount(a)); });
    add<u32, T>(t, Key("clz.b") + bits, [](T a) { return static_cast<u32>(std::countl_zero(a)); });
    add<T, T>(t, Key("brev.b") + bits, [](T a) { return reversed(a); });
  }
}

// A lane's bit is 0 or 1.
void add_predicates(OpcodeTable& t) {
  add<Predicate, Predicate, Predicate>(t, "and.pred", [](u32 a, u32 b) { return (a & b) != 0; });
  add<Predicate, Predicate, Predicate>(t, "or.pred", [](u32 a, u32 b) { return (a | b) != 0; });
  add<Predicate, Predicate, Predicate>(t, "xor.pred", [](u32 a, u32 b) { return a != b; });
  add<Predicate, Predicate>(t, "not.pred", [](u32 a) { return a == 0; });
  add<Predicate, Predicate>(t, "mov.pred", [](u32 a) { return a != 0; });
}

// Parts of packs and unpacks.
void add_packs(OpcodeTable& t) {
  add<u32, u16, u16>(t, "pack.b32", [](u16 a, u16 b) { return static_cast<u32>(b) << 16 | a; });
  add<u64, u32, u32>(t, "pack.b64", [](u32 a, u32 b) { return static_cast<u64>(b) << 32 | a; });
  add<u16, u8, u8>(t, "pack.b16", [](u8 a, u8 b) { return static_cast<u16>(b << 8 | a); });
  add<u16, u32>(t, "unpack.0.b16.b32", [](u32 a) { return static_cast<u16>(a); });
  add<u16, u32>(t, "unpack.1.b16.b32", [](u32 a) { return static_cast<u16>(a >> 16); });
  add<u32, u64>(t, "unpack.0.b32.b64", [](u64 a) { return static_cast<u32>(a); });
  add<u32, u64>(t, "unpack.1.b32.b64", [](u64 a) { return static_cast<u32>(a >> 32); });
  add<u16, u64>(t, "unpack.0.b16.b64", [](u64 a) { return static_cast<u16>(a); });
  add<u16, u64>(t, "unpack.1.b16.b64", [](u64 a) { return static_cast<u16>(a >> 16); });
  add<u16, u64>(t, "unpack.2.b16.b64", [](u64 a) { return static_cast<u16>(a >> 32); });
  add<u16, u64>(t, "unpack.3.b16.b64", [](u64 a) { return static_cast<u16>(a >> 48); });
  constexpr const char* kBytes[] = {"unpack.0.b8.b32", "unpack.1.b8.b32", "unpack.2.b8.b32",
                                    "unpack.3.b8.b32"};
  for (int k = 0; k < 4; ++k) {  // a byte of a word
    t.add(kBytes[k], OperandType::b16, {OperandType::b32},
          k == 0   ? lanes<u16, u32>([](u32 a) { return static_cast<u16>(a & 255); })
          : k == 1 ? lanes<u16, u32>([](u32 a) { return static_cast<u16>(a >> 8 & 255); })
          : k == 2 ? lanes<u16, u32>([](u32 a) { return static_cast<u16>(a >> 16 & 255); })
                   : lanes<u16, u32>([](u32 a) { return static_cast<u16>(a >> 24); }));
  }
}

}  // namespace

void add_arithmetic(OpcodeTable& t) {
  add_integers<u16>(t, "u16");
  add_integers<s16>(t, "s16");
  add_integers<u32>(t, "u32");
  add_integers<s32>(t, "s32");
  add_integers<u64>(t, "u64");
  add_integers<s64>(t, "s64");
  add_wide<u16, u32>(t, "u16");
  add_wide<s16, s32>(t, "s16");
  add_wide<u32, u64>(t, "u32");
  add_wide<s32, s64>(t, "s32");
  add_bits<u16>(t, "16");
  add_bits<u32>(t, "32");
  add_bits<u64>(t, "64");
  t.add("add.s32", OperandType::b32, {OperandType::b32, OperandType::b32},
        lanes<s32, s32, s32>([](s32 a, s32 b) { return saturate_add(a, b); }), Rounding::nearest,
        false, true);
  t.add("sub.s32", OperandType::b32, {OperandType::b32, OperandType::b32},
        lanes<s32, s32, s32>([](s32 a, s32 b) { return saturate_sub(a, b); }), Rounding::nearest,
        false, true);
  add<u32, u32, u32>(t, "mul24.lo.u32",
                     [](u32 a, u32 b) { return (a & 0xffffffu) * (b & 0xffffffu); });
  add<s32, s32, s32>(t, "mul24.lo.s32", [](s32 a, s32 b) {
    return static_cast<s32>(static_cast<u32>(s32(u32(a) << 8) >> 8) *
                            static_cast<u32>(s32(u32(b) << 8) >> 8));
  });
  add<u32, u32, u32, s32>(
      t, "fns.b32", [](u32 mask, u32 base, s32 offset) { return nth_set_bit(mask, base, offset); });
  add_predicates(t);
  add_packs(t);
}

}  // namespace warpscope::WARPSCOPE_LANES
