// tests/profiling/agree_test.cpp: what agrees, what a variant explains, and what is a finding.
#include "profiling/agree.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "profiling/trace_view.h"
#include "scenes/registry.h"
#include "tests/profiling/synthetic_trace.h"
#include "tests/recorded_session.h"

namespace warpscope {
namespace {

// The default of csrmm, whose figures are 1040 MB gathered, 5.12 MB of C and 36.18 M sectors.
Measurement point(const std::string& variant) {
  Measurement m;
  m.scene = "csrmm";
  m.variant = variant;
  m.axes = with_defaults((*find_scene("csrmm"))->axes, {});
  m.key = "m=10000,n=128";
  m.verdict.outcome = Outcome::correct;
  m.facts = {{"nnz", 2e6},
             {"mean_row", 200},
             {"distinct_columns", 10000},
             {"longest_row", 200},
             {"longest_column", 264},
             {"row_segments", 10000},
             {"column_segments", 10000},
             {"empty_rows", 0},
             {"empty_columns", 0}};
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

TEST(AgreeWithModel, TakesWithinThreePerCentForAgreement) {
  Measurement m = point("float4_columns");
  count(m, "l1.sectors_store", 160000);
  count(m, "l2.bytes_to_sm", 1040e6 * 0.98);
  const FigureMatch pair = model_of(m, "model.l2_bytes");
  EXPECT_EQ(pair.match, Match::agrees);
  EXPECT_DOUBLE_EQ(*pair.ours, 1040e6 + 5.12e6);
  EXPECT_DOUBLE_EQ(*pair.counted, 1040e6 * 0.98 + 5.12e6);
  EXPECT_EQ(pair.reason, "");
}

TEST(AgreeWithModel, ExplainsADifferenceThatTheVariantKnowsAndNoOther) {
  Measurement m = point("float4_columns");
  count(m, "l1.sectors_store", 160000);
  count(m, "l2.bytes_to_sm", 900e6);  // L1 had the rest
  const FigureMatch known = model_of(m, "model.l2_bytes");
  EXPECT_EQ(known.match, Match::explained);
  EXPECT_NE(known.reason.find("L1"), std::string::npos) << known.reason;
  EXPECT_NEAR(known.difference_ratio, 1045.12 / 905.12 - 1, 1e-9);
  // L1 hits cannot make the counter larger than the model.
  count(m, "l2.bytes_to_sm", 1200e6);
  const FigureMatch unknown = model_of(m, "model.l2_bytes");
  EXPECT_EQ(unknown.match, Match::differs);
  EXPECT_NE(unknown.reason, "");
}

TEST(AgreeWithModel, HoldsSectorsOfL1ToHalfAPerCent) {
  Measurement m = point("float4_columns");
  count(m, "l1.bytes", 36.18e6 * 32 * 1.004);
  EXPECT_EQ(model_of(m, "model.l1_bytes").match, Match::agrees);
  count(m, "l1.bytes", 36.18e6 * 32 * 1.006);
  EXPECT_EQ(model_of(m, "model.l1_bytes").match, Match::differs);
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
  m.facts["nnz"] = 10e6;  // 80 MB of indices and weights, of which L2 holds 60
  count(m, "dram.bytes_read", 70e6);
  const FigureMatch warm = model_of(m, "model.dram_read_bytes");
  EXPECT_EQ(warm.match, Match::explained);
  EXPECT_NE(warm.reason.find("warm"), std::string::npos);
  count(m, "dram.bytes_read", 10e6);  // more is lacking than L2 holds
  EXPECT_EQ(model_of(m, "model.dram_read_bytes").match, Match::differs);
  m.cold_counters = true;
  count(m, "dram.bytes_read", 70e6);
  EXPECT_EQ(model_of(m, "model.dram_read_bytes").match, Match::differs);
}

TEST(AgreeWithModel, TakesTheSectorsWhereTheBytesOfL1RanOver) {
  Measurement m = point("float4_columns");
  count(m, "l1.bytes", 36.18e6 * 32 - (1 << 24));
  EXPECT_EQ(model_of(m, "model.l1_bytes").match, Match::differs);
  count(m, "l1.sectors_load", 36.02e6);
  count(m, "l1.sectors_store", 0.16e6);
  EXPECT_EQ(model_of(m, "model.l1_bytes").match, Match::explained);
  for (const double apart : {-8e6, 8e6, 16777216.0, 1e9}) {
    count(m, "l1.bytes", 36.18e6 * 32 + apart);
    EXPECT_EQ(model_of(m, "model.l1_bytes").match, Match::differs) << apart;
  }
  count(m, "l1.bytes", 36.18e6 * 32 - (1 << 24));
  count(m, "l1.sectors_load", 34e6);  // nor do these agree
  EXPECT_EQ(model_of(m, "model.l1_bytes").match, Match::differs);
}

TEST(AgreeWithModel, TakesWhatL1DidNotHaveWhereTheBytesToItWereNotCounted) {
  Measurement m = point("float4_columns");
  count(m, "l1.sectors_store", 160000);
  count(m, "l1.sectors_load", 36.02e6);
  count(m, "l1.sectors_load_hit", 3.52e6);  // 32.5 M sectors of 32 bytes are left
  const FigureMatch pair = model_of(m, "model.l2_bytes");
  EXPECT_DOUBLE_EQ(*pair.counted, 1040e6 + 5.12e6);
  EXPECT_EQ(pair.match, Match::agrees);
}

TEST(AgreeWithModel, LeavesOutPointsWithoutCountersOrWithAWrongOutput) {
  Session session;
  session.apply(point("float4_columns"));
  EXPECT_TRUE(agree_with_model(session).empty());
  Measurement wrong = point("float4_columns");
  count(wrong, "l1.bytes", 1e9);
  wrong.verdict.outcome = Outcome::wrong;
  session.apply(wrong);
  EXPECT_TRUE(agree_with_model(session).empty());
}

TEST(AgreeWithModel, HasNoFigureWhereASessionLacksFacts) {
  Measurement m = point("float4_columns");
  m.facts = {{"mean_row", 200}};
  count(m, "l1.bytes", 1e9);
  Session session;
  session.apply(m);
  EXPECT_TRUE(agree_with_model(session).empty());
}

FigureMatch emulated(const char* variant, double difference) {
  Trace trace = synthetic_trace();
  trace.variant = variant;
  std::int64_t wavefronts = 0;
  for (const AccessSite& site : trace.sites)
    wavefronts += site.space == Space::shared ? site.totals.wavefronts : 0;
  Measurement m = point(variant);
  m.steps.resize(1);
  m.steps[0].kind = "kernel";
  count(m, "shared.wavefronts_load", static_cast<double>(wavefronts) + difference);
  count(m, "shared.wavefronts_store", 0);
  Session session;
  session.apply(m);
  session.apply(trace);
  for (const FigureMatch& pair : agree_with_emulator(session)) {
    if (pair.figure == "emulated.shared.wavefronts") return pair;
  }
  ADD_FAILURE() << "no shared wavefronts";
  return {};
}

TEST(AgreeWithEmulator, TellsAKnownDifferenceFromAnUnknownOne) {
  EXPECT_EQ(emulated("block_row", 0).match, Match::agrees);
  const FigureMatch known = emulated("block_row", 10);
  EXPECT_EQ(known.match, Match::explained);
  EXPECT_NE(known.reason.find("shared.bank_conflicts"), std::string::npos) << known.reason;
  EXPECT_EQ(emulated("block_row", -10).match, Match::differs);
  EXPECT_EQ(emulated("float4_columns", 10).match, Match::differs) << "it has no shared memory";
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

// Four loads of four bytes by one lane, one after another in a line, 100 wavefronts each; with
// `apart` they are not neighbours.
FigureMatch joined(double counted, bool apart = false) {
  Trace trace = synthetic_trace();
  trace.variant = "float4_columns";
  trace.scope.grid = true;
  trace.requests.clear();
  trace.sites.clear();
  for (std::uint32_t s = 0; s < 4; ++s) {
    AccessSite site;
    site.space = Space::shared;
    site.position = {"csrmm/float4_columns.cu", 33, 1};
    site.totals.requests = site.totals.wavefronts = 100;
    trace.sites.push_back(site);
    WarpRequest request;
    request.site = s;
    request.active = 1u << 5;
    request.addresses[5] = 64 + s * (apart ? 128 : 4);
    trace.requests.push_back(request);
  }
  Measurement m = point(trace.variant.c_str());
  m.steps.resize(1);
  m.steps[0].kind = "kernel";
  count(m, "shared.wavefronts_lds", counted);
  count(m, "shared.wavefronts_sts", 0);
  Session session;
  session.apply(m);
  session.apply(trace);
  for (const FigureMatch& pair : agree_with_emulator(session)) {
    if (pair.figure == "emulated.shared.wavefronts") return pair;
  }
  ADD_FAILURE() << "no shared wavefronts";
  return {};
}

TEST(AgreeWithEmulator, ExplainsNeighbouringAccessesThatAreJoinedByAtMostFour) {
  EXPECT_EQ(joined(400).match, Match::agrees);
  const FigureMatch all = joined(100), two = joined(200);
  EXPECT_EQ(all.match, Match::explained) << all.reason;
  EXPECT_EQ(two.match, Match::explained) << two.reason;
  EXPECT_NE(all.reason.find("between 100 and 400 wavefronts"), std::string::npos) << all.reason;
  for (const double bent : {99.0, 401.0, 600.0, 4.0})
    EXPECT_EQ(joined(bent).match, Match::differs) << bent;
  EXPECT_EQ(joined(100, true).match, Match::differs) << "they are not neighbours";
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

// Every reason says something, and no variant excuses a figure that is not compared.
TEST(KnownDifferences, NameFiguresThatAreCompared) {
  const std::vector<std::string> compared = {"model.dram_read_bytes",
                                             "model.l2_bytes",
                                             "model.l1_bytes",
                                             "model.sectors_per_load",
                                             "emulated.l1.sectors_per_request_load",
                                             "emulated.l1.sectors_per_request_store",
                                             "emulated.shared.wavefronts"};
  for (const Scene& scene : all_scenes()) {
    for (const Variant& variant : scene.variants) {
      for (const KnownDifference& known : variant.known_differences) {
        EXPECT_NE(std::find(compared.begin(), compared.end(), known.figure), compared.end())
            << scene.name << "/" << variant.name << ": " << known.figure;
        EXPECT_GT(known.reason.size(), 40u) << variant.name;
        EXPECT_EQ(known_difference(variant, known.figure, known.side), &known) << "said twice";
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

// A raw page of ncu with one launch of kernel warp_row: names, units, values.
std::string raw_page(const std::string& dram_written, const std::string& sectors) {
  return "==PROF== Connected to process 7\n"
         "\"ID\",\"Kernel Name\",\"dram__bytes_write.sum\","
         "\"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum\"\n"
         "\"\",\"\",\"Mbyte\",\"sector\"\n"
         "\"3\",\"warp_row(const int *, float *)\",\"" +
         dram_written + "\",\"" + sectors + "\"\n";
}

// On a device with 60 MB of L2: 0.2 MB written to DRAM, 1000 sectors loaded.
Session counted_warp_row() {
  Session session;
  Hello hello;
  hello.role = "measure";
  hello.device = DeviceDescription{"a device"};
  hello.device->l2_bytes = 60'000'000;
  session.apply(hello);
  Measurement m = point("warp_row_zero_test");
  StepRecord step;
  step.entry = "warp_row";
  step.kind = "kernel";
  step.metrics = {{"dram.bytes_write", 0.2e6, Origin::measured, "", ""},
                  {"l1.sectors_load", 1000, Origin::measured, "", ""}};
  m.steps = {step};
  session.apply(m);
  return session;
}

TEST(AgreeWithNcu, HoldsEachCounterOfAKernelToItsOwnLimit) {
  const auto rows = agree_with_ncu(raw_page("0.205", "1,004"), counted_warp_row());
  ASSERT_TRUE(rows) << sentence(rows.error());
  ASSERT_EQ(rows->size(), 2U);
  EXPECT_EQ((*rows)[0].kernel, "warp_row");
  EXPECT_DOUBLE_EQ((*rows)[0].ncu, 0.205e6);
  EXPECT_TRUE((*rows)[0].agrees);  // 2.4 % of 3
  EXPECT_DOUBLE_EQ((*rows)[1].ncu, 1004);
  EXPECT_TRUE((*rows)[1].agrees);  // 0.4 % of 0.5
  const auto apart = agree_with_ncu(raw_page("0.205", "1,006"), counted_warp_row());
  ASSERT_TRUE(apart) << sentence(apart.error());
  EXPECT_FALSE((*apart)[1].agrees);
  EXPECT_EQ((*apart)[1].reason, "");
}

TEST(AgreeWithNcu, KnowsThatALittleThatLeavesL2EarlyIsChance) {
  const auto little = agree_with_ncu(raw_page("1.0", "1,000"), counted_warp_row());
  ASSERT_TRUE(little) << sentence(little.error());
  EXPECT_FALSE((*little)[0].agrees);
  EXPECT_NE((*little)[0].reason.find("L2"), std::string::npos);
  const auto much = agree_with_ncu(raw_page("2.0", "1,000"), counted_warp_row());
  ASSERT_TRUE(much) << sentence(much.error());
  EXPECT_FALSE((*much)[0].agrees);
  EXPECT_EQ((*much)[0].reason, "");
}

TEST(AgreeWithNcu, RefusesWhatHasNothingToCompare) {
  EXPECT_FALSE(agree_with_ncu("", counted_warp_row()));
  EXPECT_FALSE(agree_with_ncu("a,b\n1,2\n", counted_warp_row()));
  EXPECT_FALSE(agree_with_ncu(raw_page("1", "2"), Session()));
}

}  // namespace
}  // namespace warpscope
