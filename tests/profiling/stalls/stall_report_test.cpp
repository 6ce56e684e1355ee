// tests/profiling/stalls/stall_report_test.cpp: from samples to causes, on kernels written by hand.
#include "profiling/stalls/stall_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "profiling/figures/csv_text.h"
#include "profiling/stalls/instruction_shares.h"
#include "profiling/stalls/stall_export.h"
#include "tests/profiling/stalls/stalled_kernel.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

constexpr MachineNeed value(std::uint32_t row, std::int8_t scoreboard) {
  return {row, NeedKind::value, scoreboard};
}
constexpr MachineNeed fixed(std::uint32_t row) { return {row, NeedKind::fixed, -1}; }

Result<StallReport> report_of(const StalledKernel& kernel) {
  return stall_report({kernel.trace, &kernel.step.samples, &kernel.point, &kernel.step});
}

StallFinding first_of(const StalledKernel& kernel) {
  const Result<StallReport> report = report_of(kernel);
  EXPECT_TRUE(report) << sentence(report.error());
  EXPECT_TRUE(report && !report->findings.empty());
  return report && !report->findings.empty() ? report->findings.front() : StallFinding{};
}

// The kernel of the documentation: line 7 waits for the load of line 6.
StalledKernel scattered_loads() {
  StalledKernel kernel;
  const std::uint32_t load = kernel.add("LDG.E R5, desc[UR4][R2.64]", 6);
  const std::uint32_t use = kernel.add("FADD R6, R5, R6", 7, {value(load, 0)});
  const std::uint32_t chain = kernel.add("FFMA R6, R6, R7, R8", 8, {fixed(use)});
  kernel.add("EXIT", 10);
  AccessSite& site = kernel.site(load, Space::global, AccessKind::load, 10);
  site.totals.sectors = 320;
  site.totals.ideal_sectors = 40;
  site.totals.lines = 320;
  kernel.sample(use, "long_scoreboard", 40);
  kernel.sample(use, "selected", 5);
  kernel.sample(chain, "wait", 35);
  kernel.sample(chain, "not_selected", 20);
  return kernel;
}

TEST(StallReport, SaysWhichLoadALineWaitsForAndWhatItCosts) {
  const Result<StallReport> report = report_of(scattered_loads());
  ASSERT_TRUE(report) << sentence(report.error());
  ASSERT_GE(report->findings.size(), 2u);
  const StallFinding& f = report->findings.front();
  EXPECT_EQ(f.sentence,
            "Line 7 of v.cu waits in 40.0 % of all samples for the load in line 6. The load takes "
            "32 sectors per request where 4 would do (scattered addresses).");
  EXPECT_EQ(f.cause, StallCause::uncoalesced);
  EXPECT_EQ(f.line.line, 7);
  EXPECT_EQ(f.cause_line.line, 6);
  EXPECT_EQ(f.reason, "long_scoreboard");
  EXPECT_EQ(f.site, 0);
  EXPECT_EQ(report->findings[1].cause, StallCause::dependency_chain);
  EXPECT_DOUBLE_EQ(report->findings[1].share_ratio, 0.35);
  EXPECT_FALSE(report->modelled);
}

TEST(StallReport, CountsEverySampleOnceInItsLinesAndReasons) {
  const Result<StallReport> report = report_of(scattered_loads());
  ASSERT_TRUE(report);
  double lines = 0, reasons = 0, instructions = 0;
  for (const StallLine& line : report->lines) lines += line.share_ratio;
  for (const StallReasonShare& reason : report->reasons) reasons += reason.share_ratio;
  for (const StallInstruction& at : report->instructions) instructions += at.weight;
  EXPECT_DOUBLE_EQ(lines, 1);
  EXPECT_DOUBLE_EQ(reasons, 1);
  EXPECT_DOUBLE_EQ(instructions, 100);
  // A warp that was ready waits for nothing.
  for (const StallFinding& f : report->findings) EXPECT_NE(f.reason, "not_selected");
}

TEST(StallReport, IsSharedOutAmongTheInstructionsOfAListing) {
  StalledKernel kernel;
  const std::uint32_t load = kernel.add("LDG.E R5, desc[UR4][R2.64]", 6);
  const std::uint32_t use = kernel.add("FADD R6, R5, R6", 7, {value(load, 0)});
  kernel.add("EXIT", 8);
  kernel.sample(load, "selected", 5);
  kernel.sample(use, "wait", 20);
  kernel.sample(use, "long_scoreboard", 60);
  kernel.sample(use, "selected", 15);
  const Result<StallReport> report = report_of(kernel);
  ASSERT_TRUE(report);
  const InstructionShares shares = shares_by_instruction(*report, 3);
  EXPECT_FALSE(shares.modelled);
  EXPECT_DOUBLE_EQ(shares.most_ratio, 0.95);
  ASSERT_EQ(shares.rows.size(), 3u);
  EXPECT_DOUBLE_EQ(shares.rows[load].share_ratio, 0.05);
  EXPECT_EQ(shares.rows[load].reason, "");  // it is issued and never waits
  EXPECT_DOUBLE_EQ(shares.rows[use].share_ratio, 0.95);
  EXPECT_EQ(shares.rows[use].reason, "global memory");
  EXPECT_EQ(shares.rows[use].words,
            "95.0 % of all samples:\n  60.0 %  global memory\n  20.0 %  fixed latency\n"
            "  15.0 %  issued");
  EXPECT_EQ(shares.rows[2].words, "");
  EXPECT_TRUE(shares_by_instruction(*report, 1).rows[0].share_ratio > 0);  // of other code: cut
}

TEST(StallReport, NamesABankConflictByItsWays) {
  StalledKernel kernel;
  const std::uint32_t load = kernel.add("LDS R5, [R2]", 4);
  const std::uint32_t use = kernel.add("FADD R6, R5, R6", 5, {value(load, 1)});
  AccessSite& site = kernel.site(load, Space::shared, AccessKind::load, 100);
  site.totals.wavefronts = 3200;
  site.totals.ideal_wavefronts = 100;
  kernel.sample(use, "short_scoreboard", 90);
  kernel.sample(use, "selected", 10);
  const StallFinding f = first_of(kernel);
  EXPECT_EQ(f.cause, StallCause::bank_conflict);
  EXPECT_EQ(f.sentence,
            "Line 5 of v.cu waits in 90.0 % of all samples for the load from shared memory in line "
            "4. The load from shared memory has a 32-way bank conflict: 32 wavefronts per request "
            "where 1 would do.");
}

// If a line waits for two loads, the shared one is not what a long scoreboard stands for.
TEST(StallReport, TakesTheProducerThatFitsTheReason) {
  StalledKernel kernel;
  const std::uint32_t shared = kernel.add("LDS R4, [R2]", 2);
  const std::uint32_t global = kernel.add("LDG.E R5, desc[UR4][R2.64]", 3);
  const std::uint32_t use = kernel.add("FADD R6, R5, R4", 4, {value(shared, 0), value(global, 1)});
  kernel.sample(use, "long_scoreboard", 60);
  EXPECT_EQ(first_of(kernel).cause_line.line, 3);
  StalledKernel other = kernel;
  other.step.samples.reasons = {"short_scoreboard"};
  EXPECT_EQ(first_of(other).cause_line.line, 2);
}

TEST(StallReport, LooksForTheSlowWarpsBeforeABarrier) {
  StalledKernel kernel;
  const std::uint32_t first = kernel.add("BAR.SYNC.DEFER_BLOCKING 0x0", 3);
  const std::uint32_t even = kernel.add("FADD R6, R5, R6", 4);
  const std::uint32_t slow = kernel.add("MUFU.EX2 R6, R6", 6);
  const std::uint32_t barrier = kernel.add("BAR.SYNC.DEFER_BLOCKING 0x0", 8);
  kernel.add("EXIT", 9);
  kernel.warp({first, even, slow, slow, slow, barrier});
  kernel.warp({first, even, barrier});
  kernel.sample(even, "wait", 20);
  kernel.sample(slow, "short_scoreboard", 10);
  kernel.sample(barrier, "barrier", 70);
  const StallFinding f = first_of(kernel);
  EXPECT_EQ(f.cause, StallCause::barrier_imbalance);
  EXPECT_EQ(f.line.line, 8);
  EXPECT_EQ(f.cause_line.line, 6);
  EXPECT_THAT(f.sentence, HasSubstr("at a barrier for the warps that are still in line 6"));
}

// A device samples such a warp at an instruction after the barrier.
TEST(StallReport, LooksBeforeTheBarrierThatAWarpStandsBehind) {
  StalledKernel kernel;
  const std::uint32_t slow = kernel.add("MUFU.EX2 R6, R6", 6);
  const std::uint32_t barrier = kernel.add("BAR.SYNC.DEFER_BLOCKING 0x0", 8);
  const std::uint32_t test = kernel.add("ISETP.GE.U32.AND P0, PT, R3, 0x8, PT", 4);
  const std::uint32_t after = kernel.add("FADD R6, R5, R6", 4);
  kernel.add("EXIT", 9);
  kernel.warp({slow, slow, slow, barrier, test, after});
  kernel.warp({slow, barrier, test, after});
  kernel.sample(slow, "short_scoreboard", 10);
  kernel.sample(test, "wait", 12);
  kernel.sample(after, "barrier", 70);
  const StallFinding f = first_of(kernel);
  EXPECT_EQ(f.cause, StallCause::barrier_imbalance);
  EXPECT_EQ(f.cause_line.line, 6);
}

TEST(StallReport, TakesTheInstructionOfALoopBeforeTheOneThatBeganIt) {
  StalledKernel kernel;
  const std::uint32_t begin = kernel.add("MOV R4, RZ", 3);
  const std::uint32_t turn = kernel.add("IADD3 R4, R4, 0x4, RZ", 5, {fixed(begin), fixed(1)});
  kernel.row(turn).executed = 100;
  kernel.row(turn).threads = 3200;
  kernel.sample(turn, "wait", 100);
  EXPECT_EQ(first_of(kernel).cause_line.line, 5);
}

TEST(StallReport, LeadsTheRoutineOfADivisionToTheLineThatDivides) {
  StalledKernel kernel;
  const std::uint32_t call =
      kernel.add("CALL.REL.NOINC `($__internal_0_$__cuda_sm3x_div_rn_noftz_f32_slowpath)", 7);
  kernel.add("EXIT", 9);
  const std::uint32_t routine = kernel.add("FFMA R2, R3, R4, R5", 0);
  const std::uint32_t back = kernel.add("RET.REL.NODEC R2 `(k)", 0);
  kernel.row(call).next = {routine};
  kernel.row(1).next = {1};
  kernel.row(back).next = {1};
  kernel.sample(routine, "wait", 100);
  const StallFinding f = first_of(kernel);
  EXPECT_EQ(f.cause, StallCause::division);
  EXPECT_EQ(f.line.line, 7);
  EXPECT_EQ(f.cause_line.line, 7);
  EXPECT_THAT(f.sentence, HasSubstr("Line 7 of v.cu waits in 100.0 % of all samples within its "
                                    "division: the line has 3 instructions."));
}

TEST(StallReport, LeadsAWaitAtAnMbarrierToItsBulkCopy) {
  StalledKernel kernel;
  const std::uint32_t copy = kernel.add("UBLKCP.S.G [UR8], [UR4], UR6", 5);
  const std::uint32_t test = kernel.add("SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR9], R3", 9,
                                        {{copy, NeedKind::asynchronous, -1}});
  const std::uint32_t loop = kernel.add("@!P0 BRA `(.L_x_0)", 9, {value(test, 0)});
  AccessSite& site = kernel.site(copy, Space::global, AccessKind::bulk_copy, 1);
  site.totals.unique_bytes = 8192;
  kernel.sample(loop, "long_scoreboard", 100);
  const StallFinding f = first_of(kernel);
  EXPECT_EQ(f.cause, StallCause::bulk_copy);
  EXPECT_EQ(f.cause_line.line, 5);
  EXPECT_EQ(f.sentence,
            "Line 9 of v.cu waits in 100.0 % of all samples for the bulk copy in line 5: 8192 "
            "bytes per copy.");
}

TEST(StallReport, NamesTheFileOfEachLineThatIsInAnother) {
  StalledKernel kernel;
  const std::uint32_t load = kernel.add("LDG.E R5, desc[UR4][R2.64]", 6);
  kernel.sample(kernel.add("FADD R6, R5, R6", 7, {value(load, 0)}), "long_scoreboard", 100);
  kernel.row(1).position.file = "scene/parts.cuh";
  const std::string words = first_of(kernel).sentence;
  EXPECT_THAT(words, HasSubstr("Line 7 of parts.cuh waits in 100.0 % of all samples for the load "
                               "in line 6 of v.cu"));
}

TEST(StallReport, NamesWhatIsRareInWordsToo) {
  struct Case {
    const char* instruction;
    const char* reason;
    StallCause cause;
    const char* words;
  };
  const Case cases[] = {
      {"FADD R1, R1, R1", "no_instructions", StallCause::instruction_cache, "instruction cache"},
      {"FADD R1, R1, c[0x3][0x10]", "imc_miss", StallCause::constant_cache, "constant cache"},
      {"HMMA.16816.F32 R4, R8, R12, R4", "math_pipe_throttle", StallCause::tensor_pipe,
       "tensor pipe"},
      {"FFMA R1, R1, R1, R1", "math_pipe_throttle", StallCause::arithmetic_pipe, "pipe"},
      {"REDG.E.ADD desc[UR4][R2.64], R5", "lg_throttle", StallCause::atomics, "queue"},
  };
  for (const Case& c : cases) {
    StalledKernel kernel;
    kernel.sample(kernel.add(c.instruction, 3), c.reason, 100);
    const StallFinding f = first_of(kernel);
    EXPECT_EQ(f.cause, c.cause) << c.instruction;
    EXPECT_THAT(f.sentence, HasSubstr(c.words));
  }
}

TEST(StallReport, SaysThatSpillsAtomicsAndFewLanesAreWhatTheyAre) {
  const auto after = [](const std::string& producer, Space space, AccessKind kind) {
    StalledKernel kernel;
    const std::uint32_t from = kernel.add(producer, 4);
    const std::uint32_t use = kernel.add("FADD R6, R5, R6", 5, {value(from, 0)});
    AccessSite& site = kernel.site(from, space, kind, 10);
    site.totals.unique_bytes = 40;  // one word per request
    kernel.sample(use, "long_scoreboard", 100);
    return kernel;
  };
  StalledKernel spill = after("LDL R5, [R1+0x8]", Space::local, AccessKind::load);
  spill.row(0).spill = true;
  EXPECT_EQ(first_of(spill).cause, StallCause::spill);
  const StallFinding atomic = first_of(after("ATOMG.E.ADD.STRONG.GPU PT, R5, desc[UR4][R2.64], R7",
                                             Space::global, AccessKind::atomic));
  EXPECT_EQ(atomic.cause, StallCause::atomics);
  EXPECT_THAT(atomic.sentence, HasSubstr("32 lanes of a request use the same address"));
  StalledKernel few;
  few.sample(few.add("FADD R6, R5, R6", 5), "wait", 100);
  few.row(0).threads = 3;
  EXPECT_EQ(first_of(few).cause, StallCause::divergence);
  EXPECT_THAT(first_of(few).sentence,
              HasSubstr("of all samples while only 3 of 32 lanes are active."));
  StalledKernel loaded;
  const std::uint32_t load = loaded.add("LDG.E R5, desc[UR4][R2.64]", 5);
  loaded.sample(loaded.add("FADD R6, R5, R6", 6, {value(load, 0)}), "long_scoreboard", 100);
  loaded.row(0).threads = 5;
  loaded.row(1).threads = 3;
  ASSERT_EQ(first_of(loaded).cause, StallCause::divergence);
  EXPECT_THAT(
      first_of(loaded).sentence,
      HasSubstr("for the load in line 5. On average, only 5 of 32 lanes execute the load."));
  StalledKernel shuffled;
  const std::uint32_t shuffle = shuffled.add("SHFL.IDX PT, R5, R4, R3, 0x1f", 5);
  shuffled.sample(shuffled.add("FADD R6, R5, R6", 6, {value(shuffle, 0)}), "short_scoreboard", 100);
  shuffled.row(1).threads = 3;
  ASSERT_EQ(first_of(shuffled).cause, StallCause::divergence);
  EXPECT_THAT(first_of(shuffled).sentence,
              HasSubstr("for the shuffle in line 5. On average, only 3 of 32 lanes execute the "
                        "waiting instruction."));
}

TEST(StallReport, OfACoalescedLoadAsksTheCountersAndTheOccupancy) {
  StalledKernel kernel;
  const std::uint32_t load = kernel.add("LDG.E R5, desc[UR4][R2.64]", 6);
  kernel.sample(kernel.add("FADD R6, R5, R6", 7, {value(load, 0)}), "long_scoreboard", 100);
  AccessSite& site = kernel.site(load, Space::global, AccessKind::load, 10);
  site.totals.sectors = site.totals.ideal_sectors = 40;
  site.totals.lines = 10;
  EXPECT_EQ(first_of(kernel).cause, StallCause::memory_latency);
  EXPECT_THAT(first_of(kernel).sentence, HasSubstr("takes 4 sectors per request (coalesced)."));
  const auto with = [&](std::vector<MetricValue> metrics) {
    StalledKernel counted = kernel;
    counted.point.metrics = std::move(metrics);
    return first_of(counted);
  };
  const auto metric = [](const char* id, double count) {
    return MetricValue{id, count, Origin::measured, "", ""};
  };
  EXPECT_EQ(with({metric("dram.throughput", 80)}).cause, StallCause::dram_bandwidth);
  const StallFinding misses = with({metric("l2.sectors", 100), metric("l2.sectors_hit", 10)});
  EXPECT_EQ(misses.cause, StallCause::l2_misses);
  EXPECT_THAT(misses.sentence, HasSubstr("L2 10.0 % of what it is asked for"));
  StalledKernel sparse = kernel;
  sparse.step.resources.emplace();
  sparse.step.resources->theoretical_occupancy_ratio = 0.0625;
  EXPECT_EQ(first_of(sparse).cause, StallCause::low_occupancy);
  EXPECT_THAT(first_of(sparse).sentence, HasSubstr("6.2 %"));
}

TEST(StallReport, PutsANearlyEmptyLastRoundFirst) {
  StalledKernel kernel = scattered_loads();
  kernel.step.resources.emplace();
  kernel.step.resources->blocks_per_multiprocessor = 1;
  kernel.step.samples.multiprocessors = 132;
  kernel.trace.launch.grid = {133, 1, 1};
  const StallFinding f = first_of(kernel);
  EXPECT_EQ(f.cause, StallCause::launch_tail);
  EXPECT_THAT(f.sentence, HasSubstr("133 blocks run in rounds of 132, and the last round has 1"));
  EXPECT_THAT(f.sentence, HasSubstr("no block for 49.6 % of the time"));
  kernel.trace.launch.grid = {264, 1, 1};
  EXPECT_EQ(first_of(kernel).cause, StallCause::uncoalesced);
}

// The last round has few blocks for its places, and one for every multiprocessor.
TEST(StallReport, DoesNotCallARoundATailThatKeepsAllMultiprocessorsBusy) {
  StalledKernel kernel = scattered_loads();
  kernel.step.resources.emplace();
  kernel.step.resources->blocks_per_multiprocessor = 13;
  kernel.step.samples.multiprocessors = 132;
  kernel.trace.launch.grid = {2048, 1, 1};
  EXPECT_EQ(first_of(kernel).cause, StallCause::uncoalesced);
}

// The samples of a wait for cp.async lie at the instruction after DEPBAR, as an H200 gave them.
TEST(StallReport, NamesTheCopyThatAnInstructionAfterDepbarWaitsFor) {
  StalledKernel kernel;
  const std::uint32_t copy = kernel.add("LDGSTS.E.BYPASS.128 [R2], desc[UR6][R12.64]", 16);
  kernel.add("LDGDEPBAR", 17);
  kernel.add("DEPBAR.LE SB0, 0x1", 18, {{copy, NeedKind::asynchronous, -1}});
  const std::uint32_t use = kernel.add("LDS.128 R4, [R29]", 19);
  const std::uint32_t later = kernel.add("LDS.128 R8, [R29+0x800]", 20);
  kernel.sample(use, "long_scoreboard", 70);
  kernel.sample(later, "mio_throttle", 30);
  const Result<StallReport> report = report_of(kernel);
  ASSERT_TRUE(report) << sentence(report.error());
  ASSERT_EQ(report->findings.size(), 2u);
  EXPECT_EQ(report->findings[0].cause, StallCause::async_copy);
  EXPECT_EQ(report->findings[0].cause_line.line, 16);
  EXPECT_THAT(report->findings[0].sentence, HasSubstr("for the asynchronous copy in line 16"));
  EXPECT_EQ(report->findings[1].cause, StallCause::shared_memory);
  EXPECT_EQ(report->findings[1].cause_line.line, 20);
}

TEST(StallReport, NamesTheLatencyOfALoadThatNeedsItself) {
  StalledKernel kernel = scattered_loads();
  const StallFinding apart = first_of(kernel);
  ASSERT_EQ(apart.cause, StallCause::uncoalesced);
  auto& rows = kernel.trace.machine_code->rows;
  rows[apart.cause_row].needs.push_back({apart.row, NeedKind::fixed});
  const StallFinding f = first_of(kernel);
  EXPECT_EQ(f.cause, StallCause::memory_latency);
  EXPECT_EQ(f.cause_row, apart.cause_row);
  EXPECT_THAT(f.sentence, HasSubstr("needs the value of the load before it"));
}

TEST(StallReport, RefusesSamplesOfOtherCode) {
  StalledKernel kernel = scattered_loads();
  kernel.step.samples.code_bytes = 32;
  const Result<StallReport> report = report_of(kernel);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, ErrorKind::input);
  EXPECT_THAT(report.error().what, HasSubstr("32 bytes, emulated were 64"));
  StalledKernel beyond = scattered_loads();
  beyond.sample(99, "wait", 1);
  EXPECT_FALSE(report_of(beyond));
  StalledKernel older = scattered_loads();
  older.step.samples.compute_capability = 80;
  EXPECT_FALSE(report_of(older));
}

TEST(StallReport, WithoutSamplesSaysWhyAndWhatToDo) {
  StalledKernel kernel = scattered_loads();
  kernel.step.samples = {};
  kernel.step.samples.missing = {
      {"samples", std::nullopt, Origin::measured, "no sample came", "end other profilers"}};
  const Result<StallReport> report = report_of(kernel);
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().what, HasSubstr("no sample came"));
  EXPECT_EQ(report.error().remedy, "end other profilers");
  StalledKernel unasked = scattered_loads();
  unasked.trace.machine_code->rows.front().issue_cycles = -1;
  EXPECT_FALSE(report_of(unasked));
}

TEST(StallExport, HasARowPerInstructionAndReasonAndWholeJson) {
  const StalledKernel kernel = scattered_loads();
  const Result<StallReport> report = report_of(kernel);
  ASSERT_TRUE(report);
  const auto rows = parse_csv(stall_csv({{"s", "v", "n=1", kernel.trace, *report}}));
  ASSERT_TRUE(rows) << sentence(rows.error());
  ASSERT_EQ(rows->size(), 5u);  // a header, and four instructions with a reason
  for (const auto& row : *rows) EXPECT_EQ(row.size(), rows->front().size());
  const std::string json = stall_json(*report, kernel.trace);
  EXPECT_THAT(json, HasSubstr("\"cause\":\"uncoalesced\""));
  EXPECT_THAT(json, HasSubstr("\"origin\":\"measured\""));
  EXPECT_EQ(json.find('\n'), std::string::npos);
  const std::string text = stall_text(*report, kernel.trace);
  EXPECT_THAT(text, HasSubstr("1.  Line 7 of v.cu waits in 40.0 % of all samples"));
  EXPECT_THAT(text, HasSubstr("100 samples of 1 run, one every 4 096 cycles"));
}

TEST(StallCauses, EachHasAnIdOfItsOwnAndARemedy) {
  std::set<std::string> ids;
  for (const StallCauseRow& row : stall_causes()) {
    EXPECT_TRUE(ids.insert(row.id).second) << row.id;
    EXPECT_EQ(&row_of(row.cause), &row);
    if (row.cause != StallCause::other) {
      EXPECT_NE(std::string(row.remedy), "");
    }
  }
}

}  // namespace
}  // namespace warpscope
