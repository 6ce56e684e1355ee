// tests/profiling/plans/session_merge_test.cpp: merged sessions have every point once, whatever the
// order of their files.
#include "profiling/plans/session_merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>

#include "profiling/messages/packed_text.h"
#include "profiling/plans/merged_lines.h"
#include "profiling/plans/plan_file.h"
#include "profiling/session/session.h"
#include "profiling/session/session_check.h"
#include "tests/profiling/plans/session_lines.h"

namespace warpscope {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

const std::string kNow = "2026-11-29T12:00:00Z";

std::string date(int second) {
  char text[32];
  std::snprintf(text, sizeof text, "2026-11-29T10:%02d:%02dZ", second / 60, second % 60);
  return text;
}

std::string text_in(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(JobNumbers, AreThoseOfTheLineItself) {
  EXPECT_EQ(job_number_in(R"({"axes":{"job":3},"job": 17,"x":[{"job":4}]})")->job, 17);
  EXPECT_EQ(with_job(R"({"a":{"job":3},"job":17})", 5), R"({"a":{"job":3},"job":5})");
  EXPECT_EQ(without_job(R"({"text":"\"job\":8","job":17})"), R"({"text":"\"job\":8","job":})");
  EXPECT_FALSE(job_number_in(R"({"axes":{"job":3}})"));
  EXPECT_FALSE(job_number_in(R"({"text":"job"})"));
  EXPECT_FALSE(job_number_in(R"({"job":"17"})"));
  EXPECT_FALSE(job_number_in("\"job\""));
  EXPECT_FALSE(job_number_in(""));
}

class Merging : public SessionLines {
 protected:
  SessionMerge merge(const std::vector<std::string>& names, const std::string& out) const {
    std::vector<std::filesystem::path> paths;
    for (const std::string& name : names) paths.push_back(path(name));
    const Result<SessionMerge> merged = merge_sessions(paths, path(out), kNow);
    EXPECT_TRUE(merged) << sentence(merged.error());
    return merged.value_or(SessionMerge{});
  }
  // Three sessions that overlap, with an engine that died and a job that nobody answered.
  void record_three() const {
    for (int file = 0; file < 3; ++file) {
      Recording one = recording(std::string(1, static_cast<char>('a' + file)) + ".wsj");
      one.hello(date(file));
      for (int n = file; n < file + 4; ++n)
        one.point("k_tiles", n, date(10 + n), {.tag = plan_tag("1234", n)});
      one.hello(date(30 + file));
      one.point("k_tiles", 8, date(40 + file),
                {.tag = plan_tag("1234", 8),
                 .outcome = file == 1 ? Outcome::correct : Outcome::engine_died});
      one.point("k_tiles", 9, date(50),
                {.tag = plan_tag("1234", 9), .answer = false, .done = false});
      one.point("auto", 1, date(60));
      LogLine log{"info", "engine: it is warm today"};
      one.say(log);
    }
  }
};

TEST_F(Merging, GivesTheSameBytesInEveryOrderAndAgain) {
  record_three();
  const SessionMerge merged = merge({"a.wsj", "b.wsj", "c.wsj"}, "1.wsj");
  const std::string text = text_in(path("1.wsj"));
  EXPECT_EQ(merged.points, 6 + 1 + 1) << "n from 0 to 5, 8, and auto";
  EXPECT_EQ(merged.unanswered, 3);
  EXPECT_THAT(merged.conflicts, IsEmpty());
  merge({"c.wsj", "a.wsj", "b.wsj"}, "2.wsj");
  EXPECT_EQ(text_in(path("2.wsj")), text);
  merge({"1.wsj"}, "3.wsj");
  EXPECT_EQ(text_in(path("3.wsj")), text) << "merged again";
  merge({"1.wsj", "b.wsj", "2.wsj"}, "4.wsj");
  EXPECT_EQ(text_in(path("4.wsj")), text) << "with what it was made of";
  merge({"a.wsj", "b.wsj"}, "ab.wsj");
  merge({"c.wsj", "ab.wsj"}, "5.wsj");
  EXPECT_EQ(text_in(path("5.wsj")), text) << "in two steps";
  const auto found = check_session(path("1.wsj"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->state, FileState::whole) << "its seal matches";
}

TEST_F(Merging, GivesTheSameBytesForRandomSessions) {
  std::mt19937 random(7);
  const auto below = [&](int end) { return static_cast<int>(random() % end); };
  for (int round = 0; round < 20; ++round) {
    std::vector<std::string> names;
    for (int file = 0; file < 4; ++file) {
      names.push_back("r" + std::to_string(round) + "-" + std::to_string(file) + ".wsj");
      Recording one = recording(names.back());
      if (below(3) > 0) one.hello(date(below(5)), "GPU-" + std::to_string(below(2)));
      for (int point = below(12); point-- > 0;) {
        if (below(5) == 0) one.hello(date(below(8)));
        RecordedPoint change;
        const int n = below(4);
        if (below(2) == 0) change.tag = plan_tag("12", n);
        change.uuid = "GPU-" + std::to_string(below(2));
        change.outcome = below(3) == 0 ? Outcome::engine_died : Outcome::correct;
        change.answer = below(6) > 0;
        change.done = below(6) > 0;
        change.job = below(6) > 0;
        one.point("k_tiles", n, date(below(8)), change);
      }
      one.point("auto", 1, date(0));
    }
    merge(names, "1.wsj");
    const std::string text = text_in(path("1.wsj"));
    // The same files under other names, which are read in another order.
    std::shuffle(names.begin(), names.end(), random);
    std::vector<std::string> renamed;
    for (const std::string& name : names) {
      renamed.push_back("s" + std::to_string(renamed.size()) + ".wsj");
      std::filesystem::copy_file(path(name), path(renamed.back()),
                                 std::filesystem::copy_options::overwrite_existing);
    }
    merge(renamed, "2.wsj");
    ASSERT_EQ(text_in(path("2.wsj")), text) << "round " << round;
    merge({names[0], names[1]}, "3.wsj");
    merge({names[3], "3.wsj", names[2], "1.wsj"}, "4.wsj");
    ASSERT_EQ(text_in(path("4.wsj")), text) << "round " << round;
  }
}

TEST_F(Merging, CountsAPointOncePerModelInAPlanAndPerDeviceWithoutOne) {
  Recording a = recording("a.wsj"), b = recording("b.wsj");
  const std::string tag = plan_tag("1234", 0);
  a.point("k_tiles", 1, date(1), {.uuid = "GPU-1", .tag = tag});
  b.point("k_tiles", 1, date(2), {.uuid = "GPU-2", .tag = tag});
  a.point("auto", 1, date(3), {.uuid = "GPU-1"});
  b.point("auto", 1, date(4), {.uuid = "GPU-2"});
  b.point("k_tiles", 1, date(2), {.uuid = "GPU-3", .tag = tag, .device = "NVIDIA H100"});
  const SessionMerge merged = merge({"a.wsj", "b.wsj"}, "m.wsj");
  EXPECT_EQ(merged.points, 4);
  EXPECT_EQ(merged.repeated, 1);
  const auto reading = read_session(path("m.wsj"));
  ASSERT_TRUE(reading);
  const auto points = reading->session.points("csrmm", "k_tiles");
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(std::count_if(points.begin(), points.end(),
                          [](auto* m) { return m->conditions.device_uuid == "GPU-2"; }),
            1)
      << "the newer one stays";
}

TEST_F(Merging, PrefersAnAnswerToAnInterruptedAttempt) {
  Recording a = recording("a.wsj"), b = recording("b.wsj");
  const std::string tag = plan_tag("1234", 0), other = plan_tag("1234", 1);
  a.point("k_tiles", 1, date(1), {.tag = tag});
  b.point("k_tiles", 1, date(9), {.tag = tag, .outcome = Outcome::engine_died});
  b.point("auto", 1, date(9),
          {.uuid = "", .tag = other, .device = "", .outcome = Outcome::engine_died});
  a.point("auto", 1, date(1), {.tag = other, .outcome = Outcome::wrong});
  const SessionMerge merged = merge({"a.wsj", "b.wsj"}, "m.wsj");
  EXPECT_EQ(merged.points, 2);
  const std::string text = text_in(path("m.wsj"));
  EXPECT_THAT(text, testing::Not(HasSubstr(to_text(Outcome::engine_died))));
  EXPECT_THAT(merged.conflicts, IsEmpty());
}

TEST_F(Merging, NamesWhatContradictsEachOther) {
  Recording a = recording("a.wsj"), b = recording("b.wsj");
  const std::string tag = plan_tag("1234", 0), other = plan_tag("1234", 1);
  a.point("k_tiles", 1, date(1), {.tag = tag});
  b.point("k_tiles", 1, date(2), {.tag = tag, .outcome = Outcome::wrong});
  a.point("auto", 1, date(1), {.tag = other, .code = "c0de"});
  b.point("auto", 1, date(2), {.tag = other, .code = "beef"});
  const SessionMerge merged = merge({"a.wsj", "b.wsj"}, "m.wsj");
  ASSERT_EQ(merged.conflicts.size(), 2u);
  EXPECT_THAT(merged.conflicts[0], HasSubstr("csrmm/auto at n=1"));
  EXPECT_THAT(merged.conflicts[0], HasSubstr("another source in"));
  EXPECT_THAT(merged.conflicts[1], HasSubstr("csrmm/k_tiles at n=1 on NVIDIA H200"));
  EXPECT_THAT(merged.conflicts[1], HasSubstr("correct in " + path("a.wsj").string()));
  EXPECT_THAT(merged.conflicts[1], HasSubstr("wrong in " + path("b.wsj").string()));
}

TEST_F(Merging, NamesAWrongClockSeveralVersionsAndTornLines) {
  Recording a = recording("a.wsj"), b = recording("b.wsj");
  a.hello(date(0), "GPU-1", "0.1.0");
  a.point("k_tiles", 1, date(1));
  b.hello("2026-11-29T15:00:00Z", "GPU-2", "0.2.0");
  b.point("auto", 1, "2026-11-29T15:00:00Z");
  b.line("{\"type\":\"meas");
  const SessionMerge merged = merge({"a.wsj", "b.wsj"}, "m.wsj");
  EXPECT_EQ(merged.points, 2);
  const std::string all = testing::PrintToString(merged.warnings);
  EXPECT_THAT(all, HasSubstr("b.wsj: its newest date is 3 h after this machine's clock"));
  EXPECT_THAT(all, HasSubstr("0.1.0, 0.2.0"));
  EXPECT_THAT(all, HasSubstr("line 5 was skipped"));
}

TEST_F(Merging, KeepsFilesThatWerePackedAndMessagesOfOtherKinds) {
  record_three();
  merge({"a.wsj", "b.wsj"}, "plain.wsj");
  const auto packed = pack(text_in(path("a.wsj")));
  ASSERT_TRUE(packed);
  std::ofstream(path("a2.wsj.gz"), std::ios::binary) << *packed;
  merge({"a2.wsj.gz", "b.wsj"}, "packed.wsj");
  EXPECT_EQ(text_in(path("packed.wsj")), text_in(path("plain.wsj")));
  Recording other = recording("other.wsj");
  other.hello(date(1));
  RoofSet roofs;
  roofs.roofs = {{Level::dram, 2e12, "B/s", "copy"}};
  roofs.conditions.device = "NVIDIA H200";
  roofs.conditions.date = date(2);
  other.say(roofs);
  other.line(R"({"depth":3,"type":"hologram"})");
  merge({"other.wsj", "a.wsj", "other.wsj"}, "m.wsj");
  const std::string text = text_in(path("m.wsj"));
  for (const char* once : {"\"roofs\":", "hologram"}) {
    ASSERT_THAT(text, HasSubstr(once));
    EXPECT_EQ(text.find(once), text.rfind(once)) << once;
  }
}

TEST_F(Merging, LeavesTheOutputAsItWasWhereAFileCannotBeUsed) {
  Recording a = recording("a.wsj");
  a.point("k_tiles", 1, date(1));
  std::ofstream(path("m.wsj")) << "before";
  std::ofstream(path("notes.wsj")) << "a\nb\nc\nd\n";
  std::ofstream(path("empty.wsj"));
  for (const char* bad : {"notes.wsj", "empty.wsj", "missing.wsj"}) {
    const auto merged = merge_sessions({path("a.wsj"), path(bad)}, path("m.wsj"), kNow);
    ASSERT_FALSE(merged) << bad;
    EXPECT_THAT(sentence(merged.error()), HasSubstr(bad));
    EXPECT_EQ(text_in(path("m.wsj")), "before");
  }
  EXPECT_FALSE(merge_sessions({path("a.wsj")}, path("no/such/m.wsj"), kNow));
}

TEST_F(Merging, TakesOneOfItsFilesAsOutput) {
  record_three();
  merge({"a.wsj", "b.wsj"}, "m.wsj");
  merge({"a.wsj", "b.wsj"}, "a.wsj");
  EXPECT_EQ(text_in(path("a.wsj")), text_in(path("m.wsj")));
}

}  // namespace
}  // namespace warpscope
