// tests/sass/live_registers_test.cpp: the registers in use at each instruction, against answers
// that were worked out by hand and against a search over all paths.
#include "profiling/emulator/sass/live/live_registers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

namespace warpscope {
namespace {

// A function of these rows; a row that ends with ':' is a label.
MachineFunction function_of(const std::vector<std::string>& rows) {
  std::string text = "\t.section\t.text.k,\"ax\",@progbits\n.text.k:\n";
  unsigned offset = 0;
  for (const std::string& row : rows) {
    if (row.ends_with(":")) {
      text += row + "\n";
      continue;
    }
    char number[16];
    std::snprintf(number, sizeof number, "/*%04x*/ ", offset);
    text += "        " + (number + row) + " ;\n";
    offset += kMachineInstructionBytes;
  }
  const Result<MachineFunction> function = read_machine_text(text, "k");
  EXPECT_TRUE(function) << sentence(function.error());
  return function ? *function : MachineFunction{};
}

std::vector<std::string> names(const std::vector<std::string>& rows) {
  std::vector<std::string> found;
  for (const LiveRegisters& row : live_registers(function_of(rows)).rows)
    found.push_back(row.names);
  return found;
}

using testing::ElementsAre;

// y[i] = a·x[i]: worked out by hand from the last instruction upwards.
TEST(LiveRegisters, OfStraightCodeAreThoseThatAreReadLater) {
  EXPECT_THAT(
      names({"S2R R0, SR_TID.X", "LDC.64 R2, c[0x0][0x210]", "ULDC.64 UR4, c[0x0][0x208]",
             "IMAD.WIDE R2, R0, 0x4, R2", "LDG.E R5, desc[UR4][R2.64]",
             "ISETP.GE.AND P0, PT, R0, 0x20, PT", "FMUL R5, R5, R5",
             "@!P0 STG.E desc[UR4][R2.64], R5", "EXIT"}),
      ElementsAre("R0", "R0 R2-R3", "R0 R2-R3 UR4-UR5", "R0 R2-R3 UR4-UR5", "R0 R2-R3 R5 UR4-UR5",
                  "R0 R2-R3 R5 UR4-UR5 P0", "R2-R3 R5 UR4-UR5 P0", "R2-R3 R5 UR4-UR5 P0", ""));
}

TEST(LiveRegisters, GoRoundALoop) {
  // R1 is the sum, R2 counts, R3 is only read: it is in use in the whole loop.
  EXPECT_THAT(
      names({"MOV R1, RZ", "MOV R2, RZ", "MOV R3, 0x7", ".L_x_0:", "IADD3 R1, R1, R3, RZ",
             "VIADD R2, R2, 0x1", "ISETP.GE.AND P0, PT, R2, 0x9, PT", "@!P0 BRA `(.L_x_0)",
             "STS [RZ], R1", "EXIT"}),
      ElementsAre("R1", "R1-R2", "R1-R3", "R1-R3", "R1-R3", "R1-R3 P0", "R1-R3 P0", "R1", ""));
}

TEST(LiveRegisters, SurviveAWriteWhoseGuardMayBeFalse) {
  EXPECT_THAT(names({"MOV R0, 0x1", "NOP", "@P0 MOV R0, 0x2", "STS [RZ], R0", "EXIT"}),
              ElementsAre("R0 P0", "R0 P0", "R0 P0", "R0", ""));
  EXPECT_THAT(names({"MOV R0, 0x1", "NOP", "MOV R0, 0x2", "STS [RZ], R0", "EXIT"}),
              ElementsAre("R0", "", "R0", "R0", ""))
      << "what nobody reads is in use where it is written";
}

TEST(LiveRegisters, GoBackToWhereACallGoesOn) {
  // R7 is read after the first call alone, R8 after the second; both calls return from one place.
  const auto found =
      names({"MOV R4, 0x20", "CALL.REL.NOINC `(half)", "STS [RZ], R7", "CALL.REL.NOINC `(half)",
             "STS [RZ], R8", "EXIT", "half:", "FMUL R6, R5, 0.5", "RET.REL.NODEC R4 `(k)"});
  EXPECT_EQ(found[6], "R4-R8") << "it may come back to either";
  EXPECT_EQ(found[4], "R8");
}

TEST(LiveRegisters, FollowTheTargetsOfATable) {
  const auto found =
      names({"BRX R2 -0x10 (*\"BRANCH_TARGETS .L_x_1,.L_x_2\"*)", ".L_x_0:", "STS [RZ], R7", "EXIT",
             ".L_x_1:", "STS [RZ], R8", "EXIT", ".L_x_2:", "STS [RZ], R9", "EXIT"});
  EXPECT_EQ(found[0], "R2-R3 R8-R9") << "not R7";
  EXPECT_EQ(names({"BRX R2 -0x10", ".L_x_0:", "STS [RZ], R7", "EXIT"})[0], "R2-R3 R7")
      << "where no target is named, it may be any label";
}

RegisterUses uses_of(const std::string& text) {
  const MachineFunction function = function_of({text});
  return function.code.empty() ? RegisterUses{} : register_uses(function.code.front());
}

// What each form reads and writes, by NVIDIA's list of instructions and the PTX they come from.
TEST(RegisterUses, AreWhatTheOpcodeSays) {
  struct Row {
    const char *text, *reads, *writes;
  };
  constexpr Row kRows[] = {
      {"IMAD.WIDE R2, R0, 0x4, R4", "R0 R4-R5", "R2-R3"},
      {"IMAD.WIDE.U32 R2, P1, R0, R1, RZ", "R0-R1", "R2-R3 P1"},
      {"IMAD.HI.U32 R3, R3, R7, R2", "R2-R3 R7", "R3"},
      {"IADD3 R4, P0, R2, UR4, RZ", "R2 UR4", "R4 P0"},
      {"IADD3.X R5, R3, UR5, RZ, P0, !PT", "R3 UR5 P0", "R5"},
      {"LEA.HI.X R7, R2, UR7, R3, 0x1, P0", "R2-R3 UR7 P0", "R7"},
      {"LOP3.LUT P2, R30, R15, RZ, R16, 0xfa, !PT", "R15-R16", "R30 P2"},
      {"PLOP3.LUT P0, PT, P2, P3, UP1, 0x8, 0x0", "P2-P3 UP1", "P0"},
      {"ISETP.GE.AND.EX P0, P4, R3, UR4, PT, P1", "R3 UR4 P1", "P0 P4"},
      {"SEL R11, R7, UR4, !P0", "R7 UR4 P0", "R11"},
      {"FCHK P0, R1, R2", "R1-R2", "P0"},
      {"SHFL.BFLY P1, R7, R8, R9, 0x1f", "R8-R9", "R7 P1"},
      {"VOTE.ANY R4, PT, P0", "P0", "R4"},
      {"VOTEU.ANY UR4, UPT, P3", "P3", "UR4"},
      {"VOTE.ALL P1, P0", "P0", "P1"},
      {"ELECT P3, URZ, PT", "", "P3"},
      {"R2UR UR19, R27", "R27", "UR19"},
      {"REDUX.SUM UR4, R5", "R5", "UR4"},
      {"MATCH.ALL P0, R5, R4", "R4", "R5 P0"},
      {"CS2R R12, SRZ", "", "R12-R13"},
      {"CS2R.32 R12, SR_CLOCKLO", "", "R12"},
      {"P2R R0, PR, RZ, 0x5", "P0 P2", "R0"},
      {"R2P PR, R0, 0x6", "R0", "P1-P2"},
      {"B2R.RESULT RZ, P3", "", "P3"},
      {"BAR.RED.POPC.DEFER_BLOCKING 0x0, P2", "P2", ""},
      {"LDC.64 R4, c[0x3][R2+0x8]", "R2", "R4-R5"},
      {"ULDC UR5, c[0x0][0x238]", "", "UR5"},
      {"LDG.E.128.CONSTANT R8, desc[UR4][R2.64+0x10]", "R2-R3 UR4-UR5", "R8-R11"},
      {"LDG.E.LTC128B R8, desc[UR4][R2.64]", "R2-R3 UR4-UR5", "R8"},
      {"LD.E R24, [R6+0x400]", "R6-R7", "R24"},
      {"STG.E.64 desc[UR4][R2.64], R6", "R2-R3 R6-R7 UR4-UR5", ""},
      {"STS.U8 [R2+UR4], R6", "R2 R6 UR4", ""},
      {"LDSM.16.M88.4 R4, [R2]", "R2", "R4-R7"},
      {"LDGSTS.E.BYPASS.LTC128B.128 [R5], desc[UR4][R2.64], P0", "R2-R3 R5 UR4-UR5 P0", ""},
      {"ATOMG.E.CAS.64.STRONG.GPU PT, R8, desc[UR4][R2.64], R4, R6", "R2-R7 UR4-UR5", "R8-R9"},
      {"ATOMS.CAST.SPIN P0, [R3], R4, R5", "R3-R5", "P0"},
      {"REDG.E.ADD.F64.RN.STRONG.GPU desc[UR4][R2.64], R6", "R2-R3 R6-R7 UR4-UR5", ""},
      {"SYNCS.EXCH.64 URZ, [UR9+0x8], UR4", "UR4-UR5 UR9", ""},
      {"SYNCS.ARRIVE.TRANS64 RZ, [UR9], R24", "R24 UR9", ""},
      {"SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R4], R5", "R4-R5", "P0"},
      {"UTMALDG.3D [UR16], [UR6]", "UR6-UR7 UR16-UR20", ""},
      {"UBLKCP.S.G [UR8], [UR6], UR4", "UR4 UR6-UR9", ""},
      {"DFMA R2, R4, R6, R8", "R4-R9", "R2-R3"},
      {"DSETP.GT.AND P0, PT, R2, R4, PT", "R2-R5", "P0"},
      {"F2F.F64.F32 R2, R4", "R4", "R2-R3"},
      {"F2F.F32.F64 R2, R4", "R4-R5", "R2"},
      {"F2I.F64.TRUNC R2, R4", "R4-R5", "R2"},
      {"F2I.S64.TRUNC R2, R4", "R4", "R2-R3"},
      {"I2F.F64.U32 R2, R4", "R4", "R2-R3"},
      {"I2F.S64 R2, R4", "R4-R5", "R2"},
      {"MUFU.RCP64H R3, R5", "R5", "R3"},
      {"HMMA.16816.F32 R4, R8, R12, R16", "R8-R13 R16-R19", "R4-R7"},
      {"HMMA.1688.F32.TF32 R4, R8, R12, R16", "R8-R13 R16-R19", "R4-R7"},
      {"HMMA.16816.F16 R4, R8, R12, RZ", "R8-R13", "R4-R5"},
      {"IMMA.16832.S8.S8 R4, R8, R12, R16", "R8-R13 R16-R19", "R4-R7"},
      {"DMMA.884 R4, R8, R10, R12", "R8-R15", "R4-R7"},
      {"HGMMA.64x64x16.F32 R24, gdesc[UR8], R24, !UPT, gsb0", "R24-R55 UR8-UR11", "R24-R55"},
      {"HGMMA.64x16x16.F32.BF16 R24, R4, gdesc[UR8], R24, UP0", "R4-R7 R24-R31 UR10-UR11 UP0",
       "R24-R31"},
      {"@UP2 UMOV UR8, UR16", "UR16 UP2", "UR8"},
      {"UIMAD.WIDE.U32 UR6, UR20, -0x55555555, URZ", "UR20", "UR6-UR7"},
      {"WARPSYNC.COLLECTIVE R5, `(.L_x_1)", "R5", ""},
      {"BRA.DIV UR4, `(.L_x_9)", "UR4", ""}};
  for (const Row& row : kRows) {
    const RegisterUses uses = uses_of(row.text);
    EXPECT_EQ(names_of(uses.reads), row.reads) << row.text;
    EXPECT_EQ(names_of(uses.writes), row.writes) << row.text;
    EXPECT_FALSE(uses.guessed) << row.text;
  }
}

TEST(RegisterUses, OfAnUnknownOpcodeAreGuessedAndNamed) {
  const LiveAnalysis live = live_registers(function_of({"QUUX R2, R3", "QUUX R4, R2", "EXIT"}));
  EXPECT_THAT(live.guessed, ElementsAre("QUUX"));
  EXPECT_EQ(live.rows[1].names, "R2 R4");
}

// Random programs. The reference knows which registers each row reads and writes since it made the
// row, and looks for a path to a read without a sure write: it shares nothing with the analysis.
struct Made {
  std::string text;
  std::set<std::string> reads, writes;
  bool guarded = false;
  int jump = -1;  // to this row
  bool falls = true;
};

class Programs {
 public:
  explicit Programs(unsigned seed) : random_(seed) {}
  std::vector<Made> make() {
    const int count = below(25) + 5;
    std::vector<Made> rows;
    for (int k = 0; k < count; ++k) rows.push_back(row(count));
    rows.push_back({"EXIT", {}, {}, false, -1, false});
    return rows;
  }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }
  std::string general() { return "R" + std::to_string(below(10)); }
  int pair() { return 2 * below(5); }
  static std::set<std::string> two(int first) {
    return {"R" + std::to_string(first), "R" + std::to_string(first + 1)};
  }
  void guard(Made& made) {
    if (below(3) != 0) return;
    const std::string p = "P" + std::to_string(below(3));
    made.text = (below(2) != 0 ? "@" : "@!") + p + " " + made.text;
    made.reads.insert(p);
    made.guarded = true;
  }
  Made row(int count) {
    const std::string a = general(), b = general(), c = general();
    const std::string p = "P" + std::to_string(below(3)), u = "UR" + std::to_string(4 + below(3));
    const int first = pair(), second = pair();
    Made made;
    switch (below(8)) {
      case 0:
        made = {"IADD3 " + a + ", " + b + ", " + c + ", RZ", {b, c}, {a}};
        break;
      case 1:
        made = {"MOV " + a + ", " + u, {u}, {a}};
        break;
      case 2:
        made = {"ISETP.GE.AND " + p + ", PT, " + a + ", " + b + ", PT", {a, b}, {p}};
        break;
      case 3:
        made = {"IMAD.WIDE R" + std::to_string(first) + ", " + a + ", " + b + ", R" +
                    std::to_string(second),
                two(second), two(first)};
        made.reads.insert({a, b});
        break;
      case 4:
        made = {"UMOV " + u + ", 0x1", {}, {u}};
        break;
      case 5:
        made = {"STS [" + a + "], " + b, {a, b}, {}};
        break;
      case 6:
        made = {"SEL " + a + ", " + b + ", " + c + ", " + p, {b, c, p}, {a}};
        break;
      default:
        made.jump = below(count);
        made.text = "BRA `(.L_" + std::to_string(made.jump) + ")";
        guard(made);
        made.falls = made.guarded;
        return made;
    }
    guard(made);
    return made;
  }
  std::mt19937 random_;
};

bool is_read_from(const std::vector<Made>& rows, std::size_t begin, const std::string& name) {
  std::vector<std::size_t> open = {begin};
  std::vector<bool> seen(rows.size());
  while (!open.empty()) {
    const std::size_t k = open.back();
    open.pop_back();
    if (k >= rows.size() || seen[k]) continue;
    seen[k] = true;
    const Made& row = rows[k];
    if (row.reads.contains(name)) return true;
    if (row.writes.contains(name) && !row.guarded) continue;
    if (row.falls) open.push_back(k + 1);
    if (row.jump >= 0) open.push_back(static_cast<std::size_t>(row.jump));
  }
  return false;
}

TEST(LiveRegisters, OfRandomProgramsAreThoseThatAPathLeadsToAReadOf) {
  std::vector<std::string> all;
  for (int k = 0; k < 10; ++k) all.push_back("R" + std::to_string(k));
  for (int k = 4; k < 7; ++k) all.push_back("UR" + std::to_string(k));
  for (int k = 0; k < 3; ++k) all.push_back("P" + std::to_string(k));
  int loops = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    const std::vector<Made> rows = Programs(seed).make();
    std::vector<std::string> text;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      text.push_back(".L_" + std::to_string(k) + ":");
      text.push_back(rows[k].text);
      loops += rows[k].jump >= 0 && rows[k].jump <= static_cast<int>(k) ? 1 : 0;
    }
    const std::vector<RegisterSet> sets = live_sets(function_of(text));
    ASSERT_EQ(sets.size(), rows.size());
    for (std::size_t k = 0; k < rows.size(); ++k) {
      RegisterSet expected;
      for (const std::string& name : all) {
        if (!rows[k].writes.contains(name) && !is_read_from(rows, k, name)) continue;
        const bool uniform = name[0] == 'U';
        const std::size_t place = name[0] == 'P' ? kPredicatePlace : uniform ? kUniformPlace : 0;
        expected.set(place + std::stoul(name.substr(uniform ? 2 : 1)));
      }
      ASSERT_EQ(names_of(sets[k]), names_of(expected))
          << "seed " << seed << ", row " << k << ": " << rows[k].text;
    }
  }
  EXPECT_GT(loops, 100);
}

}  // namespace
}  // namespace warpscope
