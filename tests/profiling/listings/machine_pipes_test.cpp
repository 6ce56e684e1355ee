// tests/profiling/listings/machine_pipes_test.cpp: issue slots of machine code by pipe.
#include "profiling/listings/machine_pipes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

namespace warpscope {
namespace {

using testing::HasSubstr;

Trace made(const std::vector<std::pair<std::string, std::int64_t>>& rows, bool whole = true) {
  Trace trace;
  trace.launch.grid = {132, 1, 1};
  trace.scope.grid = whole;
  trace.machine_code.emplace();
  for (const auto& [text, executed] : rows) {
    MachineRow row;
    row.text = text;
    row.executed = executed;
    trace.machine_code->rows.push_back(row);
  }
  return trace;
}

TEST(MachinePipes, AreThoseThatThePublicTextsName) {
  const std::map<std::string, MachinePipe> expected = {
      {"FFMA.FTZ", MachinePipe::fma},
      {"IMAD.WIDE.U32", MachinePipe::fma_heavy},
      {"IADD3.X", MachinePipe::alu},
      {"HFMA2.MMA", MachinePipe::fp16},
      {"DFMA", MachinePipe::fp64},
      {"MUFU.EX2", MachinePipe::xu},
      {"HGMMA.64x64x16.F32", MachinePipe::tensor},
      {"LDG.E.128", MachinePipe::lsu},
      {"SHFL.BFLY", MachinePipe::lsu},
      {"UIADD3", MachinePipe::uniform},
      {"ULDC.64", MachinePipe::uniform},
      {"LDC", MachinePipe::adu},
      {"BAR.SYNC.DEFER_BLOCKING", MachinePipe::adu},
      {"BRA", MachinePipe::cbu},
      {"UTMALDG.2D", MachinePipe::tma},
      {"UBLKCP.S.G", MachinePipe::tma},
      {"NOP", MachinePipe::other},
      {"", MachinePipe::other}};
  for (const auto& [opcode, pipe] : expected)
    EXPECT_EQ(to_text(pipe_of_opcode(opcode)), std::string(to_text(pipe))) << opcode;
}

TEST(MachinePipes, EachHasItsNameAndSaysWhatItRuns) {
  std::set<std::string> names;
  for (int k = 0; k <= static_cast<int>(MachinePipe::other); ++k) {
    const auto pipe = static_cast<MachinePipe>(k);
    EXPECT_TRUE(names.insert(to_text(pipe)).second) << to_text(pipe);
    EXPECT_NE(std::string(description_of(pipe)), "");
  }
}

TEST(MachinePipes, SlotsAddUpAndProductsOfIntegersTakeThoseOfFma) {
  // 132 multiprocessors: 400 of FMA each at four per cycle, 100 of them at two.
  const Trace trace = made({{"@!P0 FFMA R0, R1, R2, R3", 132 * 300},
                            {"IMAD R0, R1, R2, R3", 132 * 100},
                            {"MUFU.RCP R0, R1", 132 * 50},
                            {"EXIT", 132 * 10}});
  std::map<std::string, PipeSlots> slots;
  for (const PipeSlots& p : pipe_slots(trace)) slots[to_text(p.pipe)] = p;
  EXPECT_EQ(slots.at("FMA").executed, 132 * 400);
  EXPECT_DOUBLE_EQ(slots.at("FMA").cycles, 100);
  EXPECT_DOUBLE_EQ(slots.at("FMA heavy").cycles, 50);
  EXPECT_DOUBLE_EQ(slots.at("XU").cycles, 100);
  EXPECT_DOUBLE_EQ(slots.at("CBU").cycles, 0) << "no public text says how many";
  EXPECT_DOUBLE_EQ(slots.at("FMA").share_ratio, 400.0 / 460);
  EXPECT_DOUBLE_EQ(issue_cycles(trace), 460.0 / 4);
  EXPECT_STREQ(to_text(pipe_slots(trace).front().pipe), "FMA") << "the most first";
  const std::string text = pipe_table_text(trace);
  for (const char* part :
       {"FMA heavy", "13200", "21.7%", "50  IMAD, IDP\n", "115  four schedulers"})
    EXPECT_THAT(text, HasSubstr(part));
}

TEST(MachinePipes, ABlockHasNoCyclesAndPtxNoPipes) {
  const Trace block = made({{"FFMA R0, R1, R2, R3", 8}}, false);
  ASSERT_EQ(pipe_slots(block).size(), 1u);
  EXPECT_DOUBLE_EQ(pipe_slots(block)[0].cycles, 0);
  EXPECT_DOUBLE_EQ(issue_cycles(block), 0);
  EXPECT_TRUE(pipe_slots(Trace{}).empty());
  EXPECT_EQ(pipe_table_text(Trace{}), "");
  EXPECT_EQ(pipes_json(Trace{}), "[]");
  EXPECT_EQ(pipes_json(block), R"([{"pipe":"FMA","issue_slots":8,"share":1.000000}])");
}

}  // namespace
}  // namespace warpscope
