// tests/profiling/agreement/agree_test.cpp: what agrees, what a variant explains, and what is a
// finding.
#include "profiling/agreement/agree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "profiling/access/trace_view.h"
#include "profiling/agreement/trace_metrics.h"
#include "scenes/catalogue.h"
#include "tests/profiling/access/synthetic_trace.h"
#include "tests/profiling/agreement/copied.h"
#include "tests/profiling/agreement/csrmm_facts.h"
#include "tests/recorded_session.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

// The default of csrmm, of which 1004 MB are expected from L2 where a warp owns 128 columns.
Measurement point(const std::string& variant) {
  Measurement m;
  m.scene = "csrmm";
  m.variant = variant;
  m.axes = with_defaults((*built_in_catalogue().find("csrmm"))->axes, {});
  m.key = "m=10000,n=128";
  m.verdict.outcome = Outcome::correct;
  m.facts = facts_of_default_csrmm();
  return m;
}

void count(Measurement& m, const char* id, double value) {
  set_value(m.metrics, {id, value, Origin::measured, "", ""});
}

FigureMatch model_of(const Measurement& m, const std::string& figure) {
  Session session;
  session.apply(m);
  for (const FigureMatch& pair : agree_with_model(session)) {
    if (pair.figure == figure) return pair;
  }
  ADD_FAILURE() << "no figure " << figure;
  return {};
}

double expected(const Measurement& m) {
  const Scene& scene = **built_in_catalogue().find("csrmm");
  return *evaluate(term_of(*scene.l2_expectation), {m.axes, m.facts},
                   *find_variant(scene, m.variant));
}

TEST(AgreeWithModel, TakesWithinThreePerCentForAgreement) {
  Measurement m = point("float4_columns");
  const double ours = expected(m);
  count(m, "l2.bytes_to_sm", ours * 0.98);
  const FigureMatch pair = model_of(m, "model.l2_read_bytes");
  EXPECT_EQ(pair.match, Match::agrees);
  EXPECT_DOUBLE_EQ(*pair.ours, ours);
  EXPECT_DOUBLE_EQ(*pair.counted, ours * 0.98);
  EXPECT_EQ(pair.reason, "");
}

TEST(AgreeWithModel, HoldsTheExpectationOfL2ToItsBoundOnBothSides) {
  Measurement m = point("float4_columns");
  const double ours = expected(m),
               bound = (*built_in_catalogue().find("csrmm"))->l2_expectation->bound_ratio;
  for (const double side : {-1.0, 1.0}) {
    count(m, "l2.bytes_to_sm", ours / (1 + side * (bound - 0.001)));
    const FigureMatch inside = model_of(m, "model.l2_read_bytes");
    EXPECT_EQ(inside.match, Match::explained) << side;
    EXPECT_NE(inside.reason.find("within 13.00 %"), std::string::npos) << inside.reason;
    EXPECT_NE(inside.reason.find("L1 keeps the last 150 KB"), std::string::npos) << inside.reason;
    count(m, "l2.bytes_to_sm", ours / (1 + side * (bound + 0.001)));
    const FigureMatch outside = model_of(m, "model.l2_read_bytes");
    EXPECT_EQ(outside.match, Match::differs) << side;
    EXPECT_NE(outside.reason.find("more than the known reason explains"), std::string::npos)
        << outside.reason;
  }
}

TEST(AgreeWithModel, HoldsAKnownDifferenceToItsOwnBound) {
  Measurement m = point("k_tiles");
  m.cold_counters = true;
  count(m, "dram.bytes_read", 21.16e6 / 0.86);  // 14 % below: padding
  const FigureMatch padding = model_of(m, "model.dram_read_bytes");
  EXPECT_EQ(padding.match, Match::explained) << padding.reason;
  EXPECT_NE(padding.reason.find("at most 15.00 % below the counter"), std::string::npos)
      << padding.reason;
  count(m, "dram.bytes_read", 21.16e6 / 0.84);
  EXPECT_EQ(model_of(m, "model.dram_read_bytes").match, Match::differs);
  count(m, "dram.bytes_read", 21.16e6 / 1.1);  // padding can't make it fewer
  EXPECT_EQ(model_of(m, "model.dram_read_bytes").match, Match::differs);
}

TEST(AgreeWithModel, LeavesTheReadsOfLibrariesToThem) {
  Measurement m = point("cusparse_alg3");
  m.cold_counters = true;
  m.steps.resize(1);
  m.steps[0].kind = "library";
  count(m, "dram.bytes_read", 50e6);
  const FigureMatch pair = model_of(m, "model.dram_read_bytes");
  EXPECT_EQ(pair.match, Match::not_comparable);
  EXPECT_NE(pair.reason.find("library"), std::string::npos) << pair.reason;
}

TEST(AgreeWithModel, ComparesDramOnlyWhereL2DoesNotHoldItAll) {
  Measurement m = point("float4_columns");
  count(m, "dram.bytes_read", 0.3e6);
  const FigureMatch warm = model_of(m, "model.dram_read_bytes");
  EXPECT_EQ(warm.match, Match::not_comparable);
  EXPECT_NE(warm.reason.find("--cold-counters"), std::string::npos);
  m.cold_counters = true;
  EXPECT_EQ(model_of(m, "model.dram_read_bytes").match, Match::differs);
  count(m, "dram.bytes_read", 21.2e6);
  EXPECT_EQ(model_of(m, "model.dram_read_bytes").match, Match::agrees);
}

TEST(AgreeWithModel, KnowsThatL2MayHoldAPartFromTheRunBefore) {
  Measurement m = point("float4_columns");
  m.facts["nnz"] = 40e6;              // 320 MB of indices and weights, of which L2 holds 60
  count(m, "l2.bytes_to_sm", 300e6);  // each of them once
  count(m, "dram.bytes_read", 280e6);
  const FigureMatch warm = model_of(m, "model.dram_read_bytes");
  EXPECT_EQ(warm.match, Match::explained);
  EXPECT_NE(warm.reason.find("warm"), std::string::npos);
  count(m, "dram.bytes_read", 250e6);  // more is lacking than L2 holds
  EXPECT_EQ(model_of(m, "model.dram_read_bytes").match, Match::differs);
  m.cold_counters = true;
  count(m, "dram.bytes_read", 280e6);
  EXPECT_EQ(model_of(m, "model.dram_read_bytes").match, Match::differs);
  // L2 can hold most of 85 MB: low warm counters say nothing then, but too high ones do.
  m.cold_counters = false;
  m.facts["nnz"] = 10e6;
  count(m, "l2.bytes_to_sm", 80e6);
  count(m, "dram.bytes_read", 50e6);
  EXPECT_EQ(model_of(m, "model.dram_read_bytes").match, Match::not_comparable);
  count(m, "dram.bytes_read", 120e6);
  EXPECT_EQ(model_of(m, "model.dram_read_bytes").match, Match::differs);
}

TEST(AgreeWithModel, SaysNothingOfDramWhereMoreIsAskedOfL2ThanItKeeps) {
  Measurement m = point("float4_columns");
  m.cold_counters = true;
  m.facts["nnz"] = 40e6;
  count(m, "l2.bytes_to_sm", 900e6);
  count(m, "dram.bytes_read", 700e6);
  const FigureMatch again = model_of(m, "model.dram_read_bytes");
  EXPECT_EQ(again.match, Match::not_comparable);
  EXPECT_NE(again.reason.find("again"), std::string::npos) << again.reason;
  m.facts["nnz"] = 2e6;  // 21 MB stay in L2, however often they are asked for
  count(m, "dram.bytes_read", 700e6);
  EXPECT_EQ(model_of(m, "model.dram_read_bytes").match, Match::differs);
}

TEST(AgreeWithModel, HoldsReadsThatComeAgainToWhatMustBeReadOnce) {
  Measurement m = point("float4_columns");
  m.facts["nnz"] = 40e6;  // 325 MB
  count(m, "l2.bytes_to_sm", 900e6);
  count(m, "dram.bytes_read", 200e6);  // warm: L2 may have had 60 of them
  const FigureMatch little = model_of(m, "model.dram_read_bytes");
  EXPECT_EQ(little.match, Match::differs);
  EXPECT_NE(little.reason.find("come from DRAM"), std::string::npos) << little.reason;
  count(m, "dram.bytes_read", 270e6);
  EXPECT_EQ(model_of(m, "model.dram_read_bytes").match, Match::not_comparable);
  m.cold_counters = true;
  EXPECT_EQ(model_of(m, "model.dram_read_bytes").match, Match::differs);
}

TEST(AgreeWithModel, TakesNoExcuseFromACounterThatOthersContradict) {
  Measurement m = point("float4_columns");
  m.cold_counters = true;
  m.facts["nnz"] = 40e6;
  const double read = 325e6, atomics = 7e6;
  count(m, "dram.bytes_read", read);
  count(m, "l2.bytes_to_sm", read);
  count(m, "l1.sectors_load", 2 * read / 32);
  count(m, "l1.sectors_load_hit", read / 32);
  count(m, "l1.bytes", 2 * read + atomics);
  count(m, "l2.sectors_sm", (read + atomics) / 32);
  EXPECT_EQ(model_of(m, "counted.l2_read_bytes").match, Match::agrees);
  EXPECT_EQ(model_of(m, "model.dram_read_bytes").match, Match::agrees);
  for (const double factor : {1.5, 0.01}) {
    count(m, "l2.bytes_to_sm", factor * read);
    const FigureMatch sent = model_of(m, "counted.l2_read_bytes");
    EXPECT_EQ(sent.match, Match::differs) << factor;
    EXPECT_NE(sent.reason.find("one of these counters is wrong"), std::string::npos);
    EXPECT_EQ(model_of(m, "model.dram_read_bytes").match, Match::agrees) << "it excuses nothing";
  }
  // Bulk copies are not loads, and may be all that is read.
  count(m, "l2.bytes_to_sm", 3 * read);
  count(m, "l2.sectors_sm", (3 * read + atomics) / 32);
  EXPECT_EQ(model_of(m, "counted.l2_read_bytes").match, Match::agrees);
  EXPECT_EQ(model_of(m, "model.dram_read_bytes").match, Match::not_comparable);
}

TEST(AgreeWithModel, LeavesOutPointsWithoutCountersOrWithAWrongOutput) {
  Session session;
  session.apply(point("float4_columns"));
  EXPECT_TRUE(agree_with_model(session).empty());
  Measurement wrong = point("float4_columns");
  count(wrong, "l2.bytes_to_sm", 1e9);
  wrong.verdict.outcome = Outcome::wrong;
  session.apply(wrong);
  EXPECT_TRUE(agree_with_model(session).empty());
}

TEST(AgreeWithModel, HasNoFigureWhereASessionLacksFacts) {
  Measurement m = point("float4_columns");
  m.facts = {{"mean_row", 200}};
  count(m, "l2.bytes_to_sm", 1e9);
  Session session;
  session.apply(m);
  EXPECT_TRUE(agree_with_model(session).empty());
}

// Loads and stores of the trace's shared memory beside `loads` and `stores` as counted.
std::vector<FigureMatch> emulated(const char* variant, double loads_factor, double stores_factor,
                                  bool machine_code = true) {
  Trace trace = synthetic_trace();
  trace.variant = variant;
  if (machine_code) trace.machine_code.emplace();
  double loads = 0, stores = 0;
  for (const AccessSite& site : trace.sites) {
    const auto wavefronts = static_cast<double>(site.totals.wavefronts);
    if (site.space == Space::shared && site.kind == AccessKind::load) loads += wavefronts;
    if (site.space == Space::shared && site.kind == AccessKind::store) stores += wavefronts;
  }
  Measurement m = point(variant);
  m.steps.resize(1);
  m.steps[0].kind = "kernel";
  count(m, "shared.wavefronts_lds", loads * loads_factor);
  count(m, "shared.wavefronts_sts", stores * stores_factor);
  Session session;
  session.apply(m);
  session.apply(trace);
  std::vector<FigureMatch> list = agree_with_emulator(session);
  std::erase_if(
      list, [](const FigureMatch& pair) { return !pair.figure.starts_with("emulated.shared."); });
  return list;
}

TEST(AgreeWithEmulator, HoldsLoadsAndStoresOfSharedMemoryApart) {
  const std::vector<FigureMatch> equal = emulated("float4_columns", 1, 1);
  ASSERT_EQ(equal.size(), 2u);
  EXPECT_EQ(equal[0].match, Match::agrees);
  EXPECT_EQ(equal[1].match, Match::agrees);
  const std::vector<FigureMatch> bent = emulated("float4_columns", 1.01, 1);
  EXPECT_EQ(bent[0].match, Match::differs);
  EXPECT_EQ(bent[1].match, Match::agrees);
}

// ptxas joins the loads and stores of row_cache in pairs, so its PTX has twice the wavefronts.
TEST(AgreeWithEmulator, DoesNotCompareFiguresOfPtxThatDifferAndSaysHowToCompareThem) {
  for (const FigureMatch& pair : emulated("row_cache", 1, 1, false))
    EXPECT_EQ(pair.match, Match::agrees) << pair.figure;
  for (const FigureMatch& pair : emulated("row_cache", 0.5, 0.5, false)) {
    EXPECT_EQ(pair.match, Match::not_comparable) << pair.figure;
    EXPECT_THAT(pair.reason, HasSubstr("trace again without --code ptx"));
  }
  for (const FigureMatch& pair : emulated("row_cache", 0.5, 0.5, true)) {
    EXPECT_EQ(pair.match, Match::differs) << pair.figure;
    EXPECT_THAT(pair.reason, HasSubstr("no reason is known"));
  }
}

TEST(AgreeWithEmulator, HoldsSectorsAndRequestsOfTheGridToEqualCountsOrToHalfAPerCentForPtx) {
  Trace trace = synthetic_trace();
  const auto matched = [&](const char* counter, double factor) {
    Measurement m = point(trace.variant);
    m.steps.resize(1);
    m.steps[0].kind = "kernel";
    const std::string id = std::string("emulated.") + counter;
    const std::vector<MetricValue> emulated = emulated_metrics(trace);
    count(m, counter, *value_of(emulated, id) * factor);
    Session session;
    session.apply(m);
    session.apply(trace);
    for (const FigureMatch& pair : agree_with_emulator(session)) {
      if (pair.figure == id) return pair.match;
    }
    ADD_FAILURE() << "no figure " << id;
    return Match::not_comparable;
  };
  for (const char* counter :
       {"l1.sectors_load", "l1.requests_load", "l1.sectors_store", "l1.requests_store"}) {
    trace.machine_code.reset();
    EXPECT_EQ(matched(counter, 1.004), Match::agrees) << counter;
    EXPECT_EQ(matched(counter, 1.006), Match::not_comparable) << counter;
    EXPECT_EQ(matched(counter, 0.994), Match::not_comparable) << counter;
    trace.machine_code.emplace();
    EXPECT_EQ(matched(counter, 1), Match::agrees) << counter;
    EXPECT_EQ(matched(counter, 1.004), Match::differs) << counter;
    EXPECT_EQ(matched(counter, 0.996), Match::differs) << counter;
  }
}

// The places of queries that atomics give out: a step fills "order", the next one loads from it.
std::vector<FigureMatch> sorted_queries(double stored_factor, bool uses_places, int lanes = 256) {
  Trace fill, sample;
  for (Trace* trace : {&fill, &sample}) {
    trace->scene = "deform", trace->variant = "sorted_queries", trace->key = "n=1";
    trace->scope.grid = true;
    trace->machine_code.emplace();
  }
  fill.step = "order queries", sample.step = "sample";
  fill.machine_code->rows.resize(2);
  fill.machine_code->rows[0].text = uses_places
                                        ? "ATOMG.E.ADD.STRONG.GPU PT, R4, desc[UR4][R2.64], R5"
                                        : "ATOMG.E.ADD.STRONG.GPU PT, RZ, desc[UR4][R2.64], R5";
  AccessSite atomic, store, load, out;
  atomic.kind = AccessKind::atomic;
  atomic.totals.requests = atomic.totals.sectors = 8;
  atomic.totals.lanes = lanes;
  store.instruction = 1;
  store.kind = out.kind = AccessKind::store;
  store.buffer = load.buffer = "order";
  for (AccessSite* site : {&store, &load, &out})
    site->totals.requests = 8, site->totals.sectors = 100;
  fill.sites = {atomic, store};
  sample.sites = {load, out};
  Session session;
  Measurement m;
  m.scene = "deform", m.variant = "sorted_queries", m.key = "n=1";
  m.verdict.outcome = Outcome::correct;
  for (const char* step : {"order queries", "sample"}) {
    StepRecord& made = m.steps.emplace_back();
    made.name = step;
    made.kind = "kernel";
    made.metrics.push_back({"l1.sectors_store", 100 * stored_factor, Origin::measured, "", ""});
  }
  session.apply(m);
  session.apply(fill);
  session.apply(sample);
  std::vector<FigureMatch> list = agree_with_emulator(session);
  std::erase_if(list,
                [](const FigureMatch& pair) { return pair.figure != "emulated.l1.sectors_store"; });
  return list;
}

TEST(AgreeWithEmulator, LeavesOutFiguresThatDependOnTheOrderOfAtomics) {
  const std::vector<FigureMatch> apart = sorted_queries(3, true);
  ASSERT_EQ(apart.size(), 2u);
  for (const FigureMatch& pair : apart) EXPECT_EQ(pair.match, Match::not_comparable) << pair.step;
  EXPECT_NE(apart[0].reason.find("what its atomics return"), std::string::npos) << apart[0].reason;
  EXPECT_NE(apart[1].reason.find("the places of elements in order"), std::string::npos)
      << apart[1].reason;
  for (const FigureMatch& pair : sorted_queries(1, true)) EXPECT_EQ(pair.match, Match::agrees);
  for (const FigureMatch& pair : sorted_queries(3, false))
    EXPECT_EQ(pair.match, Match::differs) << "nothing takes a place";
  for (const FigureMatch& pair : sorted_queries(3, true, 8))
    EXPECT_EQ(pair.match, Match::differs) << "a lane takes work for its warp";
}

// 80 of the 100 loaded sectors are distinct.
FigureMatch from_l2(std::int64_t unique, double counted_sectors) {
  Trace trace = traced_copy();
  trace.machine_code.emplace();
  trace.unique_load_sectors = unique;
  Measurement m = measured_copy();
  count(m, "l2.bytes_to_sm", 32 * counted_sectors);
  Session session;
  session.apply(m);
  session.apply(trace);
  for (const FigureMatch& pair : agree_with_emulator(session)) {
    if (pair.figure == "emulated.l2.bytes_to_sm") return pair;
  }
  ADD_FAILURE() << "no bytes from L2";
  return {};
}

TEST(AgreeWithEmulator, HoldsBytesFromL2BetweenDistinctAndAskedSectors) {
  for (const double inside : {78.0, 80.0, 90.0, 100.0, 102.0})
    EXPECT_EQ(from_l2(80, inside).match, Match::agrees) << inside;
  for (const double outside : {77.0, 104.0, 1.0, 150.0})
    EXPECT_EQ(from_l2(80, outside).match, Match::differs) << outside;
  const FigureMatch wide = from_l2(50, 90);
  EXPECT_EQ(wide.match, Match::not_comparable);
  EXPECT_NE(wide.reason.find("between 1.60 kB and 3.20 kB"), std::string::npos) << wide.reason;
}

// 1000 sectors loaded, scaled from a part of the blocks and known to ± `spread`.
FigureMatch sampled_sectors(double counted, double spread) {
  Trace trace;
  trace.scene = "patterns", trace.variant = "copy", trace.key = "n=800", trace.step = "copy";
  trace.launch.grid.x = 4096;
  trace.machine_code.emplace();
  AccessSite site;
  site.totals.requests = 250;
  site.totals.sectors = 1000;
  trace.sites = {site};
  trace.sample = TraceSample{64, 9, {}, ""};
  for (const char* id : {"l1.sectors_load", "l1.requests_load", "l1.sectors_store",
                         "l1.requests_store", "shared.wavefronts_load", "shared.wavefronts_store"})
    trace.sample->spreads[id] = 0;
  trace.sample->spreads["l1.sectors_load"] = spread;
  Measurement m;
  m.scene = "patterns", m.variant = "copy", m.key = "n=800";
  m.verdict.outcome = Outcome::correct;
  m.steps.resize(1);
  m.steps[0].kind = "kernel";
  count(m, "l1.sectors_load", counted);
  Session session;
  session.apply(m);
  session.apply(trace);
  for (const FigureMatch& pair : agree_with_emulator(session)) {
    if (pair.figure == "emulated.l1.sectors_load") return pair;
  }
  ADD_FAILURE() << "no sectors";
  return {};
}

TEST(AgreeWithEmulator, HoldsASampleToItsInterval) {
  EXPECT_EQ(sampled_sectors(1000, 0).match, Match::agrees);
  EXPECT_EQ(sampled_sectors(1004, 0).match, Match::differs);
  for (const double inside : {960.0, 1000.0, 1040.0})
    EXPECT_EQ(sampled_sectors(inside, 40).match, Match::agrees) << inside;
  for (const double outside : {950.0, 1050.0, 1500.0, 10.0})
    EXPECT_EQ(sampled_sectors(outside, 40).match, Match::differs) << outside;
  const FigureMatch unsure = sampled_sectors(1500, 600);
  EXPECT_EQ(unsure.match, Match::not_comparable);
  EXPECT_NE(unsure.reason.find("±60 %"), std::string::npos) << unsure.reason;
}

TEST(AgreeWithEmulator, LeavesOutTheLoadsOfAdditionsThatAreLoops) {
  Trace trace = synthetic_trace();
  AccessSite adds;
  adds.space = Space::shared;
  adds.kind = AccessKind::atomic;
  adds.text = "atom.shared.add.f32";
  adds.totals.requests = 1;
  trace.sites.push_back(adds);
  Measurement m = point(trace.variant);
  m.steps.resize(1);
  m.steps[0].kind = "kernel";
  count(m, "shared.wavefronts_lds", 1e6);
  Session session;
  session.apply(m);
  session.apply(trace);
  for (const FigureMatch& pair : agree_with_emulator(session)) {
    if (pair.figure != "emulated.shared.wavefronts_load") continue;
    EXPECT_EQ(pair.match, Match::not_comparable);
    EXPECT_NE(pair.reason.find("compare-and-swap"), std::string::npos) << pair.reason;
  }
}

TEST(AgreeWithEmulator, PrefersWhatIsCountedWhereInstructionsAreIssued) {
  const Trace trace = synthetic_trace();
  const std::vector<MetricValue> counters = {
      {"shared.wavefronts_load", 900.0, Origin::measured, "", ""},
      {"shared.wavefronts_store", 90.0, Origin::measured, "", ""},
      {"shared.wavefronts_lds", 800.0, Origin::measured, "", ""},
      {"shared.wavefronts_sts", 80.0, Origin::measured, "", ""}};
  EXPECT_EQ(group_figures(trace, counters)[2].measured, 880.0);
}

TEST(AgreeWithEmulator, CountsWhatAgreesAndWhatDoesNot) {
  std::vector<FigureMatch> list(7);
  list[0].match = list[1].match = list[2].match = Match::agrees;
  list[3].match = list[4].match = Match::explained;
  list[5].match = Match::differs;
  const MatchCounts counts = count_matches(list);  // the last is not comparable
  EXPECT_EQ(counts.compared, 6);
  EXPECT_EQ(counts.agree, 3);
  EXPECT_EQ(counts.explained, 2);
  EXPECT_EQ(counts.differ, 1);
}

// The scene's defaults, and each axis at its least value and its last choice by itself.
std::vector<Configuration> configurations_of(const Scene& scene) {
  std::vector<Configuration> list = {default_configuration(scene.axes)};
  for (const Axis& axis : scene.axes) {
    Configuration axes = list.front();
    if (axis.kind == AxisKind::choice) axes.set(axis.name, axis.choices.back());
    if (axis.kind == AxisKind::integer)
      axes.set(axis.name, static_cast<std::int64_t>(axis.minimum));
    list.push_back(std::move(axes));
  }
  return list;
}

// Every reason says something, and no variant excuses a figure that is not compared, or an emulated
// one: those of machine code must be equal.
TEST(KnownDifferences, NameFiguresThatAreCompared) {
  const std::vector<std::string> compared = {"model.dram_read_bytes", "model.l2_read_bytes"};
  for (const Scene& scene : built_in_catalogue().scenes()) {
    for (const Variant& variant : scene.variants) {
      for (const KnownDifference& known : variant.known_differences) {
        EXPECT_NE(std::find(compared.begin(), compared.end(), known.figure), compared.end())
            << scene.name << "/" << variant.name << ": " << known.figure;
        EXPECT_GT(known.reason.size(), 40u) << variant.name;
        // Half as much again of a counter, or a hundredth of it, is beyond every bound.
        EXPECT_GT(known.most_ratio, 0) << variant.name << ": " << known.figure;
        EXPECT_LT(known.most_ratio, known.side == Side::below ? 0.8 : 3) << variant.name;
        EXPECT_TRUE(known.side == Side::below || known.most_ratio < 0.45 ||
                    (1 + known.most_ratio) / 1.5 < 1 + known.least_ratio)
            << variant.name << ": " << known.figure;
        for (const Configuration& axes : configurations_of(scene)) {
          if (known.where && !known.where(axes)) continue;
          EXPECT_EQ(known_difference(variant, known.figure, known.side, axes), &known)
              << variant.name << ": " << known.figure << " is said twice";
        }
      }
    }
  }
}

// The sessions that come with the product have no difference that nothing explains.
TEST(RecordedSessions, DifferFromTheModelOnlyForAReason) {
  for (const char* name : {"csrmm", "led", "patterns"}) {
    const Result<SessionReading> reading = read_session(recorded_session(name));
    ASSERT_TRUE(reading) << sentence(reading.error());
    int agree = 0;
    for (const FigureMatch& pair : agree_with_model(reading->session)) {
      agree += pair.match == Match::agrees ? 1 : 0;
      EXPECT_NE(pair.match, Match::differs)
          << pair.scene << "/" << pair.variant << " at " << pair.key << ": " << pair.figure
          << " is " << *pair.ours << ", counted " << *pair.counted << " (" << pair.counter << ")";
    }
    EXPECT_GT(agree, 5) << name;
  }
}

}  // namespace
}  // namespace warpscope
