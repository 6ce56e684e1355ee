// tests/profiling/overview/overview_test.cpp: the sentences said first of a point.
#include "profiling/overview/overview.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "profiling/session/session.h"
#include "scenes/catalogue.h"
#include "tests/recorded_session.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Measurement timed(double ns) {
  Measurement m;
  m.verdict.outcome = Outcome::correct;
  m.conditions.device = "synthetic device";
  m.warm.emplace();
  m.warm->cache = CacheState::warm;
  for (int i = 0; i < 60; ++i) m.warm->samples_ns.push_back(ns * (1 + 0.0005 * (i % 9 - 4)));
  summarise(*m.warm);
  return m;
}

// 800 MB over L2 in a time that stands at `ratio` of its roof of 8 TB/s.
RooflineStanding at_l2(double ratio) {
  RooflineStanding s;
  RooflinePoint p;
  p.level = Level::l2;
  p.bytes = 800e6;
  p.ceiling = 8e12;
  p.roof = "L2 roof";
  p.floor_ns = 100e3;
  s.points = {p};
  s.binding = Level::l2;
  s.binding_name = "L2 roof";
  s.binding_floor_ns = 100e3;
  s.binding_ratio = ratio;
  return s;
}

TEST(Overview, SaysWhatOneRunTakesBesideTheBaseline) {
  const Measurement m = timed(118.8e3);
  Comparison against{Difference::faster, 1.15, "1.15× faster"};
  EXPECT_EQ(time_sentence(m, CacheState::warm, "zero test", against),
            "One run takes 118.8 µs with warm caches, 1.15× faster than zero test, the baseline.");
  EXPECT_EQ(time_sentence(m, CacheState::warm, "", against),
            "One run takes 118.8 µs with warm caches. This variant is the baseline that others are "
            "compared with.");
  EXPECT_EQ(time_sentence(m, CacheState::warm, "zero test", {}),
            "One run takes 118.8 µs with warm caches.");
  against = {Difference::same, 1.001, "the same within 0.5 %"};
  EXPECT_THAT(time_sentence(m, CacheState::warm, "zero test", against),
              HasSubstr("the same as zero test, the baseline, within 0.5 %"));
}

TEST(Overview, SaysWhatBindsAndHowFarItIs) {
  const BindingWords words = binding_words(timed(125e3), CacheState::warm, at_l2(0.8));
  EXPECT_EQ(words.figure, "80.00 %");
  EXPECT_EQ(words.of, "of the L2 roof");
  // 800 MB in 125 µs.
  EXPECT_THAT(
      words.sentence,
      AllOf(HasSubstr("L2, the cache that all multiprocessors share, limits it"),
            HasSubstr("800.0 MB"), HasSubstr("at 6.40 TB/s"),
            HasSubstr("The roof measured on synthetic device is 8.00 TB/s"),
            HasSubstr("At the roof, one run would take 100.0 µs, 1.25× faster. A variant that "
                      "moves fewer bytes can be faster still.")));
}

// The chart's arrow is of bytes that L2 delivers; the roof is of sectors that it serves.
TEST(Overview, NamesTheBytesThatItComparesWithTheRoof) {
  Measurement m = timed(125e3);
  RooflineStanding s = at_l2(0.8);
  EXPECT_THAT(binding_words(m, CacheState::warm, s).sentence,
              HasSubstr("One whole run moves 800.0 MB through L2, at"));
  m.metrics = {{"l2.sectors_sm", 25e6, Origin::measured, "", ""},
               {"l2.bytes_to_sm", 810e6, Origin::measured, "", ""}};
  EXPECT_THAT(
      binding_words(m, CacheState::warm, s).sentence,
      AllOf(HasSubstr("L2 serves 800.0 MB of sectors per run (read or written), at 6.40 "
                      "TB/s. The roof"),
            HasSubstr(
                "The arrow from L2 to L1 shows the 810.0 MB that L2 sends for reads. If several "
                "multiprocessors request a sector at the same time, the arrow counts "
                "it once per multiprocessor. At the roof")));
  s.points.front().bytes_origin = Origin::modelled;
  EXPECT_THAT(binding_words(m, CacheState::warm, s).sentence,
              HasSubstr("moves 800.0 MB through L2, modelled, at"));
}

TEST(Overview, NearARoofOnlyLessHelps) {
  EXPECT_THAT(
      binding_words(timed(104e3), CacheState::warm, at_l2(0.96)).sentence,
      AllOf(HasSubstr("Only a variant that moves fewer bytes can be"), Not(HasSubstr("× faster"))));
}

TEST(Overview, FarFromEveryRoofItSaysWhatWarpsWaitFor) {
  Measurement m = timed(400e3);
  EXPECT_THAT(binding_words(m, CacheState::warm, at_l2(0.25)).sentence,
              AllOf(HasSubstr("It reaches 25.00 % of the nearest roof, the L2 roof"),
                    HasSubstr("Collect the counters “standard”")));
  EXPECT_EQ(binding_words(m, CacheState::warm, at_l2(0.0026)).figure, "Latency-bound");
  EXPECT_EQ(binding_words(m, CacheState::warm, at_l2(0.596)).of, "at 59.60 % of the nearest roof");
  m.metrics = {{"stall.wait", 1.5, Origin::measured, "", ""},
               {"stall.long_scoreboard", 6.15, Origin::measured, "", ""},
               {"stall.barrier", std::nullopt, Origin::measured, "not counted", ""},
               {"stall.not_selected", 9.0, Origin::measured, "", ""}};
  EXPECT_EQ(longest_wait(m), "memory (on average 6.2 cycles per instruction of a warp)");
  EXPECT_THAT(binding_words(m, CacheState::warm, at_l2(0.25)).sentence,
              HasSubstr("Its warps wait most for: memory (on average 6.2 cycles"));
}

TEST(Overview, ArithmeticBindsByItsPipe) {
  Measurement m = timed(125e3);
  m.metrics = {{"model.flops", 6e9, Origin::modelled, "", ""}};
  RooflineStanding s;
  s.binding = Level::pipe;
  s.binding_name = "FP32 roof";
  s.binding_floor_ns = 100e3;
  s.binding_ratio = 0.8;
  // 6 GFLOP in 125 and in 100 µs.
  EXPECT_THAT(binding_words(m, CacheState::warm, s).sentence,
              AllOf(HasSubstr("Arithmetic limits it. It computes at 48.00 TFLOP/s."),
                    HasSubstr("pipe is 60.00 TFLOP/s")));
}

// 1000 loads with a sector for each of 32 lanes, which use 4 of its 32 bytes; stores in order.
Trace strided() {
  Trace trace;
  AccessSite load, store;
  load.totals.requests = store.totals.requests = 1000;
  load.totals.sectors = 32000;
  store.totals.sectors = 4000;
  load.totals.unique_bytes = store.totals.unique_bytes = 128000;
  store.kind = AccessKind::store;
  trace.sites = {load, store};
  return trace;
}

TEST(Overview, WastedBytesFollowTheRoofThatTheyReach) {
  const Trace trace = strided();
  const auto used = used_bytes(&trace);
  ASSERT_TRUE(used);
  EXPECT_TRUE(used->loads);
  EXPECT_EQ(used->moved, 1024000);
  EXPECT_EQ(used->used, 128000);
  RooflineStanding s = at_l2(0.85);
  s.binding = s.points.front().level = Level::dram;
  s.binding_name = "DRAM roof at 14 % writes";
  Measurement m = timed(118e3);
  m.metrics = {{"model.useful_bytes", 200e6, Origin::modelled, "", ""}};
  const BindingWords words = binding_words(m, CacheState::warm, s, used);
  // The headline names the limit, whether bytes are wasted or not.
  EXPECT_EQ(words.figure, "85.00 %");
  EXPECT_EQ(words.of, "of the DRAM roof at 14 % writes");
  EXPECT_EQ(words.brief, "of the roof");
  // 128 kB are 12.50 % of 1.02 MB.
  EXPECT_TRUE(words.sentence.starts_with("DRAM, the device's own memory, limits it. "))
      << words.sentence;
  EXPECT_TRUE(words.sentence.ends_with(
      ". The kernel's loads use 12.50 % of the bytes in the sectors that they request (emulated). "
      "The unused bytes count towards this roof, too: DRAM moves 800.0 MB, and the work needs only "
      "200.0 MB."))
      << words.sentence;
  // Where caches serve what requests waste, the roof is what is left.
  m.metrics.front().value = 790e6;
  EXPECT_THAT(binding_words(m, CacheState::warm, s, used).sentence,
              AllOf(HasSubstr("use 12.50 % of the bytes"), Not(HasSubstr("unused bytes count")),
                    HasSubstr("× faster")));
  // Far from every roof, the waste follows what warps wait for.
  s.binding_ratio = 0.25;
  const BindingWords far = binding_words(m, CacheState::warm, s, used);
  EXPECT_EQ(far.figure, "Latency-bound");
  EXPECT_TRUE(far.sentence.ends_with("in the sectors that they request (emulated)."))
      << far.sentence;
}

TEST(Overview, NamesTheStepWhoseBytesAreWasted) {
  Trace trace = strided();
  trace.step = "frame 6";
  const auto used = used_bytes(&trace, 8);
  ASSERT_TRUE(used);
  EXPECT_EQ(
      used_sentence(*used),
      "The kernel's loads use 12.50 % of the bytes in the sectors that they request (emulated "
      "for the step “frame 6”).");
}

TEST(Overview, NothingIsSaidOfWasteWhereLanesUseWhatTheyMove) {
  Trace trace = strided();
  trace.sites.front().totals.sectors = 4000;
  const auto used = used_bytes(&trace);
  ASSERT_TRUE(used);
  EXPECT_EQ(used->ratio(), 1);
  EXPECT_EQ(binding_words(timed(125e3), CacheState::warm, at_l2(0.8), used).figure, "80.00 %");
  // Few stores that waste most of their sectors, beside many loads that use theirs.
  trace.sites.back().totals.unique_bytes = 100;
  trace.sites.back().totals.sectors = 40;
  ASSERT_LT(used_bytes(&trace)->ratio(), kWasteful);
  EXPECT_FALSE(used_bytes(&trace)->wasteful());
  trace.sites.clear();
  EXPECT_FALSE(used_bytes(&trace));
  EXPECT_FALSE(used_bytes(nullptr));
}

TEST(Overview, WhereNoRoofIsNamedItSaysWhy) {
  RooflineStanding s;
  s.sentence = "the bytes of L2 were neither counted nor emulated, so the limit is not known yet";
  const BindingWords words = binding_words(timed(1e5), CacheState::warm, s);
  EXPECT_EQ(words.figure, "");
  EXPECT_EQ(words.sentence,
            "The bytes of L2 were neither counted nor emulated, so the limit is not known yet.");
  s.sentence = "";
  EXPECT_THAT(binding_words(timed(1e5), CacheState::warm, s).sentence,
              HasSubstr("What limits it is unknown"));
}

TEST(Overview, SendsTheEyeToWhereTheCauseIsSeen) {
  CostlyLine line;
  line.line = 31;
  line.figure = "sectors";
  const Measurement m = timed(1e5);
  EXPECT_EQ(advice_for(&m, nullptr, line).panel, "coalescing");
  line.figure = "wavefronts";
  EXPECT_EQ(advice_for(&m, nullptr, line).panel, "banks");
  line.figure = "instructions";
  RooflineStanding s;
  s.binding = Level::issue;
  EXPECT_EQ(advice_for(&m, &s, line).panel, "occupancy");
  Measurement divergent = m;
  divergent.metrics = {{"inst.lanes", 12.5, Origin::measured, "", ""}};
  const Advice advice = advice_for(&divergent, &s, line);
  EXPECT_EQ(advice.panel, "divergence");
  EXPECT_THAT(advice.sentence, HasSubstr("12.5 of 32 lanes"));
  // Lanes whose predicate is off are on the path, and idle.
  divergent.metrics = {{"inst.lanes", 31.7, Origin::measured, "", ""},
                       {"inst.lanes_acting", 20.7, Origin::measured, "", ""}};
  EXPECT_THAT(advice_for(&divergent, &s, line).sentence, HasSubstr("20.7 of 32 lanes"));
  EXPECT_EQ(advice_for(nullptr, nullptr, {}).panel, "coalescing");
  EXPECT_EQ(advice_for(&m, nullptr, {}).panel, "metrics");
}

TEST(Overview, L1PassesSharedMemoryAsWell) {
  const std::vector<MetricValue> counted = {{"l1.wavefronts", 100.0}, {"shared.wavefronts", 80.0}};
  const std::vector<MetricValue> modelled = {{"emulated.l1.sectors_load", 40.0},
                                             {"emulated.l1.sectors_store", 0.0},
                                             {"emulated.shared.wavefronts_load", 30.0},
                                             {"emulated.shared.wavefronts_store", 0.0}};
  const std::vector<MetricValue> none;
  EXPECT_DOUBLE_EQ(shared_ratio({counted, none}), 0.8);
  // 40 sectors are 10 passes.
  EXPECT_DOUBLE_EQ(shared_ratio({none, modelled}), 0.75);
  EXPECT_DOUBLE_EQ(shared_ratio({none, none}), 0);
}

class NextOfTheLadder : public testing::Test {
 protected:
  NextOfTheLadder() : scene_(*built_in_catalogue().find("csrmm").value()) {
    for (const char* name : {"warp_row_zero_test", "warp_row_branch_free", "float4_columns"})
      variants_.push_back(find_variant(scene_, name));
  }
  // What is next of the variant at `focus`; a time of 0: it has none here.
  NextVariant next(std::size_t focus, const std::vector<double>& times) {
    std::vector<Measurement> points;
    for (std::size_t i = 0; i < times.size(); ++i) {
      points.push_back(timed(times[i]));
      points.back().scene = scene_.name;
      points.back().variant = variants_[i]->name;
      points.back().axes = default_configuration(scene_.axes);
    }
    std::vector<Candidate> candidates;
    for (std::size_t i = 0; i < times.size(); ++i)
      candidates.push_back({variants_[i], times[i] > 0 ? &points[i] : nullptr});
    return next_variant(candidates, *variants_[focus], points[focus], CacheState::warm);
  }
  const Scene& scene_;
  std::vector<const Variant*> variants_;
};

TEST_F(NextOfTheLadder, IsTheFirstRungBehindThatIsFaster) {
  EXPECT_EQ(next(0, {200e3, 150e3, 100e3}).variant, variants_[1]);
  EXPECT_EQ(next(0, {200e3, 250e3, 100e3}).variant, variants_[2]);
  EXPECT_EQ(next(0, {200e3, 0, 100e3}).variant, variants_[2]) << "one has no time here";
  EXPECT_NEAR(next(0, {200e3, 150e3, 100e3}).comparison.ratio, 4.0 / 3, 1e-9);
}

TEST_F(NextOfTheLadder, IsTheFastestWhereNoneBehindIsFaster) {
  EXPECT_EQ(next(2, {50e3, 80e3, 100e3}).variant, variants_[0]);
  EXPECT_EQ(next(2, {150e3, 180e3, 100e3}).variant, nullptr);
  EXPECT_EQ(next(2, {100.1e3, 180e3, 100e3}).variant, nullptr) << "inside the noise";
}

// cublas_dense_bf16 is the only variant that is faster there. A kernel of it rounds B, and cuBLAS
// multiplies.
TEST(Overview, NeverSuggestsAVariantThatCallsALibrary) {
  const Result<SessionReading> reading = read_session(recorded_session("csrmm"));
  ASSERT_TRUE(reading);
  const Scene& scene = *built_in_catalogue().find("csrmm").value();
  const Variant* focus = find_variant(scene, "k_tiles");
  const Variant* cublas = find_variant(scene, "cublas_dense_bf16");
  ASSERT_NE(focus, nullptr);
  ASSERT_NE(cublas, nullptr);
  Configuration axes = default_configuration(scene.axes);
  axes.set("rows", std::string("power_law"));
  const std::string problem = problem_key(scene.axes, axes);
  std::map<std::string, const Measurement*> at;
  for (const Measurement* point : reading->session.newest_points()) {
    if (point->problem == problem && point->verdict.outcome == Outcome::correct)
      at[point->variant] = point;
  }
  ASSERT_NE(at["k_tiles"], nullptr);
  ASSERT_NE(at["cublas_dense_bf16"], nullptr);
  ASSERT_EQ(compare_times(*at["k_tiles"], *at["cublas_dense_bf16"], CacheState::warm).difference,
            Difference::faster);
  std::vector<Candidate> candidates;
  for (const Variant& variant : scene.variants) candidates.push_back({&variant, at[variant.name]});
  EXPECT_EQ(next_variant(candidates, *focus, *at["k_tiles"], CacheState::warm).variant, nullptr);
  // The kernel that rounds B keeps it among the variants whose source is shown.
  EXPECT_TRUE(cublas->own_kernels);
  EXPECT_TRUE(calls_library(*at["cublas_dense_bf16"]));
}

TEST(Overview, OfAStoryTheFirstSentence) {
  EXPECT_EQ(first_sentence("A copy of 1.5 GB. Then more."), "A copy of 1.5 GB.");
  EXPECT_EQ(first_sentence("Only one"), "Only one");
}

}  // namespace
}  // namespace warpscope
