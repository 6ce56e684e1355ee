// tests/sass/dependencies_test.cpp: which instructions each one waits for, against answers that
// were worked out by hand.
#include "profiling/emulator/sass/live/dependencies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace warpscope {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// An instruction with what the compiler wrote into its encoding.
struct Written {
  std::string text;
  int cycles = 1, set_by_result = 7, set_by_reads = 7;  // 7: none
  unsigned waits = 0;                                   // a bit per scoreboard
};

// Bits 105 … 121 of the encoding: the upper half begins at bit 64.
std::uint64_t encoded(const Written& i) {
  return static_cast<std::uint64_t>(i.cycles) << 41 |
         static_cast<std::uint64_t>(i.set_by_result) << 46 |
         static_cast<std::uint64_t>(i.set_by_reads) << 49 |
         static_cast<std::uint64_t>(i.waits) << 52;
}

// Rows of a function; one that ends with ':' is a label.
std::vector<MachineRow> rows_of(const std::vector<Written>& code) {
  std::string text = "\t.section\t.text.k,\"ax\",@progbits\n.text.k:\n";
  unsigned offset = 0;
  for (const Written& i : code) {
    if (i.text.ends_with(":")) {
      text += i.text + "\n";
      continue;
    }
    char row[160];
    std::snprintf(row, sizeof row, "        /*%04x*/ %s ; /* 0x0 */\n /* 0x%016llx */\n", offset,
                  i.text.c_str(), static_cast<unsigned long long>(encoded(i)));
    text += row;
    offset += kMachineInstructionBytes;
  }
  const Result<MachineFunction> function = read_machine_text(text, "k");
  EXPECT_TRUE(function) << sentence(function.error());
  std::vector<MachineRow> rows(function ? function->code.size() : 0);
  if (function) add_dependencies(*function, rows);
  return rows;
}

constexpr NeedKind kFixed = NeedKind::fixed, kValue = NeedKind::value,
                   kOverwritten = NeedKind::overwritten, kOrder = NeedKind::order,
                   kBeside = NeedKind::asynchronous;

TEST(Dependencies, OfALoadAreNamedByItsScoreboardAndOfArithmeticByItsRegister) {
  const std::vector<MachineRow> rows = rows_of({{"S2R R0, SR_TID.X", 2, 0},
                                                {"IMAD.WIDE R2, R0, 0x4, R4", 5, 7, 7, 0b1},
                                                {"LDG.E R5, desc[UR4][R2.64]", 4, 2},
                                                {"FADD R6, R7, R7", 4},
                                                {"FMUL R5, R5, R6", 5, 7, 7, 0b100},
                                                {"EXIT"}});
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_THAT(rows[1].needs, ElementsAre(MachineNeed{0, kValue, 0}));
  EXPECT_THAT(rows[2].needs, ElementsAre(MachineNeed{1, kFixed, -1}));
  EXPECT_THAT(rows[4].needs, ElementsAre(MachineNeed{2, kValue, 2}, MachineNeed{3, kFixed, -1}));
  EXPECT_EQ(rows[2].issue_cycles, 4);
  EXPECT_EQ(rows[4].issue_cycles, 5);
}

TEST(Dependencies, HaveNoScoreboardAfterSomebodyElseWaited) {
  const std::vector<MachineRow> rows = rows_of({{"LDG.E R5, desc[UR4][R2.64]", 4, 1},
                                                {"FADD R6, R5, 1", 4, 7, 7, 0b10},
                                                {"FMUL R7, R5, R6", 4},
                                                {"EXIT"}});
  EXPECT_THAT(rows[2].needs, ElementsAre(MachineNeed{1, kFixed, -1}, MachineNeed{0, kValue, -1}));
}

TEST(Dependencies, OfWhatOverwritesAResultAreNotOnItsValue) {
  const std::vector<MachineRow> rows = rows_of({{"LDG.E R8, desc[UR4][R8.64]", 4, 1},
                                                {"IMAD.WIDE R8, R7, 0x10, R30", 4, 7, 7, 0b10},
                                                {"EXIT"}});
  EXPECT_THAT(rows[1].needs, ElementsAre(MachineNeed{0, kOverwritten, 1}));
}

// Two callers of one routine: what the one wrote before its call is not read after the other's.
TEST(Dependencies, DoNotGoFromOneCallerOfARoutineToAnother) {
  const std::vector<MachineRow> rows = rows_of({{"MOV R5, RZ", 4},               // 0
                                                {"CALL.REL.NOINC `($slow)", 5},  // 1
                                                {"MOV R5, R9", 4},               // 2
                                                {"MOV R7, R9", 4},               // 3
                                                {"CALL.REL.NOINC `($slow)", 5},  // 4
                                                {"FADD R6, R5, R7", 4},          // 5
                                                {"FADD R8, R21, 1", 4},          // 6
                                                {"EXIT"},                        // 7
                                                {"$slow:"},
                                                {"MOV R21, R0", 4},           // 8
                                                {"RET.REL.NODEC R2 `(k)"}});  // 9
  EXPECT_THAT(rows[5].needs, testing::UnorderedElementsAre(MachineNeed{2, kFixed, -1},
                                                           MachineNeed{3, kFixed, -1}));
  EXPECT_THAT(rows[6].needs, ElementsAre(MachineNeed{8, kFixed, -1}));
}

TEST(Dependencies, OfALoadOnItselfGoRoundTheLoopThoughAnotherInstructionWaits) {
  const std::vector<MachineRow> rows = rows_of({{".L_x_0:"},
                                                {"IMAD.WIDE R2, R4, 0x8, R8", 5},
                                                {"LDG.E R4, desc[UR4][R2.64]", 4, 0},
                                                {"FADD R6, R4, R6", 4, 7, 7, 0b1},
                                                {"@P0 BRA `(.L_x_0)", 5},
                                                {"EXIT"}});
  EXPECT_THAT(rows[0].needs, ElementsAre(MachineNeed{1, kValue, -1}));
  EXPECT_THAT(rows[1].needs, ElementsAre(MachineNeed{0, kFixed, -1}));
}

TEST(Dependencies, GoRoundALoop) {
  // The load of one turn is waited for in the next.
  const std::vector<MachineRow> rows = rows_of({{".L_x_0:"},
                                                {"FADD R6, R5, R6", 4, 7, 7, 0b1},
                                                {"LDG.E R5, desc[UR4][R2.64]", 4, 0},
                                                {"@P0 BRA `(.L_x_0)", 5},
                                                {"EXIT"}});
  EXPECT_THAT(rows[0].needs, testing::Contains(MachineNeed{1, kValue, 0}));
  EXPECT_THAT(rows[2].next, ElementsAre(0, 3));
  EXPECT_THAT(rows[0].next, IsEmpty());
  EXPECT_THAT(rows[3].next, ElementsAre(3));  // nothing follows
}

TEST(Dependencies, OfAStoreAreWhatOverwritesItsRegister) {
  const std::vector<MachineRow> rows = rows_of({{"STG.E desc[UR4][R2.64], R5", 4, 7, 3},
                                                {"MOV R5, RZ", 2, 7, 7, 0b1000},
                                                {"MOV R9, RZ", 2, 7, 7, 0b1000},
                                                {"EXIT"}});
  EXPECT_THAT(rows[1].needs, ElementsAre(MachineNeed{0, kOverwritten, 3}));
  EXPECT_THAT(rows[2].needs, IsEmpty());  // it was waited for in the row before
}

TEST(Dependencies, WithoutACommonRegisterAreAnOrderAndComeLast) {
  const std::vector<MachineRow> rows = rows_of({{"LDG.E R5, desc[UR4][R2.64]", 4, 0},
                                                {"LDG.E R8, desc[UR4][R6.64]", 4, 0},
                                                {"FADD R9, R5, 1", 4, 7, 7, 0b1},
                                                {"EXIT"}});
  EXPECT_THAT(rows[2].needs, ElementsAre(MachineNeed{0, kValue, 0}, MachineNeed{1, kOrder, 0}));
}

TEST(Dependencies, OfAWaitAtAnMbarrierAreTheCopiesThatArriveThere) {
  const std::vector<MachineRow> rows =
      rows_of({{"UBLKCP.S.G [UR8], [UR4], UR6", 2},
               {".L_x_0:"},
               {"SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR9], R3", 2, 1},
               {"@!P0 BRA `(.L_x_0)", 5, 7, 7, 0b10},
               {"EXIT"}});
  EXPECT_THAT(rows[1].needs, testing::Contains(MachineNeed{0, kBeside, -1}));
  EXPECT_THAT(rows[2].needs, testing::Contains(MachineNeed{1, kValue, 1}));
}

TEST(Dependencies, OfDepbarAreTheCopiesBeforeIt) {
  const std::vector<MachineRow> rows = rows_of({{"LDGSTS.E.128 [R3], desc[UR4][R6.64]", 2},
                                                {"LDGDEPBAR", 2, 0},
                                                {"DEPBAR.LE SB0, 0x0", 2},
                                                {"EXIT"}});
  EXPECT_THAT(rows[2].needs, testing::UnorderedElementsAre(MachineNeed{1, kOrder, 0},
                                                           MachineNeed{0, kBeside, -1}));
}

}  // namespace
}  // namespace warpscope
