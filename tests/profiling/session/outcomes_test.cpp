// tests/profiling/session/outcomes_test.cpp: what a session keeps of curves, pictures and
// iterations.
#include "profiling/session/outcomes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiling/session/session.h"

namespace warpscope {
namespace {

using testing::ElementsAre;

Series curve(const std::string& key, std::vector<double> y, const std::string& name = "loss") {
  Series s;
  s.point = {"scene", "variant", key, "code", "GPU-1"};
  s.name = name;
  s.label = "training loss";
  s.along = "step";
  s.unit = "1";
  for (std::size_t i = 0; i < y.size(); ++i) s.x.push_back(static_cast<double>(i));
  s.y = std::move(y);
  return s;
}

Picture picture(const std::string& key, int width, int height, std::uint8_t level = 0) {
  Picture p;
  p.point = {"scene", "variant", key, "code", "GPU-1"};
  p.name = "reconstruction";
  p.width = width;
  p.height = height;
  p.rgb.assign(3 * static_cast<std::size_t>(width) * height, level);
  return p;
}

TEST(Outcomes, ALaterMessageTakesThePlaceOfAnOlderOneOfItsPointAndName) {
  Session session;
  session.apply(curve("n=1", {3, 2}));
  session.apply(curve("n=2", {9}));
  session.apply(curve("n=1", {5}, "accuracy"));
  session.apply(curve("n=1", {3, 2, 1}));
  session.apply(picture("n=1", 2, 1, 10));
  session.apply(picture("n=1", 2, 1, 20));
  Iteration open;
  open.number = 1;
  session.apply(open);
  open.decision = Decision::kept;
  session.apply(open);
  const auto series = session.outcomes().series_of("scene", "variant");
  ASSERT_EQ(series.size(), 3u);
  EXPECT_THAT(series[0]->y, ElementsAre(3, 2, 1));
  EXPECT_EQ(series[1]->point.key, "n=2");
  EXPECT_EQ(series[2]->name, "accuracy");
  EXPECT_TRUE(session.outcomes().series_of("scene", "another").empty());
  ASSERT_EQ(session.outcomes().pictures().size(), 1u);
  EXPECT_EQ(session.outcomes().pictures()[0]->rgb[0], 20);
  ASSERT_EQ(session.outcomes().iterations().size(), 1u);
  EXPECT_EQ(session.outcomes().iterations()[0]->decision, Decision::kept);
}

TEST(Outcomes, LetGoOfWhatCameLongestAgoAndKeepWhatAFileHas) {
  Session session;
  session.apply(picture("of the file", 100, 100));
  session.opened_all();
  const std::int64_t each = session.memory().opened.bytes;
  EXPECT_GT(each, 3 * 100 * 100);
  for (int i = 0; i < 20; ++i) session.apply(picture("n=" + std::to_string(i), 100, 100));
  EXPECT_EQ(session.memory().outcomes.count, 20u);
  Session::Limits limits{};
  limits.trace_bytes = limits.point_bytes = limits.history_bytes = limits.timeline_bytes = 1 << 20;
  limits.outcome_bytes = 10 * each;
  EXPECT_EQ(session.let_go(limits, {}).outcomes, 11u);
  const auto left = session.outcomes().pictures();
  ASSERT_EQ(left.size(), 10u);
  EXPECT_EQ(left.front()->point.key, "of the file");
  EXPECT_EQ(left[1]->point.key, "n=11");
  EXPECT_EQ(left.back()->point.key, "n=19");
  limits.outcome_bytes = 1;
  session.let_go(limits, {});
  EXPECT_EQ(session.outcomes().pictures().size(), 2u) << "the file's and the newest stay";
}

TEST(Outcomes, AThinnedCurveKeepsItsExtremesItsBeginningAndItsEnd) {
  std::vector<double> y(100000, 1.0);
  y[43210] = 7;
  y[77777] = -3;
  y.back() = 2;
  const Series series = curve("n=1", y);
  const std::vector<CurvePoint> points = thinned(series, 400);
  EXPECT_LE(points.size(), 400u);
  double low = 9, high = -9;
  for (std::size_t i = 0; i < points.size(); ++i) {
    low = std::min(low, points[i].y);
    high = std::max(high, points[i].y);
    EXPECT_TRUE(i == 0 || points[i - 1].x <= points[i].x) << i;
  }
  EXPECT_EQ(low, -3);
  EXPECT_EQ(high, 7);
  EXPECT_EQ(points.front().x, 0);
  EXPECT_EQ(points.back().x, 99999);
  EXPECT_EQ(points.back().y, 2);
  EXPECT_EQ(thinned(curve("n=1", {4, 5, 6}), 400).size(), 3u);
  EXPECT_TRUE(thinned(curve("n=1", {}), 400).empty());
}

TEST(Outcomes, AReducedPictureHasTheMeansOfWhatItsCellsCover) {
  Picture p = picture("n=1", 3, 2);
  p.rgb = {10, 0, 0, 20, 0, 0, 100, 0, 0,  //
           30, 0, 0, 40, 0, 0, 200, 0, 0};
  const ReducedPicture whole = reduced(p, 10, 10);
  EXPECT_EQ(whole.rgb, p.rgb);
  const ReducedPicture small = reduced(p, 2, 2);
  EXPECT_EQ(small.width, 2);
  EXPECT_EQ(small.height, 1);
  EXPECT_THAT(small.rgb, ElementsAre(25, 0, 0, 150, 0, 0));
  EXPECT_TRUE(reduced(p, 0, 2).rgb.empty());
}

TEST(Outcomes, TheRowsOfACurveSayWhatItBelongsTo) {
  const Series series = curve("m=1,n=2", {0.5, 0.25});
  EXPECT_EQ(curves_csv({&series}),
            "scene,variant,configuration,device,source,curve,along,x,y,unit\r\n"
            "scene,variant,\"m=1,n=2\",GPU-1,code,loss,step,0,0.5,1\r\n"
            "scene,variant,\"m=1,n=2\",GPU-1,code,loss,step,1,0.25,1\r\n");
}

}  // namespace
}  // namespace warpscope
