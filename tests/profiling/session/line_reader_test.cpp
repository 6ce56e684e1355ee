// tests/profiling/session/line_reader_test.cpp: the quick reader reads what parse_line reads.
#include "profiling/session/line_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "profiling/messages/packed_text.h"
#include "profiling/session/session.h"
#include "tests/recorded_session.h"

namespace warpscope {
namespace {

// Everything of a message, or why there is none.
std::string words_of(const Result<Message>& message) {
  return message ? to_line(*message) : sentence(message.error());
}

std::vector<std::string> lines_of(const std::string& session) {
  std::vector<std::string> all;
  Result<TextLines> lines = TextLines::open(recorded_session(session), 1LL << 30);
  while (const auto line = lines->next()) all.emplace_back(*line);
  return all;
}

// The first measurement with counters, steps and both times, and without counters by source line,
// which parse_line reads.
std::string rich_point() {
  for (const std::string& line : lines_of("led")) {
    if (line.find("\"counters\":\"none\"") == std::string::npos &&
        line.find("\"lines\":") == std::string::npos &&
        line.find("\"cold\":") != std::string::npos && line.find("\"warm\":") != std::string::npos)
      return line;
  }
  return "";
}

std::string replaced(std::string text, const std::string& part, const std::string& by) {
  const std::size_t at = text.find(part);
  return at == std::string::npos ? "" : text.replace(at, part.size(), by);
}

TEST(LineReader, ReadsEveryLineOfTheShippedSessionsAsParseLineDoes) {
  for (const char* session :
       {"autoencoder", "csrmm", "deform", "eight_iterations", "esmm", "led", "patterns"}) {
    LineReader reader(PointParts::all);
    for (const std::string& line : lines_of(session))
      ASSERT_EQ(words_of(reader.read(line)), words_of(parse_line(line))) << session;
  }
}

TEST(LineReader, ReadsOrRefusesOtherLinesAsParseLineDoes) {
  const std::string point = rich_point();
  ASSERT_NE(point, "");
  const std::vector<std::pair<std::string, std::string>> changes = {
      {"\"job\":", "\"job\":null,\"jobs\":"},
      {"\"job\":", "\"job\":1.5,\"jobs\":"},
      {"\"job\":", "\"job\":99999999999999999999,\"jobs\":"},
      {"\"job\":", "\"job\":true,\"jobs\":"},
      {"\"axes\":{", "\"axes\":{\"more\":[1],"},
      {"\"axes\":{", "\"axes\":{\"more\":true,"},
      {"\"axes\":{", "\"axes\":{\"more\":18446744073709551615,"},
      {"\"axes\":{", "\"axes\":{\"same\":1,\"same\":2.5,"},
      {"\"axes\":{", "\"axes\":{},\"axes\":{"},
      {"\"cold\":{", "\"cold\":{\"samples_ns\":[1,2],"},
      {"\"cold\":{", "\"cold\":null,\"colder\":{"},
      {"\"samples_ns\":[", "\"samples_ns\":[null,"},
      {"\"samples_ns\":[", "\"samples_ns\":[1e400,"},
      {"\"samples_ns\":[", "\"samples_ns\":[0.1,-0,01,"},
      {"\"samples_ns\":[", "\"samples_ns\":[0.1,-0,1e3,"},
      {"\"metrics\":[", "\"metrics\":[{\"id\":\"one\"},{\"id\":7},"},
      {"\"metrics\":[", "\"metrics\":[{\"id\":\"one\",\"value\":null},"},
      {"\"metrics\":[", "\"metrics\":[{\"id\":\"one\",\"origin\":\"guessed\"},"},
      {"\"metrics\":[", "\"metrics\":[],\"metrics\":["},
      {"\"metrics\":[", "\"metrics\":{},\"metric\":["},
      {"\"steps\":[", "\"steps\":[{\"name\":\"a\",\"launch\":{\"grid\":[1,2]}},"},
      {"\"steps\":[", "\"steps\":[{\"name\":\"a\",\"lines\":{\"rows\":[]}},"},
      {"\"outcome\":\"", "\"outcome\":\"newer "},
      {"\"type\":\"measurement\"", "\"type\":\"measurements\""},
      {"\"type\":\"measurement\"", "\"type\":\"log\",\"text\":\"measurement\""},
      {"\"type\":\"measurement\"", "\"unknown\":{\"deep\":[[[]]]},\"type\":\"measurement\""},
      {"\"type\":\"measurement\"",
       "\"deep\":" + std::string(40, '[') + std::string(40, ']') + ",\"type\":\"measurement\""},
      {"\"variant\":\"", "\"variant\":\"\xff"},
      {"\"variant\":\"", "\"variant\":\"\t"},
      {"\"variant\":\"", "\"variant\":\"\\u00e9\\ud83d\\ude00 \\\" "},
      {"\"variant\":\"", "\"variant\":\"\\ud83d"},
      {"\"conditions\":{", "\"conditions\":[],\"condition\":{"},
      {"\"facts\":{", "\"facts\":{\"more\":\"text\","},
      {"\"job\":", "\"picked\":null,\"job\":"},
      {"\"job\":", "\"picked\":7,\"job\":"},
      {"\"job\":", "\"picked\":{\"row\":\"a\",\"reason\":\"newer\",\"more\":1},\"job\":"},
      {"\"job\":", "\"picked\":{\"row\":\"a\",\"tried\":[1]},\"job\":"},
      {"\"job\":",
       "\"picked\":{\"row\":\"a\",\"axes\":{\"t\":\"2\"},\"reason\":\"remembered\",\"tried\":["
       "{\"row\":\"a\",\"axes\":{\"t\":\"2\"},\"expected_ns\":2.5,\"ns\":3},"
       "{\"row\":\"b\",\"expected_ns\":4,\"left_out\":\"wrong\"}]},\"job\":"},
      {"}", "}}"}};
  LineReader reader(PointParts::all);
  for (const auto& [part, by] : changes) {
    const std::string line = replaced(point, part, by);
    ASSERT_NE(line, "") << part;
    EXPECT_EQ(words_of(reader.read(line)), words_of(parse_line(line))) << by;
  }
  for (std::size_t end = 0; end < point.size(); end += 97) {
    const std::string torn = point.substr(0, end);
    EXPECT_EQ(words_of(reader.read(torn)), words_of(parse_line(torn))) << end;
  }
}

TEST(LineReader, KeepsTextsThatPointsHaveInCommonOnce) {
  LineReader reader(PointParts::all);
  const std::string line = rich_point();
  const auto first = std::get<Measurement>(*reader.read(line)),
             second = std::get<Measurement>(*reader.read(line));
  ASSERT_FALSE(first.metrics.empty());
  EXPECT_TRUE(first.metrics.front().id.shares_with(second.metrics.front().id));
  EXPECT_TRUE(first.steps.front().compile_log.shares_with(second.steps.front().compile_log));
}

TEST(LineReader, OfTimesLeavesTheStatisticsAlone) {
  const std::string line = rich_point();
  const auto whole = std::get<Measurement>(*LineReader(PointParts::all).read(line));
  // A null in a field sends the line the slow way.
  for (const std::string& way :
       {line, replaced(line, "\"job\":", "\"nothing\":null,\"choice\":null,\"job\":")}) {
    const auto times = std::get<Measurement>(*LineReader(PointParts::times).read(way));
    EXPECT_EQ(times.key, whole.key);
    EXPECT_EQ(times.verdict.sentence, whole.verdict.sentence);
    EXPECT_EQ(times.conditions.code_id, whole.conditions.code_id);
    EXPECT_EQ(times.warm->median_ns, whole.warm->median_ns);
    EXPECT_EQ(times.cold->third_quartile_ns, whole.cold->third_quartile_ns);
    EXPECT_TRUE(times.warm->samples_ns.empty());
    EXPECT_TRUE(times.steps.empty());
    EXPECT_TRUE(times.metrics.empty());
  }
}

}  // namespace
}  // namespace warpscope
