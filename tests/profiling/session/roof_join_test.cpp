// tests/profiling/session/roof_join_test.cpp: roofs never cross devices; old sessions say what they
// borrow.
#include "profiling/session/roof_join.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiling/export/export.h"
#include "tests/folders.h"
#include "tests/profiling/session/synthetic.h"
#include "tests/recorded_session.h"

namespace warpscope {
namespace {

using testing::HasSubstr;
using testing::Not;

Conditions device(const std::string& name, const std::string& uuid) {
  Conditions c;
  c.device = name;
  c.device_uuid = uuid;
  c.date = "2026-11-21T09:00:00Z";
  return c;
}

Roof dram(double write_share, double value) {
  Roof roof{Level::dram, value, "B/s"};
  roof.mix = {"", write_share};
  return roof;
}

RoofSet family_of(const Conditions& c, double value) {
  RoofSet set;
  set.roofs = {dram(0, value), dram(0.5, value), dram(1, value)};
  set.conditions = c;
  return set;
}

RoofSet copy_of(const Conditions& c, double value) {
  RoofSet set;
  set.roofs = {dram(0.5, value)};
  set.conditions = c;
  return set;
}

const Conditions kFirst = device("NVIDIA H200", "GPU-aaaa"),
                 kSecond = device("NVIDIA H200", "GPU-bbbb"),
                 kOther = device("NVIDIA A100", "GPU-cccc");

TEST(RoofJoin, GivesAPointTheRoofsOfItsOwnDevice) {
  Session session;
  session.apply(family_of(kFirst, 4e12));
  session.apply(family_of(kOther, 1.5e12));
  EXPECT_EQ(join_roofs(session, kFirst).roofs->roofs[0].value, 4e12);
  EXPECT_EQ(join_roofs(session, kOther).roofs->roofs[0].value, 1.5e12);
  EXPECT_EQ(session.roofs()->roofs[0].value, 1.5e12) << "the newest of all";
  session.apply(family_of(kFirst, 4.1e12));
  EXPECT_EQ(session.roof_sets().size(), 2u) << "newer roofs of a device replace its older ones";
  EXPECT_EQ(join_roofs(session, kFirst).roofs->roofs[0].value, 4.1e12);
}

TEST(RoofJoin, NeverCrossesDevicesNotEvenOfOneModel) {
  Session session;
  session.apply(family_of(kFirst, 4e12));
  const std::vector<RoofSet> lent = {family_of(kSecond, 4e12)};
  for (const Conditions& point : {device("NVIDIA H200", "GPU-zzzz"), kOther}) {
    const RoofJoin join = join_roofs(session, point, lent);
    EXPECT_EQ(join.roofs, nullptr);
    EXPECT_THAT(join.words, HasSubstr("no roofs of this device in the session"));
    EXPECT_THAT(join.words, HasSubstr("`warpscope roofs --session"));
  }
}

TEST(RoofJoin, GoesByNameWhereOneSideHasNoUuid) {
  Session session;
  session.apply(copy_of(device("NVIDIA H200", ""), 4e12));
  EXPECT_NE(join_roofs(session, kFirst).roofs, nullptr);
  EXPECT_EQ(join_roofs(session, kFirst).words, "");
  EXPECT_EQ(join_roofs(session, kOther).roofs, nullptr);
}

TEST(RoofJoin, LendsAnOldSessionRoofsOfItsModelAndSaysSo) {
  Session session;
  session.apply(copy_of(kFirst, 4e12));
  const RoofJoin within = join_roofs(session, kSecond);
  ASSERT_NE(within.roofs, nullptr);
  EXPECT_THAT(within.words, HasSubstr("borrowed from another NVIDIA H200 (GPU-aaaa"));
  EXPECT_EQ(join_roofs(session, kOther).roofs, nullptr);
  const std::vector<RoofSet> lent = {copy_of(device("NVIDIA A100", "GPU-dddd"), 1.4e12)};
  EXPECT_EQ(join_roofs(session, kOther, lent).roofs, &lent[0]);
  EXPECT_THAT(join_roofs(session, kOther, lent).words, HasSubstr("GPU-dddd"));
}

Measurement point_on(const Conditions& c, const std::string& code_id) {
  Measurement m = synthetic("a", 1000);
  m.conditions = c;
  m.conditions.code_id = code_id;
  return m;
}

// What an old card borrows alone it borrows beside a card that has roofs of today.
TEST(RoofJoin, TakesNoBorrowedRoofsAwayByJoining) {
  for (const Conditions& today : {kFirst, kOther}) {
    Session joined;
    joined.apply(point_on(kSecond, ""));
    joined.apply(point_on(today, "c0de"));
    joined.apply(family_of(today, 4e12));
    const std::vector<RoofSet> lent = {copy_of(device("NVIDIA H200", "GPU-dddd"), 4e12)};
    const RoofJoin join = join_roofs(joined, kSecond, lent);
    ASSERT_NE(join.roofs, nullptr) << today.device;
    EXPECT_THAT(join.words, HasSubstr("borrowed from another NVIDIA H200"));
    EXPECT_EQ(join_roofs(joined, today, lent).words, "");
    // A card that was measured today and lacks roofs is to measure them.
    joined.apply(point_on(device("NVIDIA H200", "GPU-eeee"), "c0de"));
    EXPECT_EQ(join_roofs(joined, device("NVIDIA H200", "GPU-eeee"), lent).roofs, nullptr);
  }
  Session joined;
  joined.apply(point_on(kSecond, ""));
  joined.apply(family_of(kOther, 1.5e12));
  EXPECT_FALSE(lent_roofs(joined).empty());
}

TEST(RoofJoin, PrefersTheCardItselfToOneOfItsName) {
  Session session;
  session.apply(copy_of(device("NVIDIA H200", ""), 3e12));
  session.apply(copy_of(kFirst, 4e12));
  EXPECT_EQ(join_roofs(session, kFirst).roofs->roofs[0].value, 4e12);
}

// 5 GB in a millisecond: above 4 TB/s, which another card reached.
TEST(RoofJoin, FlagsNoPointAgainstTheRoofOfAnotherCard) {
  Measurement m = point_on(kSecond, "");
  m.warm = Timing{CacheState::warm, {1e6, 1e6, 1e6}};
  summarise(*m.warm);
  m.metrics = {{"dram.bytes_read", 2.5e9, Origin::measured, "", ""},
               {"dram.bytes_write", 2.5e9, Origin::measured, "", ""}};
  const auto flagged = [&m](const RoofSet& roofs) {
    const auto standing = stand(m, CacheState::warm, roofs, Bounds{});
    return standing && !standing->points.empty() && !standing->points.front().impossible.empty();
  };
  EXPECT_TRUE(flagged(family_of(kSecond, 4e12)));
  EXPECT_FALSE(flagged(family_of(kFirst, 4e12)));
}

TEST(RoofJoin, FindsTheRoofsOfTheShippedRecordings) {
  const std::vector<RoofSet> sets = recorded_roofs(source_folder() / "assets/sessions");
  ASSERT_GE(sets.size(), 3u);
  for (const RoofSet& set : sets) EXPECT_EQ(set.conditions.device, "NVIDIA H200");
  EXPECT_TRUE(recorded_roofs("/nonexistent").empty());
  // An old session of the same model and without roofs borrows them, one of another does not.
  Session session;
  Measurement point = synthetic("a", 1000);
  point.conditions = kSecond;
  session.apply(point);
  EXPECT_FALSE(lent_roofs(session).empty());
  EXPECT_NE(join_roofs(session, kSecond, lent_roofs(session)).roofs, nullptr);
  EXPECT_EQ(join_roofs(session, kOther, lent_roofs(session)).roofs, nullptr);
}

TEST(RoofJoin, JoinsEveryPointOfTheShippedSessionsOrSaysWhyNot) {
  for (const char* scene : {"csrmm", "led", "patterns"}) {
    const Result<SessionReading> reading = read_session(recorded_session(scene));
    ASSERT_TRUE(reading) << sentence(reading.error());
    const Session& session = reading->session;
    int own = 0;
    for (const Measurement* m : session.all_points()) {
      const RoofJoin join = join_roofs(session, m->conditions);
      ASSERT_NE(join.roofs, nullptr) << m->variant;
      const bool same = join.roofs->conditions.device_uuid == m->conditions.device_uuid;
      own += same ? 1 : 0;
      EXPECT_EQ(join.words.empty(), same) << m->variant;
    }
    EXPECT_GT(own, 0) << scene;
  }
}

TEST(RoofJoin, IsWhatReportsStandPointsBelow) {
  Session session;
  session.apply(family_of(kFirst, 4e12));
  Measurement point = synthetic("a", 1000);
  point.conditions = kOther;
  session.apply(point);
  EXPECT_THAT(markdown_report(report_of(session)),
              HasSubstr("no roofs of this device in the session"));
  session.apply(copy_of(kOther, 1.5e12));
  EXPECT_THAT(markdown_report(report_of(session)), Not(HasSubstr("no roofs of this device")));
}

}  // namespace
}  // namespace warpscope
