// tests/sass/machine_calls_test.cpp: calls of functions whose addresses are in registers.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "profiling/emulator/sass/machine_code.h"
#include "tests/sass/machine_kernel.h"

namespace warpscope {
namespace {

using Words = std::vector<std::uint32_t>;

std::string hexadecimal(std::uint32_t x) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%x", x);
  return text;
}

// Lane i stores what the function at address `even` or `odd` makes of i, by whether i is odd.
struct Called {
  Words results = Words(32, 77);
  std::string faults;
};
Called call(std::uint32_t even, std::uint32_t odd) {
  MachineKernel k;
  k.add("S2R R0, SR_TID.X");
  k.add("ULDC.64 UR4, c[0x0][0x208]");
  k.add("LDC.64 R22, c[0x0][0x210]");
  k.add("IMAD.WIDE R22, R0, 0x4, R22");
  k.add("LOP3.LUT R2, R0, 0x1, RZ, 0xc0, !PT");
  k.add("ISETP.NE.AND P0, PT, R2, RZ, PT");
  k.add("MOV R8, " + hexadecimal(even));
  k.add("@P0 MOV R8, " + hexadecimal(odd));
  k.add("MOV R9, RZ");
  k.add("MOV R4, R0");
  k.add("MOV R31, RZ");
  k.add("MOV R30, " + hexadecimal(k.next_offset() + 32));
  k.add("CALL.REL.NOINC R8 `(k)");
  k.add("STG.E desc[UR4][R22.64], R4");
  k.add("EXIT");
  EXPECT_EQ(k.next_offset(), 0xf0U);
  k.label("$k$twice");
  k.add("IMAD.SHL.U32 R4, R4, 0x2, RZ");
  k.add("RET.REL.NODEC R30 `(k)");
  k.label("$k$less_one");
  k.add("IADD3 R4, R4, -0x1, RZ");
  k.add("RET.REL.NODEC R30 `(k)");
  Called called;
  const Result<MachineFunction> function = read_machine_text(k.text(), "k");
  if (!function) {
    called.faults = sentence(function.error());
    return called;
  }
  const MachineProgram program = MachineProgram::of(*function, machine_image(1), "k.cu");
  EXPECT_TRUE(program.unknown().empty());
  EmulatedMemory memory;
  const std::vector<ArgumentBytes> arguments = {
      argument_of(memory.add({"out", "out", ElementType::u32, {32}},
                             std::as_writable_bytes(std::span(called.results)), true))};
  Launch launch;
  launch.block.x = 32;
  const Result<EmulatedRun> done = emulate(program, launch, arguments, memory, {});
  if (!done) called.faults = sentence(done.error());
  for (std::size_t f = 0; done && f < done->trace.faults.size(); ++f)
    called.faults += done->trace.faults[f].sentence + "\n";
  return called;
}

TEST(MachineCalls, GoToTheFunctionWhoseAddressEachLaneHas) {
  const Called called = call(0xf0, 0x110);
  EXPECT_EQ(called.faults, "");
  for (std::uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(called.results[i], i % 2 == 0 ? 2 * i : i - 1) << i;
}

TEST(MachineCalls, OfAnAddressThatIsNotAFunctionAreFaults) {
  const Called called = call(0xf0, 0x10);
  EXPECT_NE(called.faults.find("an address at which the kernel has no function"), std::string::npos)
      << called.faults;
  EXPECT_EQ(called.results[2], 4U) << "the other lanes go on";
}

}  // namespace
}  // namespace warpscope
