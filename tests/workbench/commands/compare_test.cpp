// tests/workbench/commands/compare_test.cpp: compare as a gate: changes planted between two
// sessions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>

#include "profiling/session/session.h"
#include "scenes/catalogue.h"
#include "tests/workbench/commands/command_line.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Points = std::vector<Measurement>;

constexpr double kQuiet = 0.002, kLoud = 0.1;  // half the spread of the samples, of the median
const char* const kUuid = "GPU-aaaaaaaa-0000-0000-0000-000000000001";
const char* const kOtherUuid = "GPU-bbbbbbbb-0000-0000-0000-000000000002";

// 41 samples evenly around the median; `turn` takes them in another order and shifts them a tenth
// of their distance, as a second run would.
Timing timing_of(CacheState cache, double median_ns, double spread, int turn = 0) {
  Timing timing{cache};
  timing.sm_clock_mhz = 1980;
  for (int i = 0; i < 41; ++i) {
    const double at = ((i * (turn == 0 ? 1 : 7)) % 41 - 20 + 0.1 * turn) / 20.0;
    timing.samples_ns.push_back(median_ns * (1 + spread * at));
  }
  summarise(timing);
  return timing;
}

void time(Measurement& m, double warm_ns, double spread = kQuiet, int turn = 0) {
  m.cold = timing_of(CacheState::cold, 1.5 * warm_ns, spread, turn);
  m.warm = timing_of(CacheState::warm, warm_ns, spread, turn);
}

Measurement point(const std::string& variant, std::int64_t n, double warm_ns,
                  double spread = kQuiet) {
  Measurement m;
  m.scene = "csrmm";
  m.variant = variant;
  const Scene& scene = **built_in_catalogue().find("csrmm");
  m.axes = with_defaults(scene.axes, {});
  m.axes.set("n", n);
  m.key = configuration_key(scene.axes, m.axes, m.variant);
  m.verdict = {Outcome::correct, "largest error 0.1 of the bound", "", 0.1, 0, 100};
  time(m, warm_ns, spread);
  m.conditions.device = "synthetic device";
  m.conditions.device_uuid = kUuid;
  m.conditions.toolkit = "13.0";
  m.conditions.source_hash = "abc";
  return m;
}

Points base(double spread = kQuiet) {
  return {point("float4_columns", 64, 50e3, spread), point("float4_columns", 128, 100e3, spread),
          point("warp_row_zero_test", 128, 200e3, spread)};
}

void fail(Measurement& m, Outcome outcome, const std::string& sentence) {
  m.verdict = {outcome, sentence};
  m.cold.reset();
  m.warm.reset();
}

std::string lines_of(const Points& points) {
  std::string text;
  for (const Measurement& m : points) text += to_line(m) + "\n";
  return text;
}

// A change of the session after (or of both), and what the gate says of it.
struct Planted {
  const char* what;
  std::function<void(Points& before, Points& after)> plant;
  const char* arguments;
  int status;
  std::vector<std::string> words, other_words;
};

// The second point of three: float4_columns at n = 128 and 100 µs.
const std::vector<Planted> kPlanted = {
    {"nothing",
     [](Points&, Points&) {},
     "",
     0,
     {"6 same; 0 findings", "warm  csrmm/float4_columns at m="},
     {"FINDING"}},
    {"3 % slower beyond the noise",
     [](Points&, Points& b) { time(b[1], 103e3); },
     "",
     1,
     {"FINDING  slower        warm  csrmm/float4_columns at m=", "n=128",
      "on synthetic device (GPU-aaaaaaaa): 100.0 µs to 103.0 µs: +3.0 %, 1.03× slower",
      "2 slower, 4 same; 2 findings"},
     {}},
    {"3 % slower inside the noise",
     [](Points& a, Points& b) {
       a = base(kLoud);
       b = base(kLoud);
       time(b[1], 103e3, kLoud);
     },
     "",
     0,
     {"ambiguous", "+3.0 %, inside the noise", "2 ambiguous, 4 same; 0 findings"},
     {"FINDING"}},
    {"0.3 % slower",
     [](Points&, Points& b) { time(b[1], 100.3e3, 0.0001); },
     "",
     0,
     {"6 same; 0 findings"},
     {"FINDING"}},
    {"noise alone",
     [](Points&, Points& b) {
       for (Measurement& m : b) time(m, m.warm->median_ns, kQuiet, 1);
     },
     "",
     0,
     {"6 same; 0 findings"},
     {"FINDING"}},
    {"3 % slower under a limit of 5 %",
     [](Points&, Points& b) { time(b[1], 103e3); },
     "--slower 5%",
     0,
     {"tolerated", "which is below the limit", "0 findings"},
     {"FINDING"}},
    {"3 % slower at a limit of 3 %",
     [](Points&, Points& b) { time(b[1], 103e3); },
     "--slower '3 %'",
     1,
     {"2 findings"},
     {}},
    {"3 % slower, allowed",
     [](Points&, Points& b) { time(b[1], 103e3); },
     "--allow slower",
     0,
     {"allowed  slower", "0 findings, 2 allowed"},
     {}},
    {"6 % slower inside the noise at a limit of 3 %",
     [](Points& a, Points& b) {
       a = base(kLoud);
       b = base(kLoud);
       time(b[1], 106e3, kLoud);
     },
     "--slower 3%",
     0,
     {"ambiguous"},
     {"FINDING"}},
    {"slower warm, and cold asked for",
     [](Points&, Points& b) { b[1].warm = timing_of(CacheState::warm, 120e3, kQuiet); },
     "--metric cold",
     0,
     {"3 same; 0 findings"},
     {"warm"}},
    {"slower warm, and warm asked for",
     [](Points&, Points& b) { b[1].warm = timing_of(CacheState::warm, 120e3, kQuiet); },
     "--metric warm",
     1,
     {"FINDING  slower", "1 finding"},
     {"cold"}},
    {"slower, and another variant asked for",
     [](Points&, Points& b) { time(b[1], 120e3); },
     "--only csrmm/warp_row_zero_test",
     0,
     {"1 point: 2 same; 0 findings"},
     {"float4"}},
    {"faster",
     [](Points&, Points& b) { time(b[1], 90e3); },
     "",
     0,
     {"faster        warm ", "-10.0 %, 1.11× faster", "0 findings"},
     {"FINDING"}},
    {"faster by another source",
     [](Points&, Points& b) {
       time(b[1], 90e3);
       b[1].conditions.source_hash = "def";
     },
     "",
     0,
     {"1.11× faster [other source]", "1 point of another source"},
     {"FINDING"}},
    {"a variant is missing",
     [](Points&, Points& b) { b.pop_back(); },
     "",
     1,
     {"FINDING  missing             csrmm/warp_row_zero_test at m=", "is not in the session after",
      "1 finding"},
     {}},
    {"a variant is missing, allowed",
     [](Points&, Points& b) { b.pop_back(); },
     "--allow missing",
     0,
     {"allowed  missing", "0 findings, 1 allowed"},
     {"FINDING"}},
    {"a configuration is missing",
     [](Points&, Points& b) { b.erase(b.begin()); },
     "",
     1,
     {"FINDING  missing", "n=64"},
     {}},
    {"a time is missing",
     [](Points&, Points& b) { b[1].cold.reset(); },
     "",
     1,
     {"FINDING  missing       cold  csrmm/float4_columns", "was 150.0 µs, has no time now"},
     {}},
    {"an output is wrong",
     [](Points&, Points& b) { fail(b[1], Outcome::wrong, "c[3, 4] is 7 and not 8"); },
     "",
     1,
     {"FINDING  wrong", "was correct, is wrong: c[3, 4] is 7 and not 8"},
     {}},
    {"an output is wrong, all else allowed",
     [](Points&, Points& b) { fail(b[1], Outcome::wrong, "c[3, 4] is 7 and not 8"); },
     "--allow missing,incomparable --allow slower",
     1,
     {"FINDING  wrong", "1 finding"},
     {}},
    {"a launch fails",
     [](Points&, Points& b) { fail(b[1], Outcome::launch_failed, "too many resources"); },
     "--allow missing",
     1,
     {"FINDING  wrong", "was correct, is launch failed: too many resources"},
     {}},
    {"a new point is wrong",
     [](Points& a, Points& b) {
       a.pop_back();
       fail(b[2], Outcome::faulted, "illegal address");
     },
     "",
     1,
     {"FINDING  wrong", "was not there, is faulted: illegal address"},
     {}},
    {"a point cannot run",
     [](Points&, Points& b) { fail(b[1], Outcome::cannot_run, "no room"); },
     "",
     1,
     {"FINDING  missing", "was correct, is cannot run: no room"},
     {}},
    {"a point stays wrong",
     [](Points& a, Points& b) {
       fail(a[1], Outcome::wrong, "as ever");
       fail(b[1], Outcome::faulted, "worse");
     },
     "",
     0,
     {"still failing", "was wrong, is faulted: worse"},
     {"FINDING"}},
    {"a point is mended",
     [](Points& a, Points&) { fail(a[1], Outcome::wrong, "once"); },
     "",
     0,
     {"mended", "was wrong, is correct"},
     {"FINDING"}},
    {"a new point",
     [](Points& a, Points&) { a.pop_back(); },
     "",
     0,
     {"new                 csrmm/warp_row_zero_test", "was not there, is 200.0 µs warm",
      "4 same, 1 new; 0 findings"},
     {"FINDING"}},
    {"another device",
     [](Points&, Points& b) {
       for (Measurement& m : b) m.conditions.device_uuid = kOtherUuid;
     },
     "",
     1,
     {"FINDING  incomparable",
      "measured on another device: synthetic device (GPU-aaaaaaaa) here, synthetic device "
      "(GPU-bbbbbbbb) there",
      "nothing could be compared: 3 incomparable by device"},
     {"same", "slower"}},
    {"another device, allowed: nothing is left",
     [](Points&, Points& b) {
       for (Measurement& m : b) m.conditions.device_uuid = kOtherUuid;
     },
     "--allow incomparable",
     1,
     {"FINDING  nothing could be compared: 3 incomparable by device"},
     {}},
    {"another device for one point, allowed",
     [](Points&, Points& b) { b[1].conditions.device_uuid = kOtherUuid; },
     "--allow device",
     0,
     {"allowed  incomparable", "4 same; 0 findings, 1 allowed"},
     {"FINDING"}},
    {"clocks 3 % lower",
     [](Points&, Points& b) { b[1].cold->sm_clock_mhz = b[1].warm->sm_clock_mhz = 1920; },
     "",
     1,
     {"FINDING  incomparable  warm", "clocks of 1980 and 1920 MHz"},
     {}},
    {"clocks 3 % lower, allowed",
     [](Points&, Points& b) { b[1].cold->sm_clock_mhz = b[1].warm->sm_clock_mhz = 1920; },
     "--allow clocks,toolkit",
     0,
     {"allowed  incomparable", "0 findings, 2 allowed"},
     {"FINDING"}},
    {"clocks 1 % lower",
     [](Points&, Points& b) { b[1].cold->sm_clock_mhz = b[1].warm->sm_clock_mhz = 1960; },
     "",
     0,
     {"0 findings"},
     {"incomparable"}},
    {"another toolkit",
     [](Points&, Points& b) { b[1].conditions.toolkit = "13.1"; },
     "",
     1,
     {"FINDING  incomparable", "other toolkit (13.0 and 13.1)", "2 findings"},
     {}},
    {"cold alone against warm alone",
     [](Points& a, Points& b) {
       a[1].warm.reset();
       b[1].cold.reset();
     },
     "",
     1,
     {"FINDING  incomparable", "cold times before, warm times after"},
     {}},
    {"measured twice after, the newest is good",
     [](Points&, Points& b) {
       b.insert(b.begin(), b[1]);
       time(b[0], 150e3);
     },
     "",
     0,
     {"6 same; 0 findings"},
     {}},
    {"measured twice after, the newest is slow",
     [](Points&, Points& b) {
       b.push_back(b[1]);
       time(b.back(), 150e3);
     },
     "",
     1,
     {"2 slower, 4 same; 2 findings"},
     {}},
    {"the same device without a UUID before",
     [](Points& a, Points& b) {
       for (Measurement& m : a) m.conditions.device_uuid.clear();
       time(b[1], 103e3);
     },
     "",
     1,
     {"note: before has no UUID of synthetic device: joined by name", "2 slower"},
     {}},
    {"one of two devices, and no UUID before says which",
     [](Points& a, Points& b) {
       for (Measurement& m : a) m.conditions.device_uuid.clear();
       for (const Measurement& m : base()) {
         b.push_back(m);
         b.back().conditions.device_uuid = kOtherUuid;
       }
     },
     "",
     1,
     {"it may be any of several, so it is joined with none", "FINDING  incomparable"},
     {"same"}},
    {"a recording from before an axis was added",
     [](Points& a, Points&) {
       a[1].axes = {};
       a[1].axes.set("n", std::int64_t{128});
       a[1].key = "n=128";
     },
     "",
     0,
     {"6 same; 0 findings"},
     {"missing"}},
    {"slower in a scene that is not built in",
     [](Points& a, Points& b) {
       for (Points* points : {&a, &b}) {
         (*points)[1].scene = "their_own";
         (*points)[1].key = "x=1";
       }
       time(b[1], 103e3);
     },
     "",
     1,
     {"FINDING  slower        warm  their_own/float4_columns at x=1 on"},
     {}},
};

class Compare : public CommandLine {
 protected:
  Ran compare(const Points& before, const Points& after, const std::string& arguments = "") const {
    write("before.wsj", lines_of(before));
    write("after.wsj", lines_of(after));
    return run("compare {folder}/before.wsj {folder}/after.wsj " + arguments);
  }
};

TEST_F(Compare, GivesTheRightStatusForEveryPlantedChange) {
  ASSERT_GE(kPlanted.size(), 10u);
  for (const Planted& planted : kPlanted) {
    SCOPED_TRACE(planted.what);
    Points before = base(), after = base();
    planted.plant(before, after);
    const Ran ran = compare(before, after, planted.arguments);
    EXPECT_EQ(ran.status, planted.status) << ran.out << ran.err;
    EXPECT_EQ(ran.err, "");
    for (const std::string& words : planted.words) EXPECT_THAT(ran.out, HasSubstr(words));
    for (const std::string& words : planted.other_words)
      EXPECT_THAT(ran.out, Not(HasSubstr(words)));
    // Findings stand first, and every line says of which point and device it is.
    bool others = false;
    std::istringstream lines(ran.out);
    for (std::string line; std::getline(lines, line);) {
      if (line.find("FINDING") == 0) {
        EXPECT_FALSE(others) << "a finding comes after others";
      }
      const bool change = line.find(" on ") != std::string::npos;
      others = others || (change && line.find("FINDING") != 0);
      if (change) {
        EXPECT_THAT(line, AllOf(HasSubstr("/"), HasSubstr("="), HasSubstr("device")));
      }
    }
  }
}

// Device A at 100 µs and B at 300 µs: were they mixed up, both would have changed.
TEST_F(Compare, HoldsEveryDeviceToItself) {
  const auto two = [](double a_ns, double b_ns) {
    Points points = {point("float4_columns", 128, a_ns), point("float4_columns", 128, b_ns)};
    points[1].conditions.device = "other device";
    points[1].conditions.device_uuid = kOtherUuid;
    return points;
  };
  Points turned = two(100e3, 300e3);
  std::swap(turned[0], turned[1]);
  const Ran same = compare(two(100e3, 300e3), turned);
  EXPECT_EQ(same.status, 0) << same.out;
  EXPECT_THAT(same.out, HasSubstr("2 points: 4 same; 0 findings"));
  const Ran slower = compare(two(100e3, 300e3), two(100e3, 315e3));
  EXPECT_EQ(slower.status, 1);
  EXPECT_THAT(slower.out, HasSubstr("on other device (GPU-bbbbbbbb): 300.0 µs to 315.0 µs"));
  EXPECT_THAT(slower.out, HasSubstr("2 points: 2 slower, 2 same; 2 findings"));
  // One of the two is gone: it is reported as missing, and not compared with the one that is left.
  const Ran gone = compare(two(100e3, 300e3), {two(100e3, 300e3)[0]});
  EXPECT_EQ(gone.status, 1);
  EXPECT_THAT(gone.out, HasSubstr("2 points: 1 missing, 2 same; 1 finding"));
}

TEST_F(Compare, TakesALostLineOfATornFileForMissing) {
  write("before.wsj", lines_of(base()));
  const std::string text = lines_of(base());
  write("after.wsj", text.substr(0, text.size() - 100));
  const Ran torn = run("compare {folder}/before.wsj {folder}/after.wsj");
  EXPECT_EQ(torn.status, 1) << torn.out;
  EXPECT_THAT(torn.err, HasSubstr("line 3 is torn and was skipped"));
  EXPECT_THAT(torn.out, HasSubstr("FINDING  missing             csrmm/warp_row_zero_test"));
}

TEST_F(Compare, RefusesWhatItCannotDo) {
  write("before.wsj", lines_of(base()));
  write("bare.wsj", to_line(Hello{}) + "\n");
  const std::string both = "compare {folder}/before.wsj {folder}/before.wsj ";
  expect_statuses({
      {"compare {folder}/bare.wsj {folder}/bare.wsj",
       2,
       {"neither session contains a measurement"},
       {},
       ""},
      {both + "--slower fast", 2, {"“fast” is not a percentage", "write, for example, 3%"}, {}, ""},
      {both + "--slower 0.03", 2, {"is not a percentage"}, {}, ""},
      {both + "--slower nan%", 2, {"is not a percentage"}, {}, ""},
      {both + "--slower=-3%", 2, {"is not a percentage"}, {}, ""},
      {both + "--allow wrong", 2, {"a wrong output cannot be allowed"}, {}, ""},
      {both + "--allow mising", 2, {"--allow mising", "did you mean missing?"}, {}, ""},
      {both + "--only csrmm/float5_columns",
       2,
       {"neither session contains a point of this name", "did you mean csrmm/float4_columns?"},
       {},
       ""},
      {both + "--junit {folder}/nowhere/a.xml", 3, {"the file cannot be written"}, {}, ""},
  });
  // One side without a point is a finding: a gate that compared nothing is not open.
  for (const char* sides : {"bare.wsj {folder}/before.wsj", "before.wsj {folder}/bare.wsj"}) {
    const Ran ran = run("compare {folder}/" + std::string(sides) + " --allow missing");
    EXPECT_EQ(ran.status, 1) << sides;
    EXPECT_THAT(ran.out, HasSubstr("nothing could be compared: ")) << sides;
    EXPECT_THAT(ran.out, HasSubstr("has none of these points")) << sides;
  }
}

TEST_F(Compare, PrintsJsonOfEveryPoint) {
  Points after = base();
  time(after[1], 103e3);
  after.pop_back();
  const Ran ran = compare(base(), after, "--json --allow missing");
  EXPECT_EQ(ran.status, 1);
  const auto json = nlohmann::json::parse(ran.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << ran.out;
  EXPECT_EQ(json.at("status"), 1);
  EXPECT_EQ(json.at("findings"), 2);
  EXPECT_EQ(json.at("allowed"), 1);
  ASSERT_EQ(json.at("points").size(), 3u);
  const auto& slow = json.at("points").at(1);
  EXPECT_EQ(slow.at("axes").at("n"), 128);
  EXPECT_EQ(slow.at("device").at("uuid"), kUuid);
  EXPECT_TRUE(slow.at("finding"));
  const auto& warm = slow.at("changes").at(1);
  EXPECT_EQ(warm.at("cache"), "warm");
  EXPECT_EQ(warm.at("change"), "slower");
  EXPECT_NEAR(warm.at("before_ns").get<double>(), 100e3, 1);
  EXPECT_NEAR(warm.at("more_ratio").get<double>(), 0.03, 1e-6);
  EXPECT_EQ(json.at("points").at(2).at("changes").at(0).at("change"), "missing");
}

TEST_F(Compare, WritesJUnitXmlThatAParserReads) {
  Points before = base(), after = base();
  const std::string hostile = "<script>alert(1)</script> & \"]]> ' \x01 \xF0\x9F\x98\x80";
  for (Points* points : {&before, &after}) {
    (*points)[1].scene = hostile;
    (*points)[1].conditions.device = hostile;
  }
  fail(after[1], Outcome::wrong, hostile);
  after.pop_back();
  const Ran ran = compare(before, after, "--allow missing --junit {folder}/gate.xml");
  EXPECT_EQ(ran.status, 1) << ran.out;
  const std::string script = write("read.py", R"(import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
suite = root.find("testsuite")
cases = suite.findall("testcase")
assert root.tag == "testsuites" and len(cases) == 3, len(cases)
assert [suite.get(n) for n in ("tests", "failures", "errors", "skipped")] == ["3", "1", "0", "1"]
failed = [c for c in cases if c.find("failure") is not None]
assert len(failed) == 1 and cases[2].find("skipped") is not None
message = failed[0].find("failure").get("message")
assert "was correct, is wrong: <script>alert(1)</script> & \"]]> ' \ufffd \U0001F600" in message, message
assert message in failed[0].find("failure").text
assert "n=64" in cases[0].get("name") and cases[0].get("classname") == "csrmm.float4_columns"
)");
  EXPECT_EQ(std::system(("python3 " + script + " " + path("gate.xml")).c_str()), 0)
      << text_of(path("gate.xml"));
}

}  // namespace
}  // namespace warpscope
