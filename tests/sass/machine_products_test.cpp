// tests/sass/machine_products_test.cpp: products of small matrices, and blocks of a cluster, as
// machine code.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <random>
#include <string>
#include <vector>

#include "profiling/emulator/sass/machine_code.h"
#include "tests/sass/machine_kernel.h"

namespace warpscope {
namespace {

using u32 = std::uint32_t;
using Words = std::vector<u32>;

// Runs the kernel on buffers, each of which is a parameter; returns the faults' sentences.
std::string run(const MachineKernel& k, std::vector<Words*> buffers, const Launch& launch,
                std::int64_t shared_bytes = 0) {
  const Result<MachineFunction> function = read_machine_text(k.text(), "k");
  if (!function) return sentence(function.error());
  const MachineProgram program =
      MachineProgram::of(*function, machine_image(buffers.size(), shared_bytes), "k.cu");
  std::string problems;
  for (const std::string& u : program.unknown()) problems += u + "\n";
  EmulatedMemory memory;
  std::vector<ArgumentBytes> arguments;
  for (Words* words : buffers) {
    arguments.push_back(argument_of(
        memory.add({"x", "x", ElementType::u32, {static_cast<std::int64_t>(words->size())}},
                   std::as_writable_bytes(std::span(*words)), true)));
  }
  const Result<EmulatedRun> done = emulate(program, launch, arguments, memory, {});
  if (!done) return problems + sentence(done.error());
  for (const Fault& f : done->trace.faults) problems += f.sentence + "\n";
  return problems;
}

// Loads R0 … of a lane from the first buffer, which has a row of 32 words for each register.
void load_rows(MachineKernel& k, int rows, int first = 0) {
  k.add("S2R R40, SR_TID.X");
  k.add("ULDC.64 UR4, c[0x0][0x208]");
  k.add("LDC.64 R42, c[0x0][0x210]");
  k.add("IMAD.WIDE R42, R40, 0x4, R42");
  for (int r = 0; r < rows; ++r) {
    char text[80];
    std::snprintf(text, sizeof text, "LDG.E R%d, desc[UR4][R42.64+0x%x]", first + r,
                  static_cast<unsigned>(128 * r));
    k.add(text);
  }
}
void store_rows(MachineKernel& k, int first, int rows) {
  k.add("LDC.64 R42, c[0x0][0x218]");
  k.add("IMAD.WIDE R42, R40, 0x4, R42");
  for (int r = 0; r < rows; ++r) {
    char text[80];
    std::snprintf(text, sizeof text, "STG.E desc[UR4][R42.64+0x%x], R%d",
                  static_cast<unsigned>(128 * r), first + r);
    k.add(text);
  }
  k.add("EXIT");
}

Words random_words(std::size_t count) {
  std::mt19937 random(5);
  Words words(count);
  for (u32& w : words) w = static_cast<u32>(random());
  return words;
}

Launch one_warp() {
  Launch launch;
  launch.block.x = 32;
  return launch;
}

// Byte `number` of a word, with a sign or without.
int byte_of(u32 word, std::size_t number, bool has_sign) {
  const auto byte = static_cast<std::uint8_t>(word >> (8 * number));
  return has_sign ? static_cast<std::int8_t>(byte) : byte;
}

// PTX ISA, "Matrix Fragments for mma.m8n8k16": lane 4·row + k / 4 has four bytes of a row of A,
// lane 4·column + k / 4 four of a column of B, lane 4·row + column / 2 two elements of a row of C.
TEST(MachineProducts, OfBytesAreThoseOfIntegers) {
  for (const bool b_has_sign : {true, false}) {
    Words in = random_words(4 * 32), out(2 * 32);
    MachineKernel k;
    load_rows(k, 4);
    k.add(std::string("IMMA.8816.S8.") + (b_has_sign ? "S8" : "U8") + " R8, R0.ROW, R1.COL, R2");
    store_rows(k, 8, 2);
    ASSERT_EQ(run(k, {&in, &out}, one_warp()), "");
    for (std::size_t row = 0; row < 8; ++row) {
      for (std::size_t column = 0; column < 8; ++column) {
        const std::size_t lane = 4 * row + column / 2, which = column % 2;
        u32 sum = in[(2 + which) * 32 + lane];
        for (std::size_t n = 0; n < 16; ++n) {
          const int a = byte_of(in[4 * row + n / 4], n % 4, true);
          const int b = byte_of(in[32 + 4 * column + n / 4], n % 4, b_has_sign);
          sum += static_cast<u32>(a * b);
        }
        EXPECT_EQ(out[which * 32 + lane], sum) << row << ", " << column;
      }
    }
  }
}

// A product of m16n8k32, with accumulators that cannot grow.
TEST(MachineProducts, OfBytesStayAtTheEndsIfTheySaturate) {
  Words in(10 * 32, 0x7f7f7f7f), out(4 * 32);
  for (std::size_t k = 6 * 32; k < in.size(); ++k) in[k] = 0x7fffffff;  // C
  MachineKernel k;
  load_rows(k, 10);
  k.add("IMMA.16832.S8.S8.SAT R12, R0.ROW, R4.COL, R6");
  store_rows(k, 12, 4);
  ASSERT_EQ(run(k, {&in, &out}, one_warp()), "");
  for (const u32 x : out) EXPECT_EQ(x, 0x7fffffffU);
}

// PTX ISA, "Matrix Fragments for mma.m8n8k4 with .f64": lane 4·row + k of A, 4·column + k of B.
TEST(MachineProducts, OfDoublesAreExactForWholeNumbers) {
  Words in(8 * 32), out(4 * 32);
  const auto put = [&](std::size_t row, std::size_t lane, double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    in[row * 32 + lane] = static_cast<u32>(bits);
    in[(row + 1) * 32 + lane] = static_cast<u32>(bits >> 32);
  };
  const auto a = [](std::size_t row, std::size_t n) {
    return 3.0 + static_cast<double>(7 * row + n);
  };
  const auto b = [](std::size_t n, std::size_t column) {
    return static_cast<double>(11 * n) - static_cast<double>(column);
  };
  for (std::size_t lane = 0; lane < 32; ++lane) {
    put(0, lane, a(lane / 4, lane % 4));
    put(2, lane, b(lane % 4, lane / 4));
    put(4, lane, static_cast<double>(lane));
    put(6, lane, -static_cast<double>(lane));
  }
  MachineKernel k;
  load_rows(k, 8);
  k.add("DMMA.8x8x4 R8, R0, R2, R4");
  store_rows(k, 8, 4);
  ASSERT_EQ(run(k, {&in, &out}, one_warp()), "");
  for (std::size_t lane = 0; lane < 32; ++lane) {
    for (std::size_t which = 0; which < 2; ++which) {
      const std::size_t row = lane / 4, column = lane % 4 * 2 + which;
      double sum = which == 0 ? static_cast<double>(lane) : -static_cast<double>(lane);
      for (std::size_t n = 0; n < 4; ++n) sum += a(row, n) * b(n, column);
      const std::uint64_t bits =
          std::uint64_t{out[(2 * which + 1) * 32 + lane]} << 32 | out[2 * which * 32 + lane];
      EXPECT_EQ(std::bit_cast<double>(bits), sum);
    }
  }
}

TEST(MachineProducts, AFormThatIsNotKnownIsNamed) {
  Words in(128), out(64);
  MachineKernel k;
  load_rows(k, 4);
  k.add("IMMA.8864.S4.S4 R8, R0.ROW, R1.COL, R2");
  store_rows(k, 8, 2);
  EXPECT_NE(run(k, {&in, &out}, one_warp()).find("IMMA.8864.S4.S4"), std::string::npos);
}

// Two blocks write their own shared memory, meet, and read each other's. Addresses have the rank in
// their upper byte, after the 1024 bytes that the system keeps.
TEST(MachineClusters, BlocksReadEachOthersSharedMemory) {
  MachineKernel k;
  k.add("S2R R20, SR_TID.X");
  k.add("ULDC.64 UR4, c[0x0][0x208]");
  k.add("S2R R0, SR_CgaCtaId");
  k.add("IMAD.SHL.U32 R2, R20, 0x4, RZ");
  k.add("VIADD R2, R2, 0x400");
  k.add("LEA R1, R0, R2, 0x18");
  k.add("IMAD R3, R0, 0x64, R20");
  k.add("STS [R1], R3");
  k.add("UCGABAR_ARV");
  k.add("UCGABAR_WAIT");
  k.add("LOP3.LUT R4, R0, 0x1, RZ, 0x3c, !PT");
  k.add("LEA R6, R4, R2, 0x18");
  k.add("S2R R7, SR_SWINHI");
  k.add("LD.E R8, desc[UR4][R6.64]");
  k.add("LDC R11, c[0x0][0x188]");  // blocks of the cluster
  k.add("IMAD R8, R11, 0x3e8, R8");
  k.add("S2R R9, SR_CTAID.X");
  k.add("IMAD R10, R9, 0x20, R20");
  k.add("LDC.64 R22, c[0x0][0x210]");
  k.add("IMAD.WIDE R22, R10, 0x4, R22");
  k.add("STG.E desc[UR4][R22.64], R8");
  k.add("UCGABAR_ARV");
  k.add("UCGABAR_WAIT");
  k.add("EXIT");
  Words out(4 * 32);
  Launch launch = one_warp();
  launch.grid.x = 4;
  launch.cluster.x = 2;
  ASSERT_EQ(run(k, {&out}, launch, 128), "");
  for (u32 i = 0; i < out.size(); ++i)
    EXPECT_EQ(out[i], 2000 + 100 * (1 - i / 32 % 2) + i % 32) << i;
}

TEST(MachineClusters, AGenericAddressIsOfTheSpaceThatItLiesIn) {
  MachineKernel k;
  k.add("ULDC.64 UR4, c[0x0][0x208]");
  k.add("LDC.64 R22, c[0x0][0x210]");
  k.add("MOV R6, 0x400");
  k.add("S2R R7, SR_SWINHI");
  k.add("QSPC.E.S P0, RZ, [R6]");
  k.add("SEL R0, RZ, 0x1, !P0");
  k.add("QSPC.E.S P0, RZ, [R22]");
  k.add("SEL R1, RZ, 0x2, !P0");
  k.add("QSPC.E.G P0, RZ, [R22]");
  k.add("SEL R2, RZ, 0x4, !P0");
  k.add("IADD3 R0, R0, R1, R2");
  k.add("STG.E desc[UR4][R22.64], R0");
  k.add("EXIT");
  Words out(1);
  Launch launch;
  launch.block.x = 1;
  ASSERT_EQ(run(k, {&out}, launch, 128), "");
  EXPECT_EQ(out[0], 5u);
}

}  // namespace
}  // namespace warpscope
