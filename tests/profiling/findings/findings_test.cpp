// tests/profiling/findings/findings_test.cpp: each pattern of addresses has its finding, with
// figures from a closed form, and ideal accesses have none.
#include "profiling/findings/findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "scenes/host/enumerators.h"
#include "tests/profiling/findings/one_access.h"

namespace warpscope {
namespace {

using one_access::Pattern;
using testing::HasSubstr;

Finding only(const Trace& trace) {
  const FindingList list = findings_of(trace);
  EXPECT_EQ(list.findings.size(), 1u) << one_access::ids_of(list);
  return list.findings.empty() ? Finding{} : list.findings.front();
}

std::string ids(const Trace& trace) { return one_access::ids_of(findings_of(trace)); }

TEST(Findings, AnIdealAccessHasNone) {
  EXPECT_EQ(ids(one_access::of({}, [](auto lane) { return lane * 4; })), "");
  EXPECT_EQ(ids(one_access::of({Space::global, AccessKind::store, 16},
                               [](auto lane) { return lane * 16; })),
            "");
  EXPECT_EQ(ids(one_access::of({}, [](auto) { return 0; })), "") << "a broadcast";
  EXPECT_EQ(ids(one_access::of({Space::shared}, [](auto lane) { return lane * 4; })), "");
  EXPECT_EQ(ids(one_access::of({Space::shared}, [](auto lane) { return lane * 33 * 4; })), "")
      << "rows that are padded";
  EXPECT_THAT(findings_of(one_access::launch()).scope, HasSubstr("below 1 %"));
}

// 32 lanes in 32 sectors, whose 128 bytes fit into 4.
TEST(Findings, AStrideNamesItsDistanceAndWhatWouldGo) {
  const Finding f = only(one_access::of({}, [](auto lane) { return lane * 64; }));
  EXPECT_EQ(f.kind, FindingKind::uncoalesced_access);
  EXPECT_EQ(f.severity, FindingSeverity::warning);
  EXPECT_EQ(f.position.line, 10);
  EXPECT_EQ(f.what, "Neighbouring lanes read addresses 64 B apart in A[m, k].");
  EXPECT_EQ(f.figure,
            "32.00 sectors per request, where 4.00 hold the bytes; 12.50 % of the 1.02 kB in these "
            "sectors are used");
  EXPECT_EQ(f.count, 28);
  EXPECT_EQ(f.all, 32);
  EXPECT_EQ(f.unit, "sectors");
  EXPECT_EQ(f.gain, "at most 28 sectors fewer (87.50 % of the launch's)");
  EXPECT_THAT(f.better, HasSubstr("Let threadIdx.x index the fastest dimension of A"));
  EXPECT_EQ(f.site, 0);
  EXPECT_EQ(f.diagram, FindingDiagram::global_requests);
}

TEST(Findings, AStrideOfARowSaysSo) {
  const Finding f = only(
      one_access::of({Space::global, AccessKind::store}, [](auto lane) { return lane * 512; }));
  EXPECT_EQ(f.what, "Neighbouring lanes write addresses 512 B (one row) apart in A[m, k].");
}

// Two floats of a structure, one of which is read: 8 sectors for 4.
TEST(Findings, ASmallStrideIsBetterAsAVector) {
  const Finding f = only(one_access::of({}, [](auto lane) { return lane * 8; }));
  EXPECT_EQ(f.count, 4);
  EXPECT_EQ(f.all, 8);
  EXPECT_THAT(f.better, HasSubstr("as one vector"));
}

TEST(Findings, ConsecutiveElementsThatBeginInsideASectorAreUnaligned) {
  const Finding f = only(one_access::of({}, [](auto lane) { return 4 + lane * 4; }));
  EXPECT_EQ(f.kind, FindingKind::unaligned_access);
  EXPECT_EQ(f.count, 1);
  EXPECT_EQ(f.all, 5);
  EXPECT_THAT(f.what, HasSubstr("begins 4 B past a sector of 32 B"));
}

// Runs of four floats, one per row: 8 sectors in which 16 of 32 bytes are used.
TEST(Findings, ShortRunsAreNamedWithTheirLength) {
  const Finding f =
      only(one_access::of({}, [](auto lane) { return lane / 4 * 512 + lane % 4 * 4; }));
  EXPECT_EQ(f.kind, FindingKind::uncoalesced_access);
  EXPECT_EQ(f.what, "In A[m, k], the lanes read runs of 16 B that begin 512 B (one row) apart.");
  EXPECT_EQ(f.count, 4);
  EXPECT_EQ(f.all, 8);
}

TEST(Findings, DistancesWithoutARuleAreScattered) {
  const Finding f = only(one_access::of({}, [](auto lane) { return lane * lane * 40 % 8192 * 4; }));
  EXPECT_EQ(f.kind, FindingKind::uncoalesced_access);
  EXPECT_THAT(f.what, HasSubstr("distances that follow no rule"));
}

// A column of 32 rows of 32 words: all lanes in one bank, 32 wavefronts for one.
TEST(Findings, AColumnOfSharedMemoryIsABankConflict) {
  const Finding f = only(one_access::of({Space::shared}, [](auto lane) { return lane * 128; }));
  EXPECT_EQ(f.kind, FindingKind::bank_conflict);
  EXPECT_EQ(f.what,
            "Neighbouring lanes read shared memory 128 B apart, so up to 32 words of one bank are "
            "needed at once.");
  EXPECT_EQ(f.figure, "32.00 wavefronts per request, where 1.00 are enough without conflicts");
  EXPECT_EQ(f.count, 31);
  EXPECT_EQ(f.all, 32);
  EXPECT_EQ(f.diagram, FindingDiagram::shared_requests);
}

TEST(Findings, LanesThatUpdateOneElementWaitForEachOther) {
  const Pattern p{Space::global, AccessKind::reduction};
  const Finding f = only(one_access::of(p, [](auto) { return 0; }));
  EXPECT_EQ(f.kind, FindingKind::atomic_conflict);
  EXPECT_EQ(f.count, 31) << "32 passes through one sector";
  EXPECT_THAT(f.better, HasSubstr("in the warp first"));
}

// Eight warps of a block, one lane each.
TEST(Findings, WarpsThatUpdateOneElementAreNamedToo) {
  Trace t = one_access::launch();
  t.launch.block.x = 256;
  for (std::uint32_t warp = 0; warp < 8; ++warp)
    one_access::add(t, {Space::global, AccessKind::reduction, 4, 10, 1, warp},
                    [](auto) { return 0; });
  const Finding f = only(t);
  EXPECT_EQ(f.kind, FindingKind::atomic_conflict);
  EXPECT_EQ(f.unit, "requests");
  EXPECT_EQ(f.count, 7) << "one per block has to remain";
  EXPECT_EQ(f.all, 8);
}

TEST(Findings, LocalMemoryIsNamedAtItsLine) {
  const Finding f = only(
      one_access::of({Space::local, AccessKind::store, 4, 12}, [](auto lane) { return lane * 4; }));
  EXPECT_EQ(f.kind, FindingKind::local_memory);
  EXPECT_EQ(f.position.line, 12);
  EXPECT_EQ(f.count, 4);
}

TEST(Findings, ABlockThatDoesNotFillItsWarpsIsNamed) {
  Trace t = one_access::launch();
  t.launch.block.x = 16;
  const Finding f = only(t);
  EXPECT_EQ(f.kind, FindingKind::partial_warps);
  EXPECT_EQ(f.count, 5) << "half of ten warp instructions";
  EXPECT_EQ(f.position.line, 2);
}

// Line 5 runs four times, with 32, 16, 8 and 4 lanes: 60 of 128 lane instructions, so that 68 / 32
// of 14 warp instructions are idle.
Trace shrinking_loop() {
  Trace t = one_access::launch();
  t.issued = {{}};
  for (const std::uint32_t active : {0xFFFFFFFFU, 0xFFFFU, 0xFFU, 0xFU})
    t.issued[0].push_back({3, active, 5});
  t.lines.push_back({{"s/k.cu", 5, 1}, 4, 60});
  t.warp_instructions = 14;
  return t;
}

// The same number of lanes, but others each time: a condition on data within a loop.
TEST(Findings, LanesThatChangeFromTimeToTimeMeetACondition) {
  Trace t = shrinking_loop();
  t.issued = {{}};
  for (const std::uint32_t active : {0xFFFFFFFFU, 0xFFFFU, 0xFF000000U, 0xF0000U})
    t.issued[0].push_back({3, active, 5});
  EXPECT_THAT(only(t).what, HasSubstr("a condition holds for only some lanes"));
}

TEST(Findings, LanesThatLeaveALoopEarlyAreDivergence) {
  const Finding f = only(shrinking_loop());
  EXPECT_EQ(f.kind, FindingKind::divergence);
  EXPECT_EQ(f.position.line, 5);
  EXPECT_EQ(f.count, 2);
  EXPECT_THAT(f.what, HasSubstr("leave a loop in line 5 after different numbers of iterations"));
  EXPECT_THAT(f.figure, HasSubstr("15.0 of 32 lanes"));
  EXPECT_EQ(f.diagram, FindingDiagram::active_lanes);
}

// One of three instructions of the line is skipped by the whole warp, one by half of it: of 30 warp
// instructions 20 are taken, with 480 lanes, which is the work of 15.
TEST(Findings, InstructionsThatAWholeWarpSkipsAreNotDivergence) {
  Trace t = one_access::launch();
  t.issued = {{{3, 0, 5}, {4, 0xFFFFFFFF, 5}, {5, 0xFFFF, 5}}};
  t.lines.push_back({{"s/k.cu", 5, 1}, 30, 480});
  t.warp_instructions = 100;
  const Finding f = only(t);
  EXPECT_EQ(f.kind, FindingKind::divergence);
  EXPECT_EQ(f.count, 5);
  EXPECT_THAT(f.what, HasSubstr("In line 5, a condition holds for only some lanes of a warp"));
}

// The sums are of all blocks; the kept block shows whether lanes are idle or whole warps skip.
TEST(Findings, LinesWithoutIdleLanesInTheTracedBlockAreNotNamed) {
  Trace t = one_access::launch();
  t.issued = {{{4, 0xFFFFFFFF, 5}}};
  t.lines.push_back({{"s/k.cu", 5, 1}, 30, 480});
  EXPECT_EQ(ids(t), "");
}

TEST(Findings, ABranchThatNoLaneTakesIsNotDivergence) {
  Trace t = one_access::launch();
  t.issued = {{{3, 0, 5}, {4, 0xFFFFFFFF, 5}}};
  t.lines.push_back({{"s/k.cu", 5, 1}, 2, 32});
  EXPECT_EQ(ids(t), "");
}

TEST(Findings, WasteBelowTheLimitsIsNotListed) {
  // One extra sector in 101: below 1 %; in 51: above.
  for (const auto& [ideal, listed] : {std::pair(24, false), std::pair(11, true)}) {
    Trace t = one_access::of({}, [](auto lane) { return 4 + lane * 4; });
    for (int i = 0; i < ideal; ++i) one_access::add(t, {}, [](auto lane) { return lane * 4; });
    t.sites[0].position.line = 99;
    EXPECT_EQ(!findings_of(t).findings.empty(), listed) << ideal;
    if (!listed) continue;
    EXPECT_EQ(only(t).severity, FindingSeverity::note);
  }
  // All of its sectors, but fewer than one in a thousand instructions.
  Trace t = one_access::of({}, [](auto lane) { return lane * 64; });
  t.warp_instructions = 28001;
  EXPECT_EQ(ids(t), "");
  t.warp_instructions = 28000;
  EXPECT_EQ(ids(t), "uncoalesced-access");
}

TEST(Findings, WrongResultsComeFirstThenWasteByItsShare) {
  Trace t = one_access::launch();
  one_access::add(t, {Space::global, AccessKind::load, 4, 10},
                  [](auto lane) { return 4 + lane * 4; });
  one_access::add(t, {Space::global, AccessKind::load, 4, 20}, [](auto lane) { return lane * 64; });
  t.faults = {one_access::fault(FaultKind::unsupported, 40),
              one_access::fault(FaultKind::shared_race, 31),
              one_access::fault(FaultKind::out_of_bounds, 30)};
  EXPECT_EQ(ids(t), "invalid-address race not-emulated uncoalesced-access unaligned-access");
  const FindingList list = findings_of(t);
  EXPECT_EQ(list.findings[0].severity, FindingSeverity::error);
  EXPECT_EQ(list.findings[0].position.line, 30);
  EXPECT_EQ(list.findings[0].figure, "out of bounds, once");
  EXPECT_EQ(list.findings[2].severity, FindingSeverity::warning) << "the result is not known";
}

TEST(Findings, AHangIsOneFindingWithItsVerdict) {
  Trace t = one_access::launch();
  t.faults = {one_access::fault(FaultKind::deadlock, 7), one_access::fault(FaultKind::deadlock, 9)};
  HangStory story;
  story.verdict = "warp 0 waits for warp 1";
  story.blocks = 3;
  WaitingWarps wait;
  wait.position = {"s/k.cu", 7, 1};
  story.waits = {wait};
  t.hang = story;
  const Finding f = only(t);
  EXPECT_EQ(f.kind, FindingKind::hang);
  EXPECT_EQ(f.position.line, 7);
  EXPECT_EQ(f.what, "warp 0 waits for warp 1");
  EXPECT_EQ(f.figure, "3 blocks never end");
}

TEST(Findings, AnAccessBeyondABufferOfGuessedSizeIsAWarningAfterWhatIsCertain) {
  Trace t = one_access::launch();
  t.faults = {one_access::fault(FaultKind::out_of_bounds, 7),
              one_access::fault(FaultKind::shared_race, 31)};
  t.faults[0].buffer = "y";
  t.faults[0].needed = 164;
  mark_guessed_sizes(t.faults, {"x"});
  EXPECT_EQ(ids(t), "invalid-address race") << "the size of y is known";
  EXPECT_TRUE(is_wrong(t));
  mark_guessed_sizes(t.faults, {"x", "y"});
  EXPECT_EQ(ids(t), "race invalid-address");
  const FindingList list = findings_of(t);
  EXPECT_EQ(list.findings[0].severity, FindingSeverity::error);
  EXPECT_EQ(list.findings[1].severity, FindingSeverity::warning);
  EXPECT_THAT(list.findings[1].what,
              HasSubstr("The size of y is a guess: 164 elements would hold these accesses"));
  EXPECT_TRUE(is_wrong(t)) << "the race is";
  t.faults.pop_back();
  EXPECT_FALSE(is_wrong(t));
  EXPECT_TRUE(has_faults(t));
}

TEST(Findings, AFaultThatOtherNumbersAvoidIsAWarningAndOneThatRemainsAnError) {
  Trace t = one_access::launch();
  t.faults = {one_access::fault(FaultKind::block_race, 7),
              one_access::fault(FaultKind::shared_race, 31)};
  const std::vector<Fault> with_zeros = {t.faults[1]};
  mark_guessed_contents(t.faults, with_zeros, "zeros", {"first", "last"});
  const FindingList list = findings_of(t);
  ASSERT_EQ(list.findings.size(), 2U);
  EXPECT_EQ(list.findings[0].severity, FindingSeverity::error);
  EXPECT_EQ(list.findings[0].position.line, 31);
  EXPECT_EQ(list.findings[1].severity, FindingSeverity::warning);
  EXPECT_THAT(list.findings[1].what, HasSubstr("The content of first and last is a guess: with "
                                               "zeros in it this does not happen"));
  EXPECT_THAT(list.findings[1].better, HasSubstr("Say what the buffers hold"));
  EXPECT_TRUE(is_wrong(t));
  mark_guessed_contents(t.faults, {}, "0, 1, 2, …", {"first", "last"});
  EXPECT_FALSE(is_wrong(t)) << "the other race does not happen with these";
  EXPECT_TRUE(has_faults(t));
}

TEST(Findings, AnAccessWhoseElementOtherNumbersChangeIsAWarning) {
  for (const std::int64_t element : {7, 9}) {
    Trace t = one_access::launch();
    t.faults = {one_access::fault(FaultKind::out_of_bounds, 7)};
    t.faults[0].index = 7;
    std::vector<Fault> others = t.faults;
    others[0].index = element;
    mark_guessed_contents(t.faults, others, "zeros", {"first"});
    EXPECT_EQ(is_wrong(t), element == 7);
    if (element == 9) {
      EXPECT_THAT(t.faults[0].sentence, HasSubstr("this happens elsewhere"));
    }
  }
}

TEST(Findings, AGuessedSizeOfSharedMemoryIsInBytes) {
  for (const char* buffer : {kDynamicShared, "y"}) {
    Trace t = one_access::launch();
    t.faults = {one_access::fault(FaultKind::out_of_bounds, 7)};
    t.faults[0].buffer = buffer;
    t.faults[0].needed = 2048;
    mark_guessed_sizes(t.faults, {buffer});
    const Finding f = only(t);
    const bool shared = t.faults[0].buffer != "y";
    EXPECT_THAT(f.what, HasSubstr(shared ? "a guess: 2048 bytes would" : "a guess: 2048 elements"));
    EXPECT_THAT(f.better, HasSubstr(shared ? "dynamic shared memory is. If it is that small, check"
                                           : "y is. If it has so few elements, check"));
  }
}

TEST(Findings, NoGuessExcusesAnAccessThatNoSizeHolds) {
  for (const std::int64_t needed : {std::int64_t{0}, std::int64_t{1} << 40}) {
    Trace t = one_access::launch();
    t.faults = {one_access::fault(FaultKind::out_of_bounds, 7)};
    t.faults[0].buffer = "y";
    t.faults[0].needed = needed;
    mark_guessed_sizes(t.faults, {"y"});
    EXPECT_EQ(only(t).severity, FindingSeverity::error) << needed;
  }
}

TEST(Findings, EveryKindOfFaultHasAFindingAndARemedy) {
  for (int i = 0; i < kEnumeratorCount<FaultKind>; ++i) {
    Trace t = one_access::launch();
    t.faults = {one_access::fault(static_cast<FaultKind>(i), 7)};
    const Finding f = only(t);
    EXPECT_LT(f.kind, FindingKind::uncoalesced_access) << to_text(t.faults[0].kind);
    EXPECT_EQ(f.what, t.faults[0].sentence);
    EXPECT_FALSE(f.better.empty());
  }
}

TEST(Findings, SpillsOfTheCompilerAreAddedWithoutALine) {
  KernelResources r;
  r.registers_per_thread = 255;
  r.spill_store_bytes = 40;
  r.spill_load_bytes = 60;
  const FindingList list = findings_of(one_access::launch(), &r);
  ASSERT_EQ(list.findings.size(), 1u);
  EXPECT_EQ(list.findings[0].kind, FindingKind::register_spill);
  EXPECT_EQ(list.findings[0].count, 100);
  EXPECT_EQ(list.findings[0].position.line, 0);
}

TEST(Findings, SpillsThatATraceKnowsStandAtTheirLine) {
  Trace t = one_access::launch();
  t.spills =
      SpilledRegisters{64, 108, 124, {{{"s/k.cu", 7, 0}, 4, 124}, {{"s/k.cu", 3, 0}, 104, 0}}};
  const Finding f = only(t);
  EXPECT_EQ(f.kind, FindingKind::register_spill);
  EXPECT_EQ(f.position.line, 7);
  EXPECT_EQ(f.count, 232);
  EXPECT_NE(f.figure.find("store 108 B and load 124 B per thread"), std::string::npos) << f.figure;
  EXPECT_NE(f.figure.find("7 (store 4 B, load 124 B), 3 (store 104 B, load 0 B)"),
            std::string::npos);
}

TEST(Findings, ARunThatReachedItsLimitIsNeitherAHangNorAFault) {
  Trace t = one_access::launch();
  t.faults = {one_access::fault(FaultKind::budget, 7)};
  const Finding f = only(t);
  EXPECT_EQ(f.kind, FindingKind::stopped_at_limit);
  EXPECT_EQ(f.severity, FindingSeverity::warning);
  EXPECT_EQ(f.position.line, 7);
  EXPECT_EQ(f.figure, "the result is partial");
  EXPECT_FALSE(has_faults(t));
  ASSERT_NE(stop_at_limit(t), nullptr);
  t.faults.push_back(one_access::fault(FaultKind::deadlock, 9));
  EXPECT_TRUE(has_faults(t));
  EXPECT_EQ(findings_of(t).findings.front().kind, FindingKind::hang)
      << "what is wrong stands first";
}

TEST(FindingRules, EachKindHasOneRuleWithAHelpText) {
  std::set<std::string> ids;
  for (const FindingRule& rule : finding_rules()) {
    EXPECT_EQ(&rule_of(rule.kind), &rule) << rule.id;
    EXPECT_TRUE(ids.insert(rule.id).second) << rule.id;
    EXPECT_GT(std::string(rule.help).size(), 40u) << rule.id;
  }
}

}  // namespace
}  // namespace warpscope
