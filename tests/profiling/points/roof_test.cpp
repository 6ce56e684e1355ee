// tests/profiling/points/roof_test.cpp: the ceiling of a mix, which roof limits a point, and what
// is flagged.
#include "profiling/points/roof.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiling/messages/protocol.h"
#include "scenes/catalogue.h"
#include "scenes/host/enumerators.h"
#include "tests/profiling/session/synthetic.h"

namespace warpscope {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Roof dram(const std::string& mix, double write_share, double value, int segment_bytes = 0) {
  Roof roof{Level::dram, value, "B/s"};
  roof.mix = {mix, write_share, segment_bytes};
  return roof;
}

Roof pipe(Pipe which, double value) {
  Roof roof{Level::pipe, value, "FLOP/s"};
  roof.pipe = which;
  return roof;
}

// An H200's, measured by small kernels of 4 GiB. source: profiling/README.md, Roofs.
RoofSet family() {
  RoofSet set;
  set.roofs = {dram("copy", 0.5, 4.282e12),
               dram("scale", 0.5, 4.090e12),
               dram("triad", 1.0 / 3, 4.357e12),
               dram("read", 0, 4.613e12),
               dram("write", 1, 4.702e12),
               dram("gather of 32 B", 0, 1.259e12, 32),
               dram("gather of 64 B", 0, 2.544e12, 64),
               {Level::l2, 8.5e12, "B/s"},
               {Level::l1, 32e12, "B/s"},
               {Level::issue, 1e12, "inst/s"},
               pipe(Pipe::fp32, 64e12),
               pipe(Pipe::mma_bf16, 620e12)};
  return set;
}

// The roofs that sessions had before: of DRAM a copy alone.
RoofSet copy_alone() {
  RoofSet set;
  set.roofs = {{Level::dram, 4e12, "B/s"}, {Level::l2, 8e12, "B/s"}, pipe(Pipe::fp32, 64e12)};
  return set;
}

void count(Measurement& m, const std::string& id, double value) {
  set_value(m.metrics, {id, value, Origin::measured, "", ""});
}

void model(Measurement& m, const std::string& id, double value) {
  set_value(m.metrics, {id, value, Origin::modelled, "", ""});
}

// A kernel of 100 µs whose bytes of every level are counted.
Measurement counted(double read, double written, double l2 = 1e6, double l1 = 1e6) {
  Measurement m = synthetic("float4_columns", 100000);
  count(m, "dram.bytes_read", read);
  count(m, "dram.bytes_write", written);
  count(m, "l2.sectors_sm", l2 / 32);
  count(m, "l1.bytes", l1);
  count(m, "l1.wavefronts", l1 / 128);
  count(m, "inst.executed", 1e6);
  return m;
}

const RooflinePoint* point_at(const RooflineStanding& standing, Level level) {
  for (const RooflinePoint& point : standing.points) {
    if (point.level == level) return &point;
  }
  return nullptr;
}

TEST(DramCeiling, IsTheMeasuredRateAtEveryMixThatWasMeasured) {
  for (const auto& [share, rate] : {std::pair(0.0, 4.613e12), {1.0 / 3, 4.357e12}, {1.0, 4.702e12}})
    EXPECT_DOUBLE_EQ(dram_ceiling(family(), share)->value, rate) << share;
  // Copy and scale are two shapes of one mix; the better one counts.
  EXPECT_DOUBLE_EQ(dram_ceiling(family(), 0.5)->value, 4.282e12);
}

TEST(DramCeiling, InterpolatesTheTimeOfAByteBetweenMixes) {
  // A fifth written: three fifths of the way from reading to the triad.
  EXPECT_DOUBLE_EQ(dram_ceiling(family(), 0.2)->value, 1 / (0.4 / 4.613e12 + 0.6 / 4.357e12));
  EXPECT_DOUBLE_EQ(dram_ceiling(family(), 0.75)->value, 1 / (0.5 / 4.282e12 + 0.5 / 4.702e12));
  EXPECT_EQ(dram_ceiling(family(), 0.2)->name, "DRAM roof at 20 % writes");
  EXPECT_EQ(dram_ceiling(family(), 0.002)->name, "DRAM read roof");
  EXPECT_EQ(dram_ceiling(family(), 0.999)->name, "DRAM write roof");
}

TEST(DramCeiling, LeavesOutWhatIsNotTrustedWhereOthersAre) {
  RoofSet set = family();
  for (Roof& roof : set.roofs) roof.trusted = roof.mix.name != "copy";
  EXPECT_DOUBLE_EQ(dram_ceiling(set, 0.5)->value, 4.090e12);  // the scale's
  for (Roof& roof : set.roofs) roof.trusted = false;
  EXPECT_DOUBLE_EQ(dram_ceiling(set, 0.5)->value, 4.282e12);  // better than none
}

TEST(DramCeiling, OfOldSessionsIsThatOfACopy) {
  const auto ceiling = dram_ceiling(copy_alone(), 0.02);
  ASSERT_TRUE(ceiling);
  EXPECT_EQ(ceiling->name, "DRAM copy roof");
  EXPECT_FALSE(ceiling->measured) << "2 % writes are not a copy";
  EXPECT_TRUE(dram_ceiling(copy_alone(), 0.49)->measured);
  EXPECT_FALSE(dram_ceiling(RoofSet{}, 0.5));
}

TEST(Roofline, JudgesAPointAtItsOwnCountedMix) {
  const Measurement m = counted(0.8 * 420e6, 0.2 * 420e6);
  const auto standing = stand(m, CacheState::warm, family());
  ASSERT_TRUE(standing);
  EXPECT_EQ(standing->binding, Level::dram);
  EXPECT_NEAR(*standing->write_share, 0.2, 1e-12);
  const double ceiling = dram_ceiling(family(), 0.2)->value;
  EXPECT_NEAR(standing->binding_ratio, 420e6 / ceiling / 100e-6, 1e-9);
  EXPECT_THAT(standing->sentence, HasSubstr("of the DRAM roof at 20 % writes, which limits it"));
}

TEST(Roofline, TakesInstructionsOfEmulatedSassWhereNoneWereCounted) {
  // 90 % of what is issued in 100 µs at 1e12 a second.
  Measurement m = counted(1e6, 1e6);
  std::erase_if(m.metrics, [](const MetricValue& value) { return value.id == "inst.executed"; });
  EXPECT_NE(stand(m, CacheState::warm, family())->binding, Level::issue);
  const std::vector<MetricValue> emulated = {
      {"emulated.inst.issued", 9e7, Origin::modelled, "", ""}};
  const auto standing = stand(m, CacheState::warm, family(), emulated);
  ASSERT_TRUE(standing);
  EXPECT_EQ(standing->binding, Level::issue);
  EXPECT_NEAR(standing->binding_ratio, 0.9, 1e-9);
  count(m, "inst.executed", 5e7);
  EXPECT_NEAR(stand(m, CacheState::warm, family(), emulated)->binding_ratio, 0.5, 1e-9)
      << "a counter is taken first";
}

TEST(Roofline, FlagsNoHonestStreamWhateverItsMix) {
  // A hundredth above its own ceiling, as a good kernel may be.
  for (const double written : {0.0, 1.0 / 3, 0.5, 1.0}) {
    const double bytes = 1.01 * dram_ceiling(family(), written)->value * 100e-6;
    const Measurement m = counted((1 - written) * bytes, written * bytes);
    const auto standing = stand(m, CacheState::warm, family());
    EXPECT_EQ(point_at(*standing, Level::dram)->impossible, "") << written;
    EXPECT_EQ(standing->binding, Level::dram) << written;
    EXPECT_NEAR(standing->binding_ratio, 1.01, 1e-6) << written;
  }
}

TEST(Roofline, FlagsOnlyAboveTheBestThatAnyMixReached) {
  // A copy at 4.7 TB/s is above the copy roof, yet writes alone reached as much.
  const Measurement odd = counted(235e6, 235e6);
  EXPECT_EQ(point_at(*stand(odd, CacheState::warm, family()), Level::dram)->impossible, "");
  const Measurement m = counted(250e6, 250e6);
  const RooflinePoint* point = nullptr;
  const auto standing = stand(m, CacheState::warm, family());
  point = point_at(*standing, Level::dram);
  EXPECT_THAT(point->impossible, HasSubstr("5.00 TB/s, the roof is 4.70 TB/s"));
  EXPECT_NE(standing->binding, Level::dram);
}

TEST(Roofline, SaysFirstWhatIsAboveItsRoofAndNamesNoneThatBinds) {
  // 2.5 TB/s of DRAM would be the limit if the bytes of L2 were not 12 TB/s.
  Measurement m = counted(125e6, 125e6, 1.2e9);
  const auto standing = stand(m, CacheState::warm, family());
  ASSERT_NE(point_at(*standing, Level::l2)->impossible, "");
  EXPECT_THAT(standing->sentence, StartsWith("above the L2 roof: "));
  EXPECT_FALSE(standing->binding);
  EXPECT_EQ(standing->binding_name, "");
  EXPECT_EQ(standing->binding_ratio, 0);
}

TEST(Roofline, NamesTheRoofThatItQuotes) {
  const Measurement m = counted(285e6, 215e6);  // 43 % writes, 5 TB/s
  const auto standing = stand(m, CacheState::warm, family());
  EXPECT_THAT(point_at(*standing, Level::dram)->impossible,
              StartsWith("above the best DRAM roof of any mix: "));
  const Measurement copies = counted(225e6, 225e6);
  EXPECT_THAT(point_at(*stand(copies, CacheState::warm, copy_alone()), Level::dram)->impossible,
              StartsWith("above the DRAM copy roof: "));
}

TEST(Roofline, TakesNoWavefrontsAloneForNothingKnownOfL1) {
  Measurement m = counted(170e6, 170e6);
  std::erase_if(m.metrics, [](const MetricValue& v) { return v.id == "l1.bytes"; });
  count(m, "l1.wavefronts", 0);
  const auto standing = stand(m, CacheState::warm, family());
  ASSERT_TRUE(standing);
  EXPECT_EQ(point_at(*standing, Level::l1), nullptr);
}

TEST(Roofline, SaysWhyCountersAreMissingAndNotToAskForThem) {
  Measurement m = synthetic("float4_columns", 150000);
  for (const char* id : {"dram.bytes_read", "dram.bytes_write", "l2.sectors_sm", "l1.wavefronts"})
    set_value(m.metrics, {id, std::nullopt, Origin::measured, "only root may read counters",
                          "run the engine as root"});
  const auto standing = stand(m, CacheState::warm, family());
  EXPECT_THAT(standing->sentence, HasSubstr("only root may read counters: run the engine as root"));
  EXPECT_THAT(standing->sentence, Not(HasSubstr("“standard”")));
}

TEST(Roofline, DoesNotFlagAReadOnlyStreamOfAnOldSession) {
  const Measurement reads = counted(450e6, 0);  // 4.5 TB/s, above the copy's 4
  const auto standing = stand(reads, CacheState::warm, copy_alone());
  EXPECT_EQ(point_at(*standing, Level::dram)->impossible, "");
  EXPECT_THAT(standing->sentence, HasSubstr("DRAM copy roof"));
  const Measurement copies = counted(225e6, 225e6);
  EXPECT_NE(point_at(*stand(copies, CacheState::warm, copy_alone()), Level::dram)->impossible, "");
}

TEST(Roofline, NamesNoRoofFromCompulsoryBytesAlone) {
  Measurement m = synthetic("float4_columns", 150000);
  model(m, "model.flops", 512e6);
  model(m, "model.dram_bytes", 26e6);
  model(m, "model.l2_read_bytes", 1.0e9);
  const auto standing = stand(m, CacheState::warm, family());
  ASSERT_TRUE(standing);
  EXPECT_FALSE(standing->binding);
  EXPECT_FALSE(standing->write_share);
  EXPECT_THAT(standing->sentence, HasSubstr("DRAM, L2 and L1 were neither counted nor emulated"));
  EXPECT_THAT(standing->sentence, HasSubstr("would tell"));
  EXPECT_EQ(standing->points.size(), 2u) << "the dots stay, dashed";
  EXPECT_FALSE(point_at(*standing, Level::dram)->ceiling) << "no mix is assumed";
  // Counters of DRAM and L2 leave L1 open.
  count(m, "dram.bytes_read", 26e6);
  count(m, "dram.bytes_write", 1e6);
  count(m, "l2.sectors_sm", 1e9 / 32);
  const auto open = stand(m, CacheState::warm, family());
  EXPECT_FALSE(open->binding);
  EXPECT_THAT(open->sentence, HasSubstr("the bytes of L1 were"));
  EXPECT_THAT(open->sentence, HasSubstr("of the L2 roof: "));
  count(m, "l1.bytes", 1.1e9);
  EXPECT_EQ(stand(m, CacheState::warm, family())->binding, Level::l2);
}

TEST(Roofline, TakesBytesOfL1ThatWereEmulatedForKnown) {
  Measurement m = counted(26e6, 1e6, 0.6e9);
  std::erase_if(m.metrics, [](const MetricValue& v) { return v.id.starts_with("l1."); });
  EXPECT_FALSE(stand(m, CacheState::warm, family())->binding);
  model(m, "emulated.l1.sectors_load", 30e6);
  model(m, "emulated.l1.sectors_store", 1e6);
  const auto standing = stand(m, CacheState::warm, family());
  EXPECT_EQ(standing->binding, Level::l2);
  EXPECT_DOUBLE_EQ(*point_at(*standing, Level::l1)->floor_ns, 31e6 * 32 / 32e12 * 1e9);
}

// DRAM counted, L1 emulated, L2 between `unique` and `asked` bytes.
RooflineStanding between(double unique, double asked, double l1, double time_ns = 150e3) {
  Measurement m = counted(26e6, 1e6);
  m.warm->median_ns = time_ns;
  std::erase_if(m.metrics, [](const MetricValue& v) {
    return v.id.starts_with("l1.") || v.id.starts_with("l2.") || v.id.starts_with("model.l2");
  });
  const auto value = [](const char* id, double bytes) {
    return MetricValue{id, bytes / 32, Origin::modelled, "", ""};
  };
  const auto standing = stand(
      m, CacheState::warm, family(), {},
      {value("emulated.l1.sectors_load", l1), value("emulated.l1.sectors_store", 0),
       value("emulated.l2.unique_sectors", unique), value("emulated.l2.asked_sectors", asked)});
  EXPECT_TRUE(standing);
  return standing.value_or(RooflineStanding{});
}

TEST(Roofline, NamesARoofWhereNoValueInsideTheIntervalChangesIt) {
  // Floors: L2 100 to 118 µs, L1 31 µs.
  const RooflineStanding l2 = between(0.85e9, 1.0e9, 1.0e9);
  EXPECT_EQ(l2.binding, Level::l2);
  EXPECT_DOUBLE_EQ(*point_at(l2, Level::l2)->least_ns, 0.85e9 / 8.5e12 * 1e9);
  EXPECT_DOUBLE_EQ(*point_at(l2, Level::l2)->most_ns, 1.0e9 / 8.5e12 * 1e9);
  // L2 1 to 24 µs, L1 125 µs.
  EXPECT_EQ(between(8.5e6, 0.2e9, 4.0e9).binding, Level::l1);
}

TEST(Roofline, SaysThatL2OrL1MayBindWhereTheIntervalLeavesItOpen) {
  // L2 1 to 118 µs, L1 31 µs.
  const RooflineStanding open = between(8.5e6, 1.0e9, 1.0e9);
  EXPECT_FALSE(open.binding);
  EXPECT_EQ(open.binding_ratio, 0);
  EXPECT_THAT(open.sentence, HasSubstr("L2 or L1 limits it, counters will tell"));
  EXPECT_THAT(open.sentence, HasSubstr("the L2 roof explains between 1.00 µs and 117.6 µs"));
}

// Roofs that explain less than 60 % of the time limit nothing, whichever of them is nearer.
TEST(Roofline, CallsOpenRoofsNearestWhereTheyAreFar) {
  // L2 1 to 118 µs, L1 31 µs, of 1 ms.
  const RooflineStanding far = between(8.5e6, 1.0e9, 1.0e9, 1e6);
  EXPECT_THAT(far.sentence, HasSubstr("L2 or L1 is the nearest roof, counters will tell"));
}

// L2 counted at 100 µs; L1 was asked for `l1` bytes as a sample of the blocks says, ± `spread`.
RooflineStanding sampled_l1(double l1, double spread) {
  Measurement m = counted(26e6, 1e6, 0.85e9);
  m.warm->median_ns = 150e3;
  std::erase_if(m.metrics, [](const MetricValue& v) { return v.id.starts_with("l1."); });
  const MetricValue load{"emulated.l1.sectors_load",    l1 / 32, Origin::modelled, "", "",
                         Sampled{64, 4096, spread / 32}},
      store{"emulated.l1.sectors_store", 0.0, Origin::modelled, "", "", Sampled{64, 4096, 0.0}};
  const auto standing = stand(m, CacheState::warm, family(), {}, {load, store});
  EXPECT_TRUE(standing);
  return standing.value_or(RooflineStanding{});
}

TEST(Roofline, NamesARoofFromASampleOnlyWhereItsIntervalLeavesNoOther) {
  // L1 at 32 TB/s: 94 to 97 µs below L2's 100.
  const RooflineStanding below = sampled_l1(3.05e9, 0.05e9);
  EXPECT_EQ(below.binding, Level::l2);
  EXPECT_DOUBLE_EQ(*point_at(below, Level::l1)->least_ns, 3.0e9 / 32e12 * 1e9);
  EXPECT_DOUBLE_EQ(*point_at(below, Level::l1)->most_ns, 3.1e9 / 32e12 * 1e9);
  EXPECT_THAT(point_at(below, Level::l1)->between, HasSubstr("only some blocks"));
  // 109 to 112 µs above it.
  EXPECT_EQ(sampled_l1(3.55e9, 0.05e9).binding, Level::l1);
  // The same, but only known to lie between 78 and 144 µs.
  const RooflineStanding open = sampled_l1(3.55e9, 1.05e9);
  EXPECT_FALSE(open.binding);
  EXPECT_THAT(open.sentence, HasSubstr("counters will tell"));
  EXPECT_THAT(open.sentence, HasSubstr("the L1 roof explains between 78.1"));
  // All blocks alike: no interval.
  EXPECT_EQ(sampled_l1(3.55e9, 0).binding, Level::l1);
  EXPECT_FALSE(point_at(sampled_l1(3.55e9, 0), Level::l1)->least_ns);
}

TEST(Roofline, TakesTheScenesExpectationOfL2WithinItsBound) {
  Measurement m = counted(26e6, 1e6);
  m.warm->median_ns = 150e3;
  std::erase_if(m.metrics, [](const MetricValue& v) { return v.id.starts_with("l2."); });
  model(m, "model.l2_read_bytes", 1.0e9);
  count(m, "l1.bytes", 1.1e9);
  const std::vector<MetricValue> emulated = {
      {"emulated.l1.sectors_store", 0.05e9 / 32, Origin::modelled, "", ""}};
  const auto standing = stand(m, CacheState::warm, family(), {Pipe::fp32, "", 0.1}, emulated);
  EXPECT_EQ(standing->binding, Level::l2);
  EXPECT_NEAR(*point_at(*standing, Level::l2)->least_ns, 0.95e9 / 8.5e12 * 1e9, 1);
  EXPECT_NEAR(*point_at(*standing, Level::l2)->most_ns, 1.15e9 / 8.5e12 * 1e9, 1);
  // What is stored is not known without emulation: no roof is named.
  EXPECT_FALSE(stand(m, CacheState::warm, family(), {Pipe::fp32, "", 0.1})->binding);
}

TEST(Roofline, StandsAPointBelowTheRoofThatBinds) {
  Measurement m = counted(1e6, 0, 600e6, 700e6);
  model(m, "model.flops", 512e6);
  const std::optional<RooflineStanding> standing = stand(m, CacheState::warm, family());
  ASSERT_TRUE(standing);
  EXPECT_EQ(standing->binding, Level::l2);
  EXPECT_NEAR(standing->binding_floor_ns, 600e6 / 8.5e12 * 1e9, 1);
  EXPECT_NEAR(standing->binding_ratio, 600e6 / 8.5e12 / 100e-6, 1e-9);
  EXPECT_THAT(standing->sentence, HasSubstr("of the L2 roof, which limits it: "));
  EXPECT_THAT(standing->sentence, HasSubstr(" at the roof, "));
}

TEST(Roofline, CountsWhatMultiprocessorsAskOfL2WhereItWasCounted) {
  Measurement m = counted(1e6, 0);
  model(m, "model.flops", 512e6);
  std::erase_if(m.metrics, [](const MetricValue& v) { return v.id == "l2.sectors_sm"; });
  count(m, "l2.bytes", 1.2e9);  // 12 TB/s: above the roof
  const std::optional<RooflineStanding> all = stand(m, CacheState::warm, family());
  ASSERT_TRUE(all);
  EXPECT_THAT(point_at(*all, Level::l2)->impossible, HasSubstr("halves"));
  count(m, "l2.sectors_sm", 20e6);  // 640 MB
  const std::optional<RooflineStanding> asked = stand(m, CacheState::warm, family());
  const RooflinePoint* point = point_at(*asked, Level::l2);
  EXPECT_EQ(point->impossible, "");
  EXPECT_DOUBLE_EQ(point->intensity, 0.8);
  EXPECT_NEAR(*point->floor_ns, 640e6 / 8.5e12 * 1e9, 1);
  EXPECT_THAT(point->bytes_of, HasSubstr("multiprocessors"));
}

TEST(Roofline, BindsL1ByItsDataPathToo) {
  Measurement m = counted(1e6, 0, 1e6, 320e6);  // 10 µs
  count(m, "l1.wavefronts", 20e6);              // × 128 B: 80 µs
  const std::optional<RooflineStanding> standing = stand(m, CacheState::warm, family());
  ASSERT_TRUE(standing);
  EXPECT_EQ(standing->binding, Level::l1);
  EXPECT_NEAR(standing->binding_floor_ns, 80000, 1);
  EXPECT_THAT(point_at(*standing, Level::l1)->bytes_of, HasSubstr("wavefronts"));
}

TEST(Roofline, HasNoSharedLevelWhereNothingAskedForSharedMemory) {
  Measurement m = counted(170e6, 170e6);
  count(m, "shared.wavefronts", 1e6);  // one for every warp
  count(m, "shared.wavefronts_load", 0);
  EXPECT_NE(point_at(*stand(m, CacheState::warm, family()), Level::shared), nullptr);
  count(m, "shared.wavefronts_store", 0);
  EXPECT_EQ(point_at(*stand(m, CacheState::warm, family()), Level::shared), nullptr);
  count(m, "shared.wavefronts_gmma", 5);
  EXPECT_NE(point_at(*stand(m, CacheState::warm, family()), Level::shared), nullptr);
}

TEST(Roofline, BindsWorkWithoutArithmeticThatHasNoPlaceOnThePlot) {
  const Measurement copy = counted(170e6, 170e6);
  const std::optional<RooflineStanding> standing = stand(copy, CacheState::warm, family());
  ASSERT_TRUE(standing);
  EXPECT_EQ(standing->binding, Level::dram);
  EXPECT_EQ(point_at(*standing, Level::dram)->rate, 0);
}

TEST(Roofline, HasNoPointForAWrongOutput) {
  Measurement m = counted(1e6, 1e6);
  m.verdict.outcome = Outcome::wrong;
  EXPECT_FALSE(stand(m, CacheState::warm, family()));
}

TEST(Roofline, HoldsArithmeticToTheVariantsOwnPipe) {
  Measurement m = counted(1e6, 0);
  model(m, "model.flops", 31e9);  // 310 TFLOP/s: no FP32 kernel
  const auto tensor = stand(m, CacheState::warm, family(), {Pipe::mma_bf16, ""});
  EXPECT_EQ(tensor->binding, Level::pipe);
  EXPECT_NEAR(tensor->binding_ratio, 0.5, 1e-9);
  EXPECT_THAT(tensor->sentence, HasSubstr("50.00 % of the mma.sync BF16 roof"));
  const auto unknown = stand(m, CacheState::warm, family(), {Pipe::mma_tf32, ""});
  EXPECT_THAT(unknown->sentence, HasSubstr("the session has no roof of its pipe, mma.sync TF32"));
}

TEST(Roofline, FindsThePipesOfVariantsThatNameThem) {
  const auto pipe_at = [](const char* scene, const char* variant, const char* dtype) {
    Measurement m;
    m.scene = scene;
    m.variant = variant;
    if (dtype != nullptr) m.axes.set("dtype", std::string(dtype));
    return bounds_of(m).pipe;
  };
  EXPECT_EQ(pipe_at("csrmm", "float4_columns", nullptr), Pipe::fp32);
  EXPECT_EQ(pipe_at("csrmm", "bitmap_tensor_cores", nullptr), Pipe::mma_bf16);
  EXPECT_EQ(pipe_at("csrmm", "cublas_dense_tf32", nullptr), Pipe::wgmma_tf32);
  EXPECT_EQ(pipe_at("led", "window_tensor_core", "fp32"), Pipe::mma_tf32);
  EXPECT_EQ(pipe_at("led", "window_tensor_core", "uint8"), Pipe::mma_s8);
  EXPECT_EQ(pipe_at("led", "window_boxes", "uint8"), Pipe::dp4a);
}

TEST(Roofline, FallsBackFromWgmmaToTheInstructionThatADeviceHas) {
  EXPECT_EQ(find_roof(family(), Pipe::wgmma_bf16)->pipe, Pipe::mma_bf16);
  EXPECT_EQ(find_roof(family(), Pipe::wgmma_s8), nullptr);
}

TEST(Roofline, NeverTakesALibrarysRateForARoof) {
  RoofSet set;
  set.roofs = {pipe(Pipe::wgmma_tf32, 400e12)};
  set.roofs[0].library = "cuBLAS";
  EXPECT_EQ(find_roof(set, Pipe::wgmma_tf32), nullptr);
  EXPECT_EQ(label(set.roofs[0]), "cuBLAS TF32");
}

TEST(Roofline, DrawsGathersAsASecondLineAndNeverJudgesByThem) {
  const RoofSet set = family();
  EXPECT_EQ(gather_roof(set, 1.1)->mix.segment_bytes, 32);
  EXPECT_EQ(gather_roof(set, 2.0)->mix.segment_bytes, 64);
  EXPECT_EQ(gather_roof(set, 3.9), nullptr);
  Measurement m = counted(100e6, 0, 100e6);  // 1 TB/s
  count(m, "l2.requests_sm", 100e6 / 32);
  const auto standing = stand(m, CacheState::warm, set);
  EXPECT_DOUBLE_EQ(*standing->sectors_per_line, 1);
  EXPECT_EQ(standing->binding, Level::dram);
  EXPECT_NEAR(standing->binding_ratio, 1 / 4.613, 1e-9) << "of the reads, not of the gathers";
  EXPECT_THAT(standing->sentence, HasSubstr("gather of 32 B reaches 1.26 TB/s"));
  count(m, "l2.requests_sm", 100e6 / 128);
  EXPECT_THAT(stand(m, CacheState::warm, set)->sentence, Not(HasSubstr("gather")));
}

TEST(Roofline, HoldsAVariantToItsScenesOwnRoof) {
  RoofSet set = family();
  Roof own{Level::l1, 16e12, "B/s"};
  own.scene = "csrmm";
  own.name = "gather_64";
  set.roofs.push_back(own);
  EXPECT_EQ(find_roof(set, Level::l1)->value, 32e12) << "a scene's roof is not the level's";
  const Measurement m = counted(1e6, 0, 1e6, 1.2e9);
  const auto standing = stand(m, CacheState::warm, set, {Pipe::fp32, "gather_64"});
  EXPECT_EQ(standing->binding, Level::l1);
  EXPECT_EQ(standing->binding_name, "gather 64 roof");
  EXPECT_NEAR(standing->binding_ratio, 0.75, 1e-9);
  EXPECT_EQ(stand(m, CacheState::warm, set)->binding_name, "L1 roof") << "others are not held";
  // Above it, and below that of L1: a better shape, no impossible point.
  const Measurement better = counted(1e6, 0, 1e6, 2.4e9);
  const auto above = stand(better, CacheState::warm, set, {Pipe::fp32, "gather_64"});
  EXPECT_EQ(point_at(*above, Level::l1)->impossible, "");
  EXPECT_EQ(above->binding_name, "L1 roof");
}

TEST(RoofCodec, BringsEveryKindOfRoofBack) {
  RoofSet set = family();
  set.roofs[5].mix.moved_ratio = 2;
  set.roofs[0].trusted = false;
  Roof rate = pipe(Pipe::wgmma_tf32, 400e12);
  rate.library = "cuBLAS";
  Roof own{Level::l1, 16e12, "B/s"};
  own.scene = "deform", own.name = "gather_64";
  set.roofs.push_back(rate);
  set.roofs.push_back(own);
  for (int i = 0; i < kEnumeratorCount<Pipe>; ++i)
    set.roofs.push_back(pipe(static_cast<Pipe>(i), 1e12 + i));
  const Result<Message> back = parse_line(to_line(set));
  ASSERT_TRUE(back) << sentence(back.error());
  const auto& read = std::get<RoofSet>(*back);
  ASSERT_EQ(read.roofs.size(), set.roofs.size());
  for (std::size_t i = 0; i < set.roofs.size(); ++i) {
    const Roof &a = set.roofs[i], &b = read.roofs[i];
    EXPECT_EQ(label(a), label(b));
    EXPECT_EQ(a.level, b.level) << label(a);
    EXPECT_EQ(a.value, b.value) << label(a);
    EXPECT_EQ(a.trusted, b.trusted) << label(a);
    EXPECT_EQ(a.pipe, b.pipe) << label(a);
    EXPECT_EQ(a.mix.write_share, b.mix.write_share) << label(a);
    EXPECT_EQ(a.mix.segment_bytes, b.mix.segment_bytes) << label(a);
    EXPECT_EQ(a.mix.moved_ratio, b.mix.moved_ratio) << label(a);
  }
}

TEST(RoofCodec, ReadsOldRowsWithTheMeaningThatTheyHad) {
  const Result<Message> message = parse_line(
      R"({"type":"roofs","roofs":[{"level":"DRAM","value":4e12,"unit":"B/s","method":"copy"},)"
      R"({"level":"FP32","value":64e12,"unit":"FLOP/s","method":""},)"
      R"({"level":"FP16","value":66e12,"unit":"FLOP/s","method":"half2"},)"
      R"({"level":"TF32","value":400e12,"unit":"FLOP/s","method":"cuBLAS"},)"
      R"({"level":"BF16","value":800e12,"unit":"FLOP/s","method":"cuBLAS"},)"
      R"({"level":"pipe","value":1,"unit":"FLOP/s","method":""},)"
      R"({"level":"qubits","value":1,"unit":"FLOP/s","method":""}]})");
  ASSERT_TRUE(message) << sentence(message.error());
  const auto& set = std::get<RoofSet>(*message);
  ASSERT_EQ(set.roofs.size(), 5u) << "levels of newer versions are left out";
  EXPECT_EQ(label(set.roofs[0]), "DRAM copy");
  EXPECT_EQ(set.roofs[0].mix.write_share, 0.5);
  EXPECT_FALSE(holds_mixes(set));
  EXPECT_EQ(find_roof(set, Pipe::fp32)->value, 64e12);
  EXPECT_EQ(find_roof(set, Pipe::half2)->value, 66e12);
  EXPECT_EQ(label(set.roofs[3]), "cuBLAS TF32");
  EXPECT_EQ(label(set.roofs[4]), "cuBLAS BF16");
  EXPECT_EQ(find_roof(set, Pipe::wgmma_bf16), nullptr);
}

}  // namespace
}  // namespace warpscope
