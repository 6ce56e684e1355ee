// tests/profiling/gate/gate_comparison_test.cpp: counts that got worse, with their lines, for a
// person and for CI servers.
#include "profiling/gate/gate_comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "profiling/gate/gate_export.h"
#include "profiling/gate/gate_measured.h"
#include "tests/profiling/findings/one_access.h"

namespace warpscope {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Two kernels of three lines, each with every count; a hundredth of each is a whole number.
GateRecord record_of(const std::string& kernel) {
  GateRecord record;
  record.kernel = kernel;
  for (const GateCountRow& row : gate_counts()) record.counts[row.id] = 600;
  record.outputs = {{"y", {"00ff", ""}}};
  for (int line = 1; line <= 3; ++line) {
    GateLine& made = record.lines.emplace_back();
    made = {kernel + ".cu", "line " + std::to_string(line) + ";", line, {}};
    for (const GateCountRow& row : gate_counts()) {
      if (row.lines) made.counts[row.id] = 100 * line;
    }
  }
  return record;
}

GateRecords recorded() { return {"13.0", {record_of("copy"), record_of("sum")}}; }

GateFile file_of(const std::string& allow = "") {
  const std::string kernels = "[[kernel]]\nscene = \"copy\"\n[[kernel]]\nscene = \"sum\"\n";
  return *parse_gate_file(allow + kernels, "gate.toml");
}

GateComparison compared(const GateRecords& now, const std::string& allow = "") {
  return *compare_gate(file_of(allow), "gate.toml", recorded(), now);
}

// One per cent more of a count, or less of one of which more is better, on one line.
GateRecords planted(const GateCountRow& row, std::size_t kernel, std::size_t line) {
  GateRecords now = recorded();
  now.records[kernel].counts[row.id] += row.more ? -6 : 6;
  if (row.lines) now.records[kernel].lines[line].counts[row.id] += 6;
  return now;
}

TEST(GateComparison, HasNothingToSayOfEqualCounts) {
  const GateComparison same = compared(recorded());
  EXPECT_FALSE(same.fails());
  EXPECT_TRUE(same.differences.empty());
  EXPECT_EQ(gate_text(same), "2 records compared: none is worse\n");
}

TEST(GateComparison, FindsEachCountThatGotOnePerCentWorseWithItsLine) {
  int found = 0;
  for (const GateCountRow& row : gate_counts()) {
    for (std::size_t kernel = 0; kernel < 2; ++kernel) {
      for (std::size_t line = 0; line < (row.lines ? 3u : 1u); ++line) {
        const GateComparison one = compared(planted(row, kernel, line));
        ASSERT_TRUE(one.fails()) << row.id;
        ASSERT_EQ(one.differences.size(), 1u) << row.id;
        const GateDifference& d = one.differences[0];
        EXPECT_EQ(d.change, GateChange::worse);
        EXPECT_EQ(d.count, row.id);
        EXPECT_EQ(d.kernel, kernel == 0 ? "copy" : "sum");
        EXPECT_EQ(d.before, 600);
        EXPECT_EQ(d.after, row.more ? 594 : 606);
        ASSERT_EQ(d.lines.size(), row.lines ? 1u : 0u);
        if (row.lines) {
          EXPECT_EQ(d.lines[0].line, static_cast<int>(line) + 1);
        }
        ++found;
      }
    }
  }
  EXPECT_GE(found, 40);
}

TEST(GateComparison, TellsWhatIsBetterAndDoesNotFail) {
  GateRecords now = recorded();
  now.records[0].counts["global_sectors"] = 500;
  now.records[0].counts["resident_warps"] = 640;
  const GateComparison better = compared(now);
  EXPECT_FALSE(better.fails());
  ASSERT_EQ(better.differences.size(), 2u);
  EXPECT_EQ(better.differences[0].change, GateChange::better);
  EXPECT_THAT(gate_text(better), AllOf(HasSubstr("better  sectors of global memory: 600 → 500"),
                                       HasSubstr("−16.7 %"), HasSubstr("2 counts are better")));
}

TEST(GateComparison, FailsOnlyBeyondWhatIsAllowed) {
  GateRecords now = recorded();
  now.records[0].counts["registers"] = 606;
  EXPECT_TRUE(compared(now, "[allow]\nregisters = 5\n").fails());
  EXPECT_FALSE(compared(now, "[allow]\nregisters = 6\n").fails()) << "exactly what is allowed";
  EXPECT_FALSE(compared(now, "[allow]\nregisters = \"1%\"\n").fails());
  EXPECT_TRUE(compared(now, "[allow]\nregisters = \"0.99%\"\n").fails());
  EXPECT_TRUE(compared(now, "[allow]\ninstructions = \"50%\"\n").fails()) << "of another count";
  const GateComparison allowed = compared(now, "[allow]\nregisters = 6\n");
  ASSERT_EQ(allowed.differences.size(), 1u) << "it is still told";
  EXPECT_EQ(allowed.differences[0].change, GateChange::allowed);
}

TEST(GateComparison, FindsLinesByTheirTextWhereverTheyMoved) {
  GateRecords now = recorded();
  GateRecord& copy = now.records[0];
  copy.lines.insert(copy.lines.begin() + 1, {"copy.cu", "extra;", 2, {{"global_sectors", 30}}});
  for (std::size_t i = 2; i < copy.lines.size(); ++i) copy.lines[i].line += 1;
  copy.lines[3].counts["global_sectors"] += 6;
  copy.counts["global_sectors"] += 36;
  const GateComparison moved = compared(now);
  ASSERT_EQ(moved.differences.size(), 1u);
  const std::vector<GateLineChange>& lines = moved.differences[0].lines;
  ASSERT_EQ(lines.size(), 2u) << "the line that only moved is none of them";
  EXPECT_EQ(line_text(lines[0]), "copy.cu:2: 0 → 30 (+30)  extra;");
  EXPECT_EQ(line_text(lines[1]), "copy.cu:4: 300 → 306 (+6)  line 3;");
}

TEST(GateComparison, ShowsALineThatWasRewrittenAsGoneAndNew) {
  GateRecords now = recorded();
  now.records[0].lines[0].text = "rewritten;";
  now.records[0].lines[0].counts["instructions"] = 400;
  now.records[0].counts["instructions"] = 900;
  const std::string text = gate_text(compared(now));
  EXPECT_THAT(text, HasSubstr("FAILED  warp instructions: 600 → 900 (+300, +50 %)"));
  EXPECT_THAT(text, HasSubstr("copy.cu:1: 0 → 400 (+400)  rewritten;"));
  EXPECT_THAT(text, HasSubstr("copy.cu, gone: 100 → 0 (−100)  line 1;"));
}

TEST(GateComparison, FailsWhereBitsDifferOrAKernelVanishedOrIsNotRecorded) {
  GateRecords now = recorded();
  now.records[0].outputs["y"].hash = "1234";
  now.records[1].kernel = "total";
  const GateComparison other = compared(now);
  EXPECT_TRUE(other.fails());
  ASSERT_EQ(other.differences.size(), 3u);
  const std::string text = gate_text(other);
  EXPECT_THAT(text, HasSubstr("the output y has other bits"));
  EXPECT_THAT(text, HasSubstr("total (sm_90)\n  FAILED  it is not recorded"));
  EXPECT_THAT(text, HasSubstr("sum (sm_90)\n  FAILED  it is recorded, and not there any more"));
  GateRecords without = recorded();
  without.records[0].outputs["y"] = {"", "the last bit of ex2.approx.f32 is that of …"};
  EXPECT_FALSE(compared(without).fails()) << "why there is no hash is told, and no failure";
  EXPECT_EQ(compared(without).differences.size(), 1u);
}

TEST(GateComparison, RefusesAnArchitectureThatIsNotRecordedAndAnotherToolkit) {
  const auto unknown =
      compare_gate(file_of("architectures = [90, 80]\n"), "gate.toml", recorded(), recorded());
  ASSERT_FALSE(unknown);
  EXPECT_EQ(exit_status(unknown.error().kind), 2);
  EXPECT_THAT(sentence(unknown.error()),
              AllOf(HasSubstr("sm_80 is not recorded"), HasSubstr("--update")));
  GateRecords newer = recorded();
  newer.toolkit = "13.1";
  const auto toolkit = compare_gate(file_of(), "gate.toml", recorded(), newer);
  ASSERT_FALSE(toolkit);
  EXPECT_EQ(exit_status(toolkit.error().kind), 3);
  EXPECT_THAT(sentence(toolkit.error()), AllOf(HasSubstr("13.0"), HasSubstr("13.1")));
}

// A trace whose lines are known: one load of 32 lanes 64 bytes apart takes 32 sectors.
TEST(GateMeasured, CountsOfATraceAreThoseOfItsLines) {
  Trace trace = one_access::of({}, [](auto lane) { return lane * 64; });
  trace.faults = {one_access::fault(FaultKind::shared_race, 31)};
  const GateRecord record = gate_record_of(trace, "k", [](const std::string& file, int line) {
    return file + " " + std::to_string(line);
  });
  std::int64_t sectors = 0;
  for (const LineTotals& line : trace.lines) sectors += line.global.sectors;
  EXPECT_EQ(record.counts.at("global_sectors"), sectors);
  EXPECT_EQ(record.counts.at("instructions"), trace.warp_instructions);
  EXPECT_EQ(record.counts.at("faults"), 1);
  EXPECT_EQ(record.counts.at("local_sectors"), 0) << "0 is a count, too";
  EXPECT_EQ(record.lines.back().line, 31);
  EXPECT_EQ(record.lines.back().text, "s/k.cu 31");
  EXPECT_EQ(record.lines.back().counts.at("faults"), 1);
}

// 40 registers × 32 lanes = 1280 a warp; 65536 / 1280 = 51 warps, 12 in each quarter; blocks of 8.
TEST(GateMeasured, OccupancyIsInWarpsOfAMultiprocessor) {
  StepRecord step;
  step.launch.block.x = 256;
  step.launch.dynamic_shared_bytes = 100;
  step.resources.emplace();
  step.resources->registers_per_thread = 40;
  step.resources->static_shared_bytes = 28;
  GateRecord record;
  add_compiled(record, step);
  EXPECT_EQ(record.counts.at("resident_warps"), 48);
  EXPECT_EQ(record.counts.at("shared_bytes"), 128);
  EXPECT_EQ(record.counts.at("registers"), 40);
}

GateComparison with_a_failure() {
  GateRecords now = planted(*find_gate_count("global_sectors"), 0, 1);
  now.records[1].counts["registers"] = 500;
  now.records[1].lines[0].text = "a < b && \"c\" | d;";
  now.records[1].lines[0].counts["faults"] += 1;
  now.records[1].counts["faults"] += 1;
  return compared(now);
}

TEST(GateExport, JsonHasEveryDifferenceWithItsLines) {
  const json object = json::parse(gate_json(with_a_failure()));
  EXPECT_EQ(object["fails"], true);
  EXPECT_EQ(object["records"].size(), 2u);
  EXPECT_EQ(object["differences"][0]["count"], "global_sectors");
  EXPECT_EQ(object["differences"][0]["lines"][0]["line"], 2);
  EXPECT_EQ(object["differences"][0]["after"], 606);
}

// Each element is closed in its order, and what the kernel's text has is text.
TEST(GateExport, JunitIsWellFormedWithOneCasePerRecord) {
  const std::string xml = gate_junit(with_a_failure(), "warpscope ci <gate>");
  EXPECT_THAT(xml, AllOf(HasSubstr("tests=\"2\" failures=\"2\""), HasSubstr("&lt;gate&gt;"),
                         HasSubstr("a &lt; b &amp;&amp; &quot;c&quot;"), Not(HasSubstr("a < b"))));
  std::vector<std::string> open;
  for (std::size_t at = xml.find('<'); at != std::string::npos; at = xml.find('<', at + 1)) {
    const std::size_t end = xml.find('>', at);
    ASSERT_NE(end, std::string::npos);
    const std::string tag = xml.substr(at + 1, end - at - 1);
    if (tag.front() == '?' || tag.back() == '/') continue;
    if (tag.front() != '/') {
      open.push_back(tag.substr(0, tag.find(' ')));
      continue;
    }
    ASSERT_FALSE(open.empty());
    EXPECT_EQ(open.back(), tag.substr(1));
    open.pop_back();
  }
  EXPECT_TRUE(open.empty());
}

// source: SARIF 2.1.0, sections 3.13 to 3.28: what each object must have.
TEST(GateExport, SarifHasAResultAtTheLineThatGotWorse) {
  const json file = json::parse(gate_sarif(
      with_a_failure(), "ci/gate.toml",
      [](const std::string& kernel, const std::string& name) { return kernel + "/" + name; }));
  EXPECT_EQ(file["version"], "2.1.0");
  const json& run = file["runs"][0];
  EXPECT_EQ(run["tool"]["driver"]["name"], "Warpscope");
  ASSERT_EQ(run["results"].size(), 2u) << "what is better is not a result";
  for (const json& result : run["results"]) {
    EXPECT_EQ(run["tool"]["driver"]["rules"][result["ruleIndex"].get<std::size_t>()]["id"],
              result["ruleId"]);
    EXPECT_TRUE(result["message"]["text"].is_string());
    EXPECT_GE(result["locations"][0]["physicalLocation"]["region"]["startLine"], 1);
  }
  const json& place = run["results"][0]["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "copy/copy.cu");
  EXPECT_EQ(place["region"]["startLine"], 2);
}

TEST(GateExport, MarkdownHasOneRowPerDifference) {
  const std::string text = gate_markdown(with_a_failure());
  EXPECT_THAT(text, HasSubstr("### warpscope ci: worse than recorded"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 9) << text;
  EXPECT_THAT(text, HasSubstr("| FAILED | copy (sm_90) |"));
  EXPECT_THAT(text, HasSubstr("\\| d")) << "a bar in a kernel's text ends no cell";
}

}  // namespace
}  // namespace warpscope
