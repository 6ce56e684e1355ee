// profiling/emulator/sass/lanes/machine_logic.cpp: bits, shifts, bytes, predicates and choices.
#include "profiling/emulator/sass/lanes/machine_lanes.h"

// Compiled once for each processor: see lanes.h.

namespace warpscope::WARPSCOPE_LANES {
namespace {

// Bit 4·a + 2·b + c of the table is the result for bits a, b and c.
template <u32 table>
WARPSCOPE_INLINE u32 looked_up(u32 a, u32 b, u32 c) {
  u32 r = 0;
  if constexpr ((table & 0x01) != 0) r |= ~a & ~b & ~c;
  if constexpr ((table & 0x02) != 0) r |= ~a & ~b & c;
  if constexpr ((table & 0x04) != 0) r |= ~a & b & ~c;
  if constexpr ((table & 0x08) != 0) r |= ~a & b & c;
  if constexpr ((table & 0x10) != 0) r |= a & ~b & ~c;
  if constexpr ((table & 0x20) != 0) r |= a & ~b & c;
  if constexpr ((table & 0x40) != 0) r |= a & b & ~c;
  if constexpr ((table & 0x80) != 0) r |= a & b & c;
  return r;
}
template <u32 table>
void run_logic(Warp& w, const Instruction& i) {
  const u32 *const a = w.slot<u32>(i.a), *const b = w.slot<u32>(i.b), *const c = w.slot<u32>(i.c);
  for_lanes<u32>(w, i.d, [&](int lane) { return looked_up<table>(a[lane], b[lane], c[lane]); });
}
WARPSCOPE_INLINE u32 looked_up(u32 table, u32 a, u32 b, u32 c) {
  u32 r = 0;
  for (u32 k = 0; k < 8; ++k) {
    const u32 has = 0 - (table >> k & 1);
    r |= has & (a ^ ((k & 4) != 0 ? 0u : ~0u)) & (b ^ ((k & 2) != 0 ? 0u : ~0u)) &
         (c ^ ((k & 1) != 0 ? 0u : ~0u));
  }
  return r;
}
void run_any_logic(Warp& w, const Instruction& i) {
  const u32 *const a = w.slot<u32>(i.a), *const b = w.slot<u32>(i.b), *const c = w.slot<u32>(i.c);
  const u32 table = option(i);
  for_lanes<u32>(w, i.d, [&](int lane) { return looked_up(table, a[lane], b[lane], c[lane]); });
}
// Sets a predicate too, where the result is not zero or (`both`: and) another predicate holds.
template <bool both>
void run_logic_test(Warp& w, const Instruction& i) {
  const u32 *const a = w.slot<u32>(i.a), *const b = w.slot<u32>(i.b), *const c = w.slot<u32>(i.c);
  const u32* const slots = more_slots(w, i);
  const Bits before(w, i, slots[1], 0);
  const u32 table = option(i);
  u32 results[32];
  for (int lane = 0; lane < 32; ++lane) {
    results[lane] = looked_up(table, a[lane], b[lane], c[lane]);
  }
  const u32 some = bits_of([&](int lane) { return results[lane] != 0; });
  for_lanes<u32>(w, i.d, [&](int lane) { return results[lane]; });
  set_lanes(w, slots[0], both ? some & before.mask : some | before.mask);
}
// A predicate that is the sign of a register.
void run_sign(Warp& w, const Instruction& i) {
  const u32* const a = w.slot<u32>(i.a);
  set_lanes(w, i.d, bits_of([&](int lane) { return a[lane] >> 31 != 0; }));
}
// slots: the second result, then three predicates. The option holds both tables.
void run_predicate_logic(Warp& w, const Instruction& i) {
  const u32* const slots = more_slots(w, i);
  const Bits a(w, i, slots[1], 0), b(w, i, slots[2], 1), c(w, i, slots[3], 2);
  const u32 tables = option(i);
  const u32 first = looked_up(tables & 255, a.mask, b.mask, c.mask);
  const u32 second = looked_up(tables >> 8, a.mask, b.mask, c.mask);
  set_lanes(w, i.d, first);
  set_lanes(w, slots[0], second);
}

// a and c are the lower and the upper word of what is shifted by b.
enum class Word { lower, upper };
template <bool left, Word word, typename T, bool wrap>
void run_shift(Warp& w, const Instruction& i) {
  const u32 *const a = w.slot<u32>(i.a), *const b = w.slot<u32>(i.b), *const c = w.slot<u32>(i.c);
  constexpr u32 width = 8 * sizeof(T);
  for_lanes<u32>(w, i.d, [&](int lane) {
    const u64 both = static_cast<u64>(c[lane]) << 32 | a[lane];
    const u32 n = wrap ? b[lane] & (width - 1) : b[lane] < width ? b[lane] : width;
    const bool all = n > 63;
    u64 r = 0;
    if constexpr (left) {
      r = all ? 0 : both << (n & 63);
    } else if constexpr (std::is_signed_v<T>) {
      r = static_cast<u64>(static_cast<s64>(both) >> (all ? 63 : n & 63));
    } else {
      r = all ? 0 : both >> (n & 63);
    }
    return static_cast<u32>(word == Word::upper ? r >> 32 : r);
  });
}
template <bool left, bool wrap>
void add_shifts(MachineTable& t, const Key& name) {
  add<run_shift<left, Word::lower, u32, wrap>>(t, name + ".U32");
  add<run_shift<left, Word::lower, s32, wrap>>(t, name + ".S32");
  add<run_shift<left, Word::lower, u64, wrap>>(t, name + ".U64");
  add<run_shift<left, Word::lower, s64, wrap>>(t, name + ".S64");
  add<run_shift<left, Word::upper, u32, wrap>>(t, name + ".U32.HI");
  add<run_shift<left, Word::upper, s32, wrap>>(t, name + ".S32.HI");
  add<run_shift<left, Word::upper, u64, wrap>>(t, name + ".U64.HI");
  add<run_shift<left, Word::upper, s64, wrap>>(t, name + ".S64.HI");
}

// b chooses four of the eight bytes of c:a, each by three bits; a fourth asks for its sign.
void run_permute(Warp& w, const Instruction& i) {
  const u32 *const a = w.slot<u32>(i.a), *const b = w.slot<u32>(i.b), *const c = w.slot<u32>(i.c);
  for_lanes<u32>(w, i.d, [&](int lane) {
    const u32 low = a[lane], high = c[lane], select = b[lane];
    u32 r = 0;
    for (u32 k = 0; k < 4; ++k) {
      const u32 s = select >> (4 * k);
      const u32 word = (s & 4) != 0 ? high : low;
      const u32 byte = word >> (8 * (s & 3)) & 255;
      const u32 sign = 0 - (byte >> 7);
      r |= ((s & 8) != 0 ? sign & 255 : byte) << (8 * k);
    }
    return r;
  });
}

// The selectors of a mode of PRMT, by the lowest two bits of b. source: PTX ISA, "prmt".
struct PermuteMode {
  const char* name;
  u32 selectors[4];
};
constexpr PermuteMode kPermuteModes[] = {{"permute.F4E", {0x3210, 0x4321, 0x5432, 0x6543}},
                                         {"permute.B4E", {0x5670, 0x6701, 0x7012, 0x0123}},
                                         {"permute.RC8", {0x0000, 0x1111, 0x2222, 0x3333}},
                                         {"permute.ECL", {0x3210, 0x3211, 0x3222, 0x3333}},
                                         {"permute.ECR", {0x0000, 0x1110, 0x2210, 0x3210}},
                                         {"permute.RC16", {0x1010, 0x3232, 0x1010, 0x3232}}};
template <int mode>
void run_permute_mode(Warp& w, const Instruction& i) {
  const u32 *const a = w.slot<u32>(i.a), *const b = w.slot<u32>(i.b), *const c = w.slot<u32>(i.c);
  for_lanes<u32>(w, i.d, [&](int lane) {
    const u64 both = static_cast<u64>(c[lane]) << 32 | a[lane];
    const u32 select = kPermuteModes[mode].selectors[b[lane] & 3];
    u32 r = 0;
    for (u32 k = 0; k < 4; ++k)
      r |= static_cast<u32>(both >> (8 * (select >> (4 * k) & 7)) & 255) << (8 * k);
    return r;
  });
}

void run_choose(Warp& w, const Instruction& i) {
  const u32 *const a = w.slot<u32>(i.a), *const b = w.slot<u32>(i.b);
  const u32 keep_a = ~(ones_if(i, absolute_bit(0)) & 0x80000000u);
  const u32 keep_b = ~(ones_if(i, absolute_bit(1)) & 0x80000000u);
  const u32 flip_a = ones_if(i, negated_bit(0)) & 0x80000000u;
  const u32 flip_b = ones_if(i, negated_bit(1)) & 0x80000000u;
  const Bits first(w, i, i.c, 0);
  for_lanes<u32>(w, i.d, [&](int lane) {
    return first.at(lane) != 0 ? (a[lane] & keep_a) ^ flip_a : (b[lane] & keep_b) ^ flip_b;
  });
}

void run_count_bits(Warp& w, const Instruction& i) {
  const u32* const a = w.slot<u32>(i.a);
  const u32 flip = ones_if(i, absolute_bit(0));
  for_lanes<u32>(w, i.d, [&](int lane) { return static_cast<u32>(std::popcount(a[lane] ^ flip)); });
}
void run_reverse_bits(Warp& w, const Instruction& i) {
  const u32* const a = w.slot<u32>(i.a);
  for_lanes<u32>(w, i.d, [&](int lane) {
    u32 x = a[lane];
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
  });
}
// The option: bit 0 counts from the highest bit, bit 1 looks for the first bit that is not the
// sign.
void run_find_bit(Warp& w, const Instruction& i) {
  const u32* const a = w.slot<u32>(i.a);
  const u32 how = option(i), flip = ones_if(i, absolute_bit(0));
  for_lanes<u32>(w, i.d, [&](int lane) {
    u32 x = a[lane] ^ flip;
    if ((how & 2) != 0 && static_cast<s32>(x) < 0) x = ~x;
    const u32 zeros = static_cast<u32>(std::countl_zero(x));
    if (x == 0) return ~0u;
    return (how & 1) != 0 ? zeros : 31 - zeros;
  });
}
// d = the lowest b bits of a, with the sign of the highest of them; 32 bits where b is larger.
template <bool is_signed, bool wrap>
void run_extend_sign(Warp& w, const Instruction& i) {
  const u32 *const a = w.slot<u32>(i.a), *const b = w.slot<u32>(i.b);
  for_lanes<u32>(w, i.d, [&](int lane) {
    const u32 n = wrap ? b[lane] & 31 : b[lane];
    if (n == 0) return 0u;
    if (n >= 32) return a[lane];
    const u32 up = a[lane] << (32 - n);
    return is_signed ? static_cast<u32>(static_cast<s32>(up) >> (32 - n)) : up >> (32 - n);
  });
}
// d = b ones from bit a on.
template <bool wrap>
void run_bit_mask(Warp& w, const Instruction& i) {
  const u32 *const a = w.slot<u32>(i.a), *const b = w.slot<u32>(i.b);
  for_lanes<u32>(w, i.d, [&](int lane) {
    const u32 at = wrap ? a[lane] & 31 : a[lane], n = wrap ? b[lane] & 31 : b[lane];
    const u32 ones = n >= 32 ? ~0u : (1u << n) - 1;
    return at >= 32 ? 0u : ones << at;
  });
}

// Predicates 0 to 6 as bits of a register, and back; b is kept where the option's mask has zeros.
void run_predicates_to_register(Warp& w, const Instruction& i) {
  const u32* const b = w.slot<u32>(i.b);
  const u32 taken = option(i) & 255, shift = option(i) >> 8;
  u32 p[7];
  for (u32 k = 0; k < 7; ++k) p[k] = w.predicate(i.a + 4 * k);
  for_lanes<u32>(w, i.d, [&](int lane) {
    u32 bits = 0;
    for (u32 k = 0; k < 7; ++k) bits |= (p[k] >> lane & 1) << k;
    return (b[lane] & ~(taken << shift)) | (bits & taken) << shift;
  });
}
void run_register_to_predicates(Warp& w, const Instruction& i) {
  const u32* const b = w.slot<u32>(i.b);
  const u32 taken = option(i) & 255, shift = option(i) >> 8;
  for (u32 k = 0; k < 7; ++k) {
    if ((taken >> k & 1) == 0) continue;
    set_lanes(w, i.a + 4 * k, bits_of([&](int lane) { return (b[lane] >> (k + shift) & 1) != 0; }));
  }
}

// 64 bits of two registers side by side in a slot of 8 bytes per lane, and back.
void run_join(Warp& w, const Instruction& i) {
  const u32 *const low = w.slot<u32>(i.a), *const high = w.slot<u32>(i.b);
  u64* const d = w.slot<u64>(i.d);
  for (int lane = 0; lane < 32; ++lane) d[lane] = static_cast<u64>(high[lane]) << 32 | low[lane];
}
void run_part(Warp& w, const Instruction& i) {
  const u64* const a = w.slot<u64>(i.a);
  for_lanes<u32>(w, i.d, [&](int lane) { return static_cast<u32>(a[lane]); });
  for_lanes<u32>(w, i.d + kSlotBytes, [&](int lane) { return static_cast<u32>(a[lane] >> 32); });
}
// Signs of numbers of 64 bits, in slots of 8 bytes. A NaN keeps its sign: source: an H200.
void run_negate(Warp& w, const Instruction& i) {
  const u64* const a = w.slot<u64>(i.a);
  constexpr u64 sign = 1ull << 63, infinity = 0x7ffull << 52;
  for_lanes<u64>(w, i.d,
                 [&](int lane) { return (a[lane] & ~sign) > infinity ? a[lane] : a[lane] ^ sign; });
}
void run_magnitude(Warp& w, const Instruction& i) {
  const u64* const a = w.slot<u64>(i.a);
  constexpr u64 sign = 1ull << 63, infinity = 0x7ffull << 52;
  for_lanes<u64>(
      w, i.d, [&](int lane) { return (a[lane] & ~sign) > infinity ? a[lane] : a[lane] & ~sign; });
}
// As run_join, with a word added that has no sign (UR4, or R2.U32), or a pair.
void run_join_add(Warp& w, const Instruction& i) {
  const Pair a(w, i.a), b(w, i.b);
  u64* const d = w.slot<u64>(i.d);
  for (int lane = 0; lane < 32; ++lane) d[lane] = a.at(lane) + b.at(lane);
}
void run_join_add_word(Warp& w, const Instruction& i) {
  const Pair a(w, i.a);
  const u32* const b = w.slot<u32>(i.b);
  u64* const d = w.slot<u64>(i.d);
  for (int lane = 0; lane < 32; ++lane) d[lane] = a.at(lane) + b[lane];
}
// d = a + (b << option), of 32 bits, for addresses.
void run_add_scaled(Warp& w, const Instruction& i) {
  const u32 *const a = w.slot<u32>(i.a), *const b = w.slot<u32>(i.b);
  const u32 n = option(i);
  for_lanes<u32>(w, i.d, [&](int lane) { return a[lane] + (b[lane] << n); });
}

}  // namespace

void add_machine_logic(MachineTable& t) {
  add<run_logic<0xc0>>(t, "logic.192");
  add<run_logic<0x30>>(t, "logic.48");
  add<run_logic<0xfc>>(t, "logic.252");
  add<run_logic<0x3c>>(t, "logic.60");
  add<run_logic<0x33>>(t, "logic.51");
  add<run_logic<0x0f>>(t, "logic.15");
  add<run_logic<0xf8>>(t, "logic.248");
  add<run_logic<0xfe>>(t, "logic.254");
  add<run_logic<0x96>>(t, "logic.150");
  add<run_logic<0x80>>(t, "logic.128");
  add<run_logic<0xea>>(t, "logic.234");
  add<run_logic<0x78>>(t, "logic.120");
  add<run_any_logic>(t, "logic");
  add<run_logic_test<false>>(t, "logic.test");
  add<run_logic_test<true>>(t, "logic.test.PAND");
  add<run_sign>(t, "sign");
  add<run_predicate_logic>(t, "logic.predicates");
  add_shifts<true, false>(t, "shift.L");
  add_shifts<true, true>(t, "shift.L.W");
  add_shifts<false, false>(t, "shift.R");
  add_shifts<false, true>(t, "shift.R.W");
  add<run_permute>(t, "permute");
  add<run_permute_mode<0>>(t, kPermuteModes[0].name);
  add<run_permute_mode<1>>(t, kPermuteModes[1].name);
  add<run_permute_mode<2>>(t, kPermuteModes[2].name);
  add<run_permute_mode<3>>(t, kPermuteModes[3].name);
  add<run_permute_mode<4>>(t, kPermuteModes[4].name);
  add<run_permute_mode<5>>(t, kPermuteModes[5].name);
  add<run_choose>(t, "choose");
  add<run_count_bits>(t, "count_bits");
  add<run_reverse_bits>(t, "reverse_bits");
  add<run_find_bit>(t, "find_bit");
  add<run_extend_sign<true, false>>(t, "extend_sign.S32");
  add<run_extend_sign<false, false>>(t, "extend_sign.U32");
  add<run_extend_sign<true, true>>(t, "extend_sign.S32.W");
  add<run_extend_sign<false, true>>(t, "extend_sign.U32.W");
  add<run_bit_mask<false>>(t, "bit_mask.C");
  add<run_bit_mask<true>>(t, "bit_mask.W");
  add<run_predicates_to_register>(t, "predicates_to_register");
  add<run_register_to_predicates>(t, "register_to_predicates");
  add<run_join>(t, "join");
  add<run_part>(t, "part");
  add<run_negate>(t, "sign.negate");
  add<run_magnitude>(t, "sign.absolute");
  add<run_join_add>(t, "join.add");
  add<run_join_add_word>(t, "join.add.word");
  add<run_add_scaled>(t, "add.scaled");
}

}  // namespace warpscope::WARPSCOPE_LANES
