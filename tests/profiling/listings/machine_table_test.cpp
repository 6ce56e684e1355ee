// tests/profiling/listings/machine_table_test.cpp: figures of machine code by instruction, and two
// kernels beside each other.
#include "profiling/listings/machine_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

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
  made.live = {9, 2, 1, 1, "R0-R8 UR4-UR5 P0 UP0"};
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
  EXPECT_THAT(table.title,
              HasSubstr("add: 12 registers per thread; sums: all blocks of 2, as SASS of sm_90"));
}

TEST(MachineTables, AreColumnsAndCsv) {
  const SassTable table = machine_table(add_kernel());
  const std::string text = machine_table_text(table);
  EXPECT_THAT(
      text,
      HasSubstr("offset  executed  threads  requests  sectors  wavefronts  pipe  live  uniform"
                "  predicates  line      instruction\n"));
  EXPECT_THAT(text, HasSubstr("  0010         8      256         8       32               LSU     9"
                              "        2           2  "
                              "add.cu:7  @!P0 LDG.E R2, desc[UR4][R2.64]\n"));
  EXPECT_THAT(text, HasSubstr("most registers in use: 9 at 0000: R0-R8 UR4-UR5 P0 UP0\n"));
}

TEST(MachineTables, OfSeveralKernelsAreOneCsvWhoseRowsNameTheirs) {
  Trace other = add_kernel();
  other.entry = "scale \"2\"";
  const std::string csv = machine_table_csv({machine_table(add_kernel()), machine_table(other)});
  EXPECT_EQ(csv.find("kernel,offset,executed"), 0u);
  EXPECT_EQ(csv.rfind("kernel,offset"), 0u) << "one header";
  EXPECT_THAT(
      csv, HasSubstr("\n\"add\",\"0020\",\"8\",\"256\",\"\",\"\",\"16\",\"LSU\",\"9\",\"2\",\"2\","
                     "\"add.cu:7\",\"LDS R3, [R0]\",\"R0-R8 UR4-UR5 P0 UP0\",0\n"));
  EXPECT_THAT(csv, HasSubstr("\n\"scale \"\"2\"\"\",\"0000\""));
}

TEST(MachineTables, MarkLoadsAndStoresAtFixedPlacesOfTheStack) {
  EXPECT_TRUE(is_stack_access("STL [R1+0x10], R3"));
  EXPECT_TRUE(is_stack_access("@!P0 LDL.64 R2, [R1]"));
  EXPECT_FALSE(is_stack_access("LDL R2, [R4]")) << "an array that is indexed";
  EXPECT_FALSE(is_stack_access("LDL R2, [R10]"));
  EXPECT_FALSE(is_stack_access("LDG.E R2, desc[UR4][R1+0x10]"));
  EXPECT_FALSE(is_stack_access("@"));
}

// Two instructions, of which the first keeps two registers.
Listing listed() {
  Listing listing;
  listing.entry = "k";
  listing.files = {"mine/k.cu"};
  listing.compute_capability = 80;
  listing.machine_code =
      "\t.section\t.text.k,\"ax\",@progbits\n.text.k:\n\t//## File \"/a/mine/k.cu\", line 3\n"
      "\t//## File \".nv_debug_ptx_txt\", line 12\n"
      "        /*0000*/  STL [R1+0x4], R3 ;\n"
      "\t//## File \".nv_debug_ptx_txt\", line 14\n"
      "        /*0010*/  EXIT ;\n";
  listing.live = {{2, 0, 0, 0, "R1 R3"}, {}};
  return listing;
}

TEST(MachineTables, OfAListingHaveRegistersInUseAndNoFigures) {
  const SassTable table = machine_table(listed());
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_FALSE(table.has_figures);
  EXPECT_EQ(table.title, "k: SASS of sm_80, not run");
  EXPECT_EQ(table.rows[0].text, "STL [R1+0x4], R3");
  EXPECT_EQ(table.rows[0].line, "k.cu:3");
  EXPECT_EQ(table.rows[0].live.names, "R1 R3");
  EXPECT_TRUE(table.rows[0].spill);
  EXPECT_EQ(most_live_row(table), 0u);
  const nlohmann::json object = nlohmann::json::parse(machine_table_json(table));
  EXPECT_EQ(object["kernel"], "k");
  EXPECT_EQ(object["rows"][0]["live_names"], "R1 R3");
  EXPECT_FALSE(object["rows"][0].contains("executed"));
}

TEST(MachineRows, KeepTheirSourceLineWhereOnlyThatOfThePtxChanges) {
  const Listing listing = listed();
  const auto rows = machine_rows(listing.machine_code, listing.entry, listing.files);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].ptx_line, 12);
  EXPECT_EQ(rows[1].ptx_line, 14);
  for (const ListedRow& row : rows) EXPECT_TRUE(comes_from(row, "mine/k.cu", 3));
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
