// profiling/emulator/instructions/integer_parts.cpp: bit fields, permutations of bytes, dot
// products and halves of packed words.
#include "profiling/emulator/instructions/lanes.h"

// Compiled once for each processor: see lanes.h.

namespace warpscope::WARPSCOPE_LANES {
namespace {

template <typename T>
WARPSCOPE_INLINE T bit_field_insert(T a, T b, u32 position, u32 length) {
  constexpr u32 bits = 8 * sizeof(T);
  position &= 255;
  length &= 255;
  if (position >= bits || length == 0) return b;
  const T ones = length >= bits ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << length) - 1);
  const T field = static_cast<T>(ones << position);
  return static_cast<T>((b & ~field) | ((a << position) & field));
}
WARPSCOPE_INLINE u32 permute(u32 a, u32 b, u32 selector) {
  const u64 bytes = static_cast<u64>(b) << 32 | a;
  u32 r = 0;
  for (u32 k = 0; k < 4; ++k) {
    const u32 s = selector >> (4 * k) & 15;
    u32 byte = static_cast<u32>(bytes >> (8 * (s & 7))) & 255;
    if ((s & 8) != 0) byte = (byte & 128) != 0 ? 255 : 0;
    r |= byte << (8 * k);
  }
  return r;
}
template <typename A, typename B>
WARPSCOPE_INLINE u32 dot4(u32 a, u32 b, u32 c) {
  for (u32 k = 0; k < 32; k += 8) {
    c += static_cast<u32>(static_cast<s32>(static_cast<A>(a >> k)) *
                          static_cast<s32>(static_cast<B>(b >> k)));
  }
  return c;
}
template <typename T>  // of 16 bits, for one of 8
using Wider = std::conditional_t<std::is_signed_v<T>, s16, u16>;
template <typename A, typename B, int half>
WARPSCOPE_INLINE u32 dot2(u32 a, u32 b, u32 c) {
  c += static_cast<u32>(static_cast<s32>(static_cast<A>(a)) *
                        static_cast<s32>(static_cast<B>(b >> (16 * half))));
  c += static_cast<u32>(static_cast<s32>(static_cast<A>(a >> 16)) *
                        static_cast<s32>(static_cast<B>(b >> (16 * half + 8))));
  return c;
}

// bfi and lop3 have four operands; the fourth is in `extra` or the immediate.
template <typename T>
void run_bit_field_insert(Warp& w, const Instruction& i) {
  const Source<T> a(w, i.a), b(w, i.b);
  const Source<u32> position(w, i.c), length(w, i.extra);
  for_lanes<T>(w, i.d, [&](int lane) {
    return bit_field_insert(a.at(lane), b.at(lane), position.at(lane), length.at(lane));
  });
}
void run_lop3(Warp& w, const Instruction& i) {
  const Source<u32> a(w, i.a), b(w, i.b), c(w, i.c);
  u32 term[8];
  for (int k = 0; k < 8; ++k) term[k] = (i.immediate >> k & 1) != 0 ? kAllLanes : 0;
  for_lanes<u32>(w, i.d, [&](int lane) {
    const u32 x = a.at(lane), y = b.at(lane), z = c.at(lane);
    return (term[0] & ~x & ~y & ~z) | (term[1] & ~x & ~y & z) | (term[2] & ~x & y & ~z) |
           (term[3] & ~x & y & z) | (term[4] & x & ~y & ~z) | (term[5] & x & ~y & z) |
           (term[6] & x & y & ~z) | (term[7] & x & y & z);
  });
}

WARPSCOPE_INLINE u32 low_bits(u32 n) { return n > 31 ? kAllLanes : (1u << n) - 1; }
// The lowest n bits of a with the sign of the last of them.
WARPSCOPE_INLINE u32 sign_extend(u32 a, u32 n) {
  const u32 sign = n == 0 || n > 31 ? 0 : 1u << (n - 1);
  return ((a & low_bits(n)) ^ sign) - sign;
}

// Bytes and bits of two words, in another order.
void add_permutations(OpcodeTable& t) {
  add<u32, u32, u32, u32>(t, "prmt.b32", [](u32 a, u32 b, u32 c) { return permute(a, b, c); });
  add<u32, u32, u32, u32>(t, "shf.l.wrap.b32", [](u32 a, u32 b, u32 n) {
    return static_cast<u32>((static_cast<u64>(b) << 32 | a) << (n & 31) >> 32);
  });
  add<u32, u32, u32, u32>(t, "shf.l.clamp.b32", [](u32 a, u32 b, u32 n) {
    return static_cast<u32>((static_cast<u64>(b) << 32 | a) << (n < 32 ? n : 32) >> 32);
  });
  add<u32, u32, u32, u32>(t, "shf.r.wrap.b32", [](u32 a, u32 b, u32 n) {
    return static_cast<u32>((static_cast<u64>(b) << 32 | a) >> (n & 31));
  });
  add<u32, u32, u32, u32>(t, "shf.r.clamp.b32", [](u32 a, u32 b, u32 n) {
    return static_cast<u32>((static_cast<u64>(b) << 32 | a) >> (n < 32 ? n : 32));
  });
}

template <typename A, typename B>
void add_dot_products(OpcodeTable& t, const Key& types) {
  add<u32, u32, u32, u32>(t, Key("dp4a.") + types,
                          [](u32 a, u32 b, u32 c) { return dot4<A, B>(a, b, c); });
  add<u32, u32, u32, u32>(t, Key("dp2a.lo.") + types,
                          [](u32 a, u32 b, u32 c) { return dot2<Wider<A>, B, 0>(a, b, c); });
  add<u32, u32, u32, u32>(t, Key("dp2a.hi.") + types,
                          [](u32 a, u32 b, u32 c) { return dot2<Wider<A>, B, 1>(a, b, c); });
}

void add_bit_fields(OpcodeTable& t) {
  add<u32, u32, u32>(t, "bmsk.clamp.b32",
                     [](u32 a, u32 b) { return a > 31 ? 0u : low_bits(b) << a; });
  add<u32, u32, u32>(t, "bmsk.wrap.b32", [](u32 a, u32 b) { return low_bits(b & 31) << (a & 31); });
  add<u32, u32, u32>(t, "szext.clamp.u32", [](u32 a, u32 n) { return a & low_bits(n); });
  add<u32, u32, u32>(t, "szext.wrap.u32", [](u32 a, u32 n) { return a & low_bits(n & 31); });
  add<u32, u32, u32>(t, "szext.clamp.s32", [](u32 a, u32 n) { return sign_extend(a, n); });
  add<u32, u32, u32>(t, "szext.wrap.s32", [](u32 a, u32 n) { return sign_extend(a, n & 31); });
  t.add("bfi.b32", OperandType::b32,
        {OperandType::b32, OperandType::b32, OperandType::b32, OperandType::b32},
        run_bit_field_insert<u32>);
  t.add("bfi.b64", OperandType::b64,
        {OperandType::b64, OperandType::b64, OperandType::b32, OperandType::b32},
        run_bit_field_insert<u64>);
  t.add("lop3.b32", OperandType::b32, {OperandType::b32, OperandType::b32, OperandType::b32},
        run_lop3);
}

template <typename T, typename F>
WARPSCOPE_INLINE u32 halves_of(u32 a, u32 b, F f) {
  const auto low = static_cast<u16>(f(static_cast<T>(a), static_cast<T>(b)));
  const auto high = static_cast<u16>(f(static_cast<T>(a >> 16), static_cast<T>(b >> 16)));
  return static_cast<u32>(high) << 16 | low;
}
template <typename T>
void add_packed_limits(OpcodeTable& t, const Key& type) {
  add<u32, u32, u32>(t, Key("min.") + type, [](u32 a, u32 b) {
    return halves_of<T>(a, b, [](T x, T y) { return x < y ? x : y; });
  });
  add<u32, u32, u32>(t, Key("max.") + type, [](u32 a, u32 b) {
    return halves_of<T>(a, b, [](T x, T y) { return x < y ? y : x; });
  });
  if constexpr (std::is_signed_v<T>) {  // no less than zero
    add<u32, u32, u32>(t, Key("min.relu.") + type, [](u32 a, u32 b) {
      return halves_of<T>(a, b,
                          [](T x, T y) { return x < y ? (x > 0 ? x : T{0}) : (y > 0 ? y : T{0}); });
    });
    add<u32, u32, u32>(t, Key("max.relu.") + type, [](u32 a, u32 b) {
      return halves_of<T>(a, b,
                          [](T x, T y) { return x < y ? (y > 0 ? y : T{0}) : (x > 0 ? x : T{0}); });
    });
  }
}

}  // namespace

void add_integer_parts(OpcodeTable& t) {
  add_permutations(t);
  add_dot_products<u8, u8>(t, "u32.u32");
  add_dot_products<s8, s8>(t, "s32.s32");
  add_dot_products<u8, s8>(t, "u32.s32");
  add_dot_products<s8, u8>(t, "s32.u32");
  add_bit_fields(t);
  for (const char* type : {"u16x2", "s16x2"}) {
    add<u32, u32, u32>(t, Key("add.") + type, [](u32 a, u32 b) {
      return halves_of<u16>(a, b, [](u16 x, u16 y) { return static_cast<u16>(x + y); });
    });
  }
  add_packed_limits<u16>(t, "u16x2");
  add_packed_limits<s16>(t, "s16x2");
}

}  // namespace warpscope::WARPSCOPE_LANES
