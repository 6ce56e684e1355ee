// tests/emulator/packed_integers_test.cpp: integers in the halves and bytes of words against scalar
// C++ after the PTX ISA.
#include <algorithm>
#include <bit>
#include <functional>
#include <random>

#include "tests/emulator/fixture.h"

namespace warpscope {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
__extension__ using Wide = __int128;

using Scalar = std::function<u32(u32 a, u32 b, u32 c)>;

constexpr u32 kBefore = 77;  // what results begin as
constexpr std::size_t kBlocks = 8, kValues = 32 * kBlocks;

// Values at which carries, signs and saturation change, and random ones.
std::vector<u32> values_of(std::mt19937& random) {
  constexpr u32 edges[] = {0,          1,          2,          31,         32,         33,
                           127,        128,        255,        256,        32767,      32768,
                           65535,      65536,      0x7fffffff, 0x80000000, 0x80000001, 0xffffffff,
                           0x80808080, 0x7f7f7f7f, 0x80008000, 0x7fff7fff, 0xff00ff00, 0x00ff00ff};
  std::vector<u32> values(kValues);
  for (u32& x : values) {
    x = random() % 3 == 0 ? edges[random() % std::size(edges)] : static_cast<u32>(random());
  }
  return values;
}

// "NAME d, a, b, c" with %r20 for d and %r10, %r11, %r12 for a, b, c, on lanes of several masks.
void expect_instruction(const std::string& text, const Scalar& scalar, std::mt19937& random) {
  for (const u32 mask : {0xffffffffu, 0x8f0f1235u, 0u}) {
    std::vector<u32> a = values_of(random), b = values_of(random), c = values_of(random);
    std::vector<u32> out(kValues, kBefore);
    Bench bench;
    bench.add("a", a);
    bench.add("b", b);
    bench.add("c", c);
    bench.add("out", out);
    bench.pass(mask);
    const Trace trace = bench.run(
        ptx_entry(4,
                  "ld.param.u32 %r0, [n]; mov.u32 %r1, %laneid; shr.u32 %r2, %r0, %r1;\n"
                  "and.b32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 0; mov.u32 %r3, %ctaid.x;\n"
                  "mad.lo.u32 %r3, %r3, 32, %r1; mul.wide.u32 %l0, %r3, 4;\n"
                  "ld.param.u64 %l1, [p0]; add.s64 %l1, %l1, %l0; ld.global.u32 %r10, [%l1];\n"
                  "ld.param.u64 %l1, [p1]; add.s64 %l1, %l1, %l0; ld.global.u32 %r11, [%l1];\n"
                  "ld.param.u64 %l1, [p2]; add.s64 %l1, %l1, %l0; ld.global.u32 %r12, [%l1];\n"
                  "mov.u32 %r20, 77;\n@%p1 " +
                      text +
                      ";\nld.param.u64 %l1, [p3]; add.s64 %l1, %l1, %l0;\n"
                      "st.global.u32 [%l1], %r20; ret;"),
        launch_of(kBlocks, 32));
    ASSERT_EQ(faults_text(trace), "") << text;
    for (std::size_t k = 0; k < kValues; ++k) {
      const u32 want = (mask >> (k % 32) & 1) != 0 ? scalar(a[k], b[k], c[k]) : kBefore;
      ASSERT_EQ(out[k], want) << text << std::hex << " of " << a[k] << ", " << b[k] << ", " << c[k];
    }
  }
}

// PTX ISA, "Scalar Video Instructions": partSelectSignExtend, optSaturate, optSecondaryOp,
// optMerge.
const char* const kParts[] = {"", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"};
const char* const kTypes[] = {"u32", "s32"};

Wide part_select_sign_extend(u32 x, bool is_signed, int part) {
  if (part >= 1 && part <= 4) {
    x >>= 8 * (part - 1);
    return is_signed ? Wide{static_cast<std::int8_t>(x)} : Wide{static_cast<std::uint8_t>(x)};
  }
  if (part >= 5) {
    x >>= 16 * (part - 5);
    return is_signed ? Wide{static_cast<std::int16_t>(x)} : Wide{static_cast<std::uint16_t>(x)};
  }
  return is_signed ? Wide{static_cast<s32>(x)} : Wide{x};
}
Wide clamp_to(Wide x, int bits, bool is_signed) {
  const Wide most = is_signed ? (Wide{1} << (bits - 1)) - 1 : (Wide{1} << bits) - 1;
  const Wide least = is_signed ? -(Wide{1} << (bits - 1)) : Wide{0};
  return x < least ? least : x > most ? most : x;
}
// A number of 33 bits, of which the last is the sign.
Wide as_s33(Wide x) {
  const u64 low = static_cast<u64>(x) & 0x1ffffffffull;
  return (low >> 32) != 0 ? Wide{static_cast<s64>(low)} - (Wide{1} << 33) : Wide{low};
}

struct ScalarForm {
  bool d_signed, a_signed, b_signed, sat;
  int a_part, b_part, d_part;
  std::string second;
};

u32 finished(Wide t, u32 c, const ScalarForm& form) {
  const int bits = form.d_part == 0 ? 32 : form.d_part <= 4 ? 8 : 16;
  t = form.sat ? clamp_to(t, bits, form.d_signed) : as_s33(t);
  const Wide third = form.d_signed ? Wide{static_cast<s32>(c)} : Wide{c};
  if (form.second == ".add") t += third;
  if (form.second == ".min") t = t < third ? t : third;
  if (form.second == ".max") t = t > third ? t : third;
  const u32 low = static_cast<u32>(t);
  if (form.d_part == 0) return low;
  const int at = form.d_part <= 4 ? 8 * (form.d_part - 1) : 16 * (form.d_part - 5);
  const u32 ones = (bits == 8 ? 0xffu : 0xffffu) << at;
  return (c & ~ones) | (low << at & ones);
}

ScalarForm random_form(std::mt19937& random) {
  ScalarForm form{random() % 2 != 0,
                  random() % 2 != 0,
                  random() % 2 != 0,
                  random() % 2 != 0,
                  static_cast<int>(random() % 7),
                  static_cast<int>(random() % 7),
                  0,
                  ""};
  const auto what = random() % 6;
  if (what < 3) form.second = what == 0 ? ".add" : what == 1 ? ".min" : ".max";
  if (what == 3) form.d_part = static_cast<int>(random() % 6) + 1;
  return form;
}
std::string operands_of(const ScalarForm& form) {
  return std::string(" %r20") + kParts[form.d_part] + ", %r10" + kParts[form.a_part] + ", %r11" +
         kParts[form.b_part] + (form.second.empty() && form.d_part == 0 ? "" : ", %r12");
}

TEST(PackedIntegers, ScalarVideoInstructionsSelectSaturateAndCombineParts) {
  const std::pair<const char*, std::function<Wide(Wide, Wide)>> kinds[] = {
      {"vadd", [](Wide a, Wide b) { return a + b; }},
      {"vsub", [](Wide a, Wide b) { return a - b; }},
      {"vabsdiff", [](Wide a, Wide b) { return a > b ? a - b : b - a; }},
      {"vmin", [](Wide a, Wide b) { return a < b ? a : b; }},
      {"vmax", [](Wide a, Wide b) { return a > b ? a : b; }}};
  std::mt19937 random(1);
  for (const auto& [name, compute] : kinds) {
    for (int n = 0; n < 60; ++n) {
      const ScalarForm form = random_form(random);
      const std::string text = std::string(name) + "." + kTypes[form.d_signed] + "." +
                               kTypes[form.a_signed] + "." + kTypes[form.b_signed] +
                               (form.sat ? ".sat" : "") + form.second + operands_of(form);
      expect_instruction(
          text,
          [&, &run = compute](u32 a, u32 b, u32 c) {
            return finished(run(part_select_sign_extend(a, form.a_signed, form.a_part),
                                part_select_sign_extend(b, form.b_signed, form.b_part)),
                            c, form);
          },
          random);
    }
  }
}

TEST(PackedIntegers, ShiftsOfPartsWrapOrClampTheirDistance) {
  std::mt19937 random(2);
  for (int n = 0; n < 120; ++n) {
    ScalarForm form = random_form(random);
    form.b_signed = false;
    const bool left = random() % 2 != 0, wraps = random() % 2 != 0;
    const std::string text = std::string(left ? "vshl." : "vshr.") + kTypes[form.d_signed] + "." +
                             kTypes[form.a_signed] + ".u32" + (form.sat ? ".sat" : "") +
                             (wraps ? ".wrap" : ".clamp") + form.second + operands_of(form);
    expect_instruction(
        text,
        [&](u32 a, u32 b, u32 c) {
          const Wide ta = part_select_sign_extend(a, form.a_signed, form.a_part);
          u64 tb = static_cast<u64>(part_select_sign_extend(b, false, form.b_part));
          tb = wraps ? tb & 0x1f : std::min<u64>(tb, 32);
          const Wide scale = Wide{1} << static_cast<int>(tb);
          const Wide floor = ta >= 0 ? ta / scale : -((-ta + scale - 1) / scale);
          return finished(left ? ta * scale : floor, c, form);
        },
        random);
  }
}

const std::pair<const char*, std::function<bool(Wide, Wide)>> kComparisons[] = {
    {"eq", [](Wide a, Wide b) { return a == b; }}, {"ne", [](Wide a, Wide b) { return a != b; }},
    {"lt", [](Wide a, Wide b) { return a < b; }},  {"le", [](Wide a, Wide b) { return a <= b; }},
    {"gt", [](Wide a, Wide b) { return a > b; }},  {"ge", [](Wide a, Wide b) { return a >= b; }}};

TEST(PackedIntegers, ComparisonsOfPartsGiveOneOrZero) {
  std::mt19937 random(3);
  for (int n = 0; n < 120; ++n) {
    ScalarForm form = random_form(random);
    form.d_signed = form.sat = false;
    const auto& [how, compare] = kComparisons[random() % 6];
    const std::string text = std::string("vset.") + kTypes[form.a_signed] + "." +
                             kTypes[form.b_signed] + "." + how + form.second + operands_of(form);
    expect_instruction(
        text,
        [&, &is = compare](u32 a, u32 b, u32 c) {
          const bool holds = is(part_select_sign_extend(a, form.a_signed, form.a_part),
                                part_select_sign_extend(b, form.b_signed, form.b_part));
          return finished(holds ? 1 : 0, c, form);
        },
        random);
  }
}

TEST(PackedIntegers, ProductsOfPartsAreNegatedScaledAndSaturated) {
  std::mt19937 random(4);
  for (int n = 0; n < 200; ++n) {
    ScalarForm form = random_form(random);
    const bool plus_one = random() % 3 == 0;
    // PTX negates a or b, or c.
    const auto negated = plus_one ? 3 : random() % 4;
    const int scale = std::array{0, 7, 15}[random() % 3];
    const auto sign = [&](unsigned which) { return negated == which ? "-" : ""; };
    const std::string text = std::string("vmad.") + kTypes[random() % 2] + "." +
                             kTypes[form.a_signed] + "." + kTypes[form.b_signed] +
                             (plus_one ? ".po" : "") + (form.sat ? ".sat" : "") +
                             (scale == 0 ? "" : ".shr" + std::to_string(scale)) + " %r20, " +
                             sign(0) + "%r10" + kParts[form.a_part] + ", " + sign(1) + "%r11" +
                             kParts[form.b_part] + ", " + sign(2) + "%r12";
    expect_instruction(
        text,
        [&](u32 a, u32 b, u32 c) {
          const bool is_signed = form.a_signed || form.b_signed || negated < 3;
          Wide t = part_select_sign_extend(a, form.a_signed, form.a_part) *
                   part_select_sign_extend(b, form.b_signed, form.b_part);
          int lsb = plus_one ? 1 : 0;
          if (negated < 2) t = -t - 1, lsb = 1;
          if (negated == 2) c = ~c, lsb = 1;
          t += (is_signed ? Wide{static_cast<s32>(c)} : Wide{c}) + lsb;
          t >>= scale;
          return static_cast<u32>(form.sat ? clamp_to(t, 32, is_signed) : t);
        },
        random);
  }
}

// One SIMD instruction of two halves or four bytes, with selectors and a mask where `selects`.
struct PackedForm {
  int elements = 2;
  bool d_signed = false, a_signed = false, b_signed = false, sat = false, adds = false;
  std::array<u32, 4> a_from{}, b_from{};
  u32 mask = 0;
  std::string a_text, b_text, d_text;
};
PackedForm random_packed(std::mt19937& random) {
  PackedForm form;
  form.elements = random() % 2 != 0 ? 2 : 4;
  const auto n = static_cast<u32>(form.elements);
  const auto flip = [&] { return random() % 2 != 0; };
  form.d_signed = flip(), form.a_signed = flip(), form.b_signed = flip(), form.adds = flip();
  form.sat = !form.adds && flip();
  const bool selects = flip();
  const std::string kind = n == 2 ? "h" : "b";
  for (u32 k = 0; k < n; ++k) {
    form.a_from[k] = selects ? random() % (2 * n) : k;
    form.b_from[k] = selects ? random() % (2 * n) : n + k;
  }
  form.mask = selects ? random() % ((1u << n) - 1) + 1 : (1u << n) - 1;
  if (!selects) return form;
  form.a_text = form.b_text = form.d_text = "." + kind;
  for (u32 k = n; k-- > 0;) {
    form.a_text += std::to_string(form.a_from[k]);
    form.b_text += std::to_string(form.b_from[k]);
    if ((form.mask >> k & 1) != 0) form.d_text += std::to_string(k);
  }
  return form;
}
Wide element(u64 both, u32 which, int elements, bool is_signed) {
  return part_select_sign_extend(static_cast<u32>(both >> (which * (elements == 2 ? 16 : 8))),
                                 is_signed, elements == 2 ? 5 : 1);
}
u32 packed(const PackedForm& form, u32 a, u32 b, u32 c,
           const std::function<Wide(Wide, Wide)>& compute) {
  const u64 both = static_cast<u64>(b) << 32 | a;
  const int bits = 32 / form.elements;
  u32 sum = c, merged = 0;
  for (u32 k = 0; k < static_cast<u32>(form.elements); ++k) {
    Wide t = compute(element(both, form.a_from[k], form.elements, form.a_signed),
                     element(both, form.b_from[k], form.elements, form.b_signed));
    if (form.sat) t = clamp_to(t, bits, form.d_signed);
    const u32 ones = bits == 16 ? 0xffffu : 0xffu;
    const bool mine = (form.mask >> k & 1) != 0;
    if (mine) sum += static_cast<u32>(t);
    const u32 shift = k * static_cast<u32>(bits);
    merged |= ((mine ? static_cast<u32>(t) : c >> shift) & ones) << shift;
  }
  return form.adds ? sum : merged;
}

TEST(PackedIntegers, SimdVideoInstructionsMergeOrAddTheElementsOfTheirMask) {
  const std::pair<std::string, std::function<Wide(Wide, Wide)>> kinds[] = {
      {"vadd", [](Wide a, Wide b) { return a + b; }},
      {"vsub", [](Wide a, Wide b) { return a - b; }},
      {"vavrg", [](Wide a, Wide b) { return a + b >= 0 ? (a + b + 1) / 2 : (a + b - 1) / 2; }},
      {"vabsdiff", [](Wide a, Wide b) { return a > b ? a - b : b - a; }},
      {"vmin", [](Wide a, Wide b) { return a < b ? a : b; }},
      {"vmax", [](Wide a, Wide b) { return a > b ? a : b; }}};
  std::mt19937 random(5);
  for (const auto& [name, compute] : kinds) {
    for (int n = 0; n < 60; ++n) {
      const PackedForm form = random_packed(random);
      const std::string text = name + std::to_string(form.elements) + "." + kTypes[form.d_signed] +
                               "." + kTypes[form.a_signed] + "." + kTypes[form.b_signed] +
                               (form.sat ? ".sat" : "") + (form.adds ? ".add" : "") + " %r20" +
                               form.d_text + ", %r10" + form.a_text + ", %r11" + form.b_text +
                               ", %r12";
      expect_instruction(
          text, [&, &run = compute](u32 a, u32 b, u32 c) { return packed(form, a, b, c, run); },
          random);
    }
  }
}

TEST(PackedIntegers, SimdComparisonsGiveOneOrZeroPerElement) {
  std::mt19937 random(6);
  for (int n = 0; n < 120; ++n) {
    PackedForm form = random_packed(random);
    form.sat = false;
    const auto& [how, compare] = kComparisons[random() % 6];
    const std::string text = "vset" + std::to_string(form.elements) + "." + kTypes[form.a_signed] +
                             "." + kTypes[form.b_signed] + "." + how + (form.adds ? ".add" : "") +
                             " %r20" + form.d_text + ", %r10" + form.a_text + ", %r11" +
                             form.b_text + ", %r12";
    expect_instruction(
        text,
        [&, &is = compare](u32 a, u32 b, u32 c) {
          return packed(form, a, b, c, [&](Wide x, Wide y) { return Wide{is(x, y) ? 1 : 0}; });
        },
        random);
  }
}

TEST(PackedIntegers, PacksOfConversionsSaturateBothAndKeepTheRest) {
  std::mt19937 random(7);
  for (const int bits : {2, 4, 8, 16}) {
    for (const bool is_signed : {false, true}) {
      const std::string type = (is_signed ? "s" : "u") + std::to_string(bits);
      expect_instruction(
          "cvt.pack.sat." + type + ".s32" +
              (bits < 16 ? ".b32 %r20, %r10, %r11, %r12" : " %r20, %r10, %r11"),
          [&](u32 a, u32 b, u32 c) {
            const u32 ones = (1u << bits) - 1;
            const auto low = [&](u32 x) {
              return static_cast<u32>(clamp_to(static_cast<s32>(x), bits, is_signed)) & ones;
            };
            const u32 pair = low(a) << bits | low(b);
            return bits == 16 ? pair : pair | c << (2 * bits);
          },
          random);
    }
  }
}

TEST(PackedIntegers, DotProductsOfTwoTakeEveryPairOfSigns) {
  std::mt19937 random(8);
  for (const bool high : {false, true}) {
    for (const bool a_signed : {false, true}) {
      for (const bool b_signed : {false, true}) {
        expect_instruction(
            std::string("dp2a.") + (high ? "hi." : "lo.") + kTypes[a_signed] + "." +
                kTypes[b_signed] + " %r20, %r10, %r11, %r12",
            [&](u32 a, u32 b, u32 c) {
              for (int k = 0; k < 2; ++k) {
                c += static_cast<u32>(part_select_sign_extend(a, a_signed, 5 + k) *
                                      part_select_sign_extend(b, b_signed, 1 + k + (high ? 2 : 0)));
              }
              return c;
            },
            random);
      }
    }
  }
}

TEST(PackedIntegers, FieldsAreExtendedAndMaskedWithWrappedOrClampedSizes) {
  std::mt19937 random(9);
  for (const bool wraps : {false, true}) {
    const std::string mode = wraps ? ".wrap" : ".clamp";
    for (const bool is_signed : {false, true}) {
      expect_instruction(
          "szext" + mode + "." + kTypes[is_signed] + " %r20, %r10, %r11",
          [&](u32 a, u32 b, u32) {  // bit by bit
            const u32 n = wraps ? b % 32 : std::min(b, 32u);
            u32 d = 0;
            for (u32 k = 0; k < 32; ++k) {
              const bool sign = is_signed && n > 0 && (a >> (n - 1) & 1) != 0;
              const bool bit = k < n ? (a >> k & 1) != 0 : sign;
              d |= (bit ? 1u : 0u) << k;
            }
            return d;
          },
          random);
    }
    expect_instruction(
        "bmsk" + mode + ".b32 %r20, %r10, %r11",
        [&](u32 a, u32 b, u32) {
          const u64 first = wraps ? a % 32 : a, width = wraps ? b % 32 : b;
          u32 d = 0;
          for (u64 k = 0; k < 32; ++k) d |= (k >= first && k < first + width ? 1u : 0u) << k;
          return d;
        },
        random);
  }
}

TEST(PackedIntegers, PartsAreRefusedWhereNoVideoInstructionTakesThem) {
  for (const char* text : {"add.u32 %r1, %r2.h0, 1", "add.u32 %r1, -%r2, 1", "vadd.u32 %r1, %r2, 1",
                           "vadd.u32.u32.u32 %r1, %r2.b4, %r3", "vavrg.u32.u32.u32 %r1, %r2, %r3",
                           "vadd2.u32.u32.u32 %r1.h2, %r2, %r3, %r4", "vset.u32.u32 %r1, %r2, %r3",
                           "cvt.pack.sat.u8.s32 %r1, %r2, %r3"}) {
    Bench bench;
    bench.pass(1);
    const Trace trace = bench.run(ptx_entry(0, std::string(text) + "; ret;"), launch_of(1, 32));
    ASSERT_EQ(trace.faults.size(), 1u) << text;
    EXPECT_EQ(trace.faults[0].kind, FaultKind::unsupported) << text;
  }
}

TEST(PackedIntegers, MatricesOfAWarpAreTransposed) {
  std::vector<u32> out(32, kBefore);
  Bench bench;
  bench.add("out", out);
  bench.pass(1);
  // Element (row, column) is 256 · row + column.
  const Trace trace = bench.run(
      ptx_entry(1,
                "mov.u32 %r1, %laneid; shr.u32 %r2, %r1, 2; shl.b32 %r2, %r2, 8;\n"
                "and.b32 %r3, %r1, 3; shl.b32 %r3, %r3, 1; add.u32 %r2, %r2, %r3;\n"
                "add.u32 %r4, %r2, 1; shl.b32 %r4, %r4, 16; or.b32 %r2, %r2, %r4;\n"
                "movmatrix.sync.aligned.m8n8.trans.b16 %r5, %r2;\n"
                "mul.wide.u32 %l0, %r1, 4; ld.param.u64 %l1, [p0]; add.s64 %l1, %l1, %l0;\n"
                "st.global.u32 [%l1], %r5; ret;"),
      launch_of(1, 32));
  EXPECT_EQ(faults_text(trace), "");
  for (u32 lane = 0; lane < 32; ++lane) {
    const u32 row = lane / 4, column = 2 * (lane % 4);
    EXPECT_EQ(out[lane], (256 * (column + 1) + row) << 16 | (256 * column + row)) << lane;
  }
}

TEST(PackedIntegers, CachePoliciesChangeNoValue) {
  std::vector<u32> in(32), out(32, kBefore);
  for (u32 k = 0; k < 32; ++k) in[k] = 3 * k;
  Bench bench;
  bench.add("in", in);
  bench.add("out", out);
  bench.pass(1);
  const Trace trace = bench.run(
      ptx_entry(2,
                "mov.u32 %r1, %laneid; mul.wide.u32 %l0, %r1, 4;\n"
                "ld.param.u64 %l1, [p0]; ld.param.u64 %l2, [p1];\n"
                "createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 %l5, [%l1], 64, "
                "128;\n"
                "createpolicy.cvt.L2.b64 %l6, %l5;\n"
                "add.s64 %l1, %l1, %l0; add.s64 %l2, %l2, %l0;\n"
                "createpolicy.fractional.L2::evict_first.b64 %l3, 0.5;\n"
                "createpolicy.fractional.L2::evict_last.L2::evict_first.b64 %l4;\n"
                "ld.global.L1::no_allocate.L2::cache_hint.u32 %r2, [%l1], %l3;\n"
                "st.global.L2::cache_hint.u32 [%l2], %r2, %l4;\n"
                "red.global.add.L2::cache_hint.u32 [%l2], 5, %l5;\n"
                "atom.global.add.L2::cache_hint.u32 %r3, [%l2], 1, %l6; ret;"),
      launch_of(1, 32));
  EXPECT_EQ(faults_text(trace), "");
  for (u32 k = 0; k < 32; ++k) EXPECT_EQ(out[k], 3 * k + 6);
}

}  // namespace
}  // namespace warpscope
