// tests/profiling/agreement/figure_change_test.cpp: the noise of metrics at recorded points.
#include "profiling/agreement/figure_change.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "profiling/points/point.h"
#include "profiling/session/session.h"
#include "tests/folders.h"

namespace warpscope {
namespace {

Significance significance(Difference difference) {
  if (difference == Difference::not_comparable) return Significance::unknown;
  const bool beyond = difference == Difference::faster || difference == Difference::slower;
  return beyond ? Significance::beyond_noise : Significance::noise;
}

// What Metrics and Compare say of a time is what the list of variants says of it.
TEST(FigureChange, AgreesWithTheVerdictOnTimesAtEveryRecordedPoint) {
  const Result<SessionReading> reading =
      read_session(source_folder() / "assets/sessions/h200-patterns.wsj.gz");
  ASSERT_TRUE(reading);
  std::map<std::string, std::vector<const Measurement*>> by_problem;
  for (const Measurement* point : reading->session.newest_points()) {
    if (point->verdict.outcome == Outcome::correct) by_problem[point->problem].push_back(point);
  }
  std::map<Significance, int> seen;
  for (const auto& [problem, points] : by_problem) {
    for (const Measurement* a : points) {
      for (const Measurement* b : points) {
        for (const CacheState cache : {CacheState::cold, CacheState::warm}) {
          const std::optional<Timing>& before = cache == CacheState::cold ? a->cold : a->warm;
          const std::optional<Timing>& now = cache == CacheState::cold ? b->cold : b->warm;
          if (!before || !now) continue;
          const std::string metric = cache == CacheState::cold ? "time.cold" : "time.warm";
          const Significance said =
              judge_change(metric, *a, before->median_ns, *b, now->median_ns).significance;
          EXPECT_EQ(said, significance(compare_times(*a, *b, cache).difference))
              << a->variant << " and " << b->variant << " at " << problem;
          ++seen[said];
        }
      }
    }
  }
  EXPECT_GT(seen[Significance::noise], 100);
  EXPECT_GT(seen[Significance::beyond_noise], 100);
}

TEST(FigureChange, JudgesCountsWithoutSamplesAndNoTimeThatHasNone) {
  const Measurement none;
  EXPECT_EQ(judge_change("dram.bytes", none, 100, none, 102).significance,
            Significance::beyond_noise);
  EXPECT_EQ(judge_change("time.warm", none, 100, none, 200).significance, Significance::unknown);
  for (const char* once : {"time.prepare", "time.graph", "time.break_even_runs"})
    EXPECT_EQ(judge_change(once, none, 100, none, 200).significance, Significance::unknown) << once;
}

}  // namespace
}  // namespace warpscope
