// tests/sass/machine_blackwell_test.cpp: what machine code since compute capability 10.0 has that
// older code has not: other places of the launch's constants, and new forms, against plain C++.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "profiling/emulator/sass/machine_code.h"
#include "tests/sass/machine_kernel.h"

namespace warpscope {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s64 = std::int64_t;
using Pairs = std::array<u64, 32>;

MachineImage image_of(std::size_t pointers) {
  MachineImage image = machine_image(pointers);
  image.compute_capability = 120;
  image.parameters_at = 0x380;
  image.descriptor_at = 0x358;
  return image;
}

// Runs a kernel on arrays; returns what is not known and what was found.
std::string run(MachineKernel& k, const std::vector<std::span<std::byte>>& arrays,
                const Launch& launch) {
  const Result<MachineFunction> function = read_machine_text(k.text(), "k");
  if (!function) return sentence(function.error());
  const MachineProgram program = MachineProgram::of(*function, image_of(arrays.size()), "k.cu");
  std::string problem;
  for (const std::string& unknown : program.unknown()) problem += unknown + "\n";
  EmulatedMemory memory;
  std::vector<ArgumentBytes> arguments;
  for (const std::span<std::byte>& array : arrays) {
    arguments.push_back(argument_of(memory.add(
        {"x", "x", ElementType::u32, {static_cast<s64>(array.size() / 4)}}, array, true)));
  }
  const Result<EmulatedRun> done = emulate(program, launch, arguments, memory, {});
  if (!done) return problem + sentence(done.error());
  for (const Fault& f : done->trace.faults) problem += f.sentence + "\n";
  return problem;
}

struct Three {
  Pairs a{}, b{}, c{};
};

// R0, R2 and R8 begin pairs of the lane's numbers of a, b and c; R4 begins that of the result. UR8,
// UR10 and UR12 begin pairs of the numbers of lane 0.
std::string run_forms(const std::vector<std::string>& body, Three x, Pairs& result) {
  MachineKernel k;
  k.add("LDC R1, c[0x0][0x37c]");
  k.add("S2R R20, SR_TID.X");
  k.add("LDCU.64 UR4, c[0x0][0x358]");
  k.add("CS2R R4, SRZ");
  const char* const registers[] = {"R0", "R2", "R8"};
  for (int n = 0; n < 3; ++n) {
    const char* const places[] = {"380", "388", "390"};
    k.add(std::string("LDC.64 R22, c[0x0][0x") + places[n] + "]");
    k.add("IMAD.WIDE R22, R20, 0x8, R22");
    k.add(std::string("LDG.E.64 ") + registers[n] + ", desc[UR4][R22.64]");
    const std::string first(registers[n] + 1);
    const int to = 8 + 2 * n;
    k.add("R2UR UR" + std::to_string(to) + ", R" + first);
    k.add("R2UR UR" + std::to_string(to + 1) + ", R" + std::to_string(std::stoi(first) + 1));
  }
  for (const std::string& text : body) k.add(text);
  k.add("LDC.64 R22, c[0x0][0x398]");
  k.add("IMAD.WIDE R22, R20, 0x8, R22");
  k.add("STG.E.64 desc[UR4][R22.64], R4");
  k.add("EXIT");
  Launch launch;
  launch.block.x = 32;
  return run(k,
             {std::as_writable_bytes(std::span(x.a)), std::as_writable_bytes(std::span(x.b)),
              std::as_writable_bytes(std::span(x.c)), std::as_writable_bytes(std::span(result))},
             launch);
}

// Edges first, then random bits.
Three numbers(u32 seed) {
  constexpr u64 kEdges[] = {0,
                            1,
                            ~u64{0},
                            0x7fffffffffffffff,
                            0x8000000000000000,
                            0xffffffff,
                            0x100000000,
                            0x3f8000007f800000,
                            0x7fc00000ff800000,
                            0x00000001807fffff,
                            0x80000000bf800000};
  std::mt19937_64 random(seed);
  Three x;
  for (Pairs* pairs : {&x.a, &x.b, &x.c}) {
    for (u64& n : *pairs) n = random() % 3 == 0 ? kEdges[random() % std::size(kEdges)] : random();
  }
  return x;
}

using Function = std::function<u64(u64, u64, u64)>;
void expect_form(const std::vector<std::string>& body, const Function& function) {
  for (u32 seed = 1; seed <= 12; ++seed) {
    const Three x = numbers(seed);
    Pairs result{};
    ASSERT_EQ(run_forms(body, x, result), "") << body.front();
    for (std::size_t lane = 0; lane < 32; ++lane) {
      ASSERT_EQ(result[lane], function(x.a[lane], x.b[lane], x.c[lane]))
          << body.front() << std::hex << " of " << x.a[lane] << ", " << x.b[lane] << ", "
          << x.c[lane];
    }
  }
}

// The same function for the first numbers of the arrays, whatever lane.
void expect_uniform_form(const std::vector<std::string>& body, const Function& function) {
  for (u32 seed = 1; seed <= 12; ++seed) {
    const Three x = numbers(seed);
    Pairs result{};
    ASSERT_EQ(run_forms(body, x, result), "") << body.front();
    for (std::size_t lane = 0; lane < 32; ++lane)
      ASSERT_EQ(result[lane], function(x.a[0], x.b[0], x.c[0])) << body.front();
  }
}

s64 s(u64 x) { return static_cast<s64>(x); }
u32 low(u64 x) { return static_cast<u32>(x); }
u32 high(u64 x) { return static_cast<u32>(x >> 32); }
u64 pair(u32 l, u32 h) { return u64{h} << 32 | l; }
float f(u32 x) { return std::bit_cast<float>(x); }
// Every NaN that arithmetic makes is the same one.
u32 bits(float x) { return x != x ? 0x7fffffffu : std::bit_cast<u32>(x); }

TEST(MachineBlackwell, IntegersOf64BitsAreOneInstruction) {
  expect_form({"IADD.64 R4, R0, R2"}, [](u64 a, u64 b, u64) { return a + b; });
  expect_form({"IADD.64 R4, R0, -R2"}, [](u64 a, u64 b, u64) { return a - b; });
  expect_form({"IADD.64 R4, -R0, R2"}, [](u64 a, u64 b, u64) { return b - a; });
  expect_form({"IADD.64 R4, R0, -0x5"}, [](u64 a, u64, u64) { return a - 5; });
  expect_form({"IADD.64 R4, R0, 0x7fffffff"}, [](u64 a, u64, u64) { return a + 0x7fffffff; });
  expect_form({"MOV.64 R4, 0x123456789"}, [](u64, u64, u64) { return u64{0x123456789}; });
  expect_form({"MOV.64 R4, R2"}, [](u64, u64 b, u64) { return b; });
  expect_form({"IMNMX.S64 PT, PT, R4, R0, R2, PT, !PT"},
              [](u64 a, u64 b, u64) { return s(a) < s(b) ? a : b; });
  expect_form({"IMNMX.S64 PT, PT, R4, R0, -0x9, !PT, !PT"},
              [](u64 a, u64, u64) { return s(a) < -9 ? u64{0} - 9 : a; });
  expect_form({"IMNMX.U64 PT, PT, R4, R0, R2, !PT, !PT"},
              [](u64 a, u64 b, u64) { return a < b ? b : a; });
  expect_form({"VIADD.S32.ISAT R4, R0, -R2"}, [](u64 a, u64 b, u64) {
    const s64 difference =
        s64{static_cast<std::int32_t>(low(a))} - static_cast<std::int32_t>(low(b));
    return u64{static_cast<u32>(std::clamp<s64>(difference, INT32_MIN, INT32_MAX))};
  });
  expect_form({"IMAD.WIDE R4, R0, R2, -R8"}, [](u64 a, u64 b, u64 c) {
    return static_cast<u64>(s64{static_cast<std::int32_t>(low(a))} *
                            static_cast<std::int32_t>(low(b))) -
           c;
  });
  expect_uniform_form({"UIADD3.64 UR14, UPT, UPT, UR8, UR10, URZ", "MOV.64 R4, UR14"},
                      [](u64 a, u64 b, u64) { return a + b; });
  expect_uniform_form({"UIADD3.64 UR14, UPT, UPT, UR8, -UR10, UR12", "MOV.64 R4, UR14"},
                      [](u64 a, u64 b, u64 c) { return a - b + c; });
}

TEST(MachineBlackwell, ComparisonsOf64BitsAreOneInstruction) {
  const auto compare = [](const std::string& how, const Function& function) {
    expect_form({"ISETP." + how + ".AND P0, PT, R0, R2, PT", "SEL.64 R4, R8, -0xc, P0"},
                [&](u64 a, u64 b, u64 c) { return function(a, b, c) != 0 ? c : u64{0} - 12; });
  };
  compare("LT.S64", [](u64 a, u64 b, u64) { return s(a) < s(b); });
  compare("GE.S64", [](u64 a, u64 b, u64) { return s(a) >= s(b); });
  compare("LT.U64", [](u64 a, u64 b, u64) { return a < b; });
  compare("GT.U64", [](u64 a, u64 b, u64) { return a > b; });
  compare("EQ.U64", [](u64 a, u64 b, u64) { return a == b; });
  compare("NE.S64", [](u64 a, u64 b, u64) { return a != b; });
  expect_form({"ISETP.GT.S64.AND P0, PT, R0, -0x7, PT", "SEL.64 R4, RZ, 0x90000000, !P0"},
              [](u64 a, u64, u64) { return s(a) > -7 ? u64{0x90000000} : 0; });
  expect_uniform_form({"UISETP.GE.S64.AND UP0, UPT, UR8, UR10, UPT",
                       "USEL.64 UR14, UR12, UR8, !UP0", "MOV.64 R4, UR14"},
                      [](u64 a, u64 b, u64 c) { return s(a) >= s(b) ? a : c; });
}

TEST(MachineBlackwell, FloatsArePackedInPairs) {
  const auto both = [](auto function) {
    return [function](u64 a, u64 b, u64 c) {
      return pair(bits(function(f(low(a)), f(low(b)), f(low(c)))),
                  bits(function(f(high(a)), f(high(b)), f(high(c)))));
    };
  };
  expect_form({"FADD2 R4, R0.F32x2.HI_LO, -R2.F32x2.HI_LO"},
              both([](float a, float b, float) { return a - b; }));
  expect_form({"FMUL2 R4, R0.reuse.F32x2.HI_LO, R2.F32x2.HI_LO"},
              both([](float a, float b, float) { return a * b; }));
  expect_form({"FFMA2 R4, R0.F32x2.HI_LO, R2.F32x2.HI_LO, R8.F32x2.HI_LO"},
              both([](float a, float b, float c) { return std::fma(a, b, c); }));
  // The result lies on a source.
  expect_form({"FADD2 R2, R0.F32x2.HI_LO, R2.F32x2.HI_LO", "MOV.64 R4, R2"},
              both([](float a, float b, float) { return a + b; }));
}

TEST(MachineBlackwell, ExtremesTakeThreeFloatsOrFourBytes) {
  const auto least = [](float x, float y) {
    if (x != x) return y;
    if (y != y) return x;
    return x < y || (x == y && std::signbit(x)) ? x : y;
  };
  expect_form({"FMNMX3 R4, R0, -R2, |R8|, PT"}, [&](u64 a, u64 b, u64 c) {
    return u64{bits(least(least(f(low(a)), -f(low(b))), std::fabs(f(low(c)))))};
  });
  expect_form({"FMNMX3.NAN R4, R0, R2, R8, !PT"}, [&](u64 a, u64 b, u64 c) {
    const float x = f(low(a)), y = f(low(b)), z = f(low(c));
    if (x != x || y != y || z != z) return u64{0x7fffffff};
    return u64{bits(-least(least(-x, -y), -z))};
  });
  const auto of_bytes = [](auto function) {
    return [function](u64 a, u64 b, u64) {
      u64 all = 0;
      for (int shift = 0; shift < 32; shift += 8)
        all |= u64{static_cast<std::uint8_t>(function(a >> shift, b >> shift))} << shift;
      return all;
    };
  };
  using Byte = std::uint8_t;
  using SignedByte = std::int8_t;
  expect_form({"VIMNMX.U8x4 R4, R0, R2, !PT"}, of_bytes([](u64 x, u64 y) {
                return std::max(static_cast<Byte>(x), static_cast<Byte>(y));
              }));
  expect_form({"VIMNMX.S8x4 R4, R0, R2, PT"}, of_bytes([](u64 x, u64 y) {
                return std::min(static_cast<SignedByte>(x), static_cast<SignedByte>(y));
              }));
  expect_form({"VIADD.U8x4 R4, R0, -R2"}, of_bytes([](u64 x, u64 y) { return x - y; }));
}

TEST(MachineBlackwell, TheUniformDatapathHasFloats) {
  const auto of_first = [](auto function) {
    return [function](u64 a, u64 b, u64 c) {
      return u64{bits(function(f(low(a)), f(low(b)), f(low(c))))};
    };
  };
  expect_uniform_form({"UFADD UR14, UR8, -UR10", "MOV R4, UR14"},
                      of_first([](float a, float b, float) { return a - b; }));
  expect_uniform_form({"UFMUL UR14, UR8, UR10", "MOV R4, UR14"},
                      of_first([](float a, float b, float) { return a * b; }));
  expect_uniform_form({"UFFMA UR14, UR8, UR10, UR12", "MOV R4, UR14"},
                      of_first([](float a, float b, float c) { return std::fma(a, b, c); }));
  expect_uniform_form(
      {"UFSETP.GT.AND UP0, UPT, UR8, UR10, UPT", "UFSEL UR14, |UR12|, UR8, UP0", "MOV R4, UR14"},
      [](u64 a, u64 b, u64 c) {
        return u64{f(low(a)) > f(low(b)) ? low(c) & 0x7fffffff : low(a)};
      });
  expect_uniform_form({"UI2FP.F32.U32 UR14, UR8", "MOV R4, UR14"},
                      [](u64 a, u64, u64) { return u64{bits(static_cast<float>(low(a)))}; });
  expect_uniform_form({"UI2FP.F32.S32 UR14, UR8", "UF2I.S64.TRUNC UR14, UR14", "MOV.64 R4, UR14"},
                      [](u64 a, u64, u64) {
                        return static_cast<u64>(static_cast<s64>(
                            static_cast<float>(static_cast<std::int32_t>(low(a)))));
                      });
  // One lane is there: its number is that of the warp.
  expect_uniform_form(
      {"ISETP.EQ.AND P1, PT, R20, 0x0, PT", "@P1 R2UR.BROADCAST UR14, R0", "MOV R4, UR14"},
      [](u64 a, u64, u64) { return u64{low(a)}; });
}

// CREDUX is of a warp, as REDUX.
TEST(MachineBlackwell, ExtremesOfAWarpAreReduced) {
  const Three x = numbers(3);
  Pairs result{};
  ASSERT_EQ(
      run_forms({"CREDUX.MIN UR14, R0", "CREDUX.MAX.S32 UR15, R2", "MOV.64 R4, UR14"}, x, result),
      "");
  u32 least = ~0u;
  std::int32_t most = INT32_MIN;
  for (std::size_t lane = 0; lane < 32; ++lane) {
    least = std::min(least, low(x.a[lane]));
    most = std::max(most, static_cast<std::int32_t>(low(x.b[lane])));
  }
  EXPECT_EQ(result[7], pair(least, static_cast<u32>(most)));
}

// source: kernels for sm_120 that each store one of these values, as ptxas 13.0 compiles them.
TEST(MachineBlackwell, ValuesOfTheLaunchAreInTheirPlaces) {
  MachineKernel k;
  const std::pair<const char*, u32> words[] = {
      {"0x360", 4},    {"0x364", 2},     {"0x368", 3},
      {"0x370", 6},    {"0x374", 5},     {"0x378", 7},
      {"0x36c", 1},    {"0x2f8", 0},     {"R9+0x2a0", 2},
      {"R9+0x2a4", 1}, {"R9+0x2ac", 96}, {"R9+0x2c0", 3},
      {"R9+0x2c4", 5}, {"R9+0x2cc", 2},  {"R9+0x2b0", 0x3f000000}};
  k.add("CS2R.32 R9, SR_CgaSize");
  k.add("IMAD R9, R9, -0xa0, RZ");
  k.add("LDCU.64 UR4, c[0x0][0x358]");
  k.add("LDC.64 R2, c[0x0][0x380]");
  for (const auto& [place, value] : words) {
    k.add(std::string("LDC R5, c[0x0][") + place + "]");
    k.add("STG.E desc[UR4][R2.64], R5");
    k.add("IADD.64 R2, R2, 0x4");
  }
  k.add("EXIT");
  std::array<u32, std::size(words)> result{};
  result.fill(0xdead);
  Launch launch;
  launch.grid = {6, 5, 7};
  launch.block = {4, 2, 3};
  launch.cluster = {2, 1, 1};
  launch.dynamic_shared_bytes = 96;
  ASSERT_EQ(run(k, {std::as_writable_bytes(std::span(result))}, launch), "");
  for (std::size_t n = 0; n < result.size(); ++n)
    EXPECT_EQ(result[n], words[n].second) << words[n].first;
}

TEST(MachineBlackwell, WhatIsNotKnownIsNamed) {
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      // The places that 9.0 has.
      {{"LDC R4, c[0x0][0x0]"}, "a constant whose meaning is not known"},
      {{"LDC R4, c[0x0][0x28]"}, "a constant whose meaning is not known"},
      {{"LDC R4, c[0x0][0x210]"}, "a constant whose meaning is not known"},
      {{"LDC R4, c[0x0][0x354]"}, "a constant whose meaning is not known"},
      {{"LDC R4, c[0x0][0x140]"}, "a constant whose meaning is not known"},
      // Words that SR_CgaSize finds, found in another way.
      {{"LDC R4, c[0x0][0x2a0]"}, "a constant whose meaning is not known"},
      {{"LDC R4, c[0x0][R0+0x2a0]"}, "operand c[0x0][R0+0x2a0]"},
      {{"IMAD R9, R0, -0xa0, RZ", "LDC R4, c[0x0][R9+0x2a0]"}, "operand c[0x0][R9+0x2a0]"},
      {{"CS2R.32 R9, SR_CgaSize", "IMAD R9, R9, -0xa0, RZ", "LDC R4, c[0x0][R9+0x290]"},
       "a constant whose meaning is not known"},
      {{"CS2R.32 R4, SR_CgaSize"}, "special register SR_CgaSize"},
      {{"CS2R.32 R9, SR_CgaSize", "IADD3 R4, PT, PT, R9, 0x1, RZ"}, "special register SR_CgaSize"},
      {{"LDG.E.ENL2.256 R4, R8, desc[UR4][R22.64]"}, "the operands of LDG.E.ENL2.256"},
      {{"CREDUX.MAX.F32 UR14, R0"}, "the modifier .F32"},
      {{"FADD2 R4, R0.F32x2.LO_LO, R2.F32x2.HI_LO"}, "operand R0.F32x2.LO_LO"},
      {{"IADD.64 R4, P0, R0, R2"}, "the operands of IADD.64"},
      {{"IADD R4, R0, R2"}, "the form of IADD"},
      {{"IMNMX.S64 P0, PT, R4, R0, R2, PT, !PT"}, "the operands of IMNMX.S64"},
      {{"BSSY.STRANGE B0, 0x10"}, "the modifier .STRANGE"},
      {{"UTCHMMA gdesc[UR8], gdesc[UR10], tmem[UR6], tmem[UR12], idesc[UR13], UPT"},
       "the opcode UTCHMMA"}};
  for (const auto& [body, why] : cases) {
    Pairs result{};
    const std::string told = run_forms(body, numbers(1), result);
    EXPECT_TRUE(told.starts_with(why)) << body.back() << ": " << told;
  }
}

}  // namespace
}  // namespace warpscope
