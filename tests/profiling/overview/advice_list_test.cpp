// tests/profiling/overview/advice_list_test.cpp: advice is ranked by what it buys, and no gain
// stands without what it rests on.
#include "profiling/overview/advice_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpscope {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// L2 limits it: 80 µs of 100 µs; DRAM alone would need 60 µs.
RooflineStanding standing_of(Level level, double floor_ns, double time_ns) {
  RooflineStanding standing;
  standing.binding = level;
  standing.binding_name = "L2 roof";
  standing.binding_floor_ns = floor_ns;
  standing.binding_ratio = floor_ns / time_ns;
  RooflinePoint dram;
  dram.level = Level::dram;
  dram.floor_ns = 60e3;
  standing.points.push_back(dram);
  return standing;
}

Measurement point_of(const char* variant, double ns) {
  Measurement point;
  point.scene = "scene";
  point.variant = variant;
  point.key = "n=1";
  point.verdict.outcome = Outcome::correct;
  Timing timing;
  timing.median_ns = ns;
  timing.cache = CacheState::warm;
  timing.samples_ns = {ns * 0.999, ns, ns * 1.001, ns, ns, ns, ns, ns};
  point.warm = timing;
  return point;
}

Finding waste(const char* unit, std::int64_t count, std::int64_t all) {
  Finding finding;
  finding.kind = FindingKind::uncoalesced_access;
  finding.severity = FindingSeverity::warning;
  finding.position = {"a.cu", 7};
  finding.what = "Lanes are far apart.";
  finding.figure = "31 of 32 sectors are extra";
  finding.unit = unit;
  finding.count = count;
  finding.all = all;
  finding.better = "Let neighbouring lanes access neighbouring elements.";
  finding.gain = "at most 1 M sectors fewer";
  return finding;
}

// A quarter of the sectors is 20 µs of L2's 80 µs.
TEST(TimeWithout, SubtractsTheShareOfTheLimitingRoof) {
  const auto standing = standing_of(Level::l2, 80e3, 100e3);
  EXPECT_DOUBLE_EQ(time_without_ns(100e3, standing, "sectors", 0.25).value(), 80e3);
}

// Without half of the sectors L2 would need 40 µs, but DRAM still needs 60 µs; 100 − 40 is 60 too.
TEST(TimeWithout, StaysAboveTheOtherRoofs) {
  const auto standing = standing_of(Level::l2, 80e3, 100e3);
  EXPECT_DOUBLE_EQ(time_without_ns(100e3, standing, "sectors", 0.9).value(), 60e3);
  EXPECT_DOUBLE_EQ(time_without_ns(50e3, standing, "sectors", 0.9).value(), 50e3)
      << "a time below a roof does not become longer";
}

TEST(TimeWithout, IsUnknownWhereTheRoofCountsSomethingElse) {
  const auto standing = standing_of(Level::l2, 80e3, 100e3);
  EXPECT_FALSE(time_without_ns(100e3, standing, "wavefronts", 0.5));
  EXPECT_FALSE(time_without_ns(100e3, standing, "warp instructions", 0.5));
  EXPECT_FALSE(time_without_ns(100e3, RooflineStanding{}, "sectors", 0.5));
  const auto shared = standing_of(Level::shared, 80e3, 100e3);
  EXPECT_TRUE(time_without_ns(100e3, shared, "wavefronts", 0.5));
  EXPECT_FALSE(time_without_ns(100e3, shared, "sectors", 0.5));
}

struct Fixture {
  Variant slow, fast, faster, other;
  Measurement slow_point = point_of("slow", 100e3), fast_point = point_of("fast", 80e3),
              faster_point = point_of("faster", 50e3), other_point = point_of("other", 10e3);
  RooflineStanding standing = standing_of(Level::l2, 80e3, 100e3);
  std::vector<Candidate> candidates;
  Fixture() {
    slow.name = slow.label = "slow";
    fast.name = fast.label = "fast";
    faster.name = faster.label = "faster";
    other.name = other.label = "other";
    other.league = "another";
    candidates = {{&slow, &slow_point},
                  {&fast, &fast_point},
                  {&faster, &faster_point},
                  {&other, &other_point}};
  }
  AdviceSource source() const {
    AdviceSource source;
    source.focus = &slow;
    source.point = &slow_point;
    source.standing = &standing;
    source.candidates = candidates;
    return source;
  }
};

TEST(AdviceItems, BeginWithTheFastestVariantThatDidItInTheSameLeague) {
  const Fixture f;
  const auto items = advice_items(f.source());
  ASSERT_GE(items.size(), 3u);
  EXPECT_EQ(items[0].variant, "faster");
  EXPECT_EQ(items[0].basis, AdviceBasis::measured);
  EXPECT_DOUBLE_EQ(items[0].speedup, 2);
  EXPECT_EQ(items[0].gain, "2× faster");
  for (const AdviceItem& item : items) EXPECT_NE(item.variant, "other") << "of another league";
}

TEST(AdviceItems, SayOfALibrarysCallThatItIsOne) {
  Fixture f;
  StepRecord call;
  call.kind = "library";
  f.faster_point.steps = {StepRecord{}, call};
  f.fast.own_kernels = false;
  const auto items = advice_items(f.source());
  ASSERT_GE(items.size(), 2u);
  EXPECT_EQ(items[0].title, "Use faster");
  EXPECT_THAT(items[0].action, HasSubstr("calls a library"));
  EXPECT_EQ(items[1].title, "Call fast");
  EXPECT_THAT(items[1].action, HasSubstr("library's call"));
}

std::vector<std::string> advised_variants(const AdviceSource& source) {
  std::vector<std::string> names;
  for (const AdviceItem& item : advice_items(source)) {
    if (!item.variant.empty()) names.push_back(item.variant);
  }
  return names;
}

// It is the same kernel: "do as it does" would say the same thing twice.
TEST(AdviceItems, NameAnAutomaticChoiceOnlyWhereWhatItChoseHasNoTime) {
  Fixture f;
  Variant automatic;
  automatic.name = "auto";
  automatic.label = "automatic choice";
  Measurement point = point_of("auto", 51e3);
  point.choice = "faster: rows are long";
  f.candidates.push_back({&automatic, &point});
  EXPECT_EQ(advised_variants(f.source()), (std::vector<std::string>{"faster", "fast"}));
  f.faster_point.verdict.outcome = Outcome::wrong;
  f.faster_point.warm.reset();
  EXPECT_EQ(advised_variants(f.source()), (std::vector<std::string>{"auto", "fast"}));
}

TEST(AdviceItems, ModelTheGainOfWasteByTheRoofs) {
  const Fixture f;
  const Finding findings[] = {waste("sectors", 25, 100), waste("wavefronts", 90, 100)};
  AdviceSource source = f.source();
  source.candidates = {};
  source.findings = findings;
  const auto items = advice_items(source);
  const AdviceItem* sectors = nullptr;
  const AdviceItem* wavefronts = nullptr;
  for (const AdviceItem& item : items) {
    if (item.finding == 0) sectors = &item;
    if (item.finding == 1) wavefronts = &item;
  }
  ASSERT_NE(sectors, nullptr);
  EXPECT_EQ(sectors->basis, AdviceBasis::modelled);
  EXPECT_DOUBLE_EQ(sectors->speedup, 1.25);
  EXPECT_THAT(sectors->because, HasSubstr("25.00 % of the launch's sectors"));
  ASSERT_NE(wavefronts, nullptr);
  EXPECT_EQ(wavefronts->basis, AdviceBasis::none);
  EXPECT_THAT(wavefronts->because, HasSubstr("does not depend on wavefronts"));
}

TEST(AdviceItems, PutWrongResultsBeforeAllAndGiveNoFigureForThem) {
  const Fixture f;
  Finding race = waste("", 3, 0);
  race.kind = FindingKind::race;
  race.severity = FindingSeverity::error;
  const Finding findings[] = {race};
  AdviceSource source = f.source();
  source.findings = findings;
  const auto items = advice_items(source);
  ASSERT_FALSE(items.empty());
  EXPECT_TRUE(items[0].wrong);
  EXPECT_EQ(items[0].basis, AdviceBasis::none);
}

TEST(AdviceItems, SayWhatEveryGainRestsOn) {
  const Fixture f;
  const Finding findings[] = {waste("sectors", 25, 100), waste("requests", 25, 100)};
  AdviceSource source = f.source();
  source.findings = findings;
  source.occupancy = 0.25;
  source.occupancy_words = "One more block needs fewer registers.";
  source.stalls = stalls_of({{"stall.long_scoreboard", 5.0}}, 16);
  const auto items = advice_items(source);
  EXPECT_GE(items.size(), 6u);
  double last = 1e9;
  for (const AdviceItem& item : items) {
    EXPECT_FALSE(item.because.empty()) << item.title;
    EXPECT_FALSE(item.action.empty()) << item.title;
    EXPECT_FALSE(item.evidence.empty()) << item.title;
    if (item.basis == AdviceBasis::none) {
      EXPECT_EQ(item.speedup, 1) << item.title;
      continue;
    }
    EXPECT_LE(item.speedup, last) << item.title;
    last = item.speedup;
  }
}

TEST(AdviceItems, AreNoneWhereNothingIsKnown) {
  EXPECT_THAT(advice_items(AdviceSource{}), IsEmpty());
}

// At 95 % of a roof nothing is to be gained there but by less work.
TEST(AdviceItems, AskForLessWorkAtTheRoofAndNotForOccupancy) {
  Fixture f;
  f.standing = standing_of(Level::l2, 95e3, 100e3);
  AdviceSource source = f.source();
  source.candidates = {};
  source.occupancy = 0.25;
  source.occupancy_words = "One more block needs fewer registers.";
  const auto items = advice_items(source);
  ASSERT_EQ(items.size(), 1u);
  EXPECT_THAT(items[0].title, HasSubstr("Move less"));
  EXPECT_EQ(items[0].basis, AdviceBasis::none);
}

}  // namespace
}  // namespace warpscope
