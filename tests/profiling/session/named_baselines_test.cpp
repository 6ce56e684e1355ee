// tests/profiling/session/named_baselines_test.cpp: a session keeps points under names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiling/session/session.h"

namespace warpscope {
namespace {

NamedBaseline baseline(const std::string& id, const std::string& name, double value) {
  NamedBaseline b;
  b.id = id;
  b.name = name;
  b.session = "monday.wsj";
  b.point.scene = "patterns";
  b.point.variant = "copy";
  b.point.key = "op=copy,n=1024";
  b.point.verdict.outcome = Outcome::correct;
  b.point.metrics = {{"time.warm", value, Origin::measured, "", ""}};
  return b;
}

NamedBaseline removed(const std::string& id) {
  NamedBaseline b;
  b.id = id;
  b.removed = true;
  return b;
}

TEST(NamedBaselines, AreTheSameAfterWritingAndReading) {
  const Result<Message> read = parse_line(to_line(baseline("1", "before tiling", 1739.9)));
  ASSERT_TRUE(read) << sentence(read.error());
  const auto* b = std::get_if<NamedBaseline>(&*read);
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(b->id, "1");
  EXPECT_EQ(b->name, "before tiling");
  EXPECT_EQ(b->session, "monday.wsj");
  EXPECT_FALSE(b->removed);
  EXPECT_EQ(b->point.key, "op=copy,n=1024");
  ASSERT_EQ(b->point.metrics.size(), 1u);
  EXPECT_EQ(b->point.metrics[0].value, 1739.9);
}

TEST(NamedBaselines, OfARemovalTheLineHasNoPoint) {
  const std::string line = to_line(removed("1"));
  EXPECT_EQ(line.find("measurement"), std::string::npos) << line;
  const Result<Message> read = parse_line(line);
  ASSERT_TRUE(read);
  EXPECT_TRUE(std::get<NamedBaseline>(*read).removed);
}

TEST(NamedBaselines, TheNewestLineOfAnIdCounts) {
  Session session;
  session.apply(baseline("1", "first", 1));
  session.apply(baseline("2", "second", 2));
  session.apply(baseline("1", "renamed", 1));
  const auto all = session.outcomes().baselines();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0]->name, "renamed");
  EXPECT_EQ(all[1]->name, "second");
  session.apply(removed("1"));
  ASSERT_EQ(session.outcomes().baselines().size(), 1u);
  EXPECT_EQ(session.outcomes().baselines()[0]->id, "2");
  session.apply(removed("7"));  // which is not there
  EXPECT_EQ(session.outcomes().baselines().size(), 1u);
}

// So nothing is ranked or exported with them by accident.
TEST(NamedBaselines, AreNotPointsOfTheSession) {
  Session session;
  session.apply(baseline("1", "first", 1));
  EXPECT_TRUE(session.all_points().empty());
  EXPECT_TRUE(session.devices().empty());
}

TEST(NamedBaselines, OfAWrongTypeAreRefusedWithAReason) {
  const Result<Message> read =
      parse_line(R"({"type":"baseline","id":"1","name":3,"measurement":{}})");
  EXPECT_FALSE(read);
}

}  // namespace
}  // namespace warpscope
