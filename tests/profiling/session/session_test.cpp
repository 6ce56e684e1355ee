// tests/profiling/session/session_test.cpp: messages, sessions and exports survive a round trip and
// bad files.
#include "profiling/session/session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "profiling/export/export.h"
#include "profiling/figures/csv_text.h"
#include "scenes/host/write_file.h"
#include "tests/profiling/session/synthetic.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

TEST(Protocol, GivesAMeasurementBackAsItWas) {
  const Measurement before = synthetic("float4_columns", 119500);
  const Result<Message> message = parse_line(to_line(before));
  ASSERT_TRUE(message) << sentence(message.error());
  const auto& after = std::get<Measurement>(*message);
  EXPECT_EQ(after.axes, before.axes);
  EXPECT_EQ(after.key, before.key);
  EXPECT_EQ(after.warm->samples_ns, before.warm->samples_ns);
  EXPECT_EQ(after.warm->median_ns, before.warm->median_ns);
  EXPECT_EQ(after.verdict.outcome, Outcome::correct);
  EXPECT_EQ(find_value(after.metrics, "dram.bytes_read")->reason, "no permission");
  EXPECT_FALSE(value_of(after.metrics, "dram.bytes_read"));
}

TEST(Protocol, GivesEveryOutcomeBack) {
  for (int i = 0; i <= static_cast<int>(Outcome::engine_died); ++i) {
    Measurement m = synthetic("a", 1);
    m.verdict.outcome = static_cast<Outcome>(i);
    const Result<Message> message = parse_line(to_line(m));
    ASSERT_TRUE(message);
    EXPECT_EQ(std::get<Measurement>(*message).verdict.outcome, m.verdict.outcome);
  }
}

TEST(Protocol, KeepsALineOfANewerVersionAsItIs) {
  const std::string line = R"({"type":"hologram","depth":3})";
  const Result<Message> message = parse_line(line);
  ASSERT_TRUE(message);
  EXPECT_EQ(to_line(*message), line);
}

TEST(Protocol, RefusesWhatIsNoMessageInOneSentence) {
  for (const char* line :
       {"", "{", "[1,2]", "{\"kind\":1}", "{\"type\":\"measurement\",\"job\":\"x\"}", "\x89PNG"}) {
    const Result<Message> message = parse_line(line);
    ASSERT_FALSE(message) << line;
    EXPECT_FALSE(message.error().remedy.empty()) << line;
  }
  EXPECT_FALSE(parse_line(std::string(100000, '[')));
}

TEST(Session, KeepsCountersOfAPointWhenANewerTimingHasNone) {
  Session session;
  Measurement counted = synthetic("a", 100);
  counted.metrics.push_back({"l2.bytes", 5e8, Origin::measured, "", ""});
  session.apply(counted);
  session.apply(synthetic("a", 90));
  const Measurement* latest = session.latest(id_of(counted));
  ASSERT_NE(latest, nullptr);
  EXPECT_EQ(value_of(latest->metrics, "time.warm"), 90);
  EXPECT_EQ(value_of(latest->metrics, "l2.bytes"), 5e8);
}

TEST(Session, KeepsWhatATimingReportedWhereItsPointIsCountedAlone) {
  Session session;
  Measurement timed = synthetic("a", 100);
  timed.reported = {{"file", 0.5, 0, 100, "half of what is allowed"}};
  session.apply(timed);
  Measurement counted = synthetic("a", 100);
  counted.warm.reset();
  counted.counter_passes = 1;
  session.apply(counted);
  const Measurement* latest = session.latest(id_of(timed));
  ASSERT_EQ(latest->reported.size(), 1u);
  EXPECT_EQ(latest->reported.front().sentence, "half of what is allowed");
  EXPECT_EQ(latest->counter_passes, 1);
  counted.conditions.source_hash = "other";
  session.apply(counted);
  EXPECT_TRUE(session.latest(id_of(timed))->reported.empty()) << "of another source";
}

TEST(Session, ForgetsCountersOfAnotherSource) {
  Session session;
  Measurement counted = synthetic("a", 100);
  counted.metrics.push_back({"l2.bytes", 5e8, Origin::measured, "", ""});
  session.apply(counted);
  Measurement changed = synthetic("a", 90);
  changed.conditions.source_hash = "other";
  session.apply(changed);
  EXPECT_FALSE(value_of(session.latest(id_of(counted))->metrics, "l2.bytes"));
}

TEST(Session, SkipsATornLastLineAndSaysSo) {
  const std::string line = to_line(synthetic("a", 100)) + "\n";
  const TemporaryFile file(line + line.substr(0, line.size() / 2));
  const Result<SessionReading> reading = read_session(file.path());
  ASSERT_TRUE(reading) << sentence(reading.error());
  EXPECT_EQ(reading->lines, 1);
  ASSERT_EQ(reading->warnings.size(), 1u);
  EXPECT_NE(reading->warnings[0].find("torn"), std::string::npos);
}

// Its JSON is refused with another error than that of a line which merely ends too early.
TEST(Session, SkipsALastLineWithANumberThatNoDoubleHolds) {
  const std::string line = to_line(synthetic("a", 100)) + "\n";
  for (const char* last : {"{\"type\":\"progress\",\"done\":1e999", "{\"done\":-2147e308,\"x\""}) {
    const TemporaryFile file(line + last), alone(last);
    const Result<SessionReading> reading = read_session(file.path());
    ASSERT_TRUE(reading) << sentence(reading.error());
    EXPECT_EQ(reading->lines, 1);
    EXPECT_EQ(reading->warnings.size(), 1u);
    EXPECT_FALSE(begins_message(last));
    EXPECT_FALSE(read_session(alone.path()));
  }
}

TEST(Session, AppendsBehindATornLineWithoutTouchingIt) {
  const TemporaryFile file(to_line(synthetic("a", 100)) + "\n{\"type\":\"mea");
  {
    Result<SessionFile> session = SessionFile::open(file.path());
    ASSERT_TRUE(session) << sentence(session.error());
    ASSERT_TRUE(session->append(synthetic("b", 200)));
  }
  const Result<SessionReading> reading = read_session(file.path());
  ASSERT_TRUE(reading);
  EXPECT_NE(reading->session.latest(id_of(synthetic("a", 1))), nullptr);
  EXPECT_NE(reading->session.latest(id_of(synthetic("b", 1))), nullptr);
}

// A session of many lines that are none was damaged all through; a thousand are skipped.
TEST(Session, SkipsAThousandForeignLinesAndNoMore) {
  std::string text = to_line(synthetic("a", 100)) + "\n";
  for (int i = 0; i < 1000; ++i) text += "x\n";
  const TemporaryFile some(text), more(text + "x\n");
  EXPECT_TRUE(read_session(some.path()));
  const Result<SessionReading> refused = read_session(more.path());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::input);
  EXPECT_NE(refused.error().what.find("more than 1000 of its lines"), std::string::npos);
}

TEST(Session, SaysThatAFileIsNone) {
  for (const std::string& text :
       {std::string(), std::string("\x89PNG\r\n\x1a\n data\nmore\nand more\n"),
        std::string("[1,2,3]\n")}) {
    const TemporaryFile file(text);
    const Result<SessionReading> reading = read_session(file.path());
    ASSERT_FALSE(reading);
    EXPECT_EQ(reading.error().kind, ErrorKind::input);
    EXPECT_FALSE(reading.error().remedy.empty());
  }
  EXPECT_EQ(read_session("/nonexistent.wsj").error().kind, ErrorKind::input);
}

TEST(Session, WarnsOfANewerProtocol) {
  Hello hello;
  hello.protocol = kProtocolVersion + 1;
  hello.role = "measure";
  const TemporaryFile file(to_line(hello) + "\n");
  const Result<SessionReading> reading = read_session(file.path());
  ASSERT_TRUE(reading);
  ASSERT_EQ(reading->warnings.size(), 1u);
  EXPECT_NE(reading->warnings[0].find("newer"), std::string::npos);
}

TEST(Csv, ReadsBackEveryFigureAndReason) {
  Session session;
  session.apply(synthetic("a", 119500.25));
  const auto rows = parse_csv(tidy_csv(session));
  ASSERT_TRUE(rows) << sentence(rows.error());
  ASSERT_EQ(rows->size(), 3u);
  const auto column = [&](const std::string& name) {
    const auto& header = (*rows)[0];
    return static_cast<std::size_t>(std::find(header.begin(), header.end(), name) - header.begin());
  };
  EXPECT_EQ(std::stod((*rows)[1][column("value")]), 119500.25);
  EXPECT_EQ((*rows)[1][column("unit")], "ns");
  EXPECT_EQ((*rows)[1][column("device")], "synthetic device");
  EXPECT_EQ((*rows)[1][column("n")], "128");
  EXPECT_EQ((*rows)[2][column("value")], "");
  EXPECT_EQ((*rows)[2][column("missing_because")], "no permission");
}

TEST(WriteFile, LeavesTheOldFileWhenTheDiskIsFull) {
  const Result<void> full = write_file("/dev/full", "text");
  ASSERT_FALSE(full);
  EXPECT_NE(full.error().remedy.find("space"), std::string::npos);
  const TemporaryFile file("old");
  const Result<void> under_a_file = write_file(file.path() / "below", "text");
  ASSERT_FALSE(under_a_file);
  EXPECT_EQ(under_a_file.error().kind, ErrorKind::environment);
  EXPECT_EQ(fs::file_size(file.path()), 3u);
}

TEST(Metrics, HaveADescriptionAUnitAndAnIdOfTheirOwn) {
  std::set<std::string> ids;
  for (const Metric& metric : all_metrics()) {
    EXPECT_TRUE(ids.insert(metric.id).second) << metric.id;
    EXPECT_GT(metric.sentence.size(), 20u) << metric.id;
    EXPECT_FALSE(metric.unit.empty()) << metric.id;
    const bool named =
        metric.source == MetricSource::cupti || metric.source == MetricSource::emulator;
    EXPECT_EQ(named, !metric.cupti_name.empty()) << metric.id;
  }
  for (const CounterSet& set : counter_sets()) {
    for (const std::string& id : set.metrics)
      EXPECT_EQ(find_metric(id)->source, MetricSource::cupti) << id;
  }
}

TEST(Metrics, AreFormattedWithUnitsAndPrefixes) {
  EXPECT_EQ(format_value(118800, "ns"), "118.8 µs");
  EXPECT_EQ(format_value(3.95e12, "B/s"), "3.95 TB/s");
  EXPECT_EQ(format_value(0.973, "ratio"), "97.30 %");
  EXPECT_EQ(format_value(133.7e12, "OP/s"), "133.7 TOP/s");
  EXPECT_EQ(format_value(0, "B"), "0 B");
  EXPECT_EQ(format_value(1234567, "1"), "1\u2009234\u2009567");
}

}  // namespace
}  // namespace warpscope
