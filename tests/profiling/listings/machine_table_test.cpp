// tests/profiling/listings/machine_table_test.cpp: figures of machine code by instruction, and two
// kernels beside each other.
#include "profiling/listings/machine_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace warpscope {
namespace {

using testing::HasSubstr;
using testing::Not;

MachineRow row(const std::string& text, std::int64_t executed, std::int64_t threads) {
  MachineRow made;
  made.text = text;
  made.position = {"kernels/add.cu", 7};
  made.executed = executed;
  made.threads = threads;
  made.live_registers = 9;
  return made;
}

// Eight warps: a load of 4 bytes per lane has one request and four sectors per warp.
Trace add_kernel() {
  Trace trace;
  trace.entry = "add";
  trace.launch.grid = {2, 1, 1};
  trace.launch.block = {128, 1, 1};
  trace.scope.grid = true;
  trace.machine_code.emplace();
  trace.machine_code->compute_capability = 90;
  trace.machine_code->registers_per_thread = 12;
  trace.machine_code->rows = {row("S2R R0, SR_TID.X", 8, 256),
                              row("@!P0 LDG.E R2, desc[UR4][R2.64]", 8, 256),
                              row("LDS R3, [R0]", 8, 256), row("EXIT", 8, 256)};
  AccessSite load;
  load.instruction = 1;
  load.totals.requests = 8;
  load.totals.sectors = 32;
  AccessSite shared;
  shared.instruction = 2;
  shared.space = Space::shared;
  shared.totals.requests = 8;
  shared.totals.wavefronts = 16;
  trace.sites = {load, shared};
  return trace;
}

TEST(MachineTables, HaveTheFiguresOfEachInstruction) {
  const SassTable table = machine_table(add_kernel());
  ASSERT_EQ(table.rows.size(), 4u);
  EXPECT_EQ(table.rows[1].offset, 16u);
  EXPECT_EQ(table.rows[1].opcode, "LDG.E");
  EXPECT_EQ(table.rows[1].line, "add.cu:7");
  EXPECT_EQ(table.rows[1].requests, 8);
  EXPECT_EQ(table.rows[1].sectors, 32);
  EXPECT_EQ(table.rows[1].wavefronts, 0);
  EXPECT_EQ(table.rows[2].wavefronts, 16);
  EXPECT_EQ(table.rows[2].sectors, 0) << "sectors are of global and local memory";
  EXPECT_EQ(table.rows[3].threads, 256);
  EXPECT_THAT(
      table.title,
      HasSubstr("add: 12 registers per thread; sums over all blocks of 2, as SASS of sm_90"));
}

TEST(MachineTables, AreColumnsAndCsv) {
  const SassTable table = machine_table(add_kernel());
  const std::string text = machine_table_text(table);
  EXPECT_THAT(text,
              HasSubstr("offset  executed  threads  requests  sectors  wavefronts  pipe  live  line"
                        "      instruction\n"));
  EXPECT_THAT(text,
              HasSubstr("  0010         8      256         8       32               LSU     9  "
                        "add.cu:7  @!P0 LDG.E R2, desc[UR4][R2.64]\n"));
  EXPECT_THAT(
      machine_table_csv(table),
      HasSubstr(
          "\"0020\",\"8\",\"256\",\"\",\"\",\"16\",\"LSU\",\"9\",\"add.cu:7\",\"LDS R3, [R0]\"\n"));
}

TEST(MachineTables, WithoutARunHaveNoFigures) {
  SassTable table = machine_table(add_kernel());
  table.has_figures = false;
  EXPECT_THAT(machine_table_text(table), Not(HasSubstr("executed")));
  EXPECT_THAT(machine_table_text(table), HasSubstr("LDS R3, [R0]"));
}

TEST(MachineTables, OfPtxAreEmpty) {
  Trace trace = add_kernel();
  trace.machine_code.reset();
  EXPECT_TRUE(machine_table(trace).rows.empty());
}

TEST(MachineTables, StandBesideAListingOfTheSameCode) {
  std::vector<ListedRow> rows(5);
  for (const std::size_t k : {0u, 1u, 3u, 4u}) rows[k].instruction = true;
  const std::vector<std::string> cells = figure_cells(rows, add_kernel());
  ASSERT_EQ(cells.size(), 5u);
  EXPECT_EQ(cells[1], "       8        32             ");
  EXPECT_EQ(cells[2], std::string(31, ' ')) << "a label";
  EXPECT_EQ(cells[3], "       8                    16 ");
  EXPECT_EQ(std::string_view(kFigureCells).size(), cells[1].size());
  rows.pop_back();
  EXPECT_TRUE(figure_cells(rows, add_kernel()).empty()) << "it has another number of instructions";
}

TEST(MachineDifferences, NameOpcodesThatOneExecutesMoreOften) {
  Trace wide = add_kernel();
  std::vector<MachineRow>& rows = wide.machine_code->rows;
  rows[1].text = "LDG.E.128 R4, desc[UR4][R2.64]";
  rows[1].executed = 2;
  const SassTable left = machine_table(add_kernel()), right = machine_table(wide);
  const std::vector<MachineDiffRow> beside = machine_diff(left, right);
  ASSERT_EQ(beside.size(), 5u) << "three in common, one of each side";
  EXPECT_EQ(std::count_if(beside.begin(), beside.end(),
                          [](const MachineDiffRow& r) { return r.left == nullptr; }),
            1);
  const std::string text = machine_diff_text(left, right);
  EXPECT_THAT(text, testing::ContainsRegex("LDG\\.E +1 +0 +8 +0 +-8\n"));
  EXPECT_THAT(text, testing::ContainsRegex("LDG\\.E\\.128 +0 +1 +0 +2 +\\+2\n"));
  EXPECT_THAT(text, Not(testing::ContainsRegex("\nEXIT +1 +1"))) << "they are alike";
}

TEST(MachineDifferences, OfAlikeKernelsSaySo) {
  const SassTable table = machine_table(add_kernel());
  EXPECT_THAT(machine_diff_text(table, table), HasSubstr("the same opcodes, executed as often"));
}

}  // namespace
}  // namespace warpscope
