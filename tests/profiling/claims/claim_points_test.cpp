// tests/profiling/claims/claim_points_test.cpp: averages, extremes and counts over recorded points.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiling/claims/claim_text.h"
#include "tests/profiling/claims/claim_session.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

// 2 and 4 times as fast at 64 and 128 columns; at 256 columns the second was not measured.
ClaimSession three_widths() {
  ClaimSession s;
  s.measure("warp_row_zero_test", 200e3, {}, {{"n", "64"}});
  s.measure("warp_row_branch_free", 100e3, {}, {{"n", "64"}});
  s.measure("warp_row_zero_test", 400e3);
  s.measure("warp_row_branch_free", 100e3);
  s.measure("warp_row_zero_test", 800e3, {}, {{"n", "256"}});
  return s;
}
constexpr const char* kRatio =
    "ratio(warp_row_zero_test.time.warm, warp_row_branch_free.time.warm)";

std::string figure(const std::string& text, const ClaimContext& context) {
  const Result<Claim> claim = parse_claim(text, *context.scene);
  EXPECT_TRUE(claim) << (claim ? "" : sentence(claim.error()));
  const ClaimFigureText made = claim ? figure_text(*claim, context) : ClaimFigureText{};
  return made.text.empty() ? "– " + made.why + " (" + made.remedy + ")" : made.text;
}
std::string standing(const std::string& text, const ClaimContext& context) {
  const Result<Claim> claim = parse_claim(text, *context.scene);
  EXPECT_TRUE(claim) << (claim ? "" : sentence(claim.error()));
  return claim ? to_text(evaluate(*claim, context).standing) : "";
}
std::string why(const std::string& text) {
  const ClaimSession s;
  const Result<Claim> claim = parse_claim(text, s.scene());
  EXPECT_FALSE(claim);
  return claim ? "" : sentence(claim.error());
}
std::string over(const std::string& function, const std::string& inside,
                 const std::string& places = "") {
  return function + "(" + inside + " over points" + places + ")";
}

TEST(ClaimPoints, GatherWhatWasRecordedOfAllThatAnExpressionNames) {
  const ClaimSession s = three_widths();
  const ClaimContext here = s.context();
  EXPECT_EQ(figure(over("mean", kRatio), here), "3.00");
  EXPECT_EQ(figure(over("min", kRatio), here), "2.00");
  EXPECT_EQ(figure(over("max", kRatio), here), "4.00");
  EXPECT_EQ(figure(over("count", kRatio), here), "2") << "at 256 columns one of them is missing";
  EXPECT_EQ(figure(over("count", "warp_row_zero_test.time.warm"), here), "3");
  EXPECT_EQ(standing(over("mean", kRatio) + " ~ 3 within 1 %", here), "holds");
  EXPECT_EQ(standing(over("max", kRatio) + " <= 3", here), "does not hold");
}

TEST(ClaimPoints, SayWhichTheyAreAndWhereTheExtremesStand) {
  const ClaimSession s = three_widths();
  const ClaimContext here = s.context();
  EXPECT_EQ(figure(over("points", kRatio), here), "2 points: n=64, 128");
  EXPECT_EQ(figure(over("at_max", kRatio), here), "n=128");
  EXPECT_EQ(figure(over("at_min", kRatio), here), "n=64");
  EXPECT_EQ(figure(over("points", kRatio, "@n=64"), here), "1 point: n=64");
}

TEST(ClaimPoints, AreTheSameWhateverConfigurationIsAtHand) {
  const ClaimSession s = three_widths();
  for (const char* n : {"16", "64", "512"})
    EXPECT_EQ(figure(over("mean", kRatio), s.context({{"n", n}})), "3.00") << n;
}

TEST(ClaimPoints, KeepTheValuesThatAreAskedForAndNoOther) {
  const ClaimSession s = three_widths();
  const ClaimContext here = s.context();
  EXPECT_EQ(figure(over("mean", "warp_row_zero_test.time.warm", "@n=64/256"), here), "500.0 µs");
  EXPECT_EQ(figure(over("count", "warp_row_zero_test.time.warm", "@n=128,p=0.02"), here), "1");
  EXPECT_THAT(figure(over("mean", kRatio, "@n=512"), here), HasSubstr("no such point"));
}

TEST(ClaimPoints, CountWhereARelationHolds) {
  const ClaimSession s = three_widths();
  const std::string faster = "3 * warp_row_branch_free.time.warm < warp_row_zero_test.time.warm";
  EXPECT_EQ(figure(over("count", faster), s.context()), "1");
  EXPECT_EQ(standing(over("count", faster) + " = 1", s.context()), "holds");
}

TEST(ClaimPoints, StandElsewhereWhereANameSaysSo) {
  ClaimSession s = three_widths();
  const std::string growth =
      "ratio(warp_row_zero_test@n=256.time.warm, warp_row_zero_test.time.warm)";
  EXPECT_EQ(figure(over("max", growth), s.context()), "4.00");
  EXPECT_EQ(figure(over("points", growth), s.context()), "3 points: n=64, 128, 256");
}

TEST(ClaimPoints, AreOfTheDeviceAtHandAndCorrect) {
  ClaimSession s = three_widths();
  s.measure("warp_row_zero_test", 1, {}, {{"n", "64"}}, 0.001, "GPU-b");
  ClaimContext here = s.context();
  here.device_uuid = "GPU-a";
  EXPECT_EQ(figure(over("min", "warp_row_zero_test.time.warm"), here), "200.0 µs");
  Measurement wrong = *s.session.points("csrmm", "warp_row_zero_test").front();
  wrong.verdict.outcome = Outcome::wrong;
  s.session.apply(wrong);
  EXPECT_EQ(figure(over("count", "warp_row_zero_test.time.warm"), here), "2");
}

TEST(ClaimPoints, SayWhatToMeasureWhereNoneIs) {
  const ClaimSession s;
  EXPECT_THAT(figure(over("mean", kRatio), s.context()),
              HasSubstr("warpscope measure csrmm/warp_row_zero_test"));
}

TEST(ClaimPoints, StandInTexts) {
  const ClaimSession s = three_widths();
  EXPECT_EQ(
      resolve(std::string("On average {mean(") + kRatio + " over points@n=64/128)}×.", s.context()),
      "On average 3.00×.");
}

TEST(ClaimPoints, FactsMayStandElsewhere) {
  ClaimSession s = three_widths();
  Measurement other = *s.session.points("csrmm", "warp_row_zero_test").front();
  other.axes = for_variant(s.scene().axes, s.axes({{"p", "0.05"}}), other.variant);
  other.key = configuration_key(s.scene().axes, other.axes, other.variant);
  other.problem = problem_key(s.scene().axes, other.axes);
  other.facts = {{"nnz", 5e6}};
  s.session.apply(other);
  EXPECT_EQ(figure("fact.nnz", s.context()), "2000000");
  EXPECT_EQ(figure("fact@p=0.05.nnz", s.context()), "5000000");
  EXPECT_THAT(figure("fact@p=0.1.nnz", s.context()), HasSubstr("at p=0.1"));
}

TEST(ClaimPoints, BytesOverARateAreATimeAndWorkOverBytesAnIntensity) {
  ClaimSession s;
  s.measure("k_tiles", 50e3, {{"model.flops", 500e6}, {"model.dram_bytes", 25e6}});
  EXPECT_EQ(figure("2 MB / 2000 GB/s", s.context()), "1.00 µs");
  EXPECT_EQ(
      standing("k_tiles.model.dram_bytes / 500 GB/s ~ k_tiles.time.warm within 1 %", s.context()),
      "holds");
  EXPECT_EQ(standing("k_tiles.model.flops / k_tiles.model.dram_bytes ~ 20 FLOP/B", s.context()),
            "holds");
  EXPECT_EQ(standing("k_tiles.model.flops = 500 MFLOP", s.context()), "holds");
}

TEST(ClaimPoints, AreRefusedWithTheReason) {
  EXPECT_THAT(why("mean(warp_row_zero_test.time.warm)"), HasSubstr("needs points"));
  EXPECT_THAT(why("ratio(warp_row_zero_test.time.warm over points)"),
              HasSubstr("one configuration"));
  EXPECT_THAT(why("mean(warp_row_zero_test.time.warm over all)"),
              HasSubstr("needs “points” after it"));
  EXPECT_THAT(why("mean(warp_row_zero_test.time.warm over points@index_width=32)"),
              HasSubstr("axis of variants"));
  EXPECT_THAT(why("mean(warp_row_zero_test.time.warm over points@n=four)"), HasSubstr("n"));
  EXPECT_THAT(why("warp_row_zero_test@n=64/128.time.warm < 1 ms"), HasSubstr("single value"));
}

}  // namespace
}  // namespace warpscope
