// tests/profiling/capture/selection_test.cpp: which launches are taken, and how they are summed.
#include "profiling/capture/selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiling/capture/reports.h"
#include "profiling/capture/tally.h"

namespace warpscope {
namespace {

Launch shape(std::int64_t grid, std::int64_t block = 128) {
  return {{grid, 1, 1}, {block, 1, 1}, 0, {}, false};
}

// The places, from 0, of the launches that are taken of these.
struct Made {
  const char* symbol;
  std::int64_t grid;
  const char* range;
};
std::vector<int> taken(const CaptureSettings& settings, const std::vector<Made>& launches) {
  Result<LaunchSelection> selection = LaunchSelection::of(settings);
  EXPECT_TRUE(selection);
  std::vector<int> places;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    if (selection->takes(launches[i].symbol, shape(launches[i].grid), launches[i].range))
      places.push_back(static_cast<int>(i));
  }
  return places;
}

const std::vector<Made> kLaunches = {{"_Z4normPf", 1, "step/forward"},  {"_Z3addPf", 1, "step"},
                                     {"_Z4normPf", 2, "step/backward"}, {"_Z3addPf", 1, ""},
                                     {"_Z4normPf", 1, "step/backward"}, {"gemm_128", 4, "step"}};

CaptureSettings taking() {
  CaptureSettings settings;
  settings.take = true;
  return settings;
}

TEST(LaunchSelectionTest, TheFirstMatchIsTakenAndNoOther) {
  CaptureSettings settings = taking();
  settings.kernel = "norm";
  EXPECT_THAT(taken(settings, kLaunches), testing::ElementsAre(0));
}

TEST(LaunchSelectionTest, NamesAreMatchedMangledOrNot) {
  CaptureSettings settings = taking();
  settings.kernel = "^add\\(float\\*\\)$";
  EXPECT_THAT(taken(settings, kLaunches), testing::ElementsAre(1));
  settings.kernel = "^_Z3add";
  EXPECT_THAT(taken(settings, kLaunches), testing::ElementsAre(1));
  settings.kernel = "^gemm_[0-9]+$";
  EXPECT_THAT(taken(settings, kLaunches), testing::ElementsAre(5));
}

TEST(LaunchSelectionTest, NumbersCountMatchesAlone) {
  CaptureSettings settings = taking();
  settings.kernel = "norm";
  settings.number = 3;
  EXPECT_THAT(taken(settings, kLaunches), testing::ElementsAre(4));
  settings.range = "backward";
  settings.number = 2;
  EXPECT_THAT(taken(settings, kLaunches), testing::ElementsAre(4));
}

TEST(LaunchSelectionTest, ARangeIsMatchedWithThoseAroundIt) {
  CaptureSettings settings = taking();
  settings.range = "^step/back";
  EXPECT_THAT(taken(settings, kLaunches), testing::ElementsAre(2));
}

TEST(LaunchSelectionTest, EveryShapeIsTakenOnceUpToTheMost) {
  CaptureSettings settings = taking();
  settings.every_shape = true;
  settings.most = 20;
  EXPECT_THAT(taken(settings, kLaunches), testing::ElementsAre(0, 1, 2, 5));
  settings.most = 2;
  EXPECT_THAT(taken(settings, kLaunches), testing::ElementsAre(0, 1));
}

TEST(LaunchSelectionTest, ASymbolIsTakenWhole) {
  CaptureSettings settings = taking();
  settings.symbol = "_Z3addPf";
  settings.number = 2;
  EXPECT_THAT(taken(settings, kLaunches), testing::ElementsAre(3));
}

TEST(LaunchSelectionTest, AMissedLaunchIsReplacedByTheNextMatch) {
  CaptureSettings settings = taking();
  settings.kernel = "norm";
  settings.number = 2;
  LaunchSelection selection = *LaunchSelection::of(settings);
  EXPECT_FALSE(selection.takes("_Z4normPf", shape(1), ""));
  EXPECT_TRUE(selection.takes("_Z4normPf", shape(1), ""));
  selection.missed();
  EXPECT_FALSE(selection.done());
  EXPECT_TRUE(selection.takes("_Z4normPf", shape(1), ""));
  EXPECT_TRUE(selection.done());
  EXPECT_FALSE(selection.takes("_Z4normPf", shape(1), ""));
}

TEST(LaunchSelectionTest, NothingIsTakenWhereOnlyAListIsAskedFor) {
  CaptureSettings settings;
  EXPECT_THAT(taken(settings, kLaunches), testing::IsEmpty());
}

TEST(LaunchSelectionTest, AWrongExpressionIsOneSentence) {
  CaptureSettings settings = taking();
  settings.kernel = "norm(";
  const Result<LaunchSelection> selection = LaunchSelection::of(settings);
  ASSERT_FALSE(selection);
  EXPECT_EQ(sentence(selection.error()),
            "--kernel is not a regular expression: “norm(”; write a part of the name, and \\ "
            "before ( ) [ ] { } * + ? . | ^ $");
}

TEST(LaunchSelectionTest, AnExternCNameStaysAsItIs) {
  EXPECT_EQ(demangled_name("f"), std::string("f"));
  EXPECT_EQ(demangled_name("_Z1fv"), std::string("f()"));
}

TEST(LaunchTallyTest, LaunchesAreSummedByKernelShapeAndRange) {
  Tally tally;
  EXPECT_EQ(tally.count("a", shape(1), "").number, 1);
  EXPECT_EQ(tally.count("a", shape(1), "").number, 2);
  EXPECT_EQ(tally.count("b", shape(1), "").number, 1);
  const Tally::Place third = tally.count("a", shape(2), "");
  EXPECT_EQ(third.number, 3);
  EXPECT_EQ(tally.count("a", shape(1), "r").number, 4);
  tally.timed(third, 2.5);
  const std::vector<TallyRow> rows = tally.changes().rows;
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].launches, 2);
  EXPECT_EQ(rows[2].launches, 1);
  EXPECT_EQ(rows[2].longest_number, 3);
  EXPECT_DOUBLE_EQ(rows[2].time_ms, 2.5);
  EXPECT_EQ(rows[3].range, "r");
  EXPECT_TRUE(tally.changes().rows.empty());
  tally.count("b", shape(1), "");
  ASSERT_EQ(tally.changes().rows.size(), 1u);
  EXPECT_EQ(tally.launches(), 6);
}

TEST(TallyTest, TimedLaunchesComeOnceWithTheirRows) {
  Tally tally;
  tally.count("a", shape(1), "");
  const Tally::Place b = tally.count("b", shape(1), "r");
  (void)tally.changes();
  tally.timed(b, 0.5, 1000, 7);
  tally.timed(b, 0.25, 1001, 7);
  tally.timed(b, 0.25);  // nobody knows when
  const Tally::Changes changes = tally.changes();
  ASSERT_EQ(changes.rows.size(), 1u);
  EXPECT_EQ(changes.rows[0].timed, 3);
  ASSERT_EQ(changes.spans.size(), 2u);
  EXPECT_EQ(changes.spans[1].row, 0u);
  EXPECT_EQ(changes.spans[1].start_ms, 1001);
  EXPECT_TRUE(tally.changes().spans.empty());
}

// A stranger on the socket.
TEST(CaptureReportTest, ASpanOfNoRowIsLeftOut) {
  const std::optional<CaptureReport> report = report_of(
      report_line(LaunchesReport{7, {{"k", "", shape(1), 1, 1, 1, 1, 1}}, 0, {{1, 2, 3, 4}}}));
  ASSERT_TRUE(report);
  EXPECT_TRUE(std::get<LaunchesReport>(*report).spans.empty());
}

TEST(CaptureReportTest, EveryReportComesBack) {
  const std::vector<CaptureReport> reports = {
      StartReport{7, {"a", "b c"}},
      LaunchesReport{7, {{"k", "r", shape(3, 64), 5, 4, 1.5, 0.5, 2}}, 9, {{0, 12.5, 0.5, 3}}},
      TakenReport{"f.wcap", "k(int)", "r", 2, 4096, 1.25, 3, "_Z1ki"},
      RefusedReport{"k", 2, "why", "remedy", 4},
      ProgressReport{"k", 4, 1 << 20, std::uint64_t{3} << 32},
      TroubleReport{"why", "remedy"},
      NoteReport{"words"},
      EndReport{}};
  for (const CaptureReport& report : reports) {
    std::string line = report_line(report);
    ASSERT_EQ(line.back(), '\n');
    line.pop_back();
    const std::optional<CaptureReport> read = report_of(line);
    ASSERT_TRUE(read) << line;
    EXPECT_EQ(report_line(*read), line + "\n");
  }
  EXPECT_FALSE(report_of("{\"type\":\"taken\"}"));
  EXPECT_FALSE(report_of("nonsense"));
}

TEST(CaptureRequestTest, EveryRequestComesBack) {
  TakeRequest take{5, "_Z3addv", "a|b", "step\"", shape(7, 64)};
  take.like->dynamic_shared_bytes = 12;
  for (const CaptureRequest& request :
       {CaptureRequest(take), CaptureRequest(TakeRequest{6, "", "k", "", {}}),
        CaptureRequest(StopRequest{6})}) {
    std::string line = request_line(request);
    ASSERT_EQ(line.back(), '\n');
    line.pop_back();
    const std::optional<CaptureRequest> read = request_of(line);
    ASSERT_TRUE(read) << line;
    EXPECT_EQ(request_line(*read), line + "\n");
  }
  const std::optional<CaptureRequest> read = request_of(request_line(take));
  EXPECT_EQ(std::get<TakeRequest>(*read).kernel, "a|b");
  EXPECT_TRUE(same_shape(*std::get<TakeRequest>(*read).like, *take.like));
  EXPECT_FALSE(same_shape(shape(7, 64), *take.like));
  EXPECT_FALSE(request_of("{\"type\":\"take\",\"id\":1}"));
  EXPECT_FALSE(request_of("{\"type\":\"run\"}"));
  EXPECT_FALSE(request_of("nonsense"));
}

TEST(CaptureSettingsTest, SettingsComeBack) {
  CaptureSettings s;
  s.socket = "/tmp/s";
  s.folder = "f";
  s.cupti = "c";
  s.take = true;
  s.live = true;
  s.kernel = "k\"\\";
  s.range = "r";
  s.symbol = "s";
  s.number = 5;
  s.every_shape = true;
  s.most = 6;
  s.times = true;
  s.data = false;
  s.budget_bytes = std::uint64_t{5} << 32;
  s.limit_s = 0.5;
  const std::optional<CaptureSettings> read = settings_of(settings_text(s));
  ASSERT_TRUE(read);
  EXPECT_EQ(settings_text(*read), settings_text(s));
  EXPECT_EQ(read->kernel, s.kernel);
  EXPECT_EQ(read->budget_bytes, s.budget_bytes);
  EXPECT_FALSE(settings_of("nonsense"));
}

}  // namespace
}  // namespace warpscope
