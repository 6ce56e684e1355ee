// tests/profiling/session/large_session_test.cpp: sessions of many points: made, read, written in
// parts, and reported as a stated selection.
#include "tests/benchmarks/large_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "profiling/export/export.h"
#include "profiling/export/session_comparison.h"
#include "profiling/messages/json_codec.h"
#include "profiling/messages/packed_text.h"
#include "scenes/host/input_file.h"
#include "scenes/host/write_file.h"
#include "tests/recorded_session.h"

namespace warpscope {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class LargeSession : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path made(const std::string& recorded, std::int64_t points) const {
    const std::filesystem::path path = folder_ / (recorded + ".wsj");
    EXPECT_TRUE(write_large_session(recorded_session(recorded), points, path));
    return path;
  }
  static std::string text_of(const std::filesystem::path& path) {
    return read_input(path, 1 << 30).value_or("");
  }
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("large-session-" + std::to_string(::getpid()));
};

TEST_F(LargeSession, HasEveryPointAtAPlaceOfItsOwnAndIsTheSameEachTime) {
  const std::filesystem::path path = made("eight_iterations", 500);
  const std::string text = text_of(path);
  const Result<SessionReading> reading = read_session(path);
  ASSERT_TRUE(reading);
  EXPECT_THAT(reading->warnings, IsEmpty());
  EXPECT_EQ(reading->session.newest_points().size(), 500u);
  EXPECT_EQ(reading->session.jobs().size(), 500u);
  EXPECT_EQ(text_of(made("eight_iterations", 500)), text);
}

TEST_F(LargeSession, OfAFileHasNoHistoryAndOfItsMeasuringJobsTheNewest) {
  const Result<SessionReading> reading = read_session(made("eight_iterations", 3000));
  ASSERT_TRUE(reading);
  EXPECT_TRUE(reading->session.history().empty());
  EXPECT_EQ(reading->session.newest_points().size(), 3000u);
  EXPECT_LT(reading->session.jobs().size(), 3000u);
  EXPECT_EQ(reading->session.jobs().back().first, 3000);
  EXPECT_TRUE(reading->session.done(3000));
}

TEST_F(LargeSession, TellsThePassesOfCountersOfAFile) {
  const Result<SessionReading> reading = read_session(recorded_session("led"));
  ASSERT_TRUE(reading);
  std::optional<int> passes;
  std::string counters;
  for (const Measurement* point : reading->session.all_points()) {
    if (point->counter_passes == 0) continue;
    passes = point->counter_passes;
    counters = point->counters;
  }
  ASSERT_TRUE(passes);
  EXPECT_EQ(reading->session.counter_passes(counters, "NVIDIA H200"), passes);
  EXPECT_EQ(reading->session.counter_passes(counters, ""), passes);
  EXPECT_FALSE(reading->session.counter_passes(counters, "another card"));
  EXPECT_FALSE(reading->session.counter_passes("never asked for", ""));
}

TEST_F(LargeSession, IsTheSameJsonInPartsAsAtOnce) {
  const Session session = read_session(recorded_session("patterns"))->session;
  nlohmann::json list = nlohmann::json::array();
  for (const Measurement* point : session.all_points()) list.push_back(encode(*point));
  EXPECT_EQ(points_json(session), list.dump(2));
  EXPECT_EQ(points_json(Session()), "[]");
  // Without a timeline, too.
  EXPECT_EQ(nlohmann::json::parse(perfetto_json(session)).dump() + "\n", perfetto_json(session));
  const Session run = read_session(recorded_session("deform"))->session;
  EXPECT_EQ(nlohmann::json::parse(perfetto_json(run)).dump() + "\n", perfetto_json(run));
}

TEST_F(LargeSession, IsComparedByWhatWasReadOfTimesAsByAllOfIt) {
  const auto json_of = [](const Reading& wanted) {
    const Session session = read_sessions({recorded_session("led")}, wanted)->session;
    const ComparisonRules rules;
    std::string text;
    write_comparison_json(*compare_sessions(session, session, rules), rules,
                          [&text](std::string_view part) { text += part; });
    return text;
  };
  const std::string text = json_of({.parts = PointParts::times});
  EXPECT_EQ(text, json_of({}));
  const nlohmann::json object = nlohmann::json::parse(text);
  EXPECT_EQ(object.dump(2) + "\n", text);
  EXPECT_GT(object["points"].size(), 100u);
  EXPECT_GT(object["compared"], 100);
  EXPECT_EQ(object["findings"], 0);
}

TEST_F(LargeSession, ReportsAStatedSelectionOfItsConfigurations) {
  const Report report = report_of(read_session(made("eight_iterations", 4000))->session);
  std::size_t ladders = 0;
  std::string notes;
  for (const ReportTable& table : report.tables) {
    ladders += table.title.starts_with("eight_iterations at ") ? 1 : 0;
    notes += table.note + "\n";
  }
  EXPECT_EQ(ladders, kMostShown);
  EXPECT_THAT(notes, HasSubstr("The first 200 of "));
  EXPECT_THAT(notes, HasSubstr("`warpscope export --csv` writes all points."));
  // The sessions that come with Warpscope are shown whole.
  for (const char* shipped : {"csrmm", "led", "esmm", "deform", "patterns", "eight_iterations"}) {
    for (const ReportTable& table : report_tables(read_session(recorded_session(shipped))->session))
      EXPECT_THAT(table.note, Not(HasSubstr("are shown; `warpscope"))) << table.title;
  }
}

TEST_F(LargeSession, IsPackedInPartsAsAtOnce) {
  const std::string text = text_of(made("eight_iterations", 300));
  std::string packed;
  const Result<void> done = pack(
      [&text](const TextSink& take) {
        for (std::size_t at = 0; at < text.size(); at += 12'345)
          take(std::string_view(text).substr(at, 12'345));
        return Result<void>{};
      },
      [&packed](std::string_view part) { packed += part; });
  ASSERT_TRUE(done);
  EXPECT_EQ(packed, pack(text));
}

TEST_F(LargeSession, IsWrittenInPartsOrNotAtAll) {
  const std::filesystem::path path = folder_ / "parts.txt";
  const std::string part(300'000, 'x');
  const auto ten_parts = [&part](const TextSink& write) {
    for (int i = 0; i < 10; ++i) write(part + std::to_string(i));
    return Result<void>{};
  };
  ASSERT_TRUE(write_file(path, ten_parts));
  std::string expected;
  for (int i = 0; i < 10; ++i) expected += part + std::to_string(i);
  EXPECT_EQ(text_of(path), expected);
  const Result<void> refused = write_file(path, [&part](const TextSink& write) -> Result<void> {
    write(part);
    return failure(ErrorKind::input, "the rest cannot be read", "somewhere", "look again");
  });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "the rest cannot be read");
  EXPECT_EQ(text_of(path), expected) << "what was there stays";
  for (const auto& entry : std::filesystem::directory_iterator(folder_))
    EXPECT_EQ(entry.path(), path) << "nothing is left beside it";
}

}  // namespace
}  // namespace warpscope
