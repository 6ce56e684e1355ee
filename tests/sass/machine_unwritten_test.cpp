// tests/sass/machine_unwritten_test.cpp: what machine code loads that nobody wrote is a fault where
// it is used.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "profiling/emulator/sass/machine_code.h"
#include "tests/sass/machine_kernel.h"

// A block of one warp writes 8 of 16 bytes per lane in shared memory and loads all 16: R0 and R1
// are written, R2 and R3 are not. What a test adds runs after it. R22 and R23 are the address of a
// buffer's word of the lane.

namespace warpscope {
namespace {

using Words = std::array<std::uint32_t, 32>;

// Runs it, and returns the faults.
std::vector<Fault> faults_of(const std::vector<std::string>& body) {
  MachineKernel k;
  k.add("S2R R20, SR_TID.X");
  k.add("ULDC.64 UR4, c[0x0][0x208]");
  k.add("LDC.64 R22, c[0x0][0x210]");
  k.add("IMAD.WIDE R22, R20, 0x4, R22");
  k.add("IMAD.SHL.U32 R21, R20, 0x10, RZ");
  k.add("VIADD R21, R21, 0x400");  // the system's part of shared memory comes first
  k.add("CS2R R10, SRZ");
  k.add("STS.64 [R21], R10");
  k.add("LDS.128 R0, [R21]");
  for (const std::string& text : body) k.add(text);
  k.add("EXIT");
  const Result<MachineFunction> function = read_machine_text(k.text(), "k");
  EXPECT_TRUE(function) << k.text();
  if (!function) return {};
  const MachineProgram program = MachineProgram::of(*function, machine_image(1, 512), "k.cu");
  EXPECT_TRUE(program.unknown().empty());
  Words words{};
  EmulatedMemory memory;
  const std::vector<ArgumentBytes> arguments = {argument_of(memory.add(
      {"x", "x", ElementType::u32, {32}}, std::as_writable_bytes(std::span(words)), true))};
  Launch launch;
  launch.block.x = 32;
  const Result<EmulatedRun> done = emulate(program, launch, arguments, memory, {});
  EXPECT_TRUE(done);
  return done ? done->trace.faults : std::vector<Fault>{};
}

void expect_none(const std::vector<std::string>& body) {
  const std::vector<Fault> faults = faults_of(body);
  EXPECT_TRUE(faults.empty()) << body.front() << ": " << (faults.empty() ? "" : faults[0].sentence);
}
// One, of the load, in so many lanes; its sentence names the byte.
void expect_one(const std::vector<std::string>& body, std::int64_t lanes, const std::string& byte) {
  const std::vector<Fault> faults = faults_of(body);
  ASSERT_EQ(faults.size(), 1u) << body.front();
  EXPECT_EQ(faults[0].kind, FaultKind::uninitialised_read);
  EXPECT_EQ(faults[0].count, lanes) << body.front();
  EXPECT_NE(faults[0].sentence.find("LDS.128 reads shared memory at byte " + byte +
                                    ", which was never written"),
            std::string::npos)
      << faults[0].sentence;
}

TEST(MachineUnwritten, WordsThatNothingUsesAreNoFault) {
  expect_none({"STG.E desc[UR4][R22.64], R0", "STG.E desc[UR4][R22.64], R1"});
  expect_none({"MOV R2, R0", "STG.E desc[UR4][R22.64], R2"});       // overwritten first
  expect_none({"IADD3 R5, R2, R3, RZ", "FADD R6, R5, R2", "NOP"});  // results that nobody uses
  expect_none({"IMAD.WIDE R2, R0, R1, RZ", "STG.E desc[UR4][R22.64], R3"});
}

TEST(MachineUnwritten, AStoreOfWhatIsMadeOfThemIsAFaultOfTheLoad) {
  expect_one({"STG.E desc[UR4][R22.64], R2"}, 32, "8");
  expect_one({"IADD3 R5, R0, R3, RZ", "FMUL R6, R5, R1", "STG.E desc[UR4][R22.64], R6"}, 32, "12");
  expect_one({"STS [R21], R3"}, 32, "12");
  expect_one({"R2UR UR8, R2", "MOV R5, UR8", "STG.E desc[UR4][R22.64], R5"}, 1, "8");
  // Told once, however often it is used.
  expect_one({"STG.E desc[UR4][R22.64], R2", "STG.E desc[UR4][R22.64], R2"}, 32, "8");
}

TEST(MachineUnwritten, AddressesBranchesAndOtherLanesUseThem) {
  expect_one({"ISETP.GE.AND P2, PT, R2, 0x5, PT", "@P2 BRA 0xc0", "NOP", "NOP"}, 32, "8");
  expect_one({"LOP3.LUT R5, R2, 0xf, RZ, 0xc0, !PT", "IMAD.SHL.U32 R5, R5, 0x4, RZ",
              "LDS.U8 R6, [R5+0x400]"},
             32, "8");
  expect_one({"SHFL.BFLY PT, R5, R3, 0x1, 0x1f"}, 32, "12");
}

TEST(MachineUnwritten, AChoiceUsesWhatItChooses) {
  const std::string half = "ISETP.LT.AND P0, PT, R20, 0x10, PT";
  expect_none({"SEL R5, R0, R2, PT", "STG.E desc[UR4][R22.64], R5"});
  expect_one({half, "SEL R5, R0, R2, P0", "STG.E desc[UR4][R22.64], R5"}, 16, "264");
  expect_one({half, "FSEL R5, -R2, R0, P0", "STG.E desc[UR4][R22.64], R5"}, 16, "8");
  expect_one({half, "@P0 MOV R2, R0", "STG.E desc[UR4][R22.64], R2"}, 16, "264");
}

TEST(MachineUnwritten, AComparisonMayComeBeforeTheTestThatDiscardsIt) {
  // i < 4 && a[i] < 5, in both orders: lanes from 4 on do not need what they loaded.
  const std::string none = "ISETP.LT.AND P0, PT, R20, RZ, PT",
                    four = "ISETP.LT.AND P0, PT, R20, 0x4, PT";
  const std::string use = "@P1 MOV R6, R0", store = "STG.E desc[UR4][R22.64], R6",
                    begin = "MOV R6, R1";
  expect_none({begin, none, "ISETP.LT.AND P1, PT, R2, 0x5, P0", use, store});
  expect_none(
      {begin, "ISETP.LT.AND P1, PT, R2, 0x5, PT", "ISETP.LT.AND P1, PT, R20, RZ, P1", use, store});
  expect_one({begin, four, "ISETP.LT.AND P1, PT, R2, 0x5, P0", use, store}, 4, "8");
  expect_one(
      {begin, "ISETP.LT.AND P1, PT, R2, 0x5, PT", "ISETP.LT.AND P1, PT, R20, 0x4, P1", use, store},
      4, "8");
  // The same by a table: P0 and P1; P0 or P1.
  const std::string compare = "ISETP.LT.AND P1, PT, R2, 0x5, PT";
  expect_none({begin, none, compare, "PLOP3.LUT P1, PT, P0, P1, PT, 0x80, 0x0", use, store});
  expect_one({begin, none, compare, "PLOP3.LUT P1, PT, P0, P1, PT, 0xa8, 0x0", use, store}, 32,
             "8");
}

}  // namespace
}  // namespace warpscope
