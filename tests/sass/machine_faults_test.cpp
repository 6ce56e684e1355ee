// tests/sass/machine_faults_test.cpp: faults, races and hangs of machine code, at the line of the
// CUDA text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "profiling/emulator/sass/machine_code.h"
#include "tests/sass/machine_kernel.h"

// A block of two warps. R20 is the thread's index, R21 the address of its word of shared memory,
// R22 and R23 the address of its word of a buffer of 64 words.

namespace warpscope {
namespace {

using testing::HasSubstr;

MachineKernel kernel_of_words() {
  MachineKernel k;
  k.line(3);
  k.add("S2R R20, SR_TID.X");
  k.add("ULDC.64 UR4, c[0x0][0x208]");
  k.add("LDC.64 R22, c[0x0][0x210]");
  k.add("IMAD.WIDE R22, R20, 0x4, R22");
  k.add("IMAD.SHL.U32 R21, R20, 0x4, RZ");
  k.add("VIADD R21, R21, 0x400");
  return k;
}

Trace trace_of(MachineKernel k, const MachineImage& image = machine_image(1, 256)) {
  k.add("EXIT");
  const Result<MachineFunction> function = read_machine_text(k.text(), "k");
  EXPECT_TRUE(function) << k.text();
  if (!function) return {};
  const MachineProgram program = MachineProgram::of(*function, image, "k.cu");
  EXPECT_TRUE(program.unknown().empty());
  std::array<std::uint32_t, 64> words{};
  EmulatedMemory memory;
  const std::vector<ArgumentBytes> arguments = {argument_of(memory.add(
      {"x", "x", ElementType::u32, {64}}, std::as_writable_bytes(std::span(words)), true))};
  Launch launch;
  launch.block.x = 64;
  EmulateOptions options;
  options.instruction_budget = 2'000'000;
  const Result<EmulatedRun> done = emulate(program, launch, arguments, memory, options);
  EXPECT_TRUE(done) << (done ? "" : sentence(done.error()));
  return done ? done->trace : Trace{};
}

// One fault of a kind, at a line.
void expect_fault(const Trace& trace, FaultKind kind, int line, const std::string& part) {
  ASSERT_EQ(trace.faults.size(), 1u);
  EXPECT_EQ(trace.faults[0].kind, kind) << trace.faults[0].sentence;
  EXPECT_EQ(trace.faults[0].position.line, line) << trace.faults[0].sentence;
  EXPECT_EQ(trace.faults[0].position.file, "k.cu");
  EXPECT_THAT(trace.faults[0].sentence, HasSubstr(part));
}

TEST(MachineFaults, AStoreBeyondABufferIsOutOfBounds) {
  MachineKernel k = kernel_of_words();
  k.line(11);
  k.add("STG.E desc[UR4][R22.64+0x4], R20");
  expect_fault(trace_of(k), FaultKind::out_of_bounds, 11, "STG.E writes x[64], 4 bytes beyond");
}

TEST(MachineFaults, AnAddressThatIsNotAMultipleIsMisaligned) {
  MachineKernel k = kernel_of_words();
  k.line(12);
  k.add("LDS.64 R0, [R21+0x4]");
  const Trace trace = trace_of(k);
  bool found = false;
  for (const Fault& fault : trace.faults)
    found = found || (fault.kind == FaultKind::misaligned && fault.position.line == 12);
  EXPECT_TRUE(found);
}

TEST(MachineFaults, AWordThatAnotherWarpStoresIsARaceWithoutABarrier) {
  for (const bool barrier : {true, false}) {
    MachineKernel k = kernel_of_words();
    k.line(21);
    k.add("STS [R21], R20");
    if (barrier) k.add("BAR.SYNC.DEFER_BLOCKING 0x0");
    k.line(23);
    k.add("LOP3.LUT R5, R20, 0x20, RZ, 0x3c, !PT");  // of the other warp
    k.add("IMAD.SHL.U32 R6, R5, 0x4, RZ");
    k.add("LDS R7, [R6+0x400]");
    k.add("STG.E desc[UR4][R22.64], R7");
    const Trace trace = trace_of(k);
    if (barrier) {
      EXPECT_TRUE(trace.faults.empty()) << trace.faults[0].sentence;
      continue;
    }
    ASSERT_FALSE(trace.faults.empty());
    bool race = false;
    for (const Fault& fault : trace.faults)
      race = race || (fault.kind == FaultKind::shared_race && fault.position.file == "k.cu" &&
                      (fault.position.line == 21 || fault.position.line == 23));
    EXPECT_TRUE(race) << trace.faults[0].sentence;
  }
}

// ptxas leaves out the WARPSYNC of a __syncwarp where all lanes are together: an H200's kernels
// with correct synchronisation looked like this.
TEST(MachineFaults, AWordThatALaneOfTheSameWarpStoredIsNotARace) {
  MachineKernel k = kernel_of_words();
  k.add("STS [R21], R20");
  k.add("LOP3.LUT R5, R20, 0x1, RZ, 0x3c, !PT");  // of the neighbour
  k.add("IMAD.SHL.U32 R6, R5, 0x4, RZ");
  k.add("LDS R7, [R6+0x400]");
  k.add("STG.E desc[UR4][R22.64], R7");
  const Trace trace = trace_of(k);
  EXPECT_TRUE(trace.faults.empty()) << trace.faults[0].sentence;
}

// The lower four bits are the barrier, those from 16 on the threads: 64 wait for both warps, 32 for
// one, which then reads what the other has not stored yet.
TEST(MachineFaults, OneRegisterHoldsABarrierAndItsThreads) {
  for (const bool both_warps : {true, false}) {
    MachineKernel k = kernel_of_words();
    k.add(both_warps ? "MOV R8, 0x400003" : "MOV R8, 0x200003");
    k.add("STS [R21], R20");
    k.add("BAR.SYNC.DEFER_BLOCKING R8, R8");
    k.add("LOP3.LUT R5, R20, 0x20, RZ, 0x3c, !PT");  // of the other warp
    k.add("IMAD.SHL.U32 R6, R5, 0x4, RZ");
    k.add("LDS R7, [R6+0x400]");
    k.add("STG.E desc[UR4][R22.64], R7");
    EXPECT_EQ(trace_of(k).faults.empty(), both_warps);
  }
}

// The first warp has lanes on both sides, the second none.
TEST(MachineFaults, APredicateThatLeavesOutLanesOfABarrierIsNamed) {
  for (const char* least : {"0x9", "0x20"}) {
    MachineKernel k = kernel_of_words();
    k.add(std::string("ISETP.GE.AND P0, PT, R20, ") + least + ", PT");
    k.line(21);
    k.add("@!P0 BAR.SYNC.DEFER_BLOCKING 0x0");
    const Trace trace = trace_of(k);
    if (std::string(least) == "0x20") {
      EXPECT_TRUE(trace.faults.empty()) << trace.faults[0].sentence;
    } else {
      expect_fault(trace, FaultKind::divergent_barrier, 21,
                   "is reached by lanes 0–8 of a warp while its predicate leaves out lanes 9–31");
    }
  }
}

// As ptxas makes barrier.sync without .aligned: the lanes of both branches are collected.
TEST(MachineFaults, LanesMayBeCollectedForABarrier) {
  for (const bool collected : {true, false}) {
    MachineKernel k = kernel_of_words();
    k.add("ISETP.GE.AND P0, PT, R20, 0x9, PT");  // at 0x60
    k.add("MOV R8, 0x0");
    k.add("@P0 BRA 0xc0");
    k.add(collected ? "WARPSYNC.COLLECTIVE.ALL `(.L_x_0)" : "NOP");
    k.add("BAR.SYNC.DEFER_BLOCKING R8, R8");
    k.add("BRA 0xe0");
    k.add(collected ? "WARPSYNC.COLLECTIVE.ALL `(.L_x_1)" : "NOP");  // at 0xc0
    k.add("BAR.SYNC.DEFER_BLOCKING R8, R8");
    k.label(".L_x_0");
    k.label(".L_x_1");
    k.add("NOP");  // at 0xe0
    EXPECT_EQ(trace_of(k).faults.empty(), collected);
  }
}

// ptxas reads a word beside a variable where it knows that an index is beyond the end.
TEST(MachineFaults, AWordBeyondAConstantVariableIsOutOfBounds) {
  for (const char* text : {"ULDC.64 UR8, c[0x3][0x8]", "FADD R5, RZ, c[0x3][0xc]"}) {
    MachineImage image = machine_image(1, 256);
    image.variables.push_back({"filter", 3, 0, 12});
    MachineKernel k = kernel_of_words();
    k.line(17);
    k.add(text);
    expect_fault(trace_of(k, image), FaultKind::out_of_bounds, 17, "");
  }
}

TEST(MachineFaults, AFlagThatNobodySetsIsAnEndlessLoop) {
  MachineKernel k = kernel_of_words();
  k.line(31);
  k.add("LDG.E.STRONG.GPU R5, desc[UR4][R22.64]");  // at 0x60
  k.add("ISETP.EQ.AND P0, PT, R5, RZ, PT");
  k.add("@P0 BRA 0x60");
  expect_fault(trace_of(k), FaultKind::endless_loop, 31, "");
}

TEST(MachineFaults, LanesThatNeverComeToABarrierAreADeadlock) {
  // Warp 1 waits at barrier 1 for two warps, warp 0 at barrier 2.
  MachineKernel k = kernel_of_words();
  k.add("ISETP.LT.AND P0, PT, R20, 0x20, PT");  // at 0x60
  k.line(41);
  k.add("@P0 BRA 0x90");
  k.add("BAR.SYNC.DEFER_BLOCKING 0x1, 0x40");
  k.line(44);
  k.add("@P0 BAR.SYNC.DEFER_BLOCKING 0x2, 0x40");
  const Trace trace = trace_of(k);
  ASSERT_FALSE(trace.faults.empty());
  const FaultKind kind = trace.faults[0].kind;
  EXPECT_TRUE(kind == FaultKind::deadlock || kind == FaultKind::divergent_barrier)
      << trace.faults[0].sentence;
  EXPECT_TRUE(trace.hang);
  EXPECT_TRUE(trace.faults[0].position.line == 41 || trace.faults[0].position.line == 44);
}

}  // namespace
}  // namespace warpscope
