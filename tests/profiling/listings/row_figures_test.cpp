// tests/profiling/listings/row_figures_test.cpp: figures of machine instructions, and of the PTX
// that they were made from.
#include "profiling/listings/row_figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpscope {
namespace {

using testing::ElementsAre;

ListedRow row_of(int ptx_line, int line = 7) {
  ListedRow row;
  row.text = "an instruction";
  row.instruction = true;
  row.positions = {{"k.cu", line, 0}};
  row.ptx_line = ptx_line;
  return row;
}
ListedRow label() { return {".L_x_1:", false, {}, 0}; }

// A load that PTX line 20 became, two instructions of line 21, and one of no line.
std::vector<ListedRow> machine() {
  return {row_of(20), label(), row_of(21), row_of(21), row_of(0)};
}

Trace emulated() {
  Trace trace;
  trace.machine_code.emplace();
  for (const std::int64_t executed : {8, 8, 4, 8}) {
    MachineRow row;
    row.executed = executed;
    row.threads = executed * 32;
    trace.machine_code->rows.push_back(row);
  }
  AccessSite load;
  load.instruction = 0;
  load.totals.sectors = 32;
  AccessSite store;
  store.instruction = 2;
  store.space = Space::shared;
  store.totals.wavefronts = 12;
  trace.sites = {load, store};
  return trace;
}

LineCounters counted(std::uint64_t last) {
  LineCounters counters;
  for (const std::uint64_t offset : {std::uint64_t{0}, last}) {
    InstructionCount count;
    count.offset = offset;
    count.figures[LineMetric::sectors] = 33;
    counters.instructions.push_back(count);
  }
  return counters;
}

TEST(RowFigures, OfMachineCodeAreThoseOfTheTraceInstructionByInstruction) {
  const Trace trace = emulated();
  const ListingFigures figures = machine_figures(machine(), &trace, nullptr);
  ASSERT_EQ(figures.rows.size(), 5U);
  EXPECT_TRUE(figures.modelled);
  EXPECT_FALSE(figures.measured);
  EXPECT_EQ(figures.rows[0].modelled.global.sectors, 32);
  EXPECT_FALSE(figures.rows[1].is_modelled) << "a label";
  EXPECT_EQ(figures.rows[3].modelled.instructions, 4) << "labels are not counted";
  EXPECT_EQ(figures.rows[3].modelled.threads, 128);
  EXPECT_EQ(figures.rows[3].modelled.shared.wavefronts, 12);
}

TEST(RowFigures, OfPtxAreSumsOverWhatItWasMadeInto) {
  const Trace trace = emulated();
  const std::vector<ListedRow> ptx = {row_of(20), row_of(21), row_of(22)};
  const ListingFigures figures =
      ptx_figures(ptx, machine(), machine_figures(machine(), &trace, nullptr));
  ASSERT_EQ(figures.rows.size(), 3U);
  EXPECT_EQ(figures.rows[0].modelled.global.sectors, 32);
  EXPECT_EQ(figures.rows[1].modelled.instructions, 12);
  EXPECT_EQ(figures.rows[1].machine_instructions, 2);
  EXPECT_EQ(figures.rows[2].machine_instructions, 0) << "the compiler removed it";
  EXPECT_TRUE(ptx_figures({row_of(1)}, machine(), {}).rows.empty()) << "of other lines";
}

TEST(RowFigures, AreMissingIfTheCodeIsAnother) {
  Trace trace = emulated();
  trace.machine_code->rows.pop_back();
  EXPECT_TRUE(machine_figures(machine(), &trace, nullptr).rows.empty());
  trace.machine_code.reset();
  EXPECT_TRUE(machine_figures(machine(), &trace, nullptr).rows.empty()) << "of PTX";
  const LineCounters beyond = counted(64), between = counted(24);
  EXPECT_TRUE(machine_figures(machine(), nullptr, &beyond).rows.empty());
  EXPECT_TRUE(machine_figures(machine(), nullptr, &between).rows.empty());
}

TEST(RowFigures, HaveWhatTheHardwareCountedBesideTheModel) {
  const Trace trace = emulated();
  const LineCounters counters = counted(32);
  const ListingFigures figures = machine_figures(machine(), &trace, &counters);
  EXPECT_TRUE(figures.measured);
  EXPECT_EQ(figures.rows[0].measured[LineMetric::sectors], 33);
  EXPECT_EQ(figures.rows[3].measured[LineMetric::sectors], 33) << "the third instruction";
  EXPECT_FALSE(figures.rows[2].is_measured);
  const ListingFigures ptx = ptx_figures({row_of(20)}, machine(), figures);
  EXPECT_EQ(ptx.rows[0].measured[LineMetric::sectors], 33);
}

TEST(HottestRows, ComeInFallingOrder) {
  const std::vector<std::int64_t> values = {0, 5, 9, 5, -1};
  EXPECT_THAT(hottest_first(values), ElementsAre(2U, 1U, 3U));
}

TEST(ChosenCode, IsALineOrOneInstructionOfPtx) {
  EXPECT_TRUE(belongs_to(row_of(20), {"k.cu", 7, 0}));
  EXPECT_FALSE(belongs_to(row_of(20), {"k.cu", 8, 0}));
  EXPECT_TRUE(belongs_to(row_of(20), {"k.cu", 7, 20}));
  EXPECT_FALSE(belongs_to(row_of(20), {"k.cu", 7, 21})) << "its line is the same";
  EXPECT_FALSE(belongs_to(row_of(20), {}));
  EXPECT_FALSE(belongs_to(label(), {"k.cu", 7, 0}));
}

}  // namespace
}  // namespace warpscope
