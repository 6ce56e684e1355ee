// tests/profiling/points/point_test.cpp: a figure belongs to its point, and two points are compared
// or not with a reason.
#include "profiling/points/point.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiling/session/baselines.h"
#include "profiling/session/session.h"
#include "scenes/catalogue.h"

namespace warpscope {
namespace {

TEST(Verdict, SaysOldSentencesInTodaysWords) {
  Verdict verdict;
  verdict.sentence = "largest error 0.085 of the bound, at c[17, 3]";
  EXPECT_EQ(in_words(verdict), "largest error 8.50 % of what is allowed, at c[17, 3]");
  for (const char* said : {"largest error 8.50 % of what is allowed, at c[17, 3]",
                           "3 of 9 elements are beyond the bound", "largest error of the bound"}) {
    verdict.sentence = said;
    EXPECT_EQ(in_words(verdict), said);
  }
}

using testing::ElementsAre;
using testing::HasSubstr;

const Scene& csrmm() { return **built_in_catalogue().find("csrmm"); }

Measurement point(const std::string& variant,
                  const std::map<std::string, std::string>& changes = {}) {
  Measurement m;
  m.scene = "csrmm";
  m.variant = variant;
  m.axes = *configured(csrmm(), variant, changes);
  m.key = configuration_key(csrmm().axes, m.axes, variant);
  m.problem = problem_key(csrmm().axes, m.axes);
  m.verdict.outcome = Outcome::correct;
  m.warm = Timing{CacheState::warm, {1000, 1001, 999}};
  summarise(*m.warm);
  m.conditions.device = "NVIDIA H200";
  m.conditions.device_uuid = "GPU-c84bc8ec-c721-6836-0423-0963f9a5acdc";
  m.conditions.toolkit = "13.0";
  m.conditions.code_id = "first";
  m.conditions.date = "2026-01-01T00:00:00Z";
  return m;
}

// Nothing says whether the output is right: its time neither wins nor loses.
TEST(Point, ThatNothingCheckedIsComparedWithNothing) {
  Measurement quick = point("k_tiles"), slow = point("cusparse_alg3");
  quick.warm = Timing{CacheState::warm, {500, 501, 499}};
  summarise(*quick.warm);
  EXPECT_EQ(compare_times(slow, quick, CacheState::warm).difference, Difference::faster);
  quick.verdict.outcome = Outcome::no_reference;
  for (const auto& [a, b] : {std::pair(&slow, &quick), std::pair(&quick, &slow)}) {
    const Comparison comparison = compare_times(*a, *b, CacheState::warm);
    EXPECT_EQ(comparison.difference, Difference::not_comparable);
    EXPECT_THAT(comparison.sentence, HasSubstr("nothing says whether the output of k_tiles"));
  }
  EXPECT_TRUE(has_figures(Outcome::no_reference));
  EXPECT_FALSE(has_figures(Outcome::unchecked));
  EXPECT_FALSE(has_figures(Outcome::wrong));
}

TEST(Point, HasTheKeyOfTheProblemAndItsOwnVariantAlone) {
  const Measurement rows = point("rows_per_block"), plain = point("cusparse_alg3");
  EXPECT_THAT(rows.key, HasSubstr("unroll=4"));
  EXPECT_THAT(rows.key, testing::Not(HasSubstr("auto_threshold")));
  EXPECT_THAT(plain.key, testing::Not(HasSubstr("unroll")));
  EXPECT_EQ(plain.key, plain.problem);
  EXPECT_EQ(rows.problem, plain.problem);
  EXPECT_EQ(own_axes_text(rows), "unroll=4");
  EXPECT_EQ(own_axes_text(plain), "");
}

TEST(Point, IsComparableWithWhatSolvesTheSameProblemOnTheSameDevice) {
  const Measurement a = point("rows_per_block", {{"unroll", "4"}});
  Measurement b = point("rows_per_block", {{"unroll", "8"}});
  b.conditions.code_id = "second";
  b.conditions.toolkit = "12.9";
  EXPECT_NE(a.key, b.key);
  EXPECT_TRUE(comparable(a, b)) << comparable(a, b).reason;
  EXPECT_TRUE(comparable(a, point("warp_row_zero_test")));
}

TEST(Point, SaysWhichAxisOrDeviceForbidsAComparison) {
  const Measurement a = point("warp_row_zero_test", {{"n", "128"}});
  EXPECT_EQ(comparable(a, point("float4_columns", {{"n", "256"}})).reason,
            "n is 128 here and 256 there");
  EXPECT_EQ(comparable(a, point("warp_row_zero_test", {{"dtype", "bf16"}})).reason,
            "dtype is f32 here and bf16 there");
  Measurement b = a;
  b.conditions.device_uuid = "GPU-fb122afe-e231-1936-fc95-fc962d63d1d3";
  EXPECT_EQ(comparable(a, b).reason,
            "measured on another device: NVIDIA H200 (GPU-c84bc8ec) here, NVIDIA H200 "
            "(GPU-fb122afe) there");
  EXPECT_EQ(compare_times(a, b, CacheState::warm).difference, Difference::not_comparable);
  EXPECT_THAT(compare_times(a, b, CacheState::warm).sentence, HasSubstr("another device"));
  b.conditions.device_uuid.clear();  // recorded without: the name has to do
  EXPECT_TRUE(comparable(a, b));
  b.scene = "led";
  EXPECT_EQ(comparable(a, b).reason, "the scene is csrmm here and led there");
}

TEST(Point, OfAFileLacksAnAxisAndGetsItsValueOnce) {
  Measurement m = point("rows_per_block");
  const std::string key = m.key, problem = m.problem;
  m.axes.unset("zeros");
  m.axes.unset("alpha");  // means nothing here, and is not spoken of
  m.axes.unset("unroll");
  m.axes.set("auto_threshold", std::int64_t{64});  // of another variant, as old recordings have it
  m.key = "m=10000";
  complete_axes(m);
  EXPECT_EQ(m.key, key);
  EXPECT_EQ(m.problem, problem);
  EXPECT_THAT(m.completed_axes, ElementsAre("zeros", "unroll"));
  EXPECT_FALSE(m.axes.has("auto_threshold"));
  complete_axes(m);
  EXPECT_THAT(m.completed_axes, ElementsAre("zeros", "unroll"));
}

TEST(Point, OfNoVariantOfTheCatalogueKeepsItsKey) {
  Measurement m = point("rows_per_block");
  m.variant = "a kernel of mine";
  m.key = "n=128,x=5";
  complete_axes(m);
  EXPECT_EQ(m.key, "n=128,x=5");
  m.variant = "rows_per_block";
  m.axes.set("x", std::int64_t{5});
  complete_axes(m);
  EXPECT_EQ(m.key, "n=128,x=5");
  EXPECT_TRUE(m.completed_axes.empty());
}

TEST(Point, OfATraceOrTimelineGetsTodaysKeyFromItsOldOne) {
  const std::string old = point("k_tiles").key + ",auto_threshold=256,unroll=4";
  EXPECT_EQ(completed_key(built_in_catalogue(), "csrmm", "k_tiles", old), point("k_tiles").key);
  EXPECT_EQ(completed_key(built_in_catalogue(), "csrmm", "k_tiles", "n=64"),
            point("k_tiles", {{"n", "64"}}).key);
  EXPECT_EQ(completed_key(built_in_catalogue(), "csrmm", "k_tiles", "elsewhere"), "elsewhere");
  EXPECT_EQ(completed_key(built_in_catalogue(), "csrmm", "no such variant", old), old);
}

Measurement on(const std::string& uuid, double warm_ns, const std::string& date,
               const std::string& code_id = "first") {
  Measurement m = point("warp_row_zero_test");
  m.conditions.device_uuid = uuid;
  m.conditions.date = date;
  m.conditions.code_id = code_id;
  m.warm = Timing{CacheState::warm, {warm_ns, warm_ns + 1, warm_ns - 1}};
  summarise(*m.warm);
  set_value(m.metrics, {"time.warm", warm_ns, Origin::measured, "", ""});
  return m;
}

TEST(Session, KeepsWhatTwoDevicesOfOneNameMeasured) {
  Session session;
  const Measurement a = on("GPU-aaaa", 100, "2026-01-01T00:00:00Z"),
                    b = on("GPU-bbbb", 200, "2026-01-01T00:00:01Z");
  session.apply(a);
  session.apply(b);
  EXPECT_EQ(session.latest(id_of(a))->warm->median_ns, 100);
  EXPECT_EQ(session.latest(id_of(b))->warm->median_ns, 200);
  EXPECT_EQ(session.latest({a.scene, a.variant, a.key, "", "GPU-cccc"}), nullptr);
  EXPECT_EQ(session.points(a.scene, a.variant).size(), 2u);
  EXPECT_EQ(session.points(a.scene, a.variant, "GPU-bbbb").size(), 1u);
  ASSERT_EQ(session.devices().size(), 2u);
  EXPECT_EQ(session.devices()[1].uuid, "GPU-bbbb");
  EXPECT_EQ(baseline_of(session, b)->conditions.device_uuid, "GPU-bbbb");
  session.keep_device("GPU-bbbb");
  EXPECT_EQ(session.latest(id_of(a)), nullptr);
  EXPECT_EQ(session.latest(id_of(b))->warm->median_ns, 200);
  EXPECT_EQ(session.history().size(), 1u);
}

// Counters of one card do not complete another one's times.
TEST(Session, CompletesAPointFromItsOwnDeviceAlone) {
  Session session;
  Measurement counted = on("GPU-aaaa", 100, "2026-01-01T00:00:00Z");
  set_value(counted.metrics, {"dram.bytes_read", 5e6, Origin::measured, "", ""});
  session.apply(counted);
  session.apply(on("GPU-bbbb", 200, "2026-01-01T00:00:01Z"));
  session.apply(on("GPU-aaaa", 90, "2026-01-01T00:00:02Z"));
  const auto bytes = [&](const char* uuid) {
    return value_of(session.latest(id_of(on(uuid, 1, "")))->metrics, "dram.bytes_read");
  };
  EXPECT_EQ(bytes("GPU-aaaa"), 5e6);
  EXPECT_FALSE(bytes("GPU-bbbb"));
}

TEST(Session, KeepsAnEarlierSourceAndShowsTheNewest) {
  Session session;
  const Measurement old = on("GPU-aaaa", 100, "2026-01-01T00:00:00Z", "first"),
                    changed = on("GPU-aaaa", 80, "2026-01-02T00:00:00Z", "second");
  session.apply(changed);
  session.apply(old);  // read after it, measured before it
  PointId newest = id_of(old);
  newest.code_id.clear();
  EXPECT_EQ(session.latest(newest)->warm->median_ns, 80);
  EXPECT_EQ(session.latest(id_of(old))->warm->median_ns, 100);
  ASSERT_EQ(session.sources(newest).size(), 2u);
  EXPECT_TRUE(session.earlier_source(*session.sources(newest)[1]));
  EXPECT_FALSE(session.earlier_source(*session.sources(newest)[0]));
  EXPECT_EQ(session.all_points().size(), 2u);
  EXPECT_EQ(session.newest_points().size(), 1u);
}

// The engine died before it knew the source: that is what the newest source did.
TEST(Session, LetsARunWithoutASourceStandForTheNewestOne) {
  Session session;
  const Measurement good = on("GPU-aaaa", 100, "2026-01-01T00:00:00Z");
  session.apply(good);
  Measurement died = good;
  died.conditions.code_id.clear();
  died.conditions.date.clear();
  died.verdict.outcome = Outcome::engine_died;
  died.warm.reset();
  session.apply(died);
  PointId id = id_of(good);
  id.code_id.clear();
  EXPECT_EQ(session.latest(id)->verdict.outcome, Outcome::engine_died);
  session.apply(good);
  EXPECT_EQ(session.latest(id)->verdict.outcome, Outcome::correct);
  EXPECT_EQ(session.all_points().size(), 1u);
}

TEST(Session, KeepsATimelineOfEachDevice) {
  Session session;
  for (const char* uuid : {"GPU-aaaa", "GPU-bbbb"}) {
    Timeline t;
    t.scene = "csrmm", t.variant = "k_tiles", t.key = "n=1", t.conditions.device_uuid = uuid;
    session.apply(t);
  }
  EXPECT_EQ(session.timelines().size(), 2u);
  EXPECT_EQ(session.timeline({"csrmm", "k_tiles", "n=1", "", "GPU-bbbb"})->conditions.device_uuid,
            "GPU-bbbb");
  EXPECT_EQ(session.timeline({"csrmm", "k_tiles", "n=1", "", "GPU-cccc"}), nullptr);
}

TEST(Session, FindsADeviceByTheBeginningOfItsUuid) {
  Session session;
  session.apply(on("GPU-aaaa", 100, ""));
  session.apply(on("GPU-aabb", 100, ""));
  EXPECT_EQ(find_device(session, "GPU-aab").value_or(""), "GPU-aabb");
  EXPECT_EQ(find_device(session, "aaa").value_or(""), "GPU-aaaa");
  for (const char* wanted : {"GPU-a", "GPU-c", "NVIDIA H200"}) {
    const Result<std::string> found = find_device(session, wanted);
    ASSERT_FALSE(found) << wanted;
    EXPECT_THAT(found.error().remedy, HasSubstr("GPU-aabb"));
  }
}

}  // namespace
}  // namespace warpscope
