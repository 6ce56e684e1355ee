// tests/profiling/session/joined_sessions_test.cpp: joining sessions loses nothing and mixes
// nothing, whichever comes first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "profiling/agreement/agree.h"
#include "profiling/claims/article.h"
#include "profiling/claims/claim.h"
#include "profiling/session/roof_join.h"
#include "scenes/catalogue.h"
#include "tests/profiling/agreement/csrmm_facts.h"
#include "tests/profiling/claims/claim_session.h"

namespace warpscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Measurement point(const std::string& uuid, double warm_ns, const std::string& date,
                  const std::string& code_id = "first", const std::string& name = "NVIDIA H200") {
  const Scene& scene = **built_in_catalogue().find("csrmm");
  Measurement m;
  m.scene = "csrmm";
  m.variant = "float4_columns";
  m.axes = *configured(scene, m.variant, {});
  m.key = configuration_key(scene.axes, m.axes, m.variant);
  m.verdict.outcome = Outcome::correct;
  m.warm = Timing{CacheState::warm, {warm_ns, warm_ns + 1, warm_ns - 1}};
  summarise(*m.warm);
  m.metrics = {{"time.warm", warm_ns, Origin::measured, "", ""}};
  m.conditions.device = name;
  m.conditions.device_uuid = uuid;
  m.conditions.date = date;
  m.conditions.code_id = code_id;
  return m;
}

Hello hello(const std::string& name, const std::string& uuid, std::int64_t l2_bytes) {
  Hello made;
  made.role = "measure";
  made.device = DeviceDescription{name, uuid};
  made.device->l2_bytes = l2_bytes;
  made.device->multiprocessors = 20;
  return made;
}

PointId place(const Measurement& m) {
  PointId id = id_of(m);
  id.code_id.clear();
  return id;
}

// Every order of the messages.
template <typename Check>
void in_every_order(std::vector<Measurement> messages, Check check) {
  std::vector<std::size_t> order(messages.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  do {
    Session session;
    for (const std::size_t at : order) session.apply(messages[at]);
    check(session);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(JoinedSessions, ShowTheNewestSourceByDateInWhicheverOrderTheyAreRead) {
  const Measurement a = point("GPU-a", 100, "2026-01-01T10:00:00Z", "first"),
                    b = point("GPU-a", 80, "2026-01-01T12:00:00Z", "second"),
                    again = point("GPU-a", 90, "2026-01-01T11:00:00Z", "first");
  in_every_order({a, b, again}, [&](const Session& session) {
    EXPECT_EQ(session.latest(place(a))->conditions.code_id, "second");
    ASSERT_EQ(session.sources(place(a)).size(), 2u);
    EXPECT_FALSE(session.earlier_source(*session.sources(place(a))[0]));
    EXPECT_TRUE(session.earlier_source(*session.sources(place(a))[1]));
    EXPECT_EQ(session.sources(place(a))[1]->warm->median_ns, 90) << "its newer time";
  });
}

TEST(JoinedSessions, KeepSourcesNewestFirst) {
  in_every_order({point("GPU-a", 100, "2026-01-01T10:00:00Z", "first"),
                  point("GPU-a", 100, "2026-01-02T10:00:00Z", "second"),
                  point("GPU-a", 100, "2026-01-03T10:00:00Z", "third")},
                 [&](const Session& session) {
                   std::vector<std::string> sources;
                   for (const Measurement* m : session.sources(place(point("GPU-a", 1, ""))))
                     sources.push_back(m->conditions.code_id);
                   EXPECT_THAT(sources, ElementsAre("third", "second", "first"));
                 });
}

// If a run ended before its source was known, what was measured before it is not lost.
TEST(JoinedSessions, KeepWhatWasMeasuredBeforeARunWithoutASource) {
  Measurement died = point("GPU-a", 100, "2026-01-01T12:00:00Z", "");
  died.verdict.outcome = Outcome::engine_died;
  died.warm.reset();
  Session session;
  session.apply(died);
  session.apply(point("GPU-a", 100, "2026-01-01T10:00:00Z"));
  EXPECT_EQ(session.latest(place(died))->verdict.outcome, Outcome::engine_died);
  EXPECT_EQ(session.all_points().size(), 2u);
}

TEST(JoinedSessions, HaveTheNewestRoofsOfAllLast) {
  for (const bool forwards : {true, false}) {
    RoofSet older, newer;
    older.conditions = point("GPU-a", 1, "2026-01-01T10:00:00Z").conditions;
    newer.conditions = point("GPU-b", 1, "2026-01-01T12:00:00Z").conditions;
    Session session;
    session.apply(forwards ? older : newer);
    session.apply(forwards ? newer : older);
    EXPECT_EQ(session.roofs()->conditions.device_uuid, "GPU-b") << forwards;
  }
}

Measurement with_counters(Measurement m, bool cold, const char* id, double value) {
  m.counters = id;
  m.counter_passes = 1;
  m.cold_counters = cold;
  set_value(m.metrics, {id, value, Origin::measured, "", ""});
  StepRecord step;
  step.name = "multiply";
  step.metrics = {{id, value, Origin::measured, "", ""}};
  m.steps = {step};
  return m;
}

TEST(Session, SaysOfColdCountersThatATimingGotThatTheyAreCold) {
  const Measurement counted =
      with_counters(point("GPU-a", 100, "2026-01-01T10:00:00Z"), true, "dram.bytes_read", 5e6);
  Session session;
  session.apply(counted);
  session.apply(point("GPU-a", 90, "2026-01-01T11:00:00Z"));
  const Measurement* m = session.latest(place(counted));
  EXPECT_EQ(m->warm->median_ns, 90);
  EXPECT_EQ(value_of(m->metrics, "dram.bytes_read"), 5e6);
  EXPECT_EQ(m->counter_passes, 1);
  EXPECT_TRUE(m->cold_counters);
}

TEST(Session, MixesNoColdCountersWithWarmOnes) {
  for (const bool cold : {true, false}) {
    Measurement before =
        with_counters(point("GPU-a", 100, "2026-01-01T10:00:00Z"), cold, "l2.sectors_sm", 3e6);
    before.prepare_ns = 7;
    set_value(before.metrics, {"rate.l2_bytes", 1e12, Origin::derived, "", ""});
    set_value(before.metrics, {"cupti:lts__x.sum", 8, Origin::measured, "", ""});
    Session session;
    session.apply(before);
    session.apply(
        with_counters(point("GPU-a", 90, "2026-01-01T11:00:00Z"), !cold, "dram.bytes_read", 5e6));
    const Measurement* m = session.latest(place(before));
    EXPECT_EQ(m->cold_counters, !cold);
    EXPECT_EQ(value_of(m->metrics, "dram.bytes_read"), 5e6);
    EXPECT_FALSE(value_of(m->metrics, "l2.sectors_sm"));
    EXPECT_FALSE(value_of(m->metrics, "rate.l2_bytes")) << "it is made of such counters";
    EXPECT_FALSE(value_of(m->metrics, "cupti:lts__x.sum")) << "asked for by CUPTI's own name";
    EXPECT_FALSE(value_of(m->steps[0].metrics, "l2.sectors_sm"));
    EXPECT_EQ(m->prepare_ns, 7) << "what no counter is goes on";
    // Counters of one state belong to one point.
    session.apply(
        with_counters(point("GPU-a", 90, "2026-01-01T12:00:00Z"), !cold, "l2.sectors_sm", 2e6));
    EXPECT_EQ(value_of(session.latest(place(before))->metrics, "l2.sectors_sm"), 2e6);
    EXPECT_EQ(value_of(session.latest(place(before))->metrics, "dram.bytes_read"), 5e6);
  }
}

// 21 MB are read, of which a warm L2 of 60 MB may hold all and one of 6 MB may not.
TEST(JoinedSessions, AreJudgedWithTheL2OfTheCardThatWasMeasured) {
  const auto counted = [](const char* name, const char* uuid) {
    Measurement m = point(uuid, 1e5, "2026-01-01T10:00:00Z", "first", name);
    m.facts = facts_of_default_csrmm();
    set_value(m.metrics, {"l2.bytes_to_sm", 1004e6, Origin::measured, "", ""});
    set_value(m.metrics, {"dram.bytes_read", 0.3e6, Origin::measured, "", ""});
    return m;
  };
  const auto matches = [](const Session& session) {
    std::vector<std::string> found;
    for (const FigureMatch& pair : agree_with_model(session)) {
      if (pair.figure == "model.dram_read_bytes")
        found.push_back(std::string(to_text(pair.match)) + ": " + pair.reason);
    }
    std::sort(found.begin(), found.end());
    return found;
  };
  const std::vector<Message> large = {hello("NVIDIA H200", "GPU-a", 60'000'000),
                                      counted("NVIDIA H200", "GPU-a")},
                             small = {hello("NVIDIA A10G", "GPU-b", 6'000'000),
                                      counted("NVIDIA A10G", "GPU-b")};
  std::vector<std::vector<std::string>> seen;
  for (const bool forwards : {true, false}) {
    Session session;
    for (const auto* file : {forwards ? &large : &small, forwards ? &small : &large}) {
      for (const Message& message : *file) session.apply(message);
    }
    seen.push_back(matches(session));
  }
  EXPECT_EQ(seen[0], seen[1]) << "whichever is read first";
  Session alone;
  for (const Message& message : large) alone.apply(message);
  ASSERT_EQ(matches(alone).size(), 1u);
  EXPECT_THAT(seen[0], testing::Contains(matches(alone)[0]));
  EXPECT_THAT(matches(alone)[0], HasSubstr("60.00 MB"));
  // A card that no hello describes is judged with no other's.
  Session undescribed;
  undescribed.apply(small[0]);
  undescribed.apply(large[1]);
  ASSERT_EQ(matches(undescribed).size(), 1u);
  EXPECT_THAT(matches(undescribed)[0], HasSubstr("does not describe"));
}

TEST(JoinedSessions, KeepWhatIsKnownOfEachDevice) {
  ClaimSession session("GPU-a");
  Hello other = hello("another card", "GPU-b", 7 << 20);
  session.measure("warp_row_zero_test", 100);
  session.measure("warp_row_zero_test", 100, {}, {}, 0.001, "GPU-b");
  session.session.apply(other);
  const auto l2_of = [&](const std::string& device) {
    ClaimContext context = session.context();
    context.device_uuid = device;
    const Result<Claim> claim = parse_claim("device.l2_bytes", session.scene());
    EXPECT_TRUE(claim) << sentence(claim.error());
    const ClaimFigureText text = figure_text(*claim, context);
    return text.text.empty() ? text.why : text.text;
  };
  EXPECT_EQ(l2_of("GPU-a"), format_value(60 << 20, "B"));
  EXPECT_EQ(l2_of("GPU-b"), format_value(7 << 20, "B"));
}

Measurement verified() {
  Measurement m = point("", 1, "2026-01-03T10:00:00Z", "first", "emulator");
  m.warm.reset();
  m.metrics.clear();
  return m;
}

TEST(JoinedSessions, TakeTheEmulatorForNoDevice) {
  const Scene& scene = **built_in_catalogue().find("csrmm");
  Session session;
  session.apply(point("GPU-a", 100, "2026-01-01T10:00:00Z"));
  for (const Variant& variant : scene.variants) {
    Measurement m = verified();
    m.variant = variant.name;
    m.axes = *configured(scene, m.variant, {});
    m.key = configuration_key(scene.axes, m.axes, m.variant);
    session.apply(m);
  }
  EXPECT_THAT(devices_of(session, scene), ElementsAre("GPU-a"));
  EXPECT_EQ(device_at_hand({&scene, &session, default_configuration(scene.axes), "", {}}), "GPU-a")
      << "though the emulator has more of this configuration";
}

TEST(Session, FindsACardWithoutAUuidBesideAnotherOfItsModel) {
  Session session;
  session.apply(point("", 100, ""));
  session.apply(point("GPU-a", 100, ""));
  session.apply(point("GPU-ab", 100, ""));
  EXPECT_EQ(find_device(session, "NVIDIA H200").value_or(""), "NVIDIA H200");
  EXPECT_EQ(find_device(session, "GPU-a").value_or(""), "GPU-a") << "whole, not a beginning";
}

}  // namespace
}  // namespace warpscope
