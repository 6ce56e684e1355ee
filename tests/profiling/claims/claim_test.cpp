// tests/profiling/claims/claim_test.cpp: relations hold, do not hold, or are unknown with the
// reason.
#include "profiling/claims/claim.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "profiling/points/point.h"
#include "profiling/points/roof.h"
#include "profiling/session/source_standing.h"
#include "tests/folders.h"
#include "tests/profiling/claims/claim_session.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;

ClaimResult of(const std::string& text, const ClaimContext& context) {
  const Result<Claim> claim = parse_claim(text, *context.scene);
  EXPECT_TRUE(claim) << (claim ? "" : sentence(claim.error()));
  return claim ? evaluate(*claim, context) : ClaimResult{};
}
std::string said(const std::string& text, const ClaimContext& context) {
  return to_text(of(text, context).standing);
}

TEST(Claim, ComparesTimesBeyondTheirNoise) {
  ClaimSession s;
  s.measure("k_tiles", 50e3);
  s.measure("float4_columns", 100e3);
  s.measure("row_split", 50.1e3);
  s.measure("merge_path", 49e3, {}, {}, 0.2);
  s.measure("row_swizzle", 50e3, {}, {}, 0.2);
  const ClaimContext here = s.context();
  EXPECT_EQ(said("k_tiles.time.warm < float4_columns.time.warm", here), "holds");
  EXPECT_EQ(said("float4_columns.time.warm < k_tiles.time.warm", here), "does not hold");
  EXPECT_EQ(said("float4_columns.time.warm > k_tiles.time.warm", here), "holds");
  EXPECT_EQ(said("k_tiles.time.warm ~ row_split.time.warm", here), "holds");
  EXPECT_EQ(said("k_tiles.time.warm != row_split.time.warm", here), "does not hold");
  // 2 % faster with a spread of 20 %: no verdict, so neither faster nor slower.
  EXPECT_EQ(said("merge_path.time.warm < row_swizzle.time.warm", here), "does not hold");
  EXPECT_EQ(said("merge_path.time.warm <= row_swizzle.time.warm", here), "holds");
  EXPECT_EQ(said("merge_path.time.warm ~ row_swizzle.time.warm", here), "not known");
}

TEST(Claim, ScalesTimesWithTheirNoise) {
  ClaimSession s;
  s.measure("k_tiles", 50e3);
  s.measure("float4_columns", 100e3);
  const ClaimContext here = s.context();
  EXPECT_EQ(said("1.9 * k_tiles.time.warm < float4_columns.time.warm", here), "holds");
  EXPECT_EQ(said("2.1 * k_tiles.time.warm < float4_columns.time.warm", here), "does not hold");
  EXPECT_EQ(said("ratio(float4_columns.time.warm, k_tiles.time.warm) > 1.9", here), "holds");
  EXPECT_EQ(said("float4_columns.time.warm / k_tiles.time.warm > 2.1", here), "does not hold");
  EXPECT_EQ(said("0.4 < ratio(k_tiles.time.warm, float4_columns.time.warm)", here), "holds");
  EXPECT_EQ(said("k_tiles.time.warm < 86 us and k_tiles.time.warm > 0.04 ms", here), "holds");
}

TEST(Claim, FlipsWithAPlantedFigure) {
  const std::string claim = "warp_row_zero_test.model.dram_bytes < device.l2_bytes";
  ClaimSession s;
  s.measure("warp_row_zero_test", 200e3, {{"model.dram_bytes", 26.28e6}});
  EXPECT_EQ(said(claim, s.context()), "holds");
  s.describe(8 << 20);
  EXPECT_EQ(said(claim, s.context()), "does not hold");
  EXPECT_EQ(said("device.multiprocessors < 100 and device.capability >= 90", s.context()), "holds");
}

TEST(Claim, SaysWhichFigureIsMissingAndWhatToDo) {
  ClaimSession s;
  s.measure("k_tiles", 50e3);
  ClaimResult result = of("float4_columns.time.warm < k_tiles.time.warm", s.context());
  EXPECT_EQ(result.standing, ClaimStanding::unknown);
  EXPECT_THAT(result.why, AllOf(HasSubstr("time.warm"), HasSubstr("float4 columns")));
  EXPECT_THAT(result.remedy, HasSubstr("warpscope measure csrmm/float4_columns"));
  result = of("k_tiles.l1.sectors_per_request_load ~ 4", s.context());
  EXPECT_THAT(result.why, HasSubstr("l1.sectors_per_request_load of K-tiled stream"));
  EXPECT_THAT(result.remedy, HasSubstr("--counters"));
  EXPECT_THAT(of("k_tiles@n=64.time.warm < k_tiles.time.warm", s.context()).why,
              HasSubstr("at n=64"));
  EXPECT_THAT(of("k_tiles.binds = 'L2'", s.context()).why, HasSubstr("needs roofs"));
  const ClaimContext none{&s.scene(), nullptr, {}, "", {}};
  EXPECT_THAT(of("k_tiles.time.warm < 1 ms", none).why, HasSubstr("needs a session"));
  EXPECT_EQ(said("axis.op = 'NT'", none), "not known");
}

TEST(Claim, GivesNoFigureOfAWrongOrUnfinishedPoint) {
  ClaimSession s;
  s.measure("k_tiles", 50e3);
  Measurement wrong = *s.session.all_points().front();
  wrong.variant = "float4_columns";
  wrong.verdict = {Outcome::wrong, "c[17, 3] differs", "", 9, 1, 10};
  s.session.apply(wrong);
  const ClaimResult result = of("float4_columns.time.warm < 1 ms", s.context());
  EXPECT_EQ(result.standing, ClaimStanding::unknown);
  EXPECT_THAT(result.why, HasSubstr("c[17, 3] differs"));
  EXPECT_EQ(said("float4_columns.outcome = 'correct'", s.context()), "does not hold");
  EXPECT_EQ(said("float4_columns.reference = warp_row_branch_free.reference", s.context()),
            "holds");
  EXPECT_EQ(said("float4_columns.reference = warp_row_zero_test.reference", s.context()),
            "does not hold")
      << "no figure is needed for that";
  Measurement partial = *s.session.all_points().front();
  partial.variant = "row_split";
  partial.partial = true;
  s.session.apply(partial);
  EXPECT_THAT(of("row_split.time.warm < 1 ms", s.context()).why, HasSubstr("being measured"));
}

TEST(Claim, GivesNoFigureOfAnEarlierSource) {
  ClaimSession s;
  s.measure("warp_row_branch_free", 50e3);
  Measurement point = *s.session.all_points().front();
  SourceStandings sources(built_in_catalogue());
  const auto today = sources.current_code_id(
      s.scene(), *find_variant(s.scene(), "warp_row_branch_free"), {point.axes, point.facts});
  ASSERT_TRUE(today);
  ClaimContext here = s.context();
  here.sources = &sources;
  const std::string claim = "warp_row_branch_free.time.warm < 1 ms";
  point.conditions.code_id = *today;
  s.session.apply(point);
  EXPECT_EQ(said(claim, here), "holds");
  point.conditions.code_id = "of another text";
  s.session.apply(point);
  const ClaimResult result = of(claim, here);
  EXPECT_EQ(result.standing, ClaimStanding::unknown);
  EXPECT_THAT(result.why, HasSubstr("earlier source"));
  EXPECT_EQ(result.remedy, "measure it again");
}

TEST(Claim, UsesNoPointOfAnotherConfiguration) {
  ClaimSession s;
  s.measure("k_tiles", 50e3, {}, {{"n", "64"}});
  s.measure("float4_columns", 100e3);
  EXPECT_EQ(said("k_tiles.time.warm < float4_columns.time.warm", s.context()), "not known");
  EXPECT_EQ(said("k_tiles@n=64.time.warm < float4_columns.time.warm", s.context()), "holds")
      << "the claim itself names the axis that differs";
  EXPECT_EQ(said("k_tiles.time.warm < 1 ms", s.context({{"n", "64"}})), "holds");
}

TEST(Claim, HoldsNoPointsOfTwoDevicesToEachOther) {
  ClaimSession s;
  s.measure("float4_columns", 100e3);
  s.measure("k_tiles", 50e3, {}, {}, 0.001, "GPU-b");
  EXPECT_EQ(said("k_tiles.time.warm < float4_columns.time.warm", s.context()), "not known");
  ClaimContext first = s.context();
  first.device_uuid = "GPU-a";
  EXPECT_EQ(said("float4_columns.time.warm < 1 ms", first), "holds");
  EXPECT_EQ(said("k_tiles.time.warm < 1 ms", first), "not known");
}

TEST(Claim, FindsTheBestOfASetAndPassesOverWhatCannotRun) {
  ClaimSession s;
  s.measure("k_tiles", 50e3);
  s.measure("float4_columns", 100e3);
  EXPECT_EQ(said("k_tiles.time.warm <= best(k_tiles, float4_columns)", s.context()), "holds");
  EXPECT_EQ(said("fastest(k_tiles, float4_columns) = 'K-tiled stream'", s.context()), "holds");
  const ClaimResult lacking = of("k_tiles.time.warm <= best(k_tiles, merge_path)", s.context());
  EXPECT_EQ(lacking.standing, ClaimStanding::unknown);
  EXPECT_THAT(lacking.why, HasSubstr("merge path"));
  Measurement refused = *s.session.all_points().front();
  refused.variant = "merge_path";
  refused.verdict = {Outcome::cannot_run, "needs what is not here", "", 0, 0, 0};
  s.session.apply(refused);
  EXPECT_EQ(said("k_tiles.time.warm <= best(k_tiles, merge_path)", s.context()), "holds");
  const auto ours = variants_of(parse_claim("best(family.library)", s.scene())->root->parts[0],
                                s.scene(), s.axes());
  ASSERT_TRUE(ours);
  for (const Variant* variant : *ours) {
    EXPECT_EQ(variant->family, "library");
    EXPECT_TRUE(applies(*variant, s.axes())) << variant->name;
  }
}

TEST(Claim, KnowsLogicWithUnknownParts) {
  ClaimSession s;
  s.measure("k_tiles", 50e3);
  const std::string yes = "k_tiles.time.warm < 1 ms", no = "k_tiles.time.warm > 1 ms",
                    unknown = "float4_columns.time.warm < 1 ms";
  EXPECT_EQ(said(yes + " or " + unknown, s.context()), "holds");
  EXPECT_EQ(said(unknown + " and " + no, s.context()), "does not hold");
  EXPECT_EQ(said(unknown + " and " + yes, s.context()), "not known");
  EXPECT_EQ(said("not " + unknown, s.context()), "not known");
  EXPECT_EQ(said("not (" + no + ") and axis.op = 'NT' and axis.n = 128", s.context()), "holds");
  EXPECT_EQ(said("fact.nnz ~ 2010000 and fact.nnz > 1e6", s.context()), "holds");
  EXPECT_EQ(said("max(1, -3) + min(4, 2) * 2 - abs(-1) = 4", s.context()), "holds");
  EXPECT_EQ(said("k_tiles.time.warm < 60 MB", s.context()), "not known");
}

TEST(Claim, HoldsAQuotedFigureOnBothSides) {
  ClaimSession s;
  s.measure("warp_row_branch_free", 100e3);
  s.measure("warp_row_shuffle", 187e3);
  const std::string costs =
      "ratio(warp_row_shuffle.time.warm, warp_row_branch_free.time.warm) ~ 1.87 within 10 %";
  EXPECT_EQ(said(costs, s.context()), "holds");
  s.measure("warp_row_shuffle", 170e3);
  EXPECT_EQ(said(costs, s.context()), "holds");
  s.measure("warp_row_shuffle", 303e3);
  EXPECT_EQ(said(costs, s.context()), "does not hold") << "203 % are not 87 %";
  s.measure("warp_row_shuffle", 150e3);
  EXPECT_EQ(said(costs, s.context()), "does not hold");
  EXPECT_EQ(said("2 GB ~ 2.06 GB within 3 % and not (axis.n ~ 128.1 within 0.01 %)", s.context()),
            "holds");
  EXPECT_EQ(said("2 GB ~ 2.06 GB within 3 MB", s.context()), "not known");
  EXPECT_FALSE(parse_claim("1 < 2 within 3 %", s.scene()));
}

TEST(Claim, WritesWholeNumbersWhole) {
  ClaimSession s;
  const auto text = [&](const char* expression) {
    return figure_text(*parse_claim(expression, s.scene()),
                       s.context({{"m", "16777216"}, {"p", "0.0005"}}))
        .text;
  };
  EXPECT_EQ(text("axis.m"), "16777216");
  EXPECT_EQ(text("axis.m * 4"), "67108864");
  EXPECT_EQ(text("axis.m / 3"), "5592405.33");
  EXPECT_EQ(text("axis.p"), "0.0005");
  EXPECT_EQ(text("ratio(4, 2)"), "2.00");
  s.measure("k_tiles", 50e3, {}, {{"m", "16777216"}, {"p", "0.0005"}});
  EXPECT_EQ(text("fact.nnz"), "2000000");
}

TEST(Claim, NamesThePlaceAndTheNearestNameOfWhatItCannotRead) {
  const Scene& scene = *built_in_catalogue().find("csrmm").value();
  const std::vector<std::array<std::string, 3>> broken = {
      {"k_tile.time.warm < 1", "at 1: there is no variant “k_tile”", "k_tiles"},
      {"1 < k_tiles.time.warn", "at 5: there is no figure “time.warn”", "time.warm"},
      {"k_tiles@nn=3.time.warm < 1", "at 9: there is no axis “nn”", "n"},
      {"k_tiles@n=no.time.warm < 1", "at 9:", ""},
      {"best(family.libary) < 1", "at 6: there is no variant or set", "family.library"},
      {"median(k_tiles.time.warm) < 1", "at 1: there is no function “median”", ""},
      {"roof.l3 > 1", "at 1: there is no roof “l3”", ""},
      {"roof.dram.raed > 1", "at 1: there is no roof “dram.raed”", "dram.read"},
      {"fact.nonsense > 1", "at 1: there is no fact “nonsense”", ""},
      {"fact.nzz > 1", "at 1: there is no fact “nzz”", "nnz"},
      {"k_tiles.time.warm < 1e999 ns", "at 21: “1e999” is too large for a number", ""},
      {"k_tiles.model.flops < 1e308 GB", "is too large for a number", ""},
      {"device.l2 > 1", "at 1: there is no fact of a device “l2”", ""},
      {"axis.q = 1", "at 1: there is no axis “q”", ""},
      {"k_tiles > 1", "at 1: “k_tiles” is a variant, not a figure", ""},
      {"1 < 2 < 3", "at 7: “< 3” is left over", ""},
      {"(1 < 2", "is not closed", ""},
      {"1 <", "a figure is missing", ""},
      {"axis.op = 'NT", "a text is not closed", ""},
      {"k_tiles.emulated.l1.sectors_load > 1", "is emulated, but claims", ""},
      {"", "a figure is missing", ""}};
  for (const auto& [text, words, nearest] : broken) {
    const Result<Claim> claim = parse_claim(text, scene);
    ASSERT_FALSE(claim) << text;
    EXPECT_EQ(claim.error().kind, ErrorKind::input) << text;
    EXPECT_THAT(sentence(claim.error()), HasSubstr(words)) << text;
    EXPECT_THAT(sentence(claim.error()), HasSubstr(nearest)) << text;
  }
  EXPECT_FALSE(parse_claim(std::string(3000, '('), scene));
  EXPECT_FALSE(parse_claim(std::string(3000, '-'), scene));
}

TEST(Claim, TakesEveryFactAndMixOfDramThatRecordingsHave) {
  int facts = 0, mixes = 0;
  for (const char* name : {"csrmm", "led", "patterns"}) {
    const Scene& scene = *built_in_catalogue().find(name).value();
    const Result<SessionReading> reading = read_session(source_folder() / "assets/sessions" /
                                                        ("h200-" + std::string(name) + ".wsj.gz"));
    ASSERT_TRUE(reading) << sentence(reading.error());
    std::set<std::string> names;
    for (const Measurement* point : reading->session.all_points()) {
      for (const auto& [fact, value] : point->facts) names.insert("fact." + fact);
    }
    facts += static_cast<int>(names.size());
    for (const Roof& roof : reading->session.roofs()->roofs) {
      if (roof.level != Level::dram || roof.mix.segment_bytes != 0 || !roof.scene.empty()) continue;
      names.insert("roof.dram." + roof.mix.name);
      ++mixes;
    }
    for (const std::string& each : names) EXPECT_TRUE(parse_claim(each + " > 0", scene)) << each;
  }
  EXPECT_GE(facts, 30);
  EXPECT_GE(mixes, 15);
}

TEST(Claim, WritesAxesAndCountsAsTheyStand) {
  ClaimSession s;
  s.measure("k_tiles", 50e3);
  Measurement m = *s.session.all_points().front();
  m.facts = {{"nnz", 16777216}, {"mean_row", 200.25}};
  s.session.apply(m);
  ClaimContext here = s.context();
  here.axes.set("n", std::int64_t{65536});
  const auto shown = [&here](const std::string& expression) {
    return figure_text(*parse_claim(expression, *here.scene), here).text;
  };
  EXPECT_EQ(shown("axis.n"), "65536");
  EXPECT_EQ(shown("axis.p"), "0.02");
  EXPECT_EQ(shown("axis.n / 3"), "21845.33");
  here.axes = s.context().axes;
  EXPECT_EQ(shown("fact.nnz"), "16777216");
  EXPECT_EQ(shown("fact.mean_row"), "200.25");
}

TEST(Claim, ListsTheFiguresThatItNeedsHere) {
  ClaimSession s;
  const Result<Claim> claim = parse_claim(
      "k_tiles.time.warm < best(cusparse_t, cusparse_alg3) and k_tiles@n=64.time.warm < 1 ms and "
      "k_tiles.l2.bytes_to_sm < 1 GB",
      s.scene());
  ASSERT_TRUE(claim);
  // cusparse_t does not apply to a gather, and what stands elsewhere is not needed here.
  EXPECT_EQ(needed_figures(*claim, s.scene(), s.axes()),
            (std::vector<NeededFigure>{{"k_tiles", "time.warm"},
                                       {"cusparse_alg3", "time.warm"},
                                       {"k_tiles", "l2.bytes_to_sm"}}));
}

TEST(Claim, CompletesAxesThatAnOldRecordingLacks) {
  ClaimSession s;
  s.measure("k_tiles", 50e3);
  Measurement old = *s.session.all_points().front();
  Configuration fewer;
  for (const auto& [axis, value] : old.axes.values()) {
    if (axis != "zeros") fewer.set(axis, value);
  }
  old.axes = fewer;
  old.key = "another way to write it";
  old.variant = "float4_columns";
  complete_axes(old);
  s.session.apply(old);
  EXPECT_EQ(said("float4_columns.time.warm < 1 ms", s.context()), "holds");
  EXPECT_EQ(said("float4_columns.time.warm < 1 ms", s.context({{"zeros", "rows"}})), "not known");
}

}  // namespace
}  // namespace warpscope
