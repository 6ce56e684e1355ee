// tests/sass/machine_rare_forms_test.cpp: forms of machine code that are in public samples but not
// in our kernels, against plain C++.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "profiling/emulator/sass/machine_code.h"
#include "tests/sass/machine_kernel.h"

namespace warpscope {
namespace {

using u32 = std::uint32_t;
using Words = std::array<u32, 32>;
using Body = std::vector<std::pair<std::string, u32>>;

struct Results {
  std::array<Words, 2> words{};  // R4 and R5
  std::string problem;
};

// R0 … R2 are the lane's words of a, b and c. Shared memory begins at byte 0x400.
Results run(const Body& body, const Words& a, const Words& b = {}, const Words& c = {},
            std::int64_t threads = 32) {
  MachineKernel k;
  k.add("S2R R20, SR_TID.X");
  k.add("ULDC.64 UR4, c[0x0][0x208]");
  k.add("CS2R R4, SRZ");
  const char* const places[] = {"210", "218", "220", "228", "230"};
  for (int n = 0; n < 3; ++n) {
    k.add(std::string("LDC.64 R22, c[0x0][0x") + places[n] + "]");
    k.add("IMAD.WIDE R22, R20, 0x4, R22");
    k.add("LDG.E R" + std::to_string(n) + ", desc[UR4][R22.64]");
  }
  EXPECT_EQ(k.next_offset(), 0xc0U) << "branches of the bodies begin here";
  for (const auto& [text, immediate] : body) k.add(text, immediate);
  for (int n = 3; n < 5; ++n) {
    k.add(std::string("LDC.64 R22, c[0x0][0x") + places[n] + "]");
    k.add("IMAD.WIDE R22, R20, 0x4, R22");
    k.add("STG.E desc[UR4][R22.64], R" + std::to_string(n + 1));
  }
  k.add("EXIT");
  Results results;
  const Result<MachineFunction> function = read_machine_text(k.text(), "k");
  if (!function) {
    results.problem = sentence(function.error());
    return results;
  }
  const MachineProgram program = MachineProgram::of(*function, machine_image(5, 64), "k.cu");
  for (const std::string& unknown : program.unknown()) results.problem += unknown + "\n";
  Words inputs[] = {a, b, c};
  EmulatedMemory memory;
  std::vector<ArgumentBytes> arguments;
  for (Words* words : {&inputs[0], &inputs[1], &inputs[2], &results.words[0], &results.words[1]}) {
    arguments.push_back(argument_of(memory.add({"x", "x", ElementType::u32, {32}},
                                               std::as_writable_bytes(std::span(*words)), true)));
  }
  Launch launch;
  launch.block.x = threads;
  const Result<EmulatedRun> done = emulate(program, launch, arguments, memory, {});
  if (!done) results.problem += sentence(done.error());
  for (std::size_t f = 0; done && f < done->trace.faults.size(); ++f)
    results.problem += done->trace.faults[f].sentence + "\n";
  return results;
}

Words random_words(u32 seed) {
  std::mt19937 random(seed);
  Words words;
  for (u32& w : words) w = static_cast<u32>(random());
  words[0] = 0x80007fff, words[1] = 0xffff0001;
  return words;
}

// A function of the halves of three words, for each half.
template <typename T, typename F>
void expect_of_halves(const std::string& text, F function) {
  for (u32 seed = 1; seed < 8; ++seed) {
    const Words a = random_words(seed), b = random_words(seed + 100), c = random_words(seed + 200);
    const Results r = run({{text, 0}}, a, b, c);
    ASSERT_EQ(r.problem, "") << text;
    for (std::size_t lane = 0; lane < 32; ++lane) {
      u32 expected = 0;
      for (const int shift : {0, 16}) {
        const auto half = [shift](u32 w) { return static_cast<T>(w >> shift); };
        const auto made =
            static_cast<std::uint16_t>(function(half(a[lane]), half(b[lane]), half(c[lane])));
        expected |= u32{made} << shift;
      }
      EXPECT_EQ(r.words[0][lane], expected) << text << " at lane " << lane;
    }
  }
}

TEST(MachineRareForms, HalvesOfWordsAreAddedAndCompared) {
  using S = std::int16_t;
  using U = std::uint16_t;
  expect_of_halves<U>("VIADD.16x2 R4, R0, -R1", [](U a, U b, U) { return a - b; });
  expect_of_halves<U>("VIADD.16x2 R4, -R0, R1", [](U a, U b, U) { return b - a; });
  expect_of_halves<S>("VIMNMX3.S16x2 R4, R0, R1, R2, !PT", [](S a, S b, S c) {
    return std::max({a, b, c});
  });
  expect_of_halves<U>("VIMNMX3.U16x2 R4, R0, R1, R2, PT", [](U a, U b, U c) {
    return std::min({a, b, c});
  });
  expect_of_halves<U>("VIADDMNMX.U16x2 R4, R0, R1, R2, PT",
                      [](U a, U b, U c) { return std::min(static_cast<U>(a + b), c); });
  expect_of_halves<S>("VIADDMNMX.S16x2 R4, R0, R1, R2, !PT",
                      [](S a, S b, S c) { return std::max(static_cast<S>(a + b), c); });
  EXPECT_NE(run({{"VIMNMX3.S16x2.RELU R4, R0, R1, R2, PT", 0}}, {}).problem, "");
}

TEST(MachineRareForms, NegatedHalvesAreRounded) {
  struct Case {
    u32 a, floor_of_negated;
  };
  // 1.5, 1, −1.5, −0.5, 0 and infinity; the upper halves are 2.
  constexpr Case kCases[] = {{0x3e00, 0xc000}, {0x3c00, 0xbc00}, {0xbe00, 0x3c00},
                             {0xb800, 0x0000}, {0x0000, 0x8000}, {0x7c00, 0xfc00}};
  for (const Case& c : kCases) {
    Words a;
    a.fill(0x40000000 | c.a);
    const Results r = run({{"FRND.F16.FLOOR R4, -R0", 0}, {"FRND.F16.FLOOR R5, -R0.H1", 0}}, a);
    ASSERT_EQ(r.problem, "");
    EXPECT_EQ(r.words[0][7] & 0xffff, c.floor_of_negated) << std::hex << c.a;
    EXPECT_EQ(r.words[1][7] & 0xffff, 0xc000U);
  }
}

TEST(MachineRareForms, TwoPacksMakeFourBytes) {
  Words one, two, merged;
  one.fill(std::bit_cast<u32>(1.0f)), two.fill(std::bit_cast<u32>(2.0f)), merged.fill(0x1111abcd);
  // In e4m3, 1 is 0x38 and 2 is 0x40; in e5m2, 0x3c and 0x40.
  const Results r = run({{"F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C R4, R0, R1, R2", 0},
                         {"F2FP.SATFINITE.E5M2.F32.PACK_AB_MERGE_C R5, R1, R0, R2", 0}},
                        one, two, merged);
  ASSERT_EQ(r.problem, "");
  EXPECT_EQ(r.words[0][5], 0xabcd3840U);
  EXPECT_EQ(r.words[1][5], 0xabcd403cU);
}

TEST(MachineRareForms, TheTimerGoesOn) {
  const Results r = run({{"CS2R R6, SR_GLOBALTIMERLO", 0},
                         {"CS2R R8, SR_GLOBALTIMERLO", 0},
                         {"ISETP.GE.U32.AND P0, PT, R8, R6, PT", 0},
                         {"SEL R4, RZ, 0x1, !P0", 1},
                         {"IADD3 R5, R7, R9, RZ", 0}},
                        {});
  ASSERT_EQ(r.problem, "");
  EXPECT_EQ(r.words[0][3], 1U);
  EXPECT_EQ(r.words[1][3], 0U) << "the upper words of small numbers";
}

TEST(MachineRareForms, AFunctionKeepsTheLanesOfABarrier) {
  // What BSSY noted is taken away, changed, and brought back before lanes that parted meet.
  const Results r = run({{"BSSY B6, 0x150", 0},
                         {"BMOV.32.CLEAR R4, B6", 0},
                         {"BMOV.32.CLEAR R5, B6", 0},
                         {"BMOV.32 B6, R4", 0},
                         {"ISETP.GT.AND P0, PT, R20, 0x7, PT", 7},
                         {"IADD3 R5, R5, 0x1, RZ", 1},
                         {"@P0 BRA 0x150", 0},
                         {"IADD3 R5, R5, 0x1, RZ", 1},
                         {"NOP", 0},
                         {"BSYNC B6", 0},
                         {"VOTE.ANY R6, PT, PT", 0},
                         {"IADD3 R5, R5, R6, RZ", 0}},
                        {});
  ASSERT_EQ(r.problem, "");
  for (std::size_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(r.words[0][lane], 0xffffffffU);
    EXPECT_EQ(r.words[1][lane], (lane > 7 ? 1U : 2U) + 0xffffffffU) << "all lanes vote";
  }
  EXPECT_NE(run({{"BMOV.64 R4, B6", 0}}, {}).problem, "");
}

TEST(MachineRareForms, ADivergentBranchTakesLanesThatItsGuardLets) {
  // All lanes are here, so nobody branches, whatever the guard says.
  const auto branch = [](const char* guard) {
    return run({{"ISETP.GT.AND P0, PT, R20, 0xf, PT", 15},
                {"UMOV UR6, 0xffffffff", 0xffffffff},
                {std::string(guard) + "BRA.DIV UR6, 0x100", 0},
                {"IADD3 R4, R4, 0x1, RZ", 1},
                {"NOP", 0}},
               {});
  };
  for (const char* guard : {"", "@P0 ", "@!P0 "}) {
    const Results r = branch(guard);
    ASSERT_EQ(r.problem, "") << guard;
    for (std::size_t lane = 0; lane < 32; ++lane) EXPECT_EQ(r.words[0][lane], 1U) << guard << lane;
  }
  // Lanes above 15 are elsewhere. Those below 8 go, and the others stay.
  const Results apart = run({{"ISETP.GT.AND P0, PT, R20, 0xf, PT", 15},
                             {"ISETP.GT.AND P1, PT, R20, 0x7, PT", 7},
                             {"UMOV UR6, 0xffffffff", 0xffffffff},
                             {"@P0 BRA 0x120", 0},
                             {"@!P1 BRA.DIV UR6, 0x120", 0},
                             {"IADD3 R4, R4, 0x1, RZ", 1},
                             {"NOP", 0}},
                            {});
  ASSERT_EQ(apart.problem, "");
  for (std::size_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(apart.words[0][lane], lane > 7 && lane < 16 ? 1U : 0U) << lane;
}

// A barrier of four arrivals, by one thread. source: PTX ISA, "mbarrier".
TEST(MachineRareForms, ArrivalsReturnTheBarrierBefore) {
  constexpr u32 kArrivals = 0x100000 - 4;
  const auto pending = [](const std::string& state, const std::string& to, const char* shift) {
    return Body{{"SHF.R.U32.HI " + to + ", RZ, 0xb, " + state, 11},
                {"LOP3.LUT " + to + ", " + to + ", 0xfffff, RZ, 0xc0, !PT", 0xfffff},
                {"IADD3 " + to + ", -" + to + ", 0x100000, RZ", 0x100000},
                {"LEA R4, " + to + ", R4, " + shift, 0}};
  };
  Body body = {{"UMOV UR6, 0x400", 0x400},
               {"UMOV UR8, 0x1ffff8", kArrivals << 1},
               {"UMOV UR9, 0x7fffe000", kArrivals << 11},
               {"SYNCS.EXCH.64 URZ, [UR6], UR8", 0}};
  const auto add = [&](const Body& more) { body.insert(body.end(), more.begin(), more.end()); };
  add({{"SYNCS.ARRIVE.TRANS64.A1T0 R8, [UR6], RZ", 0}});
  add(pending("R9", "R10", "0x0"));  // 4
  add({{"SYNCS.PHASECHK.TRANS64 P0, [UR6], R9", 0},
       {"SEL R5, RZ, 0x1, !P0", 1},  // the phase is not over
       {"SYNCS.ARRIVE.TRANS64.OPTOUT.A1T0 R12, [UR6], RZ", 0}});
  add(pending("R13", "R10", "0x4"));  // 3
  add({{"MOV R14, 0x10", 16}, {"SYNCS.ARRIVE.TRANS64 R16, [UR6], R14", 0}});
  add(pending("R17", "R10", "0x8"));  // 2, and 16 bytes are expected
  add({{"MOV R14, 0x1", 1}, {"SYNCS.ARRIVE.TRANS64.ART0 R16, [UR6], R14", 0}});
  add({{"MOV R14, 0x10", 16},
       {"SYNCS.ARRIVE.TRANS64.A0TX RZ, [UR6], R14", 0},
       {"SYNCS.PHASECHK.TRANS64 P0, [UR6], R9", 0},
       {"@P0 IADD3 R5, R5, 0x2, RZ", 2},  // it is over
       {"SYNCS.ARRIVE.TRANS64.A1T0 R16, [UR6], RZ", 0},
       {"SHF.R.U32.HI R18, RZ, 0x1f, R17", 31},
       {"LEA R5, R18, R5, 0x2", 0}});  // the second phase
  add({{"LOP3.LUT R17, R17, 0x7fffffff, RZ, 0xc0, !PT", 0x7fffffff}});
  add(pending("R17", "R10", "0xc"));  // 3, because one thread left
  add({{"SYNCS.ARRIVE.TRANS64.A0T1 RZ, [UR6], RZ", 0},
       {"ARRIVES.LDGSTSBAR.64.TRANSCNT [UR6]", 0},
       {"SYNCS.CCTL.IV [UR6]", 0}});
  const Results r = run(body, {}, {}, {}, 1);
  ASSERT_EQ(r.problem, "");
  EXPECT_EQ(r.words[0][0], 0x3234U);
  EXPECT_EQ(r.words[1][0], 0U + 2 + 4);
  EXPECT_NE(run({{"SYNCS.ARRIVE.TRANS64.OPTOUT.A0TR RZ, [UR6], R0", 0}}, {}).problem, "");
  EXPECT_NE(run({{"ARRIVES.LDGSTSBAR.32 [UR6]", 0}}, {}).problem, "");
}

}  // namespace
}  // namespace warpscope
