// tests/sass/machine_forms_test.cpp: what forms of machine code do to lanes, against plain C++.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "profiling/emulator/sass/machine_code.h"
#include "tests/sass/machine_kernel.h"

// A kernel of text: R0 … R2 are loaded from a, b and c by the lane's index, an instruction makes R4
// (and R5), which are stored; P0 and P1 are stored as words.

namespace warpscope {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using Words = std::array<u32, 32>;

struct Results {
  Words low{}, high{}, first{}, second{};
  std::string unknown, faults;
};

constexpr std::size_t kBuffers = 7;  // a, b, c and four results

// The instructions between loads and stores. Lanes of `active` run them.
Results run(const std::vector<std::pair<std::string, u32>>& body, const Words& a, const Words& b,
            const Words& c, const std::string& guard = "") {
  MachineKernel k;
  k.add("S2R R20, SR_TID.X");
  k.add("ULDC.64 UR4, c[0x0][0x208]");
  k.add("CS2R R4, SRZ");
  k.add("PLOP3.LUT P0, P1, PT, PT, PT, 0x0, 0x0");
  for (int n = 0; n < 3; ++n) {
    k.add("LDC.64 R22, c[0x0][0x" + std::string(n == 0 ? "210" : n == 1 ? "218" : "220") + "]");
    k.add("IMAD.WIDE R22, R20, 0x4, R22");
    k.add("LDG.E R" + std::to_string(n) + ", desc[UR4][R22.64]");
  }
  k.add("ISETP.NE.AND P6, PT, R20, 0x3, PT");
  for (const auto& [text, immediate] : body)
    k.add(guard.empty() ? text : guard + " " + text, immediate);
  k.add("SEL R6, RZ, 0x1, !P0");
  k.add("SEL R7, RZ, 0x1, !P1");
  for (int n = 0; n < 4; ++n) {
    const char* const at[] = {"228", "230", "238", "240"};
    k.add("LDC.64 R22, c[0x0][0x" + std::string(at[n]) + "]");
    k.add("IMAD.WIDE R22, R20, 0x4, R22");
    k.add("STG.E desc[UR4][R22.64], R" + std::to_string(4 + n));
  }
  k.add("EXIT");
  Results results;
  const Result<MachineFunction> function = read_machine_text(k.text(), "k");
  if (!function) {
    results.unknown = sentence(function.error());
    return results;
  }
  const MachineProgram program = MachineProgram::of(*function, machine_image(kBuffers), "k.cu");
  for (const std::string& u : program.unknown()) results.unknown += u + "\n";
  Words inputs[] = {a, b, c};
  Words* const all[] = {&inputs[0],    &inputs[1],     &inputs[2],     &results.low,
                        &results.high, &results.first, &results.second};
  EmulatedMemory memory;
  std::vector<ArgumentBytes> arguments;
  for (Words* words : all) {
    arguments.push_back(argument_of(memory.add({"x", "x", ElementType::u32, {32}},
                                               std::as_writable_bytes(std::span(*words)), true)));
  }
  Launch launch;
  launch.block.x = 32;
  EmulateOptions options;
  const Result<EmulatedRun> done = emulate(program, launch, arguments, memory, options);
  if (!done) {
    results.faults = sentence(done.error());
    return results;
  }
  for (const Fault& f : done->trace.faults) results.faults += f.sentence + "\n";
  return results;
}

Results run_one(const std::string& text, const Words& a, const Words& b = {}, const Words& c = {},
                u32 immediate = 0) {
  return run({{text, immediate}}, a, b, c);
}

// Edges first, then random bits.
std::vector<std::array<Words, 3>> inputs() {
  constexpr u32 kEdges[] = {
      0,          1,          2,          31,         32,          33,          63,
      64,         0x7fffffff, 0x80000000, 0x80000001, 0xffffffff,  0xfffffffe,  0x3f800000,
      0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x00000001u, 0x807fffffu, 0x00800000,
      0x4b000000, 0x3f000000, 0x7f7fffff, 0x3c003c00, 0xbc007c00,  0x00010001,  0x7bff8400};
  std::mt19937 random(7);
  std::vector<std::array<Words, 3>> all(24);
  for (auto& three : all) {
    for (Words& words : three) {
      for (u32& x : words) {
        const u32 r = random();
        x = r % 3 == 0 ? kEdges[random() % std::size(kEdges)] : static_cast<u32>(random());
      }
    }
  }
  return all;
}

struct Form {
  std::string text;
  std::function<u32(u32, u32, u32)> expected;  // of R4
};

void expect_forms(const std::vector<Form>& forms) {
  for (const Form& form : forms) {
    for (const auto& [a, b, c] : inputs()) {
      const Results r = run_one(form.text, a, b, c);
      ASSERT_EQ(r.unknown + r.faults, "") << form.text;
      for (std::size_t lane = 0; lane < 32; ++lane) {
        ASSERT_EQ(r.low[lane], form.expected(a[lane], b[lane], c[lane]))
            << form.text << " of " << std::hex << a[lane] << ", " << b[lane] << ", " << c[lane];
      }
    }
  }
}

std::int32_t s(u32 x) { return static_cast<std::int32_t>(x); }
u64 wide(u32 a, u32 b) { return u64{a} * b; }
u64 pair(u32 low, u32 high) { return u64{high} << 32 | low; }
float f(u32 x) { return std::bit_cast<float>(x); }
// Every NaN that arithmetic makes is the same one.
u32 bits(float x) { return x != x ? 0x7fffffffu : std::bit_cast<u32>(x); }

TEST(MachineForms, IntegersAreAddedAndMultiplied) {
  expect_forms({
      {"IADD3 R4, R0, R1, R2", [](u32 a, u32 b, u32 c) { return a + b + c; }},
      {"IADD3 R4, -R0, R1, RZ", [](u32 a, u32 b, u32) { return b - a; }},
      {"IADD3 R4, R0, 0x80000000, -R2", [](u32 a, u32, u32 c) { return a + 0x80000000u - c; }},
      {"VIADD R4, R0, -R1", [](u32 a, u32 b, u32) { return a - b; }},
      {"IMAD R4, R0, R1, R2", [](u32 a, u32 b, u32 c) { return a * b + c; }},
      {"IMAD R4, R0, R1, -R2", [](u32 a, u32 b, u32 c) { return a * b - c; }},
      {"IMAD.MOV R4, RZ, RZ, -R2", [](u32, u32, u32 c) { return 0 - c; }},
      {"IMAD.SHL.U32 R4, R0, 0x8, RZ", [](u32 a, u32, u32) { return a << 3; }},
      {"IMAD.HI.U32 R4, R0, R1, RZ",
       [](u32 a, u32 b, u32) { return static_cast<u32>(wide(a, b) >> 32); }},
      {"IMAD.HI R4, R0, R1, RZ",
       [](u32 a, u32 b, u32) {
         return static_cast<u32>(static_cast<u64>(std::int64_t{s(a)} * s(b)) >> 32);
       }},
      // The addend is the pair R0, R1.
      {"IMAD.HI.U32 R4, R2, R1, R0",
       [](u32 a, u32 b, u32 c) { return static_cast<u32>((wide(c, b) + pair(a, b)) >> 32); }},
      {"LEA R4, R0, -R1, 0x3", [](u32 a, u32 b, u32) { return (a << 3) - b; }},
      {"LEA.HI R4, R0, R1, R2, 0x5",
       [](u32 a, u32 b, u32 c) { return static_cast<u32>(pair(a, c) << 5 >> 32) + b; }},
      {"LEA.HI.SX32 R4, R0, R1, 0x1c",
       [](u32 a, u32 b, u32) {
         return static_cast<u32>(static_cast<u64>(std::int64_t{s(a)}) << 28 >> 32) + b;
       }},
      {"IABS R4, R0", [](u32 a, u32, u32) { return s(a) < 0 ? 0 - a : a; }},
      {"IDP.2A.HI.S16.U8 R4, R0, R1, R2",
       [](u32 a, u32 b, u32 c) {
         const auto part = [&](int k) {
           return static_cast<std::int16_t>(a >> (16 * k)) *
                  static_cast<int>(b >> (16 + 8 * k) & 255);
         };
         return c + static_cast<u32>(part(0)) + static_cast<u32>(part(1));
       }},
      {"IDP.2A.LO.U16.S8 R4, R0, R1, R2",
       [](u32 a, u32 b, u32 c) {
         const auto part = [&](int k) {
           return static_cast<int>(a >> (16 * k) & 65535) * static_cast<std::int8_t>(b >> (8 * k));
         };
         return c + static_cast<u32>(part(0)) + static_cast<u32>(part(1));
       }},
      {"IDP.4A.S8.U8 R4, R0, R1, R2",
       [](u32 a, u32 b, u32 c) {
         for (int k = 0; k < 32; k += 8) {
           c += static_cast<u32>(static_cast<std::int8_t>(a >> k) * static_cast<int>(b >> k & 255));
         }
         return c;
       }},
  });
}

// The pair R0, R1 against the pair R2, R3.
TEST(MachineForms, DoublesAreCompared) {
  const auto number = [](u32 low, u32 high) { return std::bit_cast<double>(pair(low, high)); };
  struct Comparison {
    const char* text;
    std::function<bool(double, double)> expected;
  };
  const Comparison comparisons[] = {
      {"DSETP.GT.AND P0, P1, R0, R2, PT", [](double x, double y) { return x > y; }},
      {"DSETP.NEU.AND P0, P1, |R0|, -R2, PT",
       [](double x, double y) { return !(std::fabs(x) == -y); }},
      {"DSETP.LEU.OR P0, P1, R0, R2, !PT", [](double x, double y) { return !(x > y); }},
      {"DSETP.NUM.AND P0, P1, R0, R2, PT", [](double x, double y) { return x == x && y == y; }}};
  for (const Comparison& c : comparisons) {
    for (const auto& [a, b, high] : inputs()) {
      const Results r = run({{"MOV R3, R2", 0}, {c.text, 0}}, a, b, high);
      ASSERT_EQ(r.unknown + r.faults, "") << c.text;
      for (std::size_t lane = 0; lane < 32; ++lane) {
        const bool expected = c.expected(number(a[lane], b[lane]), number(high[lane], high[lane]));
        ASSERT_EQ(r.first[lane] != 0, expected) << c.text << " lane " << lane;
        ASSERT_EQ(r.second[lane] != 0, !expected) << c.text << " lane " << lane;
      }
    }
  }
}

TEST(MachineForms, ReciprocalsOfDoublesBeginWithTheUpperWord) {
  const Words a = {0x40000000, 0x3ff00000, 0x40240000, 0xc0000000, 0x00000000, 0x7ff00000};
  const Results r = run_one("MUFU.RCP64H R4, R0", a);
  ASSERT_EQ(r.unknown + r.faults, "");
  EXPECT_EQ(r.low[0], 0x3fe00000u) << "1 / 2";
  EXPECT_EQ(r.low[1], 0x3ff00000u) << "1 / 1";
  EXPECT_EQ(r.low[2], 0x3fb99999u) << "1 / 10";
  EXPECT_EQ(r.low[3], 0xbfe00000u) << "1 / −2";
  EXPECT_EQ(r.low[4], 0x7ff00000u) << "1 / 0";
  EXPECT_EQ(r.low[5], 0u) << "1 / ∞";
}

// XLA's kernels begin with the one and end with the other.
TEST(MachineForms, ALaunchThatDependsOnNoneWaitsForNone) {
  const Words a = {5, 6, 7, 8, 9, 10};
  const Results r = run({{"ACQBULK", 0}, {"MOV R4, R0", 0}, {"PREEXIT", 0}}, a, a, a);
  EXPECT_EQ(r.unknown + r.faults, "");
  EXPECT_EQ(r.low[3], 8u);
}

TEST(MachineForms, ExtremesFollowTheirPredicate) {
  expect_forms({
      {"VIMNMX R4, R0, R1, PT", [](u32 a, u32 b, u32) { return s(a) < s(b) ? a : b; }},
      {"VIMNMX.U32 R4, R0, R1, !PT", [](u32 a, u32 b, u32) { return a > b ? a : b; }},
      {"VIMNMX.RELU R4, R0, R1, !PT",
       [](u32 a, u32 b, u32) {
         return static_cast<u32>(std::max({s(a), s(b), 0}));
       }},
      {"VIADDMNMX R4, R0, R1, R2, PT",
       [](u32 a, u32 b, u32 c) { return static_cast<u32>(std::min(s(a + b), s(c))); }},
      {"VIMNMX3 R4, R0, R1, R2, !PT",
       [](u32 a, u32 b, u32 c) {
         return static_cast<u32>(std::max({s(a), s(b), s(c)}));
       }},
  });
}

TEST(MachineForms, BitsAreMovedAndCounted) {
  const auto shifted = [](u32 n) { return n > 32 ? 32 : n; };
  expect_forms({
      {"LOP3.LUT R4, R0, R1, R2, 0xe2, !PT",
       [](u32 a, u32 b, u32 c) { return (a & b) | (c & ~b); }},
      {"LOP3.LUT R4, R0, R1, R2, 0x96, !PT", [](u32 a, u32 b, u32 c) { return a ^ b ^ c; }},
      {"SHF.L.U32 R4, R0, R1, RZ", [](u32 a, u32 b, u32) { return b > 31 ? 0 : a << b; }},
      {"SHF.L.W.U32 R4, R0, R1, RZ", [](u32 a, u32 b, u32) { return a << (b & 31); }},
      {"SHF.R.U32.HI R4, RZ, R1, R0", [](u32 a, u32 b, u32) { return b > 31 ? 0 : a >> b; }},
      {"SHF.R.S32.HI R4, RZ, R1, R0",
       [](u32 a, u32 b, u32) { return static_cast<u32>(s(a) >> (b > 31 ? 31 : b)); }},
      {"SHF.R.U64 R4, R0, 0x6, R1",
       [](u32 a, u32 b, u32) { return static_cast<u32>(pair(a, b) >> 6); }},
      {"SHF.L.U64.HI R4, R0, 0x3, R1",
       [](u32 a, u32 b, u32) { return static_cast<u32>(pair(a, b) << 3 >> 32); }},
      {"SHF.L.U32.HI R4, R0, R2, R1",
       [=](u32 a, u32 b, u32 c) {
         return shifted(c) == 32 ? a : static_cast<u32>(pair(a, b) << c >> 32);
       }},
      {"PRMT R4, R0, 0x9410, R1",
       [](u32 a, u32 b, u32) {
         const u32 sign = (a >> 8 & 0x80) != 0 ? 0xff000000u : 0;
         return sign | (b & 255) << 16 | (a & 0xffff);
       }},
      {"POPC R4, R0", [](u32 a, u32, u32) { return static_cast<u32>(std::popcount(a)); }},
      {"FLO.U32 R4, R0",
       [](u32 a, u32, u32) { return a == 0 ? ~0u : 31 - static_cast<u32>(std::countl_zero(a)); }},
      {"FLO.U32.SH R4, R0",
       [](u32 a, u32, u32) { return a == 0 ? ~0u : static_cast<u32>(std::countl_zero(a)); }},
      {"BREV R4, R0",
       [](u32 a, u32, u32) {
         u32 r = 0;
         for (int k = 0; k < 32; ++k) r |= (a >> k & 1) << (31 - k);
         return r;
       }},
  });
}

TEST(MachineForms, FloatsAreThoseOfTheProcessor) {
  expect_forms({
      {"FADD R4, R0, -|R1|", [](u32 a, u32 b, u32) { return bits(f(a) - std::fabs(f(b))); }},
      {"FMUL R4, R0, R1", [](u32 a, u32 b, u32) { return bits(f(a) * f(b)); }},
      {"FFMA R4, R0, -R1, R2",
       [](u32 a, u32 b, u32 c) { return bits(std::fma(f(a), -f(b), f(c))); }},
      {"FSEL R4, -R0, R1, !PT", [](u32, u32 b, u32) { return b; }},
      {"FMNMX R4, R0, R1, PT",
       [](u32 a, u32 b, u32) {
         if (f(a) != f(a)) return bits(f(b));
         if (f(b) != f(b)) return bits(f(a));
         if (f(a) == f(b)) return a | b;  // −0 is less than +0
         return f(a) < f(b) ? a : b;
       }},
      {"I2FP.F32.S32 R4, R0", [](u32 a, u32, u32) { return bits(static_cast<float>(s(a))); }},
  });
}

// Sums of 64 bits of two instructions, and comparisons of 64 bits.
TEST(MachineForms, CarriesGoFromWordToWord) {
  for (const auto& [a, b, c] : inputs()) {
    const Results sum =
        run({{"IADD3 R4, P0, R0, R1, RZ", 0}, {"IADD3.X R5, R1, R2, RZ, P0, !PT", 0}}, a, b, c);
    const Results difference =
        run({{"IADD3 R4, P0, R0, -R1, RZ", 0}, {"IADD3.X R5, R1, ~R2, RZ, P0, !PT", 0}}, a, b, c);
    const Results three =
        run({{"IADD3 R4, P0, P1, R0, R1, R2", 0}, {"IADD3.X R5, RZ, RZ, RZ, P0, P1", 0}}, a, b, c);
    const Results less = run(
        {{"ISETP.LT.U32.AND P0, PT, R0, R1, PT", 0}, {"ISETP.LT.AND.EX P0, P1, R1, R2, PT, P0", 0}},
        a, b, c);
    const Results product = run({{"IMAD.WIDE.U32 R4, P0, R1, R2, R0", 0}}, a, b, c);
    for (std::size_t k = 0; k < 32; ++k) {
      const u64 x = pair(a[k], b[k]), y = pair(b[k], c[k]);
      EXPECT_EQ(pair(sum.low[k], sum.high[k]), x + y);
      EXPECT_EQ(pair(difference.low[k], difference.high[k]), x - y);
      EXPECT_EQ(pair(three.low[k], three.high[k]), u64{a[k]} + b[k] + c[k]);
      const bool is_less = static_cast<std::int64_t>(x) < static_cast<std::int64_t>(y);
      EXPECT_EQ(less.first[k], is_less ? 1U : 0U);
      EXPECT_EQ(less.second[k], is_less ? 0U : 1U);
      const u64 p = wide(b[k], c[k]), all = p + x;
      EXPECT_EQ(pair(product.low[k], product.high[k]), all);
      EXPECT_EQ(product.first[k], all < p ? 1U : 0U);
    }
  }
}

TEST(MachineForms, AGuardKeepsLanesFromResults) {
  Words a;
  a.fill(7);
  const Results r = run({{"IADD3 R4, R0, 0x1, RZ", 0}}, a, a, a, "@P6");
  for (std::size_t k = 0; k < 32; ++k) EXPECT_EQ(r.low[k], k == 3 ? 0U : 8U);
}

TEST(MachineForms, LanesThatPartMeetAtTheirBarrier) {
  // Odd lanes take another way; where they met again all of them vote.
  Words a;
  for (u32 k = 0; k < 32; ++k) a[k] = k & 1;
  const Results r = run({{"BSSY B0, 0x140", 0},
                         {"ISETP.NE.AND P2, PT, R0, RZ, PT", 0},
                         {"@P2 BRA 0x130", 0},
                         {"VOTE.ANY R4, PT, PT", 0},
                         {"BRA 0x140", 0},
                         {"VOTE.ANY R4, PT, PT", 0},
                         {"BSYNC B0", 0},
                         {"VOTE.ANY R5, PT, PT", 0}},
                        a, a, a);
  ASSERT_EQ(r.unknown + r.faults, "");
  for (std::size_t k = 0; k < 32; ++k) {
    EXPECT_EQ(r.low[k], (k & 1) != 0 ? 0xaaaaaaaaU : 0x55555555U);
    EXPECT_EQ(r.high[k], 0xffffffffU);
  }
}

TEST(MachineForms, WhatIsNotKnownIsNamedAndNeverLeftOut) {
  const Words a{};
  const std::pair<const char*, const char*> cases[] = {
      {"FROB R4, R0, R1", "the opcode FROB"},
      {"FADD.XYZ R4, R0, R1", "the modifier .XYZ"},
      {"IADD3 R4, R0, |R1|, RZ", "operand |R1|"},
      {"MUFU.NEW R4, R0", "the form of MUFU.NEW"},
      {"PRMT.NEW R4, R0, R1, R2", "the modifier .NEW"},
      {"LDG.E.STRANGE R4, desc[UR4][R22.64]", "the modifier .STRANGE"},
      {"S2R R4, SR_NEW", "special register SR_NEW"},
      {"MOV R4, c[0x0][0x100]", "a constant whose meaning is not known"}};
  for (const auto& [text, why] : cases) {
    const Results r = run_one(text, a);
    EXPECT_TRUE(r.unknown.starts_with(why)) << text << ": " << r.unknown;
    EXPECT_NE(r.faults.find(why), std::string::npos) << r.faults;
  }
}
}  // namespace
}  // namespace warpscope
