// tests/sass/machine_fuzz_test.cpp: broken disassemblies are read, decoded and run without harm.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "profiling/binaries/declarations.h"
#include "profiling/emulator/sass/machine_code.h"
#include "tests/profiling/binaries/made_binaries.h"

namespace warpscope {
namespace {

// A loop with loads, stores, a branch that lanes take apart, barriers, shuffles and atomics.
constexpr const char* kRows[] = {"LDC R1, c[0x0][0x28]",
                                 "S2R R20, SR_TID.X",
                                 "ULDC.64 UR4, c[0x0][0x208]",
                                 "LDC.64 R22, c[0x0][0x210]",
                                 "IMAD.WIDE R22, R20, 0x4, R22",
                                 "LDG.E.128 R4, desc[UR4][R22.64+0x10]",
                                 "ISETP.GE.AND P0, PT, R20, 0x10, PT",
                                 "BSSY B0, `(.L_2)",
                                 "@P0 BRA `(.L_1)",
                                 "STS.64 [R20.X8+0x400], R4",
                                 "LDS R6, [R20.X4+UR4+0x404]",
                                 "SHFL.BFLY PT, R7, R6, 0x1, 0x1f",
                                 "ATOMS.ADD R8, [R20.X4], R7",
                                 ".L_1:",
                                 "BSYNC B0",
                                 ".L_2:",
                                 "BAR.SYNC.DEFER_BLOCKING 0x0",
                                 "FFMA R9, -R4, |R5|, R6.reuse",
                                 "HFMA2.BF16_V2 R10, R9.H0_H0, 1, 1, R4",
                                 "PRMT R11, R10, 0x5410, R9",
                                 "LOP3.LUT P1, R12, R11, 0xff, R4, 0x96, !PT",
                                 "VOTE.ANY R13, P1, P0",
                                 "MATCH.ANY R14, R13",
                                 "REDUX.SUM.S32 UR6, R14",
                                 "IADD3 R20, P2, R20, UR6, RZ",
                                 "ISETP.LT.U32.AND P3, PT, R20, 0x64, PT",
                                 "REDG.E.ADD.STRONG.GPU desc[UR4][R22.64], R12",
                                 "STL [R1+0x8], R12",
                                 "LDL R15, [R1+0x8]",
                                 "@P3 BRA `(.L_1)",
                                 "CALL.REL.NOINC `(.L_2)",
                                 "BRX R15 -0x40",
                                 "RET.REL.NODEC R15 `(k)",
                                 "HGMMA.64x64x16.F32.BF16 R24, gdesc[UR8], R24, gsb0",
                                 "UTMALDG.2D [UR16], [UR6]",
                                 "LDGSTS.E.BYPASS.128 [R20+0x400], desc[UR4][R22.64], P0",
                                 "LDSM.16.MT88.4 R24, [R20.X4+0x400]",
                                 "HMMA.16816.F32.BF16 R24, R24, R28, R32",
                                 "DSETP.GT.AND P4, PT, R4, R6, PT",
                                 "S2UR UR14, SR_CgaCtaId",
                                 "ULEA UR16, UR14, UR5, 0x18",
                                 "UCGABAR_ARV",
                                 "UCGABAR_WAIT",
                                 "UTMALDG.4D.MULTICAST [UR16], [UR6], UR5",
                                 "UTMASTG.2D [UR16], [UR6]",
                                 "UTMAREDG.2D.ADD [UR16], [UR6]",
                                 "UBLKCP.S.G.MULTICAST [UR16], [UR4], UR5",
                                 "UBLKCP.S.S [UR16], [UR18], UR5",
                                 "UBLKCP.G.S [UR4], [UR16], UR5",
                                 "UBLKRED.G.S.ADD.F32.RN [UR4], [UR16], UR5",
                                 "UTMACMDFLUSH",
                                 "DEPBAR.LE SB0, 0x0",
                                 "STAS [R4.64], R2",
                                 "REDAS.ADD [R6.64], R8",
                                 "IMMA.16832.S8.U8.SAT R24, R24.ROW, R28.COL, R32",
                                 "DMMA.16x8x8 R24, R24, R28, R32",
                                 "QGMMA.64x64x32.F32.E4M3.E5M2 R24, gdesc[UR8], R24, gsb0",
                                 "QSPC.E.S P5, RZ, [R22]",
                                 "USETMAXREG.TRY_ALLOC.CTAPOOL UP0, 0xe8",
                                 "STG.E desc[UR4][R22.64], R15",
                                 "EXIT"};

std::string text_of(const std::vector<std::string>& rows) {
  std::string text = ".section .text.k,\nk:\n";
  int count = 0;
  for (const std::string& row : rows) {
    if (row.starts_with(".L")) {
      text += row + "\n";
      continue;
    }
    char line[400];
    std::snprintf(line, sizeof line, "        /*%04x*/ %.200s ; /* 0x0000000300000000 */\n",
                  static_cast<unsigned>(16 * count++), row.c_str());
    text += line;
    text += " /* 0x0 */\n";
  }
  return text;
}

MachineImage image() {
  MachineImage image;
  image.compute_capability = 90;
  image.parameter_bytes = 8;
  image.parameters = {{8, 0, 8}};
  image.shared_bytes = 1024;
  image.local_bytes = 64;
  return image;
}

// Runs what can be read, by itself or in a cluster of two blocks. Returns whether it could.
bool run(const std::string& text, const std::string& what, bool in_clusters = false) {
  Result<MachineFunction> function = read_machine_text(text, "k");
  if (!function) {
    EXPECT_FALSE(sentence(function.error()).empty());
    return false;
  }
  const MachineProgram program = MachineProgram::of(std::move(*function), image(), "k.cu");
  std::array<std::uint32_t, 512> words{};
  EmulatedMemory memory;
  const std::vector<ArgumentBytes> arguments = {argument_of(memory.add(
      {"x", "x", ElementType::u32, {512}}, std::as_writable_bytes(std::span(words)), true))};
  Launch launch;
  launch.block.x = 64;
  if (in_clusters) launch.grid.x = launch.cluster.x = 2;
  EmulateOptions options;
  options.instruction_budget = 4000;
  const Result<EmulatedRun> done = emulate(program, launch, arguments, memory, options);
  EXPECT_TRUE(done || !sentence(done.error()).empty()) << what;
  return true;
}

TEST(MachineFuzz, TheTextItselfRuns) {
  EXPECT_TRUE(run(text_of({std::begin(kRows), std::end(kRows)}), "the text"));
  EXPECT_TRUE(run(text_of({std::begin(kRows), std::end(kRows)}), "the text", true));
}

TEST(MachineFuzz, ChangedCharactersNeverCrash) {
  const std::string whole = text_of({std::begin(kRows), std::end(kRows)});
  constexpr std::string_view kCharacters = "RUPTZB0123456789abcdefx.,;[]+-|~!@`()*/ \n\t\"EXL_";
  std::mt19937 random(5);
  int read = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text = whole;
    const int changes = 1 + static_cast<int>(random() % 6);
    for (int k = 0; k < changes; ++k) {
      const std::size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text[at] = kCharacters[random() % kCharacters.size()];
          break;
        case 1:
          text.erase(at, 1 + random() % 12);
          break;
        default:
          text.insert(at, 1, kCharacters[random() % kCharacters.size()]);
      }
    }
    read += run(text, "round " + std::to_string(round), round % 4 == 0) ? 1 : 0;
  }
  EXPECT_GT(read, 300) << "many broken texts still are instructions";
}

TEST(MachineFuzz, ShuffledAndChangedNumbersNeverCrash) {
  std::mt19937 random(6);
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::string> rows(std::begin(kRows), std::end(kRows));
    for (int k = 0; k < 4; ++k)
      std::swap(rows[random() % rows.size()], rows[random() % rows.size()]);
    // Other registers, offsets and banks.
    std::string& row = rows[random() % rows.size()];
    for (char& c : row) {
      if (c >= '0' && c <= '9' && random() % 3 == 0) c = static_cast<char>('0' + random() % 10);
    }
    run(text_of(rows), row);
  }
}

// Names of texts do not depend on the folder that the compiler ran in.
TEST(MachineFuzz, TextsKeepTheirNamesInEachFolder) {
  std::string text = text_of({std::begin(kRows), std::end(kRows)});
  const std::size_t first = text.find("/*0000*/");
  ASSERT_NE(first, std::string::npos);
  text.insert(text.rfind('\n', first) + 1,
              "\t//## File \"../../tmp/scene/deep.cuh\", line 5 inlined at \"scene/k.cu\", line 9\n"
              "\t//## File \"scene/k.cu\", line 9\n");
  const std::vector<std::string> files = {"scene/k.cu", "scene/deep.cuh", "deep.cuh"};
  const Result<MachineProgram> program =
      MachineProgram::read(made_cubin().bytes(), text, "k", "scene/k.cu", files);
  ASSERT_TRUE(program) << sentence(program.error());
  const std::vector<SourcePosition>& chain = program->function().code.front().positions;
  ASSERT_EQ(chain.size(), 2u);
  EXPECT_EQ(chain[0].file, "scene/deep.cuh") << "the longest name that ends the path";
  EXPECT_EQ(chain[1].file, "scene/k.cu");
}

// Bytes of a cubin changed, cut out, doubled: what it says of the kernel is read, or refused.
TEST(MachineFuzz, ChangedCubinsNeverCrash) {
  const std::string whole = made_cubin().bytes();
  const std::string text = text_of({std::begin(kRows), std::end(kRows)});
  std::mt19937 random(8);
  int read = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string cubin = whole;
    const int changes = static_cast<int>(random() % 5);
    for (int k = 0; k < changes && !cubin.empty(); ++k) {
      const std::size_t at = random() % cubin.size();
      if (random() % 8 == 0) {
        cubin.erase(at, random() % 64);
      } else {
        cubin[at] = static_cast<char>(random());
      }
    }
    const Result<MachineProgram> program = MachineProgram::read(cubin, text, "k", "k.cu");
    EXPECT_TRUE(program || !sentence(program.error()).empty()) << round;
    read += program ? 1 : 0;
    const Result<std::string> declared = declarations_of(cubin, "k.cubin");
    EXPECT_TRUE(declared || !sentence(declared.error()).empty()) << round;
  }
  EXPECT_GT(read, 300) << "cubins with few changes still have the kernel";
}

}  // namespace
}  // namespace warpscope
